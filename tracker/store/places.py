"""Where the files of sealed sets are looked for: beside the store, and where the user says."""

import os
from pathlib import Path

from tracker.errors import InputRefused

VARIABLE = "TRACKER_SEALED"


def of_store(path: Path) -> list[Path]:
    """Return the folders in which sealed sets of a store are looked for, in this order.

    That is its own folder, and those in TRACKER_SEALED, separated as in PATH. Raises InputRefused
    for one that does not exist.
    """
    named = [Path(one) for one in os.environ.get(VARIABLE, "").split(os.pathsep) if one]
    for place in named:
        if not place.is_dir():
            raise InputRefused(f"{VARIABLE}: {place}: no such folder")
    return [place.resolve() for place in (path.resolve().parent, *named)]


def search_path(path: Path) -> str:
    """Return DuckDB's setting by which it looks for files in the places of a store."""
    return ",".join(map(str, of_store(path)))


def split(search_path: str) -> list[Path]:
    """Return the folders of a search path."""
    return [Path(place) for place in search_path.split(",") if place]
