"""Writes a command's result to the terminal, or atomically to a file."""

import contextlib
import re
from collections.abc import Iterator
from pathlib import Path

import click

from tracker.cli.common import Settings
from tracker.cli.terminal import print_text
from tracker.errors import InputRefused, TrackerError
from tracker.rows import Rows, render

# The keys of 'tracker log key', and PEM's.
_PRIVATE_KEY = re.compile(rb"PRIVATE\+KEY\+|-----BEGIN [A-Z ]*PRIVATE KEY-----")
_MOST_OF_A_KEY = 64


def write_output(text: str, path: Path | None, settings: Settings) -> None:
    """Print text, or write it to a file in one step; never over the store."""
    if path is None:
        print_text(text)
        return
    with output_file(path, settings) as part:
        part.write_text(text, encoding="utf-8")


def require_file(form: str, path: Path | None) -> None:
    """Raise UsageError if a format for programs has no file to be written to."""
    if form == "parquet" and path is None:
        raise click.UsageError("--format parquet needs --output FILE")


def write_rows(
    rows: Rows, form: str, path: Path | None, settings: Settings, *, limit: int | None = None
) -> None:
    """Print rows in a format of listing_options, or write them to a file in one step."""
    require_file(form, path)
    if form != "parquet" or path is None:
        write_output(render(rows, form, limit=limit), path, settings)
        return
    from tracker.api import frames

    with output_file(path, settings) as part:
        frames.write_parquet(rows, part)


@contextlib.contextmanager
def output_file(path: Path, settings: Settings) -> Iterator[Path]:
    """Yield a file in a private folder, which replaces `path` when the body succeeds.

    The target of a symbolic link is replaced; a device or pipe is written directly. Raises
    InputRefused if nothing can be written there.
    """
    import duckdb

    from tracker import replacing

    if not path.parent.is_dir():
        raise InputRefused(f"{path.parent}: no such folder")
    if path.is_dir():
        raise InputRefused(f"{path}: is a folder")
    if path.exists() and settings.db.exists() and path.samefile(settings.db):
        raise InputRefused(f"{path}: is the store; choose another file")
    if path.exists() and not path.is_file():
        yield path
        return
    if _is_private_key(path):
        raise InputRefused(f"{path}: is a private key; choose another file")
    try:
        with contextlib.suppress(FileNotFoundError):
            # Raises OSError for a link to itself.
            path.stat()
        with replacing.file(path) as part:
            yield part
    except OSError as error:
        raise TrackerError(f"{path}: cannot be written: {error.strerror}") from error
    except duckdb.Error as error:
        replacing.raise_if_full(path, error)
        raise


def _is_private_key(path: Path) -> bool:
    """Whether a file begins like a key of 'tracker log key' or in PEM."""
    try:
        with path.open("rb") as handle:
            return _PRIVATE_KEY.match(handle.read(_MOST_OF_A_KEY)) is not None
    except OSError:
        return False
