"""Opens the store: readers see a stored file, a writer works on a private copy and swaps it in.

DuckDB allows one writing process or many readers. A writer therefore never opens the store in
place: under a lock file it copies the store, changes the copy, checks it, and replaces the
store in one step. Readers keep the file they opened; a writer killed at any moment leaves the
store as it was.
"""

import contextlib
import errno
import os
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import duckdb
import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from filelock import FileLock, Timeout
from sqlalchemy import Connection, Engine, text
from sqlalchemy.pool import NullPool

from tracker import catalog, resources
from tracker.errors import CheckFailed, InputRefused, StoreBusy, TrackerError

DEFAULT_WAIT_SECONDS = 30.0
_MAGIC = b"DUCK"
_MAX_SHOWN = 20


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
    path = path.resolve()
    if not path.parent.is_dir():
        raise InputRefused(f"{path.parent}: no such folder for the store")
    if path.is_dir():
        raise InputRefused(f"{path}: is a folder, not a store")
    try:
        with FileLock(f"{path}.lock", timeout=wait):
            _remove_leftovers(path)
            with _private_copy(path) as copy:
                with _transaction(copy) as connection:
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
    except (sa.exc.DBAPIError, duckdb.Error) as error:
        if "No space left on device" in str(error):
            raise _full(path) from error
        raise


@contextlib.contextmanager
def reader(
    path: Path, *, as_of: datetime | None = None, sandbox: bool = False
) -> Iterator[Connection]:
    """Yield a read-only connection; with `as_of`, outcomes written down later are left out.

    A sandboxed connection can reach no file, network or extension and cannot be reconfigured.
    Raises InputRefused if the store is absent, not a store, or of another version, and StoreBusy
    if a process outside tracker holds it open for writing.
    """
    if not path.exists():
        raise InputRefused(f"{path}: no such store; make one with 'tracker init'")
    _require_duckdb(path)
    engine = _engine(path, read_only=True, external_access=not sandbox)
    try:
        with _connect(engine, path) as connection:
            _require_current(connection, path)
            if as_of is not None:
                instant = as_of.astimezone(UTC).isoformat(sep=" ")
                connection.exec_driver_sql(f"set variable as_of = cast('{instant}' as timestamptz)")
            if sandbox:
                connection.exec_driver_sql("set lock_configuration = true")
            yield connection
    finally:
        engine.dispose()


def upgrade(connection: Connection, revision: str = "head") -> None:
    """Bring the tables to `revision` and rebuild the views if their texts changed.

    Raises InputRefused if the store is of a newer version than this installation.
    """
    config = alembic_config()
    script = ScriptDirectory.from_config(config)
    current = MigrationContext.configure(connection).get_current_revision()
    known = {entry.revision for entry in script.walk_revisions()}
    tables = set(sa.inspect(connection).get_table_names()) - {"alembic_version"}
    if current is None and tables:
        raise InputRefused("is a DuckDB file of other tables, not a tracker store")
    if current is not None and current not in known:
        raise InputRefused(
            f"the store was written by a newer tracker (revision {current}); upgrade tracker"
        )
    target = script.get_current_head() if revision == "head" else revision
    if current != target:
        config.attributes["connection"] = connection
        command.upgrade(config, revision)
    if revision == "head":
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
            "(select max(added_at) from disease_alias), (select max(recorded_at) from slate))"
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


def _engine(path: Path, *, read_only: bool, external_access: bool = True) -> Engine:
    config: dict[str, object] = {
        "memory_limit": os.environ.get("TRACKER_MEMORY_LIMIT", "4GB"),
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
        "enable_external_access": external_access,
    }
    return sa.create_engine(
        sa.URL.create("duckdb", database=str(path)),
        connect_args={"read_only": read_only, "config": config},
        poolclass=NullPool,
    )


@contextlib.contextmanager
def _connect(engine: Engine, path: Path) -> Iterator[Connection]:
    try:
        connection = engine.connect()
    except (sa.exc.DBAPIError, duckdb.Error) as error:
        raise _open_error(path, error) from error
    with connection:
        yield connection


@contextlib.contextmanager
def _transaction(path: Path) -> Iterator[Connection]:
    engine = _engine(path, read_only=False)
    try:
        with _connect(engine, path) as connection, connection.begin():
            yield connection
    finally:
        engine.dispose()


@contextlib.contextmanager
def _private_copy(path: Path) -> Iterator[Path]:
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
    copy = Path(name)
    try:
        if path.exists() and path.stat().st_size > 0:
            _require_duckdb(path)
            _absorb_log(path)
            _copy_file(path, handle)
            os.close(handle)
        else:
            os.close(handle)
            copy.unlink()
        yield copy
    finally:
        for leftover in path.parent.glob(f"{copy.name}*"):
            _remove(leftover)


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
        with _transaction(path):
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
    for leftover in path.parent.glob(f".{path.name}.*.part*"):
        _remove(leftover)


def _remove(path: Path) -> None:
    if path.is_dir():
        for child in path.iterdir():
            _remove(child)
        path.rmdir()
    else:
        path.unlink(missing_ok=True)


def _require_duckdb(path: Path) -> None:
    try:
        with path.open("rb") as handle:
            head = handle.read(12)
    except OSError as error:
        raise InputRefused(f"{path}: cannot be read: {error.strerror}") from error
    # A DuckDB file starts with an 8-byte checksum, then its magic bytes.
    if head[8:12] != _MAGIC:
        raise InputRefused(f"{path}: is not a DuckDB file")


def _require_current(connection: Connection, path: Path) -> None:
    head = ScriptDirectory.from_config(alembic_config()).get_current_head()
    current = MigrationContext.configure(connection).get_current_revision()
    if current is None:
        raise InputRefused(f"{path}: is a DuckDB file but not a tracker store")
    known = {
        entry.revision for entry in ScriptDirectory.from_config(alembic_config()).walk_revisions()
    }
    if current not in known:
        raise InputRefused(
            f"{path}: was written by a newer tracker (revision {current}); upgrade tracker"
        )
    if current != head or not catalog.are_views_current(connection, catalog.read_views()):
        raise InputRefused(
            f"{path}: is a store of another version; bring it up to date with 'tracker init'"
        )


def _open_error(path: Path, error: Exception) -> TrackerError:
    reason = str(getattr(error, "orig", error)).splitlines()[0]
    if "lock" in reason.lower():
        return StoreBusy(f"{path} is held open for writing by a program outside tracker")
    if "No space left on device" in reason:
        return _full(path)
    return InputRefused(f"{path}: cannot be opened as a store: {reason}")


def _storage_error(path: Path, error: OSError) -> TrackerError:
    if error.errno == errno.ENOSPC:
        return _full(path)
    return TrackerError(f"{path}: cannot be written: {error.strerror}")


def _full(path: Path) -> TrackerError:
    return TrackerError(
        f"{path.parent}: no space left for the private copy of the store; nothing was changed"
    )
