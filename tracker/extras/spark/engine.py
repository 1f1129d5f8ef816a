"""Spark instead of DuckDB for queries that read all candidates: freezes, state, evaluations."""

import contextlib
import functools
from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection

from tracker import schema, scratch
from tracker.errors import TrackerError
from tracker.extras.spark import parquet_tables, sessions
from tracker.progress import Progress, silent
from tracker.store import sealed_sets
from tracker.store.sealed_sets import Part
from tracker.store.state import engines, narrowing

# With fewer rows in all tables, one thread that compiles nothing is faster.
_SMALL_ROWS = 500_000
_SIZE = sa.text(
    "select coalesce(sum(estimated_size), 0) from duckdb_tables() where not internal "
    "and not temporary"
)


@contextlib.contextmanager
def computed(
    connection: Connection, master: str, folder: Path, progress: Progress = silent
) -> Iterator[None]:
    """Run queries that read the candidates of a connection on Spark, for the duration of the block.

    Spark starts when it is first needed. DuckDB writes Spark's input into `folder`, which Spark
    must be able to read. Raises TrackerError if `master` cannot be used.
    """
    sessions.require(master)
    is_small = connection.execute(_SIZE).scalar_one() < _SMALL_ROWS
    with contextlib.ExitStack() as stack:

        def start() -> Any:
            progress("starting Spark")
            return stack.enter_context(sessions.started(master, folder, is_small=is_small))

        with engines.computed_by(connection, Spark(connection, start, folder, progress)):
            yield


class Spark:
    """An engine (tracker.store.state.engines) for one connection; `start` returns a Spark session.

    Spark reads the pairs of sealed sets in place. DuckDB computes everything else that a SELECT
    reads, and exports it as Parquet files.
    """

    def __init__(
        self,
        connection: Connection,
        start: Callable[[], Any],
        folder: Path,
        progress: Progress = silent,
    ) -> None:
        self._connection = connection
        self._start = functools.cache(start)
        self._folder = folder
        self._progress = progress
        self._columns = parquet_tables.columns(connection)

    def rows(
        self, name: str, select: str, reads: Collection[str], parameters: Mapping[str, Any]
    ) -> Any:
        """See tracker.store.state.engines.Engine."""
        from tracker.extras.spark import dialect

        self._progress(f"computing {name} on Spark")
        with scratch.folder(self._folder) as folder, self._errors():
            for read in sorted({*reads} - {sealed_sets.VIEW}):
                self._given(read, read, folder).createOrReplaceTempView(read)
            self._candidates(folder).createOrReplaceTempView(sealed_sets.VIEW)
            return self._start().sql(dialect.translate(select, parameters)).toArrow()

    def _given(self, name: str, source: str, folder: Path) -> Any:
        """Return the rows of `source` as a Spark frame with the columns of `name`."""
        types = self._columns[name]
        path = parquet_tables.export(self._connection, source, types, folder)
        return parquet_tables.read(self._start(), [path], types)

    def _candidates(self, folder: Path) -> Any:
        """Return the pairs of the candidate sets that the connection reads, as a Spark frame.

        Sets in object storage are copied first: Spark has no connector for it.
        """
        sets = narrowing.candidate_sets(self._connection)
        stored = f"{schema.stored_candidate.name} where {narrowing.of_sets(sets)}"
        found = self._given(sealed_sets.VIEW, stored, folder)
        parts = sealed_sets.parts(self._connection, sets)
        where = sealed_sets.places_of(self._connection)
        paths = [self._path_of(part, where, folder) for part in parts]
        types = self._columns[sealed_sets.VIEW]
        for parent in sorted({path.parents[1] for path in paths}):
            chosen = [path for path in paths if path.parents[1] == parent]
            found = found.unionByName(parquet_tables.read(self._start(), chosen, types, parent))
        return found

    def _path_of(self, part: Part, where: Any, folder: Path) -> Path:
        sealed_sets.require(part, where)
        if part.address is None:
            return Path(sealed_sets.located(part, where))
        self._progress(f"fetching {part}")
        return sealed_sets.fetch(part, folder)

    @contextlib.contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            with sessions.errors():
                yield
        except TrackerError as error:
            if isinstance(error.__cause__, Exception):
                database = self._connection.engine.url.database
                sealed_sets.raise_if_about(error.__cause__, Path(database or ""))
            raise
