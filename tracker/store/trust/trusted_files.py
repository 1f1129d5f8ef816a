"""Remembers which files this user's tracker wrote, to tell those that anyone altered since.

Another program may change a store in bytes that are no row, by which DuckDB would skip rows. The
hash of such a file is not among those remembered, and a writer takes over its rows alone
(tracker.store.trust.rebuild). The hashes are kept in the user's folder for state, not beside the
store, where whoever can write the store could write them, too.
"""

import contextlib
import hashlib
import os
import re
import stat
from pathlib import Path

from tracker.store import places

# As many hashes, of files and of the paths of stores, are kept at least; of twice as many, those
# that were not read for longest are forgotten.
_KEPT = 512
_NAME = re.compile(r"[0-9a-f]{64}")


def remember(path: Path, home: Path) -> None:
    """Remember a file that is about to become the store at `home`.

    Unless nothing can be kept for this user.
    """
    with contextlib.suppress(OSError, RuntimeError):
        folder = _folder()
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if _is_own(folder):
            (folder / _sha256_of(path)).touch()
            _mark(folder, home).touch()
            _forget(folder)


def is_remembered(path: Path) -> bool:
    """Whether this user's tracker wrote a file as it is now; False if that is not known."""
    with contextlib.suppress(OSError, RuntimeError):
        folder = _folder()
        if _is_own(folder):
            os.utime(folder / _sha256_of(path), follow_symlinks=False)
            return True
    return False


def forget(home: Path) -> None:
    """Forget that this user's tracker wrote the store at `home`, which has tables of the user's."""
    with contextlib.suppress(OSError, RuntimeError):
        folder = _folder()
        if _is_own(folder):
            _mark(folder, home).unlink(missing_ok=True)


def is_altered(home: Path) -> bool:
    """Whether a store is another than the one that this user's tracker wrote there.

    Tracker leaves no write-ahead log, whose rows a reader would see.
    """
    with contextlib.suppress(OSError, RuntimeError):
        folder = _folder()
        if _is_own(folder) and home.is_file():
            os.utime(_mark(folder, home), follow_symlinks=False)
            return places.write_ahead_log(home).exists() or not is_remembered(home)
    return False


def _mark(folder: Path, home: Path) -> Path:
    return folder / hashlib.sha256(os.fsencode(home.resolve())).hexdigest()


def _folder() -> Path:
    # The XDG Base Directory Specification, version 0.8: a relative path is to be ignored.
    state = Path(os.environ.get("XDG_STATE_HOME", ""))
    base = state if state.is_absolute() else Path.home() / ".local" / "state"
    return base / "tracker" / "written"


def _is_own(folder: Path) -> bool:
    """Whether this user alone decides what is in a folder, which is no link to another."""
    found = folder.lstat()
    return (
        stat.S_ISDIR(found.st_mode)
        and found.st_uid == os.geteuid()
        and not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    )


def _forget(folder: Path) -> None:
    kept = [one for one in folder.iterdir() if _NAME.fullmatch(one.name)]
    if len(kept) > 2 * _KEPT:
        for path in sorted(kept, key=lambda one: one.stat().st_mtime)[:-_KEPT]:
            path.unlink(missing_ok=True)


def _sha256_of(path: Path) -> str:
    with path.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()
