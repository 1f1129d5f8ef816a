"""Builds the views of tracker.store.catalog in a store, with what each column means as comment."""

import duckdb
import sqlalchemy as sa
from sqlalchemy import Connection, text

from tracker import schema
from tracker.store import catalog, dictionary
from tracker.store.catalog import MADE_FROM, REFERRED_TO, RESULTS, STATE, View, shown
from tracker.version import VERSION

_COLUMNS_OF = text(
    "select column_name, data_type from duckdb_columns() "
    "where schema_name = 'main' and table_name = :name order by column_index"
)


def build_views(connection: Connection, views: list[View]) -> None:
    """Create `views` and drop views no longer among them.

    Afterwards the store has these views and no others, each with its header as comment; results
    stand in the schema of results, too. Each column of a table or view has its meaning as comment,
    the tables of kept rows are empty, and the table view_build identifies the texts.
    """
    quoted = [name.replace('"', '""') for name in _built(connection)]
    script = [f'drop view if exists "{name}"' for name in quoted]
    script += [
        f"drop schema if exists {STATE} cascade",
        f"create schema {STATE}",
        f"create table {STATE}.{MADE_FROM} (table_name varchar, n_rows bigint)",
        f"drop schema if exists {RESULTS} cascade",
        f"create schema {RESULTS}",
    ]
    for view in catalog.in_build_order(views):
        if view.stored:
            script.append(f"create table {STATE}.{view.name} as from ({view.select}\n) limit 0")
        script += [*_creating(view), _standing_in(view.name)]
    for view in views:
        if view.topic:
            name = f"{RESULTS}.{view.name}"
            script += [f"create view {name} as {shown(view.name)}", _commented(name, view)]
    if views:
        script += [f"create view {RESULTS}.{name} as {shown(name)}" for name in REFERRED_TO]
    script += [f"drop table temp.{view.name}" for view in views]
    connection.execute(schema.view_build.delete())
    script.append(f"comment on table {STATE}.{MADE_FROM} is '{built_by()}'")
    # One call for more than a thousand statements: many take less time than a call.
    connection.exec_driver_sql("\n;\n".join(script))
    if comments := [*dictionary.comments(connection)]:
        connection.exec_driver_sql("\n;\n".join(comments))
    texts = _texts(views)
    if texts:
        connection.execute(
            schema.view_build.insert(),
            [{"name": name, "sha256": sha256} for name, sha256 in texts.items()],
        )


def built_by() -> str:
    """Return the versions of tracker and DuckDB that build views here, as the store states them."""
    return f"built by tracker {VERSION} with DuckDB {duckdb.__version__}"


def columns_of(view: View) -> list[tuple[str, str]]:
    """Return the names and types of a view's columns, as an empty store has them."""
    below = catalog.read_below(view)
    engine = sa.create_engine("duckdb:///:memory:")
    with engine.begin() as connection:
        schema.metadata.create_all(connection)
        build_views(
            connection, [one for one in catalog.read_views() if one.name in below or one == view]
        )
        found = connection.execute(_COLUMNS_OF, {"name": view.name})
        columns = [(name, kind) for name, kind in found]
    engine.dispose()
    return columns


def replace_view(connection: Connection, view: View) -> None:
    """Replace a view that `build_views` made by one with another text; view_build identifies it."""
    connection.exec_driver_sql("\n;\n".join(_creating(view)))
    built = schema.view_build
    connection.execute(built.update().where(built.c.name == view.name), {"sha256": view.built_from})


def _creating(view: View) -> list[str]:
    """Return the statements that create a view, with its header as comment."""
    return [
        f"create or replace view main.{view.name} as\n{view.installed}",
        _commented(f"main.{view.name}", view),
    ]


def _commented(name: str, view: View) -> str:
    """Return the statement that makes the header of a view the comment on `name`."""
    comment = view.comment.replace("'", "''")
    return f"comment on view {name} is '{comment}'"


def _standing_in(name: str) -> str:
    """Return the statement by which an empty temporary table stands in for a view.

    It does so while the views that read the view are created.

    DuckDB plans all that a new view reads, down to the tables. The plan is not kept, the text is;
    the columns of the stand-in are all it needs, and the time no longer grows with the depth.
    """
    return f"create temp table {name} as from main.{name} limit 0"


def are_views_current(connection: Connection, views: list[View]) -> bool:
    """Whether the store's views are recorded as built from these texts."""
    return _built(connection) == _texts(views)


def _texts(views: list[View]) -> dict[str, str]:
    """Return the hash of each text that views are built from, and that of the dictionary."""
    if not views:
        return {}
    return {view.name: view.built_from for view in views} | {dictionary.FILE: dictionary.sha256()}


def _built(connection: Connection) -> dict[str, str]:
    rows = connection.execute(text("select name, sha256 from view_build"))
    return {row.name: row.sha256 for row in rows}
