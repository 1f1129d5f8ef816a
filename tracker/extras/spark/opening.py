"""Puts Spark in DuckDB's place for the views of a connection to a store."""

import contextlib
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import sqlalchemy as sa
from sqlalchemy import Connection

from tracker import scratch, store
from tracker.extras.spark import sessions
from tracker.extras.spark.views import Views
from tracker.progress import Progress, silent
from tracker.store import engines

# Tables of fewer rows in all are computed faster by one thread that compiles nothing.
_SMALL_ROWS = 500_000
_SIZE = sa.text(
    "select coalesce(sum(estimated_size), 0) from duckdb_tables() where not internal "
    "and not temporary"
)


@contextlib.contextmanager
def reading(
    path: Path,
    master: str,
    *,
    place: Path | None = None,
    as_of: datetime | None = None,
    as_claimed: bool = False,
    from_rows: bool = False,
    progress: Progress = silent,
) -> Iterator[tuple[Connection, Views]]:
    """Yield a reader of a store, and its views on Spark, with their files below `place`."""
    with (
        scratch.folder(place) as folder,
        store.reader(
            path, as_of=as_of, as_claimed=as_claimed, from_rows=from_rows, writes_to=folder
        ) as connection,
        computed(connection, master, folder, progress) as views,
    ):
        yield connection, views


@contextlib.contextmanager
def computed(
    connection: Connection, master: str, folder: Path, progress: Progress = silent
) -> Iterator[Views]:
    """Compute the views of a connection on Spark for the duration of the block.

    Spark is started when the first view is needed. The tables that it reads are written into
    `folder`, which the connection may write and Spark must reach. Raises TrackerError if
    `master` cannot be used.
    """
    sessions.require(master)
    is_small = connection.execute(_SIZE).scalar_one() < _SMALL_ROWS
    with contextlib.ExitStack() as stack:

        def start() -> object:
            progress("starting Spark")
            session = sessions.started(master, folder, is_small=is_small)
            return stack.enter_context(session)

        views = Views(connection, start, folder, progress, is_small=is_small)
        with engines.computed_by(connection, views):
            yield views
