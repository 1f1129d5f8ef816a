"""Private folders for the temporary files of a process; those of killed processes are removed.

A private folder is named `.tracker-XXXXXXXX` and contains a lock file and the folder `files`. Its
owner holds an operating-system lock on the lock file for as long as it lives, so that whoever gets
the lock knows that the owner is gone: process numbers are reused and mean nothing on another host
or in another container.
"""

import contextlib
import fcntl
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tracker.errors import InputRefused

_PREFIX = ".tracker-"
# What tempfile appends: eight characters.
_NAME = re.compile(re.escape(_PREFIX) + "[a-z0-9_]{8}")
_LOCK, _FILES = "lock", "files"
_ATTEMPTS = 100


@contextlib.contextmanager
def folder(place: Path | None = None) -> Iterator[Path]:
    """Yield an empty folder below `place` that no other process uses, removed at the end.

    Without `place` it is below the temporary folder. First removes what killed processes left in
    both. Raises OSError if no folder can be made there.
    """
    place = place or temporary_place()
    for swept in {place, temporary_place()}:
        sweep(swept)
    for _ in range(_ATTEMPTS):
        made = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=place))
        lock = _own(made)
        if lock is not None:
            break
    else:
        raise OSError(f"{place}: a private folder cannot be created there")
    try:
        (made / _FILES).mkdir()
        yield made / _FILES
    finally:
        _remove(made)
        os.close(lock)


def temporary_place() -> Path:
    """Return the folder for temporary files: TRACKER_TEMP, or else the system's."""
    chosen = os.environ.get("TRACKER_TEMP")
    if not chosen:
        return Path(tempfile.gettempdir())
    if not Path(chosen).is_dir():
        raise InputRefused(f"TRACKER_TEMP: {chosen}: no such folder")
    return Path(chosen).resolve()


def sweep(place: Path) -> None:
    """Remove the private folders in `place` whose owners are gone, as far as that is possible."""
    with contextlib.suppress(OSError):
        with os.scandir(place) as entries:
            found = [
                Path(entry.path)
                for entry in entries
                if _NAME.fullmatch(entry.name) and entry.is_dir(follow_symlinks=False)
            ]
        for left in found:
            with contextlib.suppress(OSError):
                _sweep_one(left)


def _own(made: Path) -> int | None:
    """Lock a new folder and return the lock's descriptor; None if a sweep came in between."""
    lock = None
    try:
        lock = os.open(made / _LOCK, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        (made / _LOCK).stat()
    except (FileNotFoundError, BlockingIOError):
        if lock is not None:
            os.close(lock)
        return None
    except BaseException:
        if lock is not None:
            os.close(lock)
        _remove(made)
        raise
    return lock


def _sweep_one(left: Path) -> None:
    try:
        lock = os.open(left / _LOCK, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
    except FileNotFoundError:
        # Its owner has not yet made the lock, or is gone: removed only if it is empty.
        left.rmdir()
        return
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        _remove(left)
    finally:
        os.close(lock)


def _remove(made: Path) -> None:
    """Remove a private folder whose lock is held; the lock goes last, so that it can be resumed."""
    # Does not follow symbolic links, so that no target of one is removed.
    shutil.rmtree(made / _FILES, ignore_errors=True)
    with contextlib.suppress(OSError):
        if not (made / _FILES).exists():
            (made / _LOCK).unlink(missing_ok=True)
            made.rmdir()
