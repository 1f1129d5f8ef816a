"""Connections to a store file: their limits and settings, and the wording of their errors.

A query spills to a private folder, and a reader can reach no other file, no network and no
extension.
"""

import contextlib
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import duckdb
import sqlalchemy as sa
from sqlalchemy import Connection, Engine
from sqlalchemy.pool import NullPool

from tracker import memory, replacing, scratch
from tracker.errors import CheckFailed, InputRefused, StoreBusy, TrackerError
from tracker.store import lake, literals, places, sealed_sets

# DuckDB gives each thread rows of its own, in groups of this many.
_ROW_GROUP = 122_880
_SIZES = (
    "select estimated_size from system.main.duckdb_tables() where not internal and not temporary"
)


def sandbox(connection: Connection, writes_to: Path | None, reads: Sequence[str] = ()) -> None:
    """Bar a connection from every file except `writes_to` and those it `reads`, irrevocably.

    DuckDB then has as many threads as processors, and one for a store of small tables.
    """
    # Outside a transaction, which an error would abort.
    cursor: Any = connection.connection.cursor()
    try:
        if _is_small(cursor):
            # A second one would find nothing to do, and still adds a quarter to the time.
            cursor.execute("set threads = 1")
        files = [*reads]
        folders: list[str] = []
        if writes_to is not None:
            (folders if writes_to.is_dir() else files).append(str(writes_to.resolve()))
        for kind, names in (("paths", files), ("directories", folders)):
            if names:
                # Settings cannot be bound.
                quoted = ", ".join("'" + name.replace("'", "''") + "'" for name in names)
                cursor.execute(f"set allowed_{kind} = [{quoted}]")
        cursor.execute("set enable_external_access = false")
        cursor.execute("set lock_configuration = true")
    except duckdb.InvalidInputException as error:
        # Readers in one process share settings; another one may have locked them.
        if "has been locked" not in str(error):
            raise
        if writes_to is not None:
            raise StoreBusy("this process already has the store open; close it first") from error


def use_threads(connection: Connection, *, may_grow: bool = False) -> None:
    """Let DuckDB use one thread if the store is small, unless it `may_grow`, or else all."""
    cursor: Any = connection.connection.cursor()
    cursor.execute("reset threads" if may_grow or not _is_small(cursor) else "set threads = 1")


def allow_commits(connection: Connection, *, reads_only: bool) -> None:
    """Let `commit` take effect: for a reader, or the writer of a copy that nobody else sees."""
    connection.execution_options(tracker_may_commit=True, tracker_reads_only=reads_only)


def commit(connection: Connection) -> None:
    """Commit what was computed, if `allow_commits` was called, and go on in another transaction.

    DuckDB has no statistics of the tables that an open transaction made, plans worse what reads
    them, and reads them with one thread.
    """
    if connection.get_execution_options().get("tracker_may_commit"):
        opened: Any = connection.connection
        opened.commit()
        opened.begin()


def recover(connection: Connection) -> None:
    """After an error, end the transaction that it may have aborted, if it is that of a reader.

    A writer would lose rows by that, and go on.
    """
    if connection.get_execution_options().get("tracker_reads_only"):
        opened: Any = connection.connection
        opened.rollback()
        opened.begin()


@contextlib.contextmanager
def undone(connection: Connection, undo: Callable[[], None]) -> Iterator[None]:
    """Call `undo` when the block ends, also after an error."""
    try:
        yield
    except BaseException:
        # A writer's transaction may have ended, and what it computed last with it.
        with contextlib.suppress(sa.exc.DBAPIError, duckdb.Error):
            recover(connection)
            undo()
            # A block around this one recovers, too, and would have back what is undone here.
            commit(connection)
        raise
    undo()


def _is_small(cursor: Any) -> bool:
    """Whether one thread would read all of any table."""
    cursor.execute(_SIZES)
    return all(n_rows <= _ROW_GROUP for (n_rows,) in cursor.fetchall())


@contextlib.contextmanager
def engine(
    path: Path, *, read_only: bool, shares: int = 1, home: Path | None = None
) -> Iterator[Engine]:
    """Yield an engine whose queries spill to a private folder: a shared one gives wrong answers.

    Sealed sets are looked for in the places of `home`, the store that this one is a copy of. As
    many as `shares` engines may run at once, each with its share of processors and memory.
    """
    with contextlib.ExitStack() as stack:
        spill = _spill_folder(stack, path)
        engine = _engine(path, read_only, home or path)
        stack.callback(engine.dispose)
        sa.event.listen(engine, "connect", lambda opened, _: _spill_to(opened, path, spill))
        sa.event.listen(engine, "connect", _use_utc)
        sa.event.listen(engine, "connect", _print_nothing)
        if read_only:
            # A writer gives DuckDB frames, and texts of any kind.
            sa.event.listen(engine, "before_cursor_execute", _write_out, retval=True)
        if places.addresses():
            sa.event.listen(engine, "connect", _use_lake)
        if shares > 1:
            sa.event.listen(engine, "connect", lambda opened, _: _share(opened, shares))
        yield engine


def _write_out(
    _connection: Connection,
    _cursor: Any,
    statement: str,
    parameters: Any,
    _context: Any,
    executemany: bool,
) -> tuple[str, Any]:
    """Write the parameters of a statement into it, where none needs to be bound."""
    written = None if executemany else literals.written(statement, parameters)
    return (statement, parameters) if written is None else (written, ())


@contextlib.contextmanager
def held(path: Path) -> Iterator[None]:
    """Keep other clients from writing the store during the block, which queries nothing."""
    engine = _engine(path, True, path)
    with store_errors(path, opening=True):
        opened = engine.raw_connection()
    with contextlib.closing(opened):
        yield


def _engine(path: Path, read_only: bool, home: Path) -> Engine:
    config: dict[str, object] = {
        # Planning repeats this step at every level of views that read views: minutes for some.
        "disabled_optimizers": "compressed_materialization",
        # Rows are read where they are, never where an index in the file says that they are.
        "index_scan_max_count": 0,
        "index_scan_percentage": 0,
        # Views name the files of sealed sets from there.
        "file_search_path": places.search_path(home),
        # Rows of up to 2^19 possible groups are counted in an array; by default, of 2^12.
        "perfect_ht_threshold": 19,
        "memory_limit": memory.limit(),
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
    }
    return sa.create_engine(
        # Resolved: DuckDB expands a leading ~ to the home folder.
        sa.URL.create("duckdb", database=str(path.resolve())),
        connect_args={"read_only": read_only, "config": config},
        poolclass=NullPool,
        # Connections are closed after use, and on a full disk a rollback fails loudly.
        pool_reset_on_return=None,
    )


def private_folder(stack: contextlib.ExitStack, path: Path) -> Path:
    """Make a private folder in TRACKER_TEMP, or next to the store, or else for temporary files.

    The stack removes it. Raises OSError on full or read-only disks.
    """
    if not os.environ.get("TRACKER_TEMP"):
        with contextlib.suppress(OSError):
            return stack.enter_context(scratch.folder(path.resolve().parent))
    return stack.enter_context(scratch.folder())


def _spill_folder(stack: contextlib.ExitStack, path: Path) -> str:
    """Return the name of a private folder, or none on full or read-only disks.

    A query then stays in memory.
    """
    with contextlib.suppress(OSError):
        return str(private_folder(stack, path))
    return ""


def _spill_to(connection: Any, path: Path, folder: str) -> None:
    """Set where a new connection spills, unless this process already has the file open.

    DuckDB then shares one instance, and its folder cannot change once it is used. It is not in
    the configuration, which would have to be the same for both.
    """
    cursor = connection.cursor()
    # Named in full: the store may have a macro of that name, and is not known to be sound yet.
    cursor.execute("select system.main.current_setting('temp_directory')")
    if Path(cursor.fetchone()[0]).name == f"{path.name}.tmp":
        quoted = folder.replace("'", "''")
        cursor.execute(f"set temp_directory = '{quoted}'")


def _share(connection: Any, shares: int) -> None:
    cursor = connection.cursor()
    cursor.execute(
        "select system.main.current_setting('memory_limit'), system.main.current_setting('threads')"
    )
    memory, threads = cursor.fetchone()
    number, unit = str(memory).split()
    # DuckDB prints a limit with one decimal; settings cannot be bound.
    cursor.execute(f"set memory_limit = '{float(number) / shares:.3f} {unit}'")
    cursor.execute(f"set threads = {max(1, int(threads) // shares):d}")


def _use_lake(connection: Any, _record: object) -> None:
    cursor = connection.cursor()
    # Connections to one file share it.
    if "s3" not in cursor.list_filesystems():
        cursor.register_filesystem(lake.filesystem())


def _use_utc(connection: Any, _record: object) -> None:
    # A DuckDB without the ICU extension has no such setting and only UTC.
    with contextlib.suppress(duckdb.CatalogException, duckdb.InvalidInputException):
        connection.cursor().execute("set global TimeZone = 'UTC'")


def _print_nothing(connection: Any, _record: object) -> None:
    # In a notebook or under `python -c`, DuckDB draws a bar for each long query on standard
    # output, where reports are written. Long work has bars of its own, on standard error. Beside a
    # connection whose configuration is locked, a second one has its own and cannot change it.
    with contextlib.suppress(duckdb.InvalidInputException):
        connection.cursor().execute("set enable_progress_bar = false")


@contextlib.contextmanager
def connect(engine: Engine, path: Path) -> Iterator[Connection]:
    """Yield a connection of the engine; an error on the way names the store."""
    with store_errors(path, opening=True):
        connection = engine.connect()
    with connection:
        yield connection


@contextlib.contextmanager
def store_errors(
    path: Path, *, opening: bool = False, writes_elsewhere: bool = False
) -> Iterator[None]:
    """Turn DuckDB's errors about the store into one line that names it.

    While `opening` it, every error is about the store; later only some are. If a reader
    `writes_elsewhere`, another disk may be full.
    """
    try:
        yield
    except (sa.exc.DBAPIError, duckdb.Error) as error:
        # For an error after an error, line one has the last and the others the first.
        message = str(getattr(error, "orig", error))
        sealed_sets.raise_if_about(error, path)
        reason = message.splitlines()[0]
        if reason.startswith("IO Error: Could not set lock"):
            raise StoreBusy(
                f"{path} is open for writing in a program outside tracker; close it there"
            ) from error
        if "with a different configuration than existing connections" in reason:
            raise StoreBusy(
                f"{path} is open in this program by another connection of DuckDB; close it, or "
                "query the store that tracker opened (sql)"
            ) from None
        if replacing.is_full(message) and not writes_elsewhere:
            raise TrackerError(f"{path}: no space left; nothing was changed ({reason})") from error
        if reason.startswith("Out of Memory Error"):
            raise TrackerError(
                f"{path}: DuckDB needs more than the {memory.limit()} of memory it may use; "
                "nothing was changed; set TRACKER_MEMORY_LIMIT to more, or see docs/guides/scale.md"
            ) from error
        if opening or "corrupt database file" in message.lower():
            raise InputRefused(f"{path}: cannot be opened as a store: {reason}") from error
        _raise_if_altered(error, path)
        raise
    except (sa.exc.NoResultFound, sa.exc.MultipleResultsFound) as error:
        raise CheckFailed(
            f"{path}: a row that tracker writes once is missing, or there twice: another program "
            "altered the store, or DuckDB reads it otherwise; run 'tracker check'"
        ) from error
    except InputRefused as error:
        # A query may fail for what it reads, too.
        _raise_if_altered(error.__cause__, path)
        if opening:
            error.args = (f"{path}: {error}",)
        raise


def _raise_if_altered(error: BaseException | None, path: Path) -> None:
    """Raise CheckFailed if DuckDB failed at an altered file of a sealed set, which it did not name.

    Its Parquet reader then raises errors of no class of their own.
    """
    if type(getattr(error, "orig", error)) is not duckdb.Error or not path.exists():
        return
    engine = _engine(path, True, path)
    with (
        # The first error is then shown to the user.
        contextlib.suppress(sa.exc.DBAPIError, duckdb.Error),
        contextlib.closing(engine.connect()) as connection,
    ):
        sealed_sets.require_none_altered(connection)
