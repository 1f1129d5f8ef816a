"""Writes a store anew, without the room that rows took which are no longer in it."""

from pathlib import Path

from sqlalchemy import Connection

from tracker.store import connections, schema

_TABLES = (
    "select table_name from system.main.duckdb_tables() "
    "where database_name = current_database() and not internal and not temporary"
)


def compact(path: Path, home: Path) -> None:
    """Replace a store that nobody else has open by one with the same content in less room.

    Tables keep their rows in their order, by which the log knows them. `home` is as of
    tracker.store.connections.engine.
    """
    target = path.with_name(f"{path.name}.compact")
    with (
        connections.engine(path, read_only=False, home=home) as engine,
        connections.connect(engine, path) as connection,
    ):
        _copy(connection, target)
    target.chmod(path.stat().st_mode & 0o777)
    target.replace(path)


def _copy(connection: Connection, target: Path) -> None:
    run, quoted = connection.exec_driver_sql, connection.dialect.identifier_preparer.quote
    place = str(target).replace("'", "''")
    own = quoted(str(run("select current_database()").scalar_one()))
    run(f"attach '{place}' as compact_copy")
    run(f"copy from database {own} to compact_copy (schema)")
    present = {*run(_TABLES).scalars()}
    # Referenced tables before those that refer to them; a user's own come last.
    known = [table.name for table in schema.metadata.sorted_tables if table.name in present]
    for name in [*known, *sorted(present - {*known})]:
        run("insert into compact_copy.main." + quoted(name) + " from main." + quoted(name))
    connection.commit()
    run("detach compact_copy")
