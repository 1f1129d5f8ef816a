"""Runs the user's own SQL on a sandboxed connection: within a time limit, in batches."""

import contextlib
import itertools
import json
import re
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait
from pathlib import Path
from typing import Any, TypeVar

import duckdb
from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

from tracker.errors import InputRefused, TimedOut
from tracker.store import catalog, literals, sealed_sets
from tracker.store.state import kept

Result = TypeVar("Result")
Row = tuple[Any, ...]

# As many rows as one DuckDB vector, so that a batch of long texts stays small.
_BATCH = 2048
_GRACE_SECONDS = 0.4

# Errors of the disk or the memory, not of the query; store.reader words them.
_OF_MACHINE = (duckdb.IOException, duckdb.OutOfMemoryException)

# Functions that change the process or run SQL not seen here.
_COMMANDS = {
    "checkpoint",
    "copy_database",
    "disable_logging",
    "disable_profiling",
    "enable_logging",
    "enable_profiling",
    "force_checkpoint",
    "import_database",
    "json_execute_serialized_sql",
    "query",
    "truncate_duckdb_logs",
    "write_log",
}
# Words only: comments, and where they end, are for DuckDB's parser to find.
_EXPLAIN = re.compile(r"\s*explain(?:\s+analyze)?(?:\s*\([\w\s,]*\))?\s+", re.IGNORECASE | re.ASCII)


class Query:
    """One statement that only reads, on a sandboxed connection.

    DuckDB works in a separate thread, because Python handles no signal while the main thread
    waits for DuckDB. Raises InputRefused if the text is not one statement that reads.
    """

    def __init__(
        self, connection: Connection, statement: str, *, timeout: float | None = None
    ) -> None:
        self._cursor: Any = connection.connection.cursor()
        self._statement = statement
        self._timeout = timeout
        self._deadline = time.monotonic() + timeout if timeout else None
        self._pending: Future[Any] | None = None
        self._connection = connection
        named = _views(require_reading(self._cursor, statement))
        self._shared = frozenset() if kept.is_kept(connection) else kept.below(named)

    @property
    def is_running(self) -> bool:
        """Return whether DuckDB is still working after a request to stop."""
        return self._pending is not None and not self._pending.done()

    def rows(self, *, are_distinct: bool = False) -> tuple[list[str], Iterator[list[Row]]]:
        """Return the names of the columns and the rows in batches, fetched on demand.

        The first batch is fetched before this returns: a failure comes before any output. Raises
        InputRefused where two columns share a name and must be `are_distinct`.
        """
        answer = self._answer()
        # It has begun then, so that closing it ends what was prepared, even if no batch is read.
        columns = next(answer)
        if are_distinct:
            _require_distinct(columns)
        return columns, answer

    def write_parquet(self, path: Path) -> None:
        """Write the rows to a Parquet file with the types of the query; see store.reader.

        No SQL is composed: DuckDB writes the relation that it made of the statement.
        """
        with contextlib.ExitStack() as stack:
            self._prepare(stack)
            relation = self._await(lambda: self._cursor.sql(self._statement))
            _require_distinct(relation.columns)
            # DuckDB's temporary file would be outside the path it may write.
            self._await(lambda: relation.to_parquet(str(path), use_tmp_file=False))

    def _prepare(self, stack: contextlib.ExitStack) -> None:
        """Compute what the query's views rest on, where the rows kept are not those asked for."""
        if self._shared:
            shared = kept.computed(self._connection, names=self._shared)
            try:
                self._await(lambda: stack.enter_context(shared))
            except BaseException:
                # A write that was stopped, if only to a temporary table, spoils the transaction;
                # what was committed before stays, for each step of tidying up was stopped, too.
                if not self.is_running:
                    self._connection.rollback()
                    kept.drop(self._connection, self._shared)
                raise

    def _answer(self) -> Iterator[Any]:
        """Yield the names of the columns, then the rows in batches."""
        with contextlib.ExitStack() as stack:
            self._prepare(stack)
            self._await(lambda: self._cursor.execute(self._statement))
            columns = [column[0] for column in self._cursor.description or []]
            first = self._fetch()
            yield columns
            yield from itertools.chain([first], iter(self._fetch, []))

    def _fetch(self) -> list[Row]:
        return self._await(lambda: self._cursor.fetchmany(_BATCH))

    def _await(self, work: Callable[[], Result]) -> Result:
        """Return the result of `work`; stop it on timeout or if the wait is interrupted."""
        self._pending = future = Future[Result]()

        def run() -> None:
            try:
                future.set_result(work())
            except BaseException as error:
                future.set_exception(error)

        try:
            threading.Thread(target=run, daemon=True).start()
            return future.result(self._remaining())
        except TimeoutError:
            raise TimedOut(f"the query was stopped after {self._timeout:g} s (--timeout)") from None
        except _OF_MACHINE:
            raise
        except DBAPIError as error:
            if isinstance(error.orig, _OF_MACHINE) or sealed_sets.is_about(error):
                raise
            raise InputRefused(f"the query failed: {error.orig}") from error
        except duckdb.Error as error:
            if sealed_sets.is_about(error):
                # Nor is that of the query.
                raise
            raise InputRefused(f"the query failed: {error}") from error
        finally:
            self._stop(future)

    def _remaining(self) -> float | None:
        return None if self._deadline is None else max(0.0, self._deadline - time.monotonic())

    def _stop(self, future: Future[Any]) -> None:
        until = time.monotonic() + _GRACE_SECONDS
        # Repeatedly: DuckDB forgets an interruption that comes before it starts.
        while not future.done() and time.monotonic() < until:
            self._cursor.interrupt()
            wait([future], 0.02)


def _require_distinct(columns: list[str]) -> None:
    """Raise InputRefused if two columns share a name, for formats that keep only one."""
    if len(set(columns)) < len(columns):
        raise InputRefused("two columns of the query have the same name; rename one")


def _views(tree: Any) -> set[str]:
    """Return the views that a query reads."""
    named = {str(node.get("table_name")).lower() for node in catalog.nodes(tree)}
    return named & catalog.reads().keys()


def require_reading(cursor: Any, statement: str) -> Any:
    """Refuse all but a single reading statement; return it as DuckDB's parser sees it.

    The sandbox alone is not enough: DuckDB always lets COPY and EXPORT write the store's own
    files, its write-ahead log and its folder of temporary files.
    """
    try:
        statements = cursor.extract_statements(statement)
    except duckdb.Error as error:
        raise InputRefused(f"the query failed: {error}") from error
    if not statements:
        raise InputRefused("the query is empty")
    if len(statements) > 1:
        raise InputRefused(f"one statement at a time: the query has {len(statements)}")
    return _require_query(cursor, statement, statements[0].type)


def _require_query(cursor: Any, statement: str, kind: duckdb.StatementType) -> Any:
    """Refuse anything but a read-only query or the EXPLAIN of one."""
    if kind not in (duckdb.StatementType.SELECT, duckdb.StatementType.EXPLAIN):
        raise InputRefused(f"the query failed: {kind.name} is a command; only queries are run")
    select = statement
    if kind == duckdb.StatementType.EXPLAIN:
        found = _EXPLAIN.match(statement)
        if found is None:
            raise InputRefused("the query failed: write 'explain select ...' without comments")
        select = statement[found.end() :]
    quoted = literals.quoted(select)
    parse = f"select cast(json_serialize_sql(cast({quoted} as varchar)) as varchar)"
    try:
        cursor.execute(parse)
        tree = json.loads(cursor.fetchone()[0])
    except duckdb.Error as error:
        raise InputRefused(f"the query failed: {error}") from error
    if tree["error"]:
        raise InputRefused("the query failed: this is a command; only queries are run")
    called = {str(node.get("function_name")).lower() for node in catalog.nodes(tree)}
    refused = sorted(called & _COMMANDS)
    if refused:
        raise InputRefused(f"the query failed: the function {refused[0]} is not allowed here")
    return tree
