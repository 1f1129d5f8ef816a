"""Remembers which files this user's tracker wrote, to tell those that anyone altered since.

Another program may change a store in bytes that are no row, by which DuckDB would skip rows. The
hash of such a file is not among those remembered, and a writer takes over its rows alone
(tracker.store.remaking). The hashes are kept in the user's folder for state, not beside the store,
where whoever can write the store could write them, too.
"""

import contextlib
import hashlib
import os
from pathlib import Path

# As many are kept at least; of twice as many, those that were not read for longest are forgotten.
_KEPT = 512


def remember(path: Path) -> None:
    """Remember a file that is about to become a store, unless nothing can be kept for this user."""
    with contextlib.suppress(OSError, RuntimeError):
        folder = _folder()
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        (folder / _sha256_of(path)).touch()
        _forget(folder)


def is_remembered(path: Path) -> bool:
    """Whether this user's tracker wrote a file as it is now; False if that is not known."""
    with contextlib.suppress(OSError, RuntimeError):
        os.utime(_folder() / _sha256_of(path))
        return True
    return False


def _folder() -> Path:
    # The XDG Base Directory Specification, version 0.8: a relative path is to be ignored.
    state = Path(os.environ.get("XDG_STATE_HOME", ""))
    base = state if state.is_absolute() else Path.home() / ".local" / "state"
    return base / "tracker" / "written"


def _forget(folder: Path) -> None:
    kept = [*folder.iterdir()]
    if len(kept) > 2 * _KEPT:
        for path in sorted(kept, key=lambda one: one.stat().st_mtime)[:-_KEPT]:
            path.unlink(missing_ok=True)


def _sha256_of(path: Path) -> str:
    with path.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()
