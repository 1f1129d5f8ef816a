"""The folder that keeps the files of ingested releases, each found by its hash.

A release of `source` with the SHA-256 `sha256` lies in `source/sha256/`, under its own name. No
file there is ever replaced.
"""

import os
import re
from collections.abc import Callable
from pathlib import Path

from tracker import copying, scratch
from tracker.errors import InputRefused

_SHA256 = re.compile("[0-9a-f]{64}")
# The names that a vocabulary may have.
_SOURCE = re.compile(r"\w[\w.+-]{0,63}")
# Longer names some file systems refuse; the content is found by its hash whatever its name.
_LONGEST_NAME = 200

# Returns the hash of a release's file or folder.
Digest = Callable[[Path], str]


def sha256_of(folder: Path) -> str | None:
    """Return the hash that a folder of an archive is named after, None for any other folder."""
    return folder.name if _SHA256.fullmatch(folder.name) else None


def find(folder: Path, source: str, sha256: str) -> Path | None:
    """Return the file or folder of a release in an archive, None if there is none.

    Raises OSError if the archive cannot be read.
    """
    try:
        entries = sorted(_place(folder, source, sha256).iterdir())
    except (FileNotFoundError, NotADirectoryError):
        return None
    return next((entry for entry in entries if not entry.name.startswith(".")), None)


def keep(folder: Path, source: str, sha256: str, path: Path, digest: Digest) -> bool:
    """Keep a file or a folder of files of a release; return False if it is kept already.

    It appears whole or not at all. It is a copy, since a link would change with the file. Raises
    InputRefused if other content stands in its place or the file is no longer the one that was
    ingested, OSError if it cannot be written.
    """
    found = find(folder, source, sha256)
    if found is not None:
        if digest(found) != sha256:
            raise InputRefused(
                f"{found}: is not the file that was ingested as {source} {sha256[:8]}; move it "
                "away, and the next refresh keeps the file again"
            )
        return False
    folder.mkdir(parents=True, exist_ok=True)
    with scratch.folder(folder) as private:
        staged = private / sha256
        staged.mkdir()
        copied = staged / _name(path)
        (_copy_folder if path.is_dir() else _copy)(path, copied)
        if digest(copied) != sha256:
            raise InputRefused(f"{path}: was changed after it was ingested; it is not kept")
        place = _place(folder, source, sha256)
        place.parent.mkdir(exist_ok=True)
        # Replaces an empty folder, and raises OSError for any other.
        staged.rename(place)
    return True


def _place(folder: Path, source: str, sha256: str) -> Path:
    """Return the folder of a release; refuse names that lead elsewhere: a store may be altered."""
    if not _SOURCE.fullmatch(source) or not _SHA256.fullmatch(sha256):
        raise InputRefused(f"{folder}: cannot have a release named {source} {sha256}")
    return folder / source / sha256


def _name(path: Path) -> str:
    """Return the name of a file in an archive: its own, not hidden and not too long."""
    name = path.resolve().name.lstrip(".") or "release"
    if len(os.fsencode(name)) <= _LONGEST_NAME:
        return name
    suffixes = "".join(path.suffixes[-2:])
    return f"release{suffixes}" if len(os.fsencode(suffixes)) < _LONGEST_NAME else "release"


def _copy_folder(folder: Path, target: Path) -> None:
    """Copy the files of a folder but for hidden ones, as an ingestion reads them."""
    target.mkdir()
    for file in sorted(folder.rglob("*")):
        inside = file.relative_to(folder)
        if file.is_file() and not any(part.startswith(".") for part in inside.parts):
            (target / inside).parent.mkdir(parents=True, exist_ok=True)
            _copy(file, target / inside)


def _copy(path: Path, target: Path) -> None:
    with path.open("rb") as source, target.open("wb") as copied:
        copying.copy(source, copied)
        os.fsync(copied.fileno())
