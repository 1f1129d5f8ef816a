"""Opens the store: readers see a stored file, a writer works on a private copy and swaps it in.

DuckDB allows one writing process or many readers. A writer therefore never opens the store in
place: under a lock file it copies the store, changes the copy, checks it, and replaces the
store in one step. Readers keep the file they opened; a writer killed at any moment leaves the
store as it was.
"""

import contextlib
import errno
import os
import shutil
import stat
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy import Connection, text

from tracker import clock, copying, replacing, schema, scratch
from tracker.errors import DEFAULT_WAIT_SECONDS, CheckFailed, InputRefused, StoreBusy, TrackerError
from tracker.log import sealing, tampering
from tracker.store import catalog, connections, definitions, places, revisions, sealed_sets
from tracker.store.state import kept
from tracker.store.trust import rebuild, trusted_files

_MAGIC = b"DUCK"
_MAX_SHOWN = 20
_NO_SPACE = (errno.ENOSPC, errno.EDQUOT)


@contextlib.contextmanager
def writer(
    path: Path,
    *,
    wait: float = DEFAULT_WAIT_SECONDS,
    run_checks: bool = True,
    drop_foreign: bool = False,
    home: Path | None = None,
) -> Iterator[Connection]:
    """Yield a connection to a private copy of the store; swap it in if the body succeeds.

    Creates the store if it is absent, upgrades it if it is older, and rebuilds the views unless
    they are current. What the body wrote is sealed in the log (tracker.log.sealing); parts of it
    may be committed to the copy before its end, but never to the store. Of a file that tracker did
    not leave as it is, the copy has the rows alone (tracker.store.trust.rebuild). It has the
    sealed sets of its `home`, the store it was made of. Raises StoreBusy after `wait` seconds,
    StoreAltered if the store has foreign definitions (dropped with `drop_foreign`),
    InputRefused if the store is ahead of the clock, and CheckFailed if another program added or
    removed rows, a file of a sealed set is not as long as it was, or an invariant of sql/checks
    would be broken; then, and on any other error, the store stays as it was.
    """
    # It imports sqlite3 and asyncio, and readers do without.
    from filelock import FileLock, Timeout

    path = require_place(path)
    home = home or path
    try:
        with (
            connections.store_errors(path),
            FileLock(f"{path}.lock", timeout=wait),
            _settled(path),
            _private_copy(path) as copy,
        ):
            # What is foreign is dropped first, and the next command takes over the rows.
            is_own = not drop_foreign
            if copy.exists() and is_own:
                with connections.store_errors(path, opening=True):
                    is_own = rebuild.require_own_bytes(copy, home)
            with (
                connections.engine(copy, read_only=False, home=home) as engine,
                connections.connect(engine, path),
            ):
                # One connection stays open so that DuckDB loads the copy once. Each step has its
                # own: nothing temporary of the body is left when the checks run.
                with connections.store_errors(path, opening=True), engine.begin() as connection:
                    connections.use_threads(connection)
                    if drop_foreign:
                        # Refuses another program's file before anything is dropped from it.
                        contents = definitions.read(connection)
                        revisions.require_store(connection, contents)
                        found = definitions.foreign(connection, contents, catalog.read_views())
                        definitions.drop(connection, found)
                    reason = revisions.upgrade(connection)
                    clock.require_not_behind(connection)
                if reason is not None:
                    with engine.begin() as connection:
                        sealing.seal(connection, reason)
                with engine.begin() as connection:
                    counts = _table_counts(connection)
                    connections.use_threads(connection, may_grow=True)
                    connections.allow_commits(connection, reads_only=False)
                    kept.expect_changes(connection)
                    with _file_errors():
                        yield connection
                # After the commit, when rows have the numbers that they keep. The copy is private.
                with engine.begin() as connection:
                    connections.use_threads(connection)
                    sealing.seal(connection)
                    moved = schema.moved_entry.name
                    is_smaller = _table_counts(connection)[moved] != counts.get(moved)
                # What is sealed now is read, too.
                with engine.begin() as connection:
                    connections.use_threads(connection, may_grow=True)
                    connections.allow_commits(connection, reads_only=False)
                    kept.bring_up_to_date(connection)
                if run_checks:
                    with engine.begin() as connection:
                        _run_write_checks(connection, counts)
            if is_smaller:
                rebuild.compact(copy, home, keeps_state=True)
                if run_checks:
                    _require_log(copy, home)
            if is_own:
                trusted_files.remember(copy, path)
            else:
                trusted_files.forget(path)
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
    as_claimed: bool = False,
    writes_to: Path | None = None,
    from_rows: bool = False,
) -> Iterator[Connection]:
    """Yield a read-only connection; with `as_of`, outcomes recorded later are left out.

    With `as_claimed`, slates count from the dates that they state, proved or not. With `from_rows`,
    the connection is to a private store that was made of the rows of this one: DuckDB leaves out
    what the statistics in a file exclude, and no statistics of this file are believed, nor
    what was kept of parsing the views.

    The connection can reach no network, extension or file except `writes_to` (a file, or the files
    of a folder) and cannot be reconfigured. Raises InputRefused if the store is absent, not a
    store, or of another version, StoreAltered if it has foreign definitions, StoreBusy if a
    process outside tracker has it open for writing, and CheckFailed if rows break a constraint.
    """
    _require_possible(path)
    if not path.exists():
        raise InputRefused(
            f"{path}: store not found; check --db, or create one with 'tracker init'"
        )
    _require_duckdb(path)
    if from_rows:
        catalog.parse_afresh()
    with (
        _made_of_rows(path) if from_rows else contextlib.nullcontext(path) as stored,
        connections.engine(stored, read_only=True, home=path) as engine,
        connections.store_errors(path, writes_elsewhere=writes_to is not None),
        connections.connect(engine, path) as connection,
    ):
        with connections.store_errors(path, opening=True):
            contents = definitions.read(connection)
            reads = sealed_sets.allowed(connection, contents)
            # An error in the settings would abort the transaction that was begun for this.
            connection.rollback()
        connections.sandbox(connection, writes_to, reads)
        connections.allow_commits(connection, reads_only=True)
        with connections.store_errors(path, opening=True):
            revisions.require_current(connection, contents)
        if from_rows:
            kept.distrust(connection)
        if as_of is not None:
            set_as_of(connection, as_of)
        if as_claimed:
            use_stated_dates(connection)
        yield connection


def copy(path: Path, target: Path) -> None:
    """Copy the store to a new file, which nobody else knows.

    Raises like `reader` where there is no store, or one of another version.
    """
    with reader(path):
        pass
    _absorb_log(path)
    _copy_file(path, target)


def require_place(path: Path) -> Path:
    """Return the resolved path of a store; raises InputRefused if it cannot be there."""
    _require_possible(path)
    path = path.resolve()
    if not path.parent.is_dir():
        raise InputRefused(f"{path.parent}: no such folder for the store")
    return path


def set_as_of(connection: Connection, as_of: datetime | None) -> None:
    """Leave out outcomes recorded after `as_of`, none if it is None, on this connection."""
    instant = "null" if as_of is None else f"'{as_of.astimezone(UTC).isoformat(sep=' ')}'"
    connection.exec_driver_sql(f"set variable as_of = cast({instant} as timestamptz)")


def use_stated_dates(connection: Connection) -> None:
    """Count slates from the dates that they state, proved or not, on this connection."""
    connection.exec_driver_sql("set variable dates = 'claimed'")


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


def _require_log(copy: Path, home: Path) -> None:
    """Raise CheckFailed unless the rows of a store are those of its log."""
    with (
        connections.engine(copy, read_only=True, home=home) as engine,
        connections.connect(engine, home) as connection,
    ):
        found = tampering.verify(connection)
    if found:
        raise CheckFailed("\n".join(found))


def _table_counts(connection: Connection) -> dict[str, int]:
    rows = connection.execute(
        text(
            "select table_name, estimated_size from duckdb_tables() "
            "where not temporary and schema_name = 'main'"
        )
    )
    return {row.table_name: row.estimated_size for row in rows}


@contextlib.contextmanager
def _settled(path: Path) -> Iterator[None]:
    """Leave no files of sealed sets that the store does not list, of this command or a killed one.

    Whatever becomes of the block, the store then says whether the sets that it sealed are stored.
    """
    _settle(path)
    try:
        yield
    finally:
        _settle(path)


def _settle(path: Path) -> None:
    folders = sealed_sets.unfinished(path)
    if not folders:
        return
    if not path.exists():
        sealed_sets.discard(folders)
        return
    with (
        connections.engine(path, read_only=True) as engine,
        connections.connect(engine, path) as connection,
    ):
        sealed_sets.settle(connection, folders)


@contextlib.contextmanager
def _private_copy(path: Path) -> Iterator[Path]:
    """Yield the path of a copy of the store, to be made if there is no store yet.

    It replaces the store if the body succeeds. Raises StoreBusy if a program outside tracker then
    has the store open for writing, or wrote it since it was copied.
    """
    with scratch.folder(path.parent) as private:
        copy = private / path.name
        copied = None
        if path.exists() and path.stat().st_size > 0:
            if not os.access(path, os.W_OK):
                # Its folder may let it be replaced; its owner said that it is not to change.
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
            _require_duckdb(path)
            _absorb_log(path)
            copied = path.stat()
            _copy_file(path, copy)
        yield copy
        with contextlib.ExitStack() as stack:
            if copied is not None:
                stack.enter_context(connections.held(path))
                _require_unwritten(path, copied)
            replacing.put(copy, path)


def _require_unwritten(path: Path, copied: os.stat_result) -> None:
    """Raise StoreBusy unless the store is as it was when it was copied."""
    states = [(one.st_ino, one.st_size, one.st_mtime_ns) for one in (copied, path.stat())]
    if states[0] != states[1] or places.write_ahead_log(path).exists():
        raise StoreBusy(
            f"{path} was written by a program outside tracker meanwhile; nothing was changed; "
            "run the command again"
        )


@contextlib.contextmanager
def _made_of_rows(path: Path) -> Iterator[Path]:
    """Yield the path of a private store with the rows of another, and no other part of its file."""
    with contextlib.ExitStack() as stack:
        try:
            copy = connections.private_folder(stack, path) / path.name
            with connections.store_errors(path, opening=True):
                _copy_file(path, copy)
                log = places.write_ahead_log(path)
                if log.exists():
                    # What another client left; it is read with the copy, and the store stays so.
                    shutil.copyfile(log, f"{copy}.wal")
                rebuild.keep_rows_alone(copy, path)
        except OSError as error:
            raise _storage_error(path, error) from error
        yield copy


def _copy_file(path: Path, copy: Path) -> None:
    """Copy the store while it is open for reading, so that no other client can write it."""
    with connections.held(path), path.open("rb") as source, copy.open("wb") as target:
        # A store that is kept for reading alone is copied so that its copy can be worked on.
        os.fchmod(target.fileno(), path.stat().st_mode & 0o777 | stat.S_IRUSR | stat.S_IWUSR)
        copying.copy(source, target)
        if os.fstat(target.fileno()).st_size != os.fstat(source.fileno()).st_size:
            raise TrackerError(f"{path.name} was changed while it was copied")


def _absorb_log(path: Path) -> None:
    """Fold in a write-ahead log that another DuckDB client left behind."""
    if places.write_ahead_log(path).exists():
        with (
            connections.store_errors(path, opening=True),
            connections.engine(path, read_only=False) as engine,
            engine.begin(),
        ):
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
