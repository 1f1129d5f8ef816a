"""Definitions allowed in a store: only tracker's tables and views and a user's own tables.

A store is data that may come from anyone. A macro in it could replace any function or operator,
a view could compute anything, so anything not as tracker made it is refused by name before a
query runs. The queries here call nothing that a store could redefine.
"""

import functools
from dataclasses import dataclass

import duckdb
from sqlalchemy import Connection

from tracker.errors import InputRefused, StoreAltered
from tracker.store import schema
from tracker.store.catalog import View

_FUNCTIONS = (
    "select schema_name, function_name, function_type "
    "from system.main.duckdb_functions() where not internal"
)
_VIEWS = (
    "select schema_name, view_name, sql "
    "from system.main.duckdb_views() where not internal and not temporary"
)
_TABLES = (
    "select schema_name, table_name "
    "from system.main.duckdb_tables() where not internal and not temporary"
)
_TYPES = "select schema_name, type_name from system.main.duckdb_types() where not internal"
_SCHEMAS = "select schema_name from system.main.duckdb_schemas() where not internal"
_COLUMNS = (
    "select table_name, column_name, data_type, is_nullable, column_default "
    "from system.main.duckdb_columns() where not internal"
)
_BUILT = "select name from view_build"
_REVISION_TABLE = "alembic_version"


@dataclass(frozen=True)
class Foreign:
    """A definition in a store that tracker did not make; `kind` is its word in DROP."""

    kind: str
    name: str
    schema: str = "main"

    def __str__(self) -> str:
        """Return kind and name, with the schema unless it is main."""
        place = "" if self.schema == "main" else f"{self.schema}."
        return f"{self.kind} {place}{self.name}"


def tables(connection: Connection) -> set[str]:
    """Return the tables of the store; those outside schema main with their schema."""
    rows = connection.exec_driver_sql(_TABLES)
    return {name if place == "main" else f"{place}.{name}" for place, name in rows}


def views(connection: Connection) -> set[str]:
    """Return the views of the store; those outside schema main with their schema."""
    rows = connection.exec_driver_sql(_VIEWS)
    return {name if place == "main" else f"{place}.{name}" for place, name, _ in rows}


def foreign(connection: Connection, installed: list[View]) -> list[Foreign]:
    """Return the store's definitions other than tracker's tables and views and plain tables.

    Views built by an earlier tracker count as its own. A table with the name of a tracker view
    would be read instead of the view, so it is foreign, and so is a view with the name of a
    table.
    """
    stored = tables(connection)
    own = {view.name for view in installed}
    if "view_build" in stored:
        own |= set(connection.exec_driver_sql(_BUILT).scalars())
    own -= schema.metadata.tables.keys()
    found = [
        Foreign("macro table" if kind == "table_macro" else "macro", name, place)
        for place, name, kind in connection.exec_driver_sql(_FUNCTIONS)
    ]
    found += [
        Foreign("view", name, place)
        for place, name, _ in connection.exec_driver_sql(_VIEWS)
        if place != "main" or name not in own
    ]
    found += [Foreign("type", name, place) for place, name in connection.exec_driver_sql(_TYPES)]
    found += [Foreign("table", view.name) for view in installed if view.name in stored]
    found = sorted(set(found), key=lambda one: (one.kind, one.schema, one.name))
    # Last, so that a schema is empty when it is dropped.
    places = sorted(connection.exec_driver_sql(_SCHEMAS).scalars())
    return found + [Foreign("schema", place) for place in places if place != "main"]


def require_own(connection: Connection, installed: list[View]) -> None:
    """Raise StoreAltered if the store defines anything that tracker did not make."""
    found = foreign(connection, installed)
    if found:
        raise StoreAltered(
            [f"the {one} is not tracker's" for one in found],
            "'tracker init --drop-foreign' drops what is not",
        )


def require_tables(connection: Connection) -> None:
    """Raise InputRefused if a tracker table is missing, StoreAltered if one was altered."""
    missing = sorted(schema.metadata.tables.keys() - tables(connection))
    if missing:
        raise InputRefused(f"is damaged: it lacks the tables {', '.join(missing)}")
    altered = altered_tables(connection)
    if altered:
        raise StoreAltered(
            [f"the columns of the table {name} are not as tracker made them" for name in altered],
            "restore an earlier copy of the store",
        )


def require_views(connection: Connection, installed: list[View]) -> None:
    """Raise StoreAltered if a view is not the one that tracker installed."""
    altered = altered_views(connection, installed)
    if altered:
        raise StoreAltered(
            [f"the view {name} is not the one that tracker installed" for name in altered],
            "it was changed, or built by another DuckDB; 'tracker init' rebuilds the views",
        )


def drop(connection: Connection, found: list[Foreign]) -> None:
    """Drop the definitions in `found`; DuckDB refuses a schema with tables."""
    for one in found:
        name = _quoted(one.name)
        place = "" if one.kind == "schema" else f"{_quoted(one.schema)}."
        connection.exec_driver_sql(f"drop {one.kind} if exists {place}{name}")


def altered_tables(connection: Connection) -> list[str]:
    """Return the tracker tables whose columns are not those the migrations make.

    Names, types, NOT NULL, defaults and generated columns are compared. Constraints are not: a
    missing one computes nothing, and sql/checks finds invalid rows.
    """
    stored: dict[str, dict[str, tuple[str, bool, str | None]]] = {}
    for table, column, kind, is_nullable, default in connection.exec_driver_sql(_COLUMNS):
        stored.setdefault(table, {})[column] = (kind, is_nullable, default)
    expected = {
        table.name: {
            column.name: (
                column.type.compile(dialect=connection.dialect).removesuffix(" PRECISION"),
                bool(column.nullable),
                None,
            )
            for column in table.c
        }
        for table in schema.metadata.tables.values()
    }
    expected[_REVISION_TABLE] = {"version_num": ("VARCHAR", False, None)}
    return sorted(name for name, columns in expected.items() if stored.get(name) != columns)


def altered_views(connection: Connection, installed: list[View]) -> list[str]:
    """Return views of `installed` that the store lacks or defines differently."""
    stored = {name: text for _, name, text in connection.exec_driver_sql(_VIEWS)}
    expected = _as_stored(tuple(view.select for view in installed))
    altered = []
    for view, select in zip(installed, expected, strict=True):
        own = {f"CREATE VIEW {name} AS {select};" for name in (view.name, _quoted(view.name))}
        if stored.get(view.name) not in own:
            altered.append(view.name)
    return altered


@functools.cache
def _as_stored(selects: tuple[str, ...]) -> tuple[str, ...]:
    """Return each SELECT as DuckDB writes it in a view definition."""
    query = "select json_deserialize_sql(json_serialize_sql(unnest(?)))"
    with duckdb.connect() as parser:
        return tuple(row[0] for row in parser.execute(query, [list(selects)]).fetchall())


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
