"""Opens the store: readers see a stored file, a writer works on a private copy and swaps it in.

DuckDB allows one writing process or many readers. A writer therefore never opens the store in
place: under a lock file it copies the store, changes the copy, checks it, and replaces the
store in one step. Readers keep the file they opened; a writer killed at any moment leaves the
store as it was.
"""

import contextlib
import errno
import glob
import os
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import duckdb
import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from filelock import FileLock, Timeout
from sqlalchemy import Connection, Engine, text
from sqlalchemy.pool import NullPool

from tracker import catalog, resources, schema
from tracker.errors import CheckFailed, InputRefused, StoreBusy, TrackerError

DEFAULT_WAIT_SECONDS = 30.0
_MAGIC = b"DUCK"
_MAX_SHOWN = 20
# How DuckDB says that a disk is full: the device's, the quota's, and its own limit's words.
_FULL = ("No space left on device", "Disk quota exceeded", "max_temp_directory_size")


@contextlib.contextmanager
def writer(
    path: Path, *, wait: float = DEFAULT_WAIT_SECONDS, run_checks: bool = True
) -> Iterator[Connection]:
    """Yield a connection to a private copy of the store; swap it in if the body succeeds.

    Creates the store if it is absent, upgrades it if it is older, and rebuilds the views when
    their texts changed. The body runs in one transaction. Raises StoreBusy after `wait` seconds,
    CheckFailed if an invariant of sql/checks would be broken; then, and on any other error, the
    store stays as it was.
    """
    _require_possible(path)
    path = path.resolve()
    if not path.parent.is_dir():
        raise InputRefused(f"{path.parent}: no such folder for the store")
    try:
        with _worded(path), FileLock(f"{path}.lock", timeout=wait):
            _remove_leftovers(path)
            with _private_copy(path) as copy:
                with _worded(path, opening=True), _transaction(copy) as connection:
                    upgrade(connection)
                with _transaction(copy) as connection:
                    counts = _table_counts(connection)
                    yield connection
                if run_checks:
                    # After the commit: DuckDB counts rows only then. The copy is still private.
                    with _transaction(copy) as connection:
                        _run_write_checks(connection, counts)
                _swap(copy, path)
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
    sandbox: bool = False,
    writable: Path | None = None,
) -> Iterator[Connection]:
    """Yield a read-only connection; with `as_of`, outcomes written down later are left out.

    A sandboxed connection can reach no network or extension, no file but the store's own and
    `writable`, and cannot be reconfigured.
    Raises InputRefused if the store is absent, not a store, or of another version, and StoreBusy
    if a process outside tracker holds it open for writing.
    """
    _require_possible(path)
    if not path.exists():
        raise InputRefused(f"{path}: no such store; make one with 'tracker init'")
    _require_duckdb(path)
    engine = _engine(path, read_only=True)
    try:
        with _worded(path), _connect(engine, path) as connection:
            with _worded(path, opening=True):
                _require_current(connection)
            if as_of is not None:
                look_back(connection, as_of)
            if sandbox:
                _close_off(connection, writable)
            yield connection
    finally:
        engine.dispose()


def _close_off(connection: Connection, writable: Path | None) -> None:
    if writable is not None:
        # A setting takes no bound values.
        name = str(writable).replace("'", "''")
        connection.exec_driver_sql(f"set allowed_paths = ['{name}']")
    connection.exec_driver_sql("set enable_external_access = false")
    connection.exec_driver_sql("set lock_configuration = true")


def look_back(connection: Connection, as_of: datetime) -> None:
    """Leave out, from now on over this connection, outcomes written down after `as_of`."""
    instant = as_of.astimezone(UTC).isoformat(sep=" ")
    connection.exec_driver_sql(f"set variable as_of = cast('{instant}' as timestamptz)")


def upgrade(connection: Connection, revision: str = "head") -> None:
    """Bring the tables to `revision` and rebuild the views if their texts changed.

    Raises InputRefused if the file is damaged, of other tables, or of a newer tracker.
    """
    config = alembic_config()
    script = ScriptDirectory.from_config(config)
    target = script.get_current_head() if revision == "head" else revision
    if _revision(connection, script) != target:
        config.attributes["connection"] = connection
        command.upgrade(config, revision)
    if revision == "head":
        _require_tables(connection)
        catalog.build_views(connection, catalog.read_views())


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


def now(connection: Connection) -> datetime:
    """Return the present instant, always after those the store already holds.

    What stood in the store at a freeze is told by its instants, so a clock set back must not
    make a later row look earlier.
    """
    latest: datetime | None = connection.execute(
        text(
            "select greatest((select max(added_at) from drug_alias), "
            "(select max(added_at) from disease_alias), (select max(recorded_at) from slate), "
            "(select max(ingested_at) from release), (select max(observed_at) from outcome), "
            "(select max(loaded_at) from truth_set), (select max(submitted_at) from submission))"
        )
    ).scalar_one()
    present = datetime.now(UTC)
    if latest is None:
        return present
    return max(present, latest.astimezone(UTC) + timedelta(microseconds=1))


def _run_write_checks(connection: Connection, counts_before: dict[str, int]) -> None:
    counts = _table_counts(connection)
    grown = {name for name, count in counts.items() if count != counts_before.get(name)}
    for check in catalog.read_checks():
        if check.header["When"] != "write":
            continue
        if not grown & catalog.read_tables(connection, check.select):
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
    """Return the revision of a tracker store, None of an empty file; refuse anything else."""
    heads = MigrationContext.configure(connection).get_current_heads()
    if len(heads) > 1:
        raise InputRefused(f"is damaged: it says it is of {len(heads)} revisions at once")
    names = _names(connection)
    views = {view.name for view in catalog.read_views()}
    is_empty = not heads and names <= views | {"alembic_version"}
    if not is_empty and not (heads and names & schema.metadata.tables.keys()):
        raise InputRefused("is a DuckDB file of other tables, not a tracker store")
    if heads and heads[0] not in {entry.revision for entry in script.walk_revisions()}:
        raise InputRefused(f"was written by a newer tracker (revision {heads[0]}); upgrade tracker")
    return heads[0] if heads else None


def _names(connection: Connection) -> set[str]:
    """Return the tables and views of the file; those outside schema main with their schema."""
    rows = connection.execute(
        text(
            "select table_schema, table_name from information_schema.tables "
            "where table_catalog = current_database()"
        )
    )
    return {name if schema == "main" else f"{schema}.{name}" for schema, name in rows}


def _require_tables(connection: Connection) -> None:
    missing = sorted(schema.metadata.tables.keys() - _names(connection))
    if missing:
        raise InputRefused(f"is damaged: it lacks the tables {', '.join(missing)}")


def _engine(path: Path, *, read_only: bool) -> Engine:
    config: dict[str, object] = {
        "memory_limit": os.environ.get("TRACKER_MEMORY_LIMIT", "4GB"),
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
    }
    engine = sa.create_engine(
        sa.URL.create("duckdb", database=str(path)),
        connect_args={"read_only": read_only, "config": config},
        poolclass=NullPool,
        # A connection is closed after its use, and after a full disk a rollback fails loudly.
        pool_reset_on_return=None,
    )
    sa.event.listen(engine, "connect", _use_utc)
    return engine


def _use_utc(connection: Any, _record: object) -> None:
    # A DuckDB without the ICU extension has no such setting, and no zone but UTC.
    with contextlib.suppress(duckdb.CatalogException, duckdb.InvalidInputException):
        connection.cursor().execute("set TimeZone = 'UTC'")


@contextlib.contextmanager
def _connect(engine: Engine, path: Path) -> Iterator[Connection]:
    with _worded(path, opening=True):
        connection = engine.connect()
    with connection:
        yield connection


@contextlib.contextmanager
def _transaction(path: Path) -> Iterator[Connection]:
    engine = _engine(path, read_only=False)
    try:
        with engine.begin() as connection:
            yield connection
    finally:
        engine.dispose()


@contextlib.contextmanager
def _private_copy(path: Path) -> Iterator[Path]:
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
    copy = Path(name)
    try:
        try:
            if path.exists() and path.stat().st_size > 0:
                _require_duckdb(path)
                _absorb_log(path)
                _copy_file(path, handle)
            else:
                copy.unlink()
        finally:
            os.close(handle)
        yield copy
    finally:
        _remove_all(path.parent, f"{glob.escape(copy.name)}*")


def _copy_file(path: Path, target: int) -> None:
    """Copy the store while holding it open for reading, so that no other client can write it."""
    engine = _engine(path, read_only=True)
    try:
        with _connect(engine, path), path.open("rb") as source:
            os.fchmod(target, path.stat().st_mode & 0o777)
            remaining = path.stat().st_size
            # Shares the blocks instead of copying them on file systems that can.
            while remaining > 0:
                copied = os.copy_file_range(source.fileno(), target, min(remaining, 1 << 30))
                if copied == 0:
                    raise TrackerError(f"{path.name} became shorter while it was copied")
                remaining -= copied
    finally:
        engine.dispose()


def _absorb_log(path: Path) -> None:
    """Fold in a write-ahead log that another DuckDB client left beside the store."""
    if Path(f"{path}.wal").exists():
        with _worded(path, opening=True), _transaction(path):
            pass


def _swap(copy: Path, path: Path) -> None:
    with copy.open("rb+") as handle:
        os.fsync(handle.fileno())
    copy.replace(path)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _remove_leftovers(path: Path) -> None:
    """Remove the private copies of writers that were killed; the lock says none is alive."""
    # Eight characters that mkstemp chose: the copies of other stores here must stay.
    _remove_all(path.parent, f".{glob.escape(path.name)}.????????.part*")


def _remove_all(folder: Path, pattern: str) -> None:
    for leftover in folder.glob(pattern):
        _remove(leftover)


def _remove(path: Path) -> None:
    if path.is_dir():
        for child in path.iterdir():
            _remove(child)
        path.rmdir()
    else:
        path.unlink(missing_ok=True)


def _require_possible(path: Path) -> None:
    """Refuse a name that no store can have, before anything is made or opened."""
    try:
        str(path).encode()
    except UnicodeEncodeError as error:
        raise InputRefused(f"{str(path)!a}: the name of a store must be UTF-8") from error
    try:
        if path.exists() and not path.is_file():
            kind = "folder" if path.is_dir() else "device"
            raise InputRefused(f"{path}: is a {kind}, not a store")
        path.resolve()
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
        _require_tables(connection)
    if not is_current or not catalog.are_views_current(connection, catalog.read_views()):
        raise InputRefused("is a store of another version; bring it up to date with 'tracker init'")


@contextlib.contextmanager
def _worded(path: Path, *, opening: bool = False) -> Iterator[None]:
    """Turn what DuckDB says about the store into one line that names it.

    While `opening` it, whatever goes wrong is about the store; later only some of it is.
    """
    try:
        yield
    except (sa.exc.DBAPIError, duckdb.Error) as error:
        # Of an error after an error, the first line tells the last and the others the first.
        told = str(getattr(error, "orig", error))
        reason = told.splitlines()[0]
        if reason.startswith("IO Error: Could not set lock"):
            raise StoreBusy(
                f"{path} is held open for writing by a program outside tracker"
            ) from error
        if any(words in told for words in _FULL):
            raise TrackerError(f"{path}: no space left; nothing was changed ({reason})") from error
        if opening or "corrupt database file" in told.lower():
            raise InputRefused(f"{path}: cannot be opened as a store: {reason}") from error
        raise
    except InputRefused as error:
        if not opening:
            raise
        raise InputRefused(f"{path}: {error}") from None


def _storage_error(path: Path, error: OSError) -> TrackerError:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return TrackerError(f"{path}: no space left; nothing was changed")
    if error.errno == errno.ENAMETOOLONG:
        return InputRefused(f"{path}: cannot be a store: {error.strerror}")
    return TrackerError(f"{path}: cannot be written: {error.strerror or error}")
