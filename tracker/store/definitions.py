"""Definitions that a store may have: tracker's tables and views, and a user's own tables.

A store is data that may come from anyone. A macro in it could replace any function or operator,
a view could compute anything, so anything not as tracker made it is refused by name before a
query runs. The queries here call nothing that a store could redefine.
"""

import functools
from dataclasses import dataclass

import sqlalchemy as sa
from duckdb_sqlalchemy import Dialect
from sqlalchemy import Connection

from tracker import schema
from tracker.errors import InputRefused, StoreAltered
from tracker.store import catalog
from tracker.store.catalog import MADE_FROM, RESULTS, STATE, View

_FUNCTIONS = (
    "select schema_name, function_name, function_type "
    "from system.main.duckdb_functions() where not internal"
)
_VIEWS = (
    "select schema_name, view_name, sql "
    "from system.main.duckdb_views() where not internal and not temporary"
)
_TABLES = (
    "select schema_name, table_name, sql "
    "from system.main.duckdb_tables() where not internal and not temporary"
)
_INDEXES = "select schema_name, table_name from system.main.duckdb_indexes()"
_CONSTRAINTS = (
    "select table_name, constraint_type, constraint_text "
    "from system.main.duckdb_constraints() where schema_name = 'main'"
)
_TYPES = "select schema_name, type_name from system.main.duckdb_types() where not internal"
_SCHEMAS = "select schema_name from system.main.duckdb_schemas() where not internal"
_COLUMNS = (
    "select schema_name, table_name, column_name, data_type, is_nullable, column_default "
    "from system.main.duckdb_columns() where not internal"
)
_BUILT = "select name from view_build"
REVISION_TABLE = "alembic_version"


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


@dataclass(frozen=True)
class Contents:
    """What a store file defines, read once; the lists are of definitions besides tables."""

    tables: set[str]
    views: dict[Foreign, str]
    others: list[Foreign]
    schemas: list[str]
    columns: dict[str, dict[str, tuple[str, bool, str | None]]]
    # Tables with a collation, by which text is compared otherwise, or an index of their own.
    compared_otherwise: set[str]

    @property
    def kept(self) -> set[str]:
        """The names of the tables in the schema of rows that are kept of views."""
        prefix = _placed(STATE, "")
        return {name.removeprefix(prefix) for name in self.tables if name.startswith(prefix)}

    @property
    def names(self) -> set[str]:
        """The names of other tables and of views; those outside schema main with their schema."""
        kept = {_placed(STATE, name) for name in self.kept}
        return self.tables - kept | {_placed(view.schema, view.name) for view in self.views}


def read(connection: Connection) -> Contents:
    """Return what the store defines now."""
    rows = connection.exec_driver_sql
    columns: dict[str, dict[str, tuple[str, bool, str | None]]] = {}
    for place, table, column, kind, is_nullable, default in rows(_COLUMNS):
        columns.setdefault(_placed(place, table), {})[column] = (kind, is_nullable, default)
    macros = [
        Foreign("macro table" if kind == "table_macro" else "macro", name, place)
        for place, name, kind in rows(_FUNCTIONS)
    ]
    tables = [*rows(_TABLES)]
    return Contents(
        tables={_placed(place, name) for place, name, _ in tables},
        views={Foreign("view", name, place): sql for place, name, sql in rows(_VIEWS)},
        others=macros + [Foreign("type", name, place) for place, name in rows(_TYPES)],
        schemas=sorted(rows(_SCHEMAS).scalars()),
        columns=columns,
        compared_otherwise={
            *(_placed(place, name) for place, name, sql in tables if "collate" in sql.lower()),
            *(_placed(place, name) for place, name in rows(_INDEXES)),
        },
    )


def foreign(connection: Connection, contents: Contents, installed: list[View]) -> list[Foreign]:
    """Return the store's definitions other than tracker's tables and views and plain tables.

    Views built by an earlier tracker count as its own. A table with the name of a tracker view
    would be read instead of the view, so it is foreign, and so is a view with the name of a
    table.
    """
    own = {view.name for view in installed}
    if "view_build" in contents.tables:
        own |= set(connection.exec_driver_sql(_BUILT).scalars())
    own -= schema.metadata.tables.keys()
    shown = {*catalog.REFERRED_TO}
    found = {
        view
        for view in contents.views
        if view.name not in {"main": own, RESULTS: own | shown}.get(view.schema, ())
    }
    hidden = contents.tables & {view.name for view in installed}
    # A store of before the ledger of events has outcomes in a table; the upgrade replaces it.
    if schema.event.name not in contents.tables:
        hidden -= {"outcome"}
    # Nor a view over sealed sets: the table that has its name is renamed.
    if schema.stored_candidate.name not in contents.tables:
        hidden -= {"candidate"}
    found |= {Foreign("table", name) for name in hidden}
    found |= {
        Foreign("table", name, STATE) for name in contents.kept if name not in {*own, MADE_FROM}
    }
    found |= set(contents.others)
    ordered = sorted(found, key=lambda one: (one.kind, one.schema, one.name))
    # Schemas come last, so that each is empty when it is dropped.
    schemas = [place for place in contents.schemas if place not in ("main", STATE, RESULTS)]
    return ordered + [Foreign("schema", place) for place in schemas]


def has_own_tables(contents: Contents) -> bool:
    """Whether a user has tables of their own in the store."""
    kept = {_placed(STATE, name) for name in contents.kept}
    return not contents.tables - kept <= schema.metadata.tables.keys() | {REVISION_TABLE}


def require_own(connection: Connection, contents: Contents, installed: list[View]) -> None:
    """Raise StoreAltered if the store defines anything that tracker did not make."""
    found = foreign(connection, contents, installed)
    if found:
        raise StoreAltered(
            [f"the {one} is not tracker's" for one in found],
            "'tracker init --drop-foreign' drops what is not",
        )


def require_tables(contents: Contents) -> None:
    """Raise InputRefused if a tracker table is missing, StoreAltered if one was altered."""
    missing = sorted(schema.metadata.tables.keys() - contents.tables)
    if missing:
        raise InputRefused(f"is damaged: it lacks the tables {', '.join(missing)}")
    altered = altered_tables(contents)
    if altered:
        raise StoreAltered(
            [f"the columns of the table {name} are not as tracker made them" for name in altered],
            "restore an earlier copy of the store",
        )


def require_views(contents: Contents, installed: list[View]) -> None:
    """Raise StoreAltered if a view is not the one that tracker installed."""
    # A view of an earlier tracker, which view_build may name, does not belong among these.
    found = {_placed(view.schema, view.name) for view in contents.views}
    others = sorted(found - expected_views(installed).keys())
    if others:
        raise StoreAltered(
            [f"the view {name} is not tracker's" for name in others], "'tracker init' drops it"
        )
    if altered := altered_state(contents, installed):
        raise StoreAltered(
            [f"the table {name} is not as tracker made it" for name in altered],
            "'tracker init' makes it anew",
        )
    altered = altered_views(contents, installed)
    if altered:
        raise StoreAltered(
            [f"the view {name} is not the one that tracker installed" for name in altered],
            "it was changed, or built by another DuckDB; 'tracker init' rebuilds the views",
        )


def require_constraints(connection: Connection) -> None:
    """Raise StoreAltered if a constraint of a tracker table is missing, or was added."""
    found, expected = (
        set(map(tuple, connection.exec_driver_sql(_CONSTRAINTS))),
        _expected_constraints(),
    )
    tables = schema.metadata.tables.keys()
    altered = sorted({name for name, *_ in found ^ expected} & tables)
    if altered:
        raise StoreAltered(
            [
                f"the constraints of the table {name} are not as tracker made them"
                for name in altered
            ],
            "restore an earlier copy of the store",
        )


def drop(connection: Connection, found: list[Foreign]) -> None:
    """Drop the definitions in `found`; DuckDB refuses a schema with tables."""
    for one in found:
        name = _quoted(one.name)
        place = "" if one.kind == "schema" else f"{_quoted(one.schema)}."
        connection.exec_driver_sql(f"drop {one.kind} if exists {place}{name}")


def altered_tables(contents: Contents) -> list[str]:
    """Return the tracker tables whose columns are not those the migrations make.

    Names, types, NOT NULL, defaults, generated columns, collations and indexes are compared;
    `require_constraints` compares the constraints, by which nothing is computed.
    """
    expected = _expected_columns()
    return sorted(
        name
        for name, columns in expected.items()
        if contents.columns.get(name) != columns or name in contents.compared_otherwise
    )


def altered_state(contents: Contents, installed: list[View]) -> list[str]:
    """Return the tables of kept rows that are missing, or have a collation, an index or a default.

    A check that computes the rows finds other columns.
    """
    names = [view.name for view in installed if view.stored]
    return [
        place
        for place in (_placed(STATE, name) for name in (MADE_FROM, *names))
        if place not in contents.tables
        or place in contents.compared_otherwise
        or any(default is not None for _, _, default in contents.columns[place].values())
    ]


def altered_views(contents: Contents, installed: list[View]) -> list[str]:
    """Return views of `installed` that the store lacks or defines differently."""
    expected = expected_views(installed)
    stored = {_placed(view.schema, view.name): text for view, text in contents.views.items()}
    selects = catalog.as_stored([*expected.values()])
    altered = []
    for name, select in zip(expected, selects, strict=True):
        *place, last = name.split(".")
        own = {
            f"CREATE VIEW {'.'.join([*place, one])} AS {select};" for one in (last, _quoted(last))
        }
        if stored.get(name) not in own:
            altered.append(name)
    return altered


def expected_views(installed: list[View]) -> dict[str, str]:
    """Return the SELECT of each view of a store by name, with the schema where that is not main."""
    return {view.name: view.installed for view in installed} | {
        _placed(RESULTS, name): catalog.shown(name)
        for name in (*catalog.REFERRED_TO, *(view.name for view in installed if view.topic))
    }


@functools.cache
def _expected_columns() -> dict[str, dict[str, tuple[str, bool, str | None]]]:
    dialect = Dialect()
    expected: dict[str, dict[str, tuple[str, bool, str | None]]] = {
        table.name: {
            column.name: (
                column.type.compile(dialect=dialect).removesuffix(" PRECISION"),
                bool(column.nullable),
                None,
            )
            for column in table.c
        }
        for table in schema.metadata.tables.values()
    }
    expected[REVISION_TABLE] = {"version_num": ("VARCHAR", False, None)}
    return expected


@functools.cache
def _expected_constraints() -> set[tuple[str, str, str]]:
    """Return the constraints of an empty store, worded as DuckDB words them."""
    engine = sa.create_engine("duckdb:///:memory:")
    with engine.connect() as connection:
        schema.metadata.create_all(connection)
        found = set(map(tuple, connection.exec_driver_sql(_CONSTRAINTS)))
    engine.dispose()
    return found


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _placed(place: str, name: str) -> str:
    return name if place == "main" else f"{place}.{name}"
