"""Replaces files and folders in one step: a reader finds the old or the new at any moment.

Both are written to a private folder next to the target, so a killed writer leaves nothing that the
next one does not remove.
"""

import contextlib
import ctypes
import os
import shutil
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

import duckdb
import sqlalchemy as sa

from tracker import scratch
from tracker.errors import InputRefused, StoreBusy, TrackerError

# How DuckDB reports a full disk: for the device, the quota and its own limit.
_FULL = ("No space left on device", "Disk quota exceeded", "max_temp_directory_size")
_WAIT_SECONDS = 30.0
_AT_FDCWD = -100
_RENAME_EXCHANGE = _RENAME_SWAP = 2


@contextlib.contextmanager
def file(path: Path) -> Iterator[Path]:
    """Yield a file to write; it replaces `path` when the body succeeds.

    A symbolic link stays, and the file it points at is replaced. A replaced file keeps its
    permissions. Raises OSError if it cannot be written.
    """
    path = path.resolve()
    with scratch.folder(path.parent) as private:
        written = private / path.name
        yield written
        if path.exists():
            written.chmod(path.stat().st_mode & 0o777)
        put(written, path)


def put(written: Path, path: Path) -> None:
    """Move a file of the same file system to `path` in one step that outlasts a power failure."""
    _synchronise_content(written)
    written.replace(path)
    # The move is done: a folder that cannot be synchronised is not a failure.
    with contextlib.suppress(OSError):
        _synchronise_folder(path.parent)


def synchronise(path: Path) -> None:
    """Let a file that was written outlast a power failure."""
    _synchronise_content(path)
    with contextlib.suppress(OSError):
        _synchronise_folder(path.parent)


def make_folder(path: Path) -> None:
    """Make a folder, if it is absent, that outlasts a power failure; its parent is there."""
    path.mkdir(exist_ok=True)
    with contextlib.suppress(OSError):
        _synchronise_folder(path.parent)


def _synchronise_content(path: Path) -> None:
    with path.open("rb+") as handle:
        os.fsync(handle.fileno())


def _synchronise_folder(path: Path) -> None:
    folder = os.open(path, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


@contextlib.contextmanager
def folder(path: Path, refuse_foreign: Callable[[Path], None]) -> Iterator[Path]:
    """Yield an empty folder; it replaces `path` when the body succeeds.

    On any error the old folder stays. `refuse_foreign` raises InputRefused unless `path` may be
    replaced; it is called before the body and again before the replacement. Raises InputRefused if
    there is no parent folder or `path` is a file, StoreBusy if another process is replacing it for
    long, and TrackerError if it cannot be written.
    """
    path = path.resolve()
    if not path.parent.is_dir():
        raise InputRefused(f"{path.parent}: no such folder")
    # One look: where folders cannot be exchanged, another process may move it away between two.
    with contextlib.suppress(FileNotFoundError):
        if not stat.S_ISDIR(path.stat().st_mode):
            raise InputRefused(f"{path}: is a file")
    try:
        with _locked(path, refuse_foreign):
            refuse_foreign(path)
        with scratch.folder(path.parent) as private:
            staged = private / "new"
            staged.mkdir()
            yield staged
            with _locked(path, refuse_foreign):
                refuse_foreign(path)
                if path.exists():
                    staged.chmod(path.stat().st_mode & 0o7777)
                _swap(staged, path)
    except OSError as error:
        raise TrackerError(f"{path}: cannot be written: {error.strerror}") from error
    except (sa.exc.DBAPIError, duckdb.Error) as error:
        raise_if_full(path, error)
        raise


def raise_if_full(path: Path, error: Exception) -> None:
    """Raise TrackerError if DuckDB could not write to `path` because its disk is full."""
    if is_full(str(error)):
        raise TrackerError(f"{path}: cannot be written: {_FULL[0]}") from error


def is_full(message: str) -> bool:
    """Whether a message of DuckDB reports a full disk."""
    return any(words in message for words in _FULL)


@contextlib.contextmanager
def _locked(path: Path, refuse_foreign: Callable[[Path], None]) -> Iterator[None]:
    """Keep other processes from replacing the folder, and complete what a killed one began."""
    # It imports sqlite3 and asyncio, and commands that only read do without.
    from filelock import FileLock, Timeout

    lock = path.with_name(f".{path.name}.lock")
    try:
        with FileLock(lock, timeout=_WAIT_SECONDS):
            _recover(path, refuse_foreign)
            try:
                yield
            finally:
                # Removed while locked: a waiting process sees that it is gone and makes another.
                lock.unlink(missing_ok=True)
    except Timeout:
        raise StoreBusy(f"{path} is being replaced by another process") from None


def _swap(staged: Path, path: Path) -> None:
    """Put the staged folder in its place; the old folder ends up where the staged one was."""
    if not path.exists():
        staged.rename(path)
    elif not _exchange(staged, path):
        aside = _aside(path)
        path.rename(aside)
        staged.rename(path)
        shutil.rmtree(aside, ignore_errors=True)


def _aside(path: Path) -> Path:
    return path.with_name(f".{path.name}.replaced")


def _recover(path: Path, refuse_foreign: Callable[[Path], None]) -> None:
    """Restore the folder that a killed process was replacing, or remove what it moved aside."""
    aside = _aside(path)
    if not aside.is_dir() or aside.is_symlink():
        return
    refuse_foreign(aside)
    if path.exists():
        shutil.rmtree(aside, ignore_errors=True)
    else:
        aside.rename(path)


def _exchange(one: Path, other: Path) -> bool:
    """Exchange two folders in one step; False where the system or the file system cannot."""
    system = ctypes.CDLL(None, use_errno=True)
    names = os.fsencode(one), os.fsencode(other)
    if hasattr(system, "renameat2"):
        at = ctypes.c_int(_AT_FDCWD)
        exchanged = system.renameat2(at, names[0], at, names[1], ctypes.c_uint(_RENAME_EXCHANGE))
    elif hasattr(system, "renamex_np"):
        exchanged = system.renamex_np(*names, ctypes.c_uint(_RENAME_SWAP))
    else:
        return False
    return int(exchanged) == 0
