"""The hashes by which a refresh knows what a file or folder is."""

from collections.abc import Sequence
from pathlib import Path

from tracker.errors import InputRefused
from tracker.evidence.chembl import reading as chembl
from tracker.evidence.ema import reading as ema
from tracker.evidence.fda import reading as fda
from tracker.evidence.trials import reading as clinicaltrials
from tracker.evidence.vocabularies import reading as vocabularies
from tracker.files import archives


def of_release(kind: str, place: Path) -> str | None:
    """Return the SHA-256 by which the release in a file or folder is known.

    Raises InputRefused for a file that is not of this kind.
    """
    if kind == "chembl":
        return chembl.locate(str(place)).sha256
    if kind == "trials":
        return clinicaltrials.locate([place]).sha256
    if kind == "fda":
        return fda.locate(place).sha256
    if kind == "ema":
        return ema.locate(place).sha256
    return vocabularies.locate(place).sha256


def of_bytes(path: Path) -> str | None:
    """Return the SHA-256 of a file or of all files in a folder, whatever they are."""
    files: Sequence[Path] = sorted(path.rglob("*")) if path.is_dir() else [path]
    files = [file for file in files if file.is_file()]
    try:
        return archives.content_sha256(files) if files else None
    except InputRefused:
        return None
