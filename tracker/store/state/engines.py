"""The engine that computes what reads all candidates: DuckDB itself, or another in its place."""

import contextlib
from collections.abc import Collection, Iterator, Mapping
from typing import Any, Protocol

from sqlalchemy import Connection

from tracker.store import catalog, connections, sealed_sets, statements
from tracker.store.catalog import View

_KEY = "tracker.engine"
_ROWS = "rows_of_engine"


class Engine(Protocol):
    """Computes SELECTs that read candidates."""

    def rows(
        self, name: str, select: str, reads: Collection[str], parameters: Mapping[str, Any]
    ) -> Any:
        """Return the rows of a SELECT as an Arrow table; `name` says to the user what they are.

        It reads the rows that the connection has of these tables and views.
        """


def engine_of(connection: Connection) -> Engine | None:
    """Return the engine that computes what reads candidates, None for DuckDB itself."""
    engine: Engine | None = connection.info.get(_KEY)
    return engine


@contextlib.contextmanager
def computed_by(connection: Connection, engine: Engine) -> Iterator[None]:
    """Let another engine compute what reads candidates, for the duration of the block."""
    connection.info[_KEY] = engine
    try:
        yield
    finally:
        del connection.info[_KEY]


@contextlib.contextmanager
def computed_here(connection: Connection) -> Iterator[None]:
    """Let DuckDB itself compute what reads no candidate after all, for the duration of the block.

    A view that names the candidates may find none, which is not worth another engine's start.
    """
    engine = connection.info.pop(_KEY, None)
    try:
        yield
    finally:
        if engine is not None:
            connection.info[_KEY] = engine


def create(connection: Connection, name: str, parameters: Mapping[str, Any]) -> None:
    """Make the temporary table that a statement of sql/statements creates, by either engine."""
    engine = engine_of(connection)
    if engine is None:
        statements.run(connection, name, parameters)
    else:
        made = statements.find(name)
        rows = engine.rows(name, made.select, made.reads, parameters)
        _run_with(connection, rows, f"create or replace temp table {made.header['Creates']} as")
    connections.commit(connection)


def is_elsewhere(connection: Connection, view: View) -> bool:
    """Whether another engine than DuckDB computes a view for the connection."""
    return engine_of(connection) is not None and sealed_sets.VIEW in catalog.reads()[view.name]


def create_rows(connection: Connection, table: str, view: View, where: str) -> None:
    """Make a temporary table of those rows of a view that fulfil a condition, by either engine."""
    select = f"from ({view.select}\n) where {where}"
    engine = engine_of(connection)
    if engine is None or not is_elsewhere(connection, view):
        connection.exec_driver_sql(f"create temp table {table} as {select}")
    else:
        connection.exec_driver_sql(f"create temp table {table} as {select} limit 0")
        rows = engine.rows(view.name, select, catalog.reads()[view.name], {})
        _run_with(connection, rows, f"insert into temp.{table}")


def _run_with(connection: Connection, rows: Any, statement: str) -> None:
    """Run the beginning of a statement with the rows of an Arrow table."""
    cursor: Any = connection.connection.cursor()
    cursor.register(_ROWS, rows)
    connection.exec_driver_sql(f"{statement} from {_ROWS}")
    cursor.unregister(_ROWS)
