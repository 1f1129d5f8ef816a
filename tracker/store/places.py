"""Where the files of a store are looked for: beside it, and sealed sets where the user says."""

import os
import re
from pathlib import Path

from tracker.errors import InputRefused

VARIABLE = "TRACKER_SEALED"

# Nothing in an address could end a text of SQL or be taken as a pattern.
_ADDRESS = re.compile(r"s3://[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](?:/[A-Za-z0-9._=-]+)*")
# Not the colon of an address.
_BETWEEN = re.compile(re.escape(os.pathsep) + "(?!//)")


def of_store(path: Path) -> list[Path]:
    """Return the folders in which sealed sets of a store are looked for, in this order.

    That is its own folder, and those in TRACKER_SEALED, separated as in PATH. Raises InputRefused
    for one that does not exist.
    """
    named = [Path(one) for one in _named() if not is_address(one)]
    for place in named:
        if not place.is_dir():
            raise InputRefused(f"{VARIABLE}: {place}: no such folder")
    return [place.resolve() for place in (path.resolve().parent, *named)]


def write_ahead_log(path: Path) -> Path:
    """Return the file in which DuckDB keeps what it has yet to write into the store at `path`."""
    # Beside the file that a link leads to.
    return Path(f"{path.resolve()}.wal")


def addresses() -> list[str]:
    """Return the addresses in TRACKER_SEALED; InputRefused for one of another kind."""
    found = [one.rstrip("/") for one in _named() if is_address(one)]
    for address in found:
        if not _ADDRESS.fullmatch(address):
            raise InputRefused(f"{VARIABLE}: {address}: is not an address like s3://bucket/prefix")
    return found


def is_address(place: str) -> bool:
    """Whether a place is an address, and not a folder."""
    return "://" in place


def search_path(path: Path) -> str:
    """Return DuckDB's setting by which it looks for files in the places of a store."""
    return ",".join(map(str, of_store(path)))


def split(search_path: str) -> list[Path]:
    """Return the folders of a search path."""
    return [Path(place) for place in search_path.split(",") if place]


def _named() -> list[str]:
    return [one for one in _BETWEEN.split(os.environ.get(VARIABLE, "")) if one]
