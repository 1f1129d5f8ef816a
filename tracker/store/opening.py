"""Opens the store: readers see a stored file, a writer works on a private copy and swaps it in.

DuckDB allows one writing process or many readers. A writer therefore never opens the store in
place: under a lock file it copies the store, changes the copy, checks it, and replaces the
store in one step. Readers keep the file they opened; a writer killed at any moment leaves the
store as it was.

A store is data, not code: one that defines anything besides tracker's tables and views is refused
before a query runs on it, and a reader can reach no other file.
"""

import contextlib
import errno
import os
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb
import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from filelock import FileLock, Timeout
from sqlalchemy import Connection, Engine, text
from sqlalchemy.pool import NullPool

from tracker import replacing, resources, scratch
from tracker.errors import CheckFailed, InputRefused, StoreBusy, TrackerError
from tracker.store import catalog, clock, definitions, schema

DEFAULT_WAIT_SECONDS = 30.0
_MAGIC = b"DUCK"
_MAX_SHOWN = 20
_COPY_BYTES = 1 << 30
_REVISION_TABLE = "alembic_version"
_HEADS = "select version_num from alembic_version"

_NO_SPACE = (errno.ENOSPC, errno.EDQUOT)


@contextlib.contextmanager
def writer(
    path: Path,
    *,
    wait: float = DEFAULT_WAIT_SECONDS,
    run_checks: bool = True,
    drop_foreign: bool = False,
) -> Iterator[Connection]:
    """Yield a connection to a private copy of the store; swap it in if the body succeeds.

    Creates the store if it is absent, upgrades it if it is older, and rebuilds the views unless
    they are current. The body runs in one transaction. Raises StoreBusy after `wait`
    seconds, StoreAltered if the store has foreign definitions (dropped with
    `drop_foreign`), InputRefused if the store is ahead of the clock, and CheckFailed if an
    invariant of sql/checks would be broken; then, and on any other error, the store stays as it
    was.
    """
    path = require_place(path)
    try:
        with (
            _store_errors(path),
            FileLock(f"{path}.lock", timeout=wait),
            _private_copy(path) as copy,
        ):
            with _engine(copy, read_only=False) as engine, _connect(engine, path):
                # One connection stays open so that DuckDB loads the copy once. Each step has its
                # own: nothing temporary of the body is left when the checks run.
                with _store_errors(path, opening=True), engine.begin() as connection:
                    if drop_foreign:
                        # Refuses another program's file before anything is dropped from it.
                        _heads(connection)
                        found = definitions.foreign(connection, catalog.read_views())
                        definitions.drop(connection, found)
                    upgrade(connection)
                    clock.require_not_behind(connection)
                with engine.begin() as connection:
                    counts = _table_counts(connection)
                    with _file_errors():
                        yield connection
                if run_checks:
                    # After the commit, when DuckDB counts rows. The copy is still private.
                    with engine.begin() as connection:
                        _run_write_checks(connection, counts)
            replacing.put(copy, path)
    except Timeout:
        raise StoreBusy(
            f"{path.name} is being written by another process; waited {wait:g} s"
        ) from None
    except OSError as error:
        raise _storage_error(path, error) from error


@contextlib.contextmanager
def reader(
    path: Path,
    *,
    as_of: datetime | None = None,
    writes_to: Path | None = None,
    threads: int | None = None,
) -> Iterator[Connection]:
    """Yield a read-only connection; with `as_of`, outcomes recorded later are left out.

    The connection can reach no network, extension or file except `writes_to` (a file, or the files
    of a folder) and cannot be reconfigured. Raises InputRefused if the store is absent, not a
    store, or of another version, StoreAltered if it has foreign definitions, and StoreBusy if a
    process outside tracker has it open for writing.
    """
    _require_possible(path)
    if not path.exists():
        raise InputRefused(f"{path}: no such store; make one with 'tracker init'")
    _require_duckdb(path)
    with (
        _engine(path, read_only=True) as engine,
        _store_errors(path, writes_elsewhere=writes_to is not None),
        _connect(engine, path) as connection,
    ):
        _confine(connection, writes_to, threads)
        with _store_errors(path, opening=True):
            _require_current(connection)
        if as_of is not None:
            look_back(connection, as_of)
        yield connection


def require_place(path: Path) -> Path:
    """Return the resolved path of a store; raises InputRefused if it cannot be there."""
    _require_possible(path)
    path = path.resolve()
    if not path.parent.is_dir():
        raise InputRefused(f"{path.parent}: no such folder for the store")
    return path


def look_back(connection: Connection, as_of: datetime) -> None:
    """Leave out outcomes recorded after `as_of` on this connection from now on."""
    instant = as_of.astimezone(UTC).isoformat(sep=" ")
    connection.exec_driver_sql(f"set variable as_of = cast('{instant}' as timestamptz)")


def upgrade(connection: Connection, revision: str = "head") -> None:
    """Bring the tables to `revision` and rebuild the views unless they are current.

    Raises InputRefused if the file is damaged, has other tables, or is of a newer tracker, and
    StoreAltered if it has foreign definitions.
    """
    config = alembic_config()
    script = ScriptDirectory.from_config(config)
    target = script.get_current_head() if revision == "head" else revision
    if _revision(connection, script) != target:
        config.attributes["connection"] = connection
        command.upgrade(config, revision)
    if revision == "head":
        definitions.require_tables(connection)
        installed = catalog.read_views()
        is_built = catalog.are_views_current(connection, installed)
        if not is_built or definitions.altered_views(connection, installed):
            catalog.build_views(connection, installed)


def alembic_config() -> Config:
    """Return the configuration alembic runs with; there is no alembic.ini."""
    config = Config()
    config.set_main_option("script_location", str(resources.directory("migrations")))
    return config


def violations(connection: Connection, check: catalog.View, limit: int) -> list[dict[str, object]]:
    """Return up to `limit` rows that violate a check, in the order of its grain."""
    grain = ", ".join(check.grain)
    # The text comes from sql/checks; the limit is bound.
    statement = "from (" + check.select + "\n) order by " + grain + " limit ?"
    rows = connection.exec_driver_sql(statement, (limit,)).mappings()
    return [dict(row) for row in rows]


def _run_write_checks(connection: Connection, counts_before: dict[str, int]) -> None:
    counts = _table_counts(connection)
    grown = {name for name, count in counts.items() if count != counts_before.get(name)}
    for check in catalog.read_checks():
        if check.header["When"] != "write" or not grown & catalog.read_tables(check.select):
            continue
        rows = violations(connection, check, _MAX_SHOWN)
        if rows:
            listing = "\n".join(f"  {row}" for row in rows)
            raise CheckFailed(
                f"check {check.name}: {check.header['Title']}: violated by\n{listing}"
            )


def _table_counts(connection: Connection) -> dict[str, int]:
    rows = connection.execute(
        text("select table_name, estimated_size from duckdb_tables() where not temporary")
    )
    return {row.table_name: row.estimated_size for row in rows}


def _revision(connection: Connection, script: ScriptDirectory) -> str | None:
    """Return a tracker store's revision, None for an empty file; refuse anything else."""
    heads = _heads(connection)
    definitions.require_own(connection, catalog.read_views())
    if heads and heads[0] not in {entry.revision for entry in script.walk_revisions()}:
        raise InputRefused(f"was written by a newer tracker (revision {heads[0]}); upgrade tracker")
    return heads[0] if heads else None


def _heads(connection: Connection) -> list[str]:
    """Return the revision that a tracker store states; refuse another program's file."""
    stored, installed = definitions.tables(connection), catalog.read_views()
    heads: list[str] = []
    if _REVISION_TABLE in stored:
        heads = list(connection.exec_driver_sql(_HEADS).scalars())
    if len(heads) > 1:
        raise InputRefused(f"is damaged: it states {len(heads)} revisions")
    if not heads or not stored & schema.metadata.tables.keys():
        named = stored | definitions.views(connection)
        if heads or not named <= {view.name for view in installed} | {_REVISION_TABLE}:
            raise InputRefused("is a DuckDB file with other tables, not a tracker store")
    return heads


def _confine(connection: Connection, writes_to: Path | None, threads: int | None) -> None:
    """Bar a connection from every file except `writes_to`, irrevocably."""
    # Outside a transaction, which an error would abort.
    cursor: Any = connection.connection.cursor()
    try:
        if threads is not None:
            cursor.execute(f"set threads = {threads:d}")
        if writes_to is not None:
            # Settings cannot be bound.
            name = str(writes_to.resolve()).replace("'", "''")
            kind = "directories" if writes_to.is_dir() else "paths"
            cursor.execute(f"set allowed_{kind} = ['{name}']")
        cursor.execute("set enable_external_access = false")
        cursor.execute("set lock_configuration = true")
    except duckdb.InvalidInputException as error:
        # Readers in one process share settings; another one may have locked them.
        if "has been locked" not in str(error):
            raise
        if writes_to is not None or threads is not None:
            raise StoreBusy("this process already has the store open; close it first") from error


@contextlib.contextmanager
def _engine(path: Path, *, read_only: bool) -> Iterator[Engine]:
    """Yield an engine whose queries spill to a private folder: a shared one gives wrong answers."""
    config: dict[str, object] = {
        "memory_limit": os.environ.get("TRACKER_MEMORY_LIMIT", "4GB"),
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
    }
    with contextlib.ExitStack() as stack:
        spill = _spill_folder(stack, path)
        engine = sa.create_engine(
            # Resolved: DuckDB expands a leading ~ to the home folder.
            sa.URL.create("duckdb", database=str(path.resolve())),
            connect_args={"read_only": read_only, "config": config},
            poolclass=NullPool,
            # Connections are closed after use, and on a full disk a rollback fails loudly.
            pool_reset_on_return=None,
        )
        stack.callback(engine.dispose)
        sa.event.listen(engine, "connect", lambda opened, _: _spill_to(opened, path, spill))
        sa.event.listen(engine, "connect", _use_utc)
        yield engine


def _spill_folder(stack: contextlib.ExitStack, path: Path) -> str:
    """Make a private folder in TRACKER_TEMP, or next to the store, or wherever one can be made.

    Returns an empty name on full or read-only disks: a query then stays in memory.
    """
    next_to_store = [] if os.environ.get("TRACKER_TEMP") else [path.resolve().parent]
    for place in (*next_to_store, scratch.temporary_place()):
        with contextlib.suppress(OSError):
            return str(stack.enter_context(scratch.folder(place)))
    return ""


def _spill_to(connection: Any, path: Path, folder: str) -> None:
    """Set where a new connection spills, unless this process already has the file open.

    DuckDB then shares one instance, and its folder cannot change once it is used. It is not in
    the configuration, which would have to be the same for both.
    """
    cursor = connection.cursor()
    cursor.execute("select current_setting('temp_directory')")
    if Path(cursor.fetchone()[0]).name == f"{path.name}.tmp":
        quoted = folder.replace("'", "''")
        cursor.execute(f"set temp_directory = '{quoted}'")


def _use_utc(connection: Any, _record: object) -> None:
    # A DuckDB without the ICU extension has no such setting and only UTC.
    with contextlib.suppress(duckdb.CatalogException, duckdb.InvalidInputException):
        connection.cursor().execute("set global TimeZone = 'UTC'")


@contextlib.contextmanager
def _connect(engine: Engine, path: Path) -> Iterator[Connection]:
    with _store_errors(path, opening=True):
        connection = engine.connect()
    with connection:
        yield connection


@contextlib.contextmanager
def _transaction(path: Path) -> Iterator[Connection]:
    with _engine(path, read_only=False) as engine, engine.begin() as connection:
        yield connection


@contextlib.contextmanager
def _private_copy(path: Path) -> Iterator[Path]:
    """Yield the path of a copy of the store, to be made if there is no store yet."""
    with scratch.folder(path.parent) as private:
        copy = private / path.name
        if path.exists() and path.stat().st_size > 0:
            _require_duckdb(path)
            _absorb_log(path)
            _copy_file(path, copy)
        yield copy


def _copy_file(path: Path, copy: Path) -> None:
    """Copy the store while it is open for reading, so that no other client can write it."""
    with (
        _engine(path, read_only=True) as engine,
        _connect(engine, path),
        path.open("rb") as source,
        copy.open("wb") as target,
    ):
        os.fchmod(target.fileno(), path.stat().st_mode & 0o777)
        if hasattr(os, "copy_file_range"):
            # Shares blocks instead of copying them on file systems that can; the rest, and
            # everything where the call is missing, is copied below.
            with contextlib.suppress(OSError):
                while os.copy_file_range(source.fileno(), target.fileno(), _COPY_BYTES):
                    pass
        shutil.copyfileobj(source, target)
        target.flush()
        if os.fstat(target.fileno()).st_size != os.fstat(source.fileno()).st_size:
            raise TrackerError(f"{path.name} was changed while it was copied")


def _absorb_log(path: Path) -> None:
    """Fold in a write-ahead log that another DuckDB client left behind."""
    if Path(f"{path}.wal").exists():
        with _store_errors(path, opening=True), _transaction(path):
            pass


def _require_possible(path: Path) -> None:
    """Refuse an impossible store name before anything is made or opened."""
    try:
        str(path).encode()
    except UnicodeEncodeError as error:
        raise InputRefused(f"{str(path)!a}: the name of a store must be UTF-8") from error
    try:
        if "?" in str(path.resolve()):
            # DuckDB reads it as the start of options, and puts the log's name before them.
            raise InputRefused(f"{path}: the path of a store cannot contain a question mark")
        if path.exists() and not path.is_file():
            kind = "folder" if path.is_dir() else "device"
            raise InputRefused(f"{path}: is a {kind}, not a store")
    except (OSError, ValueError, RuntimeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputRefused(f"{path}: cannot be a store: {reason}") from error


def _require_duckdb(path: Path) -> None:
    try:
        with path.open("rb") as handle:
            head = handle.read(12)
    except OSError as error:
        raise InputRefused(f"{path}: cannot be read: {error.strerror}") from error
    # A DuckDB file starts with an 8-byte checksum, then its magic bytes.
    if head[8:12] != _MAGIC:
        raise InputRefused(f"{path}: is not a DuckDB file")


def _require_current(connection: Connection) -> None:
    script = ScriptDirectory.from_config(alembic_config())
    current = _revision(connection, script)
    if current is None:
        raise InputRefused("is a DuckDB file but not a tracker store")
    is_current = current == script.get_current_head()
    if is_current:
        definitions.require_tables(connection)
    installed = catalog.read_views()
    if not is_current or not catalog.are_views_current(connection, installed):
        raise InputRefused("is a store of another version; bring it up to date with 'tracker init'")
    definitions.require_views(connection, installed)


@contextlib.contextmanager
def _store_errors(
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
        reason = message.splitlines()[0]
        if reason.startswith("IO Error: Could not set lock"):
            raise StoreBusy(f"{path} is open for writing in a program outside tracker") from error
        if replacing.is_full(message) and not writes_elsewhere:
            raise TrackerError(f"{path}: no space left; nothing was changed ({reason})") from error
        if opening or "corrupt database file" in message.lower():
            raise InputRefused(f"{path}: cannot be opened as a store: {reason}") from error
        raise
    except InputRefused as error:
        if opening:
            error.args = (f"{path}: {error}",)
        raise


@contextlib.contextmanager
def _file_errors() -> Iterator[None]:
    """Word errors in a file being read into the store as that file's, not the store's."""
    try:
        yield
    except OSError as error:
        if error.errno in _NO_SPACE or error.filename is None:
            raise
        raise InputRefused(f"{error.filename}: cannot be read: {error.strerror}") from error


def _storage_error(path: Path, error: OSError) -> TrackerError:
    if error.errno in _NO_SPACE:
        return TrackerError(f"{path}: no space left; nothing was changed")
    if error.errno == errno.ENAMETOOLONG:
        return InputRefused(f"{path}: cannot be a store: {error.strerror}")
    return TrackerError(f"{path}: cannot be written: {error.strerror or error}")
