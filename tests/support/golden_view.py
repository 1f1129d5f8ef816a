"""Golden cases of views: the world that a case gives, and what differs from what it expects."""

import contextlib
from collections.abc import Container, Iterator

import benchmark_world
import worlds
from golden_case import Case
from sqlalchemy import Connection, text
from worlds import Row

from tracker import schema, store, temp_tables
from tracker.store import catalog, statements
from tracker.store.state import kept, scope

VIEWS = {view.name: view for view in catalog.read_views()}
# Their cases identify rows by every column they name, not only by the grain.
ROWS_AS_A_WHOLE = ("detection", "evidence")


def named(case: Case) -> str:
    return f"{case.view}/{case.name}"


def put(connection: Connection, case: Case) -> None:
    """Put a case's world into the store and look back to its instant."""
    clear_cutoffs(connection, case)
    if VIEWS[case.view].section == "benchmarks":
        benchmark_world.insert(connection, benchmark_world.complete(case.world()))
        return
    world = worlds.complete(case.world())
    worlds.insert(connection, world)
    if case.detected_at is not None:
        first_id = temp_tables.next_key(connection, schema.event.c.event_id)
        known = {"recorded_at": case.detected_at, "first_id": first_id}
        with computed_below(connection, "new_event"):
            statements.run(connection, "append_event", known)
    if case.as_of is not None:
        store.set_as_of(connection, case.as_of)


def clear_cutoffs(connection: Connection, case: Case) -> None:
    """Delete the cutoffs that every store has, if a case gives its own."""
    if "cutoff" in case.given:
        connection.execute(schema.cutoff.delete())


_TYPES: dict[str, dict[str, str]] = {}


def types_of(connection: Connection, view: str) -> dict[str, str]:
    """Return the DuckDB type of each column of a view: of all views, in one query."""
    if not _TYPES:
        columns = connection.execute(
            text(
                "select table_name, column_name, data_type from duckdb_columns() "
                "where schema_name = 'main' order by table_name, column_index"
            )
        )
        for table, column, kind in columns:
            _TYPES.setdefault(table, {})[column] = kind
    return _TYPES[view]


@contextlib.contextmanager
def computed_below(connection: Connection, *views: str) -> Iterator[None]:
    """Compute what a store keeps below these views, and once what is read more than once.

    Nearly all the time of a case goes into planning: a deep view as a whole would take seconds.
    """
    with (
        kept.computed(connection, names=views),
        scope.computed_once(connection, catalog.read_again(views)),
    ):
        yield


def problems(
    case: Case, actual: list[Row], types: dict[str, str], leave_out: Container[str] = ()
) -> str:
    """Return what differs between the expected and the actual rows, nothing if they agree."""
    view = VIEWS[case.view]
    as_a_whole = view.section in ROWS_AS_A_WHOLE
    key = case.columns if as_a_whole else view.grain
    found = [dict.fromkeys(case.columns) | row for row in actual] if as_a_whole else actual
    absolute = 1e-15 if view.section == "benchmarks" else 0.0
    columns = [name for name in case.columns if name not in leave_out]
    return "\n".join(worlds.differences(case.rows(types), found, key, columns, absolute))
