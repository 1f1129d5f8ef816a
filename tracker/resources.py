"""Finds sql/, migrations/ and fixtures/: in an installed wheel, or in a checkout."""

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def directory(name: str) -> Path:
    """Return the folder `name`; raises FileNotFoundError if the installation lacks it."""
    for parent in (_PACKAGE, _PACKAGE.parent):
        if (parent / name).is_dir():
            return parent / name
    raise FileNotFoundError(f"the installation of tracker lacks its folder {name}/")
