"""Writes whole folders: beside the place they are meant for, and swapped in when complete."""

import contextlib
import tempfile
from collections.abc import Iterator
from pathlib import Path

import duckdb
import sqlalchemy as sa

from tracker.errors import InputRefused, TrackerError

_FULL = "No space left on device"


@contextlib.contextmanager
def replacing(folder: Path) -> Iterator[Path]:
    """Yield an empty folder; it stands at `folder` when the body succeeds.

    On any error what stood there stays. The caller has seen to it that it may be replaced.
    Raises InputRefused if there is no parent folder or a file stands there, and TrackerError if
    the folder cannot be written.
    """
    folder = folder.resolve()
    if not folder.parent.is_dir():
        raise InputRefused(f"{folder.parent}: no such folder")
    if folder.exists() and not folder.is_dir():
        raise InputRefused(f"{folder}: is a file")
    try:
        with tempfile.TemporaryDirectory(prefix=f".{folder.name}.", dir=folder.parent) as name:
            staged = Path(name) / "new"
            staged.mkdir()
            yield staged
            _swap(staged, folder, Path(name) / "replaced")
    except OSError as error:
        raise TrackerError(f"{folder}: cannot be written: {error.strerror}") from error
    except (sa.exc.DBAPIError, duckdb.Error) as error:
        if _FULL not in str(error):
            raise
        raise TrackerError(f"{folder}: cannot be written: {_FULL}") from error


def _swap(staged: Path, folder: Path, aside: Path) -> None:
    """Put the staged folder in its place; what stood there stays if that fails."""
    is_replaced = folder.exists()
    if is_replaced:
        folder.rename(aside)
    try:
        staged.rename(folder)
    except OSError:
        if is_replaced:
            aside.rename(folder)
        raise
