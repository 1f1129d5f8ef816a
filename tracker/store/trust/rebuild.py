"""Makes a store's file anew of its rows, with nothing else that the file says about them.

DuckDB keeps the bounds of each segment in the file and skips what they exclude. Whoever rewrites
them hides rows, or changes what a query answers, and no row; of a file that tracker did not leave
as it is, a writer therefore takes over the rows alone.
"""

import graphlib
import shutil
from collections.abc import Iterator
from pathlib import Path

import sqlalchemy as sa
from sqlalchemy import Connection

from tracker import schema
from tracker.errors import CheckFailed, said
from tracker.store import catalog, connections, definitions, revisions
from tracker.store.state import kept
from tracker.store.trust import statistics, trusted_files

_TABLES = (
    "select table_name from system.main.duckdb_tables() "
    "where database_name = current_database() and schema_name = 'main' "
    "and not internal and not temporary"
)
_REFERENCES = (
    "select table_name, referenced_table from system.main.duckdb_constraints() "
    "where database_name = current_database() and schema_name = 'main' "
    "and constraint_type = 'FOREIGN KEY'"
)


def compact(path: Path, home: Path, *, is_whole: bool = True, keeps_state: bool = False) -> None:
    """Replace a store that nobody else has open by one that is made of its rows.

    Tables keep their rows in their order, by which the log knows them. Nothing else of the file is
    left: no room of rows that were removed, and none of the statistics that DuckDB keeps of each
    segment. Unless it `is_whole`, a user's own tables are left empty, and unless it `keeps_state`,
    those of tracker.store.state.kept. `home` is as of tracker.store.connections.engine. Raises
    CheckFailed if rows break a constraint of their table.
    """
    target = path.with_name(f"{path.name}.compact")
    with (
        connections.engine(path, read_only=False, home=home) as engine,
        connections.connect(engine, path) as connection,
    ):
        _copy(connection, target, is_whole=is_whole, keeps_state=keeps_state)
    target.chmod(path.stat().st_mode & 0o777)
    target.replace(path)


def keep_rows_alone(copy: Path, home: Path) -> None:
    """Make a private copy of a current store anew of its rows; a user's own tables are then empty.

    Raises InputRefused if it is of another version, StoreAltered if anything in it is not defined
    as tracker does, and CheckFailed if its rows break a constraint.
    """
    with (
        connections.engine(copy, read_only=True, home=home) as engine,
        connections.connect(engine, home) as connection,
    ):
        # Nothing that the store defines may run while its rows are copied.
        revisions.require_current(connection, definitions.read(connection))
        definitions.require_constraints(connection)
    compact(copy, home, is_whole=False)


def require_own_bytes(copy: Path, home: Path) -> bool:
    """Leave nothing but the rows in a writer's copy of a file that tracker may not have written.

    In a store with a user's own tables, whose references are unknown, the file is compared with its
    rows instead, and only the rows kept of views are left out. Returns whether the copy can be
    remembered as tracker's own; not so if it has such tables and is yet to be upgraded. Raises
    InputRefused if it is no store, or one of a newer tracker, StoreAltered if it has foreign
    definitions, and CheckFailed if it states other values than its rows have, or these break a
    constraint.
    """
    if trusted_files.is_remembered(copy):
        return True
    with (
        connections.engine(copy, read_only=True, home=home) as engine,
        connections.connect(engine, home) as connection,
    ):
        contents = definitions.read(connection)
        revision = revisions.revision_of(connection, contents)
        is_current = revision == revisions.known()[-1]
        if is_current:
            definitions.require_constraints(connection)
    if revision is None:
        return True
    if not definitions.has_own_tables(contents):
        compact(copy, home)
        return True
    if is_current:
        _require_true_statistics(copy, home)
        with (
            connections.engine(copy, read_only=False, home=home) as engine,
            engine.begin() as connection,
        ):
            # The rows kept of views may have been altered, too: the writer makes them anew.
            connection.exec_driver_sql(f"drop schema {catalog.STATE} cascade")
    return is_current


def _require_true_statistics(copy: Path, home: Path) -> None:
    rows = copy.with_name(f"{copy.name}.rows")
    shutil.copyfile(copy, rows)
    compact(rows, home, is_whole=False)
    with (
        connections.engine(copy, read_only=True, home=home) as stated,
        connections.engine(rows, read_only=True, home=home) as true,
        stated.connect() as stored,
        true.connect() as made_anew,
    ):
        problems = [*statistics.problems(stored, made_anew)]
    rows.unlink()
    if problems:
        raise CheckFailed("\n".join([*problems, "restore an earlier copy of the store"]))


def _copy(connection: Connection, target: Path, *, is_whole: bool, keeps_state: bool) -> None:
    run, quoted = connection.exec_driver_sql, connection.dialect.identifier_preparer.quote
    place = str(target).replace("'", "''")
    own = quoted(str(run("select current_database()").scalar_one()))
    copy = quoted("compact_copy" if own.strip('"') != "compact_copy" else "another_copy")
    run(f"attach '{place}' as {copy}")
    run(f"copy from database {own} to {copy} (schema)")
    ours = schema.metadata.tables.keys() | {definitions.REVISION_TABLE}
    for name in _tables(connection):
        if not is_whole and name not in ours:
            continue
        # Without a condition every row is read, whatever the statistics say.
        try:
            run(f"insert into {copy}.main." + quoted(name) + " from main." + quoted(name))
        except sa.exc.IntegrityError as error:
            raise CheckFailed(f"table {name}: its rows were altered: {said(error.orig)}") from error
    if keeps_state:
        for name in [catalog.MADE_FROM, *(view.name for view in kept.views())]:
            run(f"insert into {copy}.{catalog.STATE}.{name} from {catalog.STATE}.{name}")
    connection.commit()
    run(f"detach {copy}")


def _tables(connection: Connection) -> Iterator[str]:
    """Yield the tables of a store, of whatever version, before those that refer to them."""
    references: dict[str, set[str]] = {
        name: set() for name in sorted(connection.exec_driver_sql(_TABLES).scalars())
    }
    for name, referenced in connection.exec_driver_sql(_REFERENCES):
        if name != referenced:
            references[name].add(referenced)
    yield from graphlib.TopologicalSorter(references).static_order()
