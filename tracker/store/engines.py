"""The engine that computes views and statements: DuckDB itself, or another in its place."""

import contextlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol

from sqlalchemy import Connection

from tracker.store import connections, statements
from tracker.store.sealed_sets import Part

_KEY = "tracker.engine"


class Engine(Protocol):
    """Computes views and statements, and leaves their rows in temporary tables of DuckDB."""

    def compute(self, name: str, wanted: Mapping[str, Sequence[object]]) -> None:
        """Make a temporary table of a view's rows that have wanted values in these columns."""

    def restrict(self, name: str, condition: str, parts: Sequence[Part] | None) -> None:
        """Let a table have only the rows that fulfil a condition from now on.

        Or let the view of candidates have those, and the rows of these parts of sealed sets.
        """

    def forget(self, names: Iterable[str]) -> None:
        """Read these views and tables as they are again; their temporary tables are dropped."""

    def create(self, name: str, parameters: Mapping[str, Any]) -> None:
        """Make the temporary table that a statement creates."""


def engine_of(connection: Connection) -> Engine | None:
    """Return the engine that computes the connection's views, None for DuckDB itself."""
    engine: Engine | None = connection.info.get(_KEY)
    return engine


@contextlib.contextmanager
def computed_by(connection: Connection, engine: Engine) -> Iterator[None]:
    """Let another engine compute the views of the connection for the duration of the block."""
    connection.info[_KEY] = engine
    try:
        yield
    finally:
        del connection.info[_KEY]


def create(connection: Connection, name: str, parameters: Mapping[str, Any]) -> None:
    """Make the temporary table that a statement of sql/statements creates, by either engine."""
    engine = engine_of(connection)
    if engine is None:
        statements.run(connection, name, parameters)
    else:
        engine.create(name, parameters)
    connections.commit(connection)
