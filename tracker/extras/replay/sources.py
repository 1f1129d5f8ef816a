"""Finds the files of releases below folders, by the hash of their content alone."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from tracker.errors import InputRefused
from tracker.evidence import archive
from tracker.evidence.kinds import is_vocabulary
from tracker.evidence.trials import reading as clinicaltrials
from tracker.files import archives, streams
from tracker.progress import Progress

_PACKED = ".gz"


@dataclass(frozen=True)
class Found:
    """What the folders have of releases, by source and hash.

    `paths` has the files of each release, `namesakes` files that bear the name of one that is not
    there, `kept` the entries of an archive, and `unreadable` what could not be read, in words.
    `files` are all of them.
    """

    files: Sequence[Path]
    paths: Mapping[tuple[str, str], Sequence[Path]]
    namesakes: Mapping[str, Path]
    kept: Mapping[tuple[str, str], Path]
    unreadable: Sequence[str]


@dataclass
class _Tree:
    files: list[Path] = field(default_factory=list)
    folders: list[Path] = field(default_factory=list)
    unreadable: list[str] = field(default_factory=list)


def find(folders: Sequence[Path], releases: Sequence[sa.Row[Any]], progress: Progress) -> Found:
    """Return what is below `folders` of these releases; files are hashed until all are found.

    Symbolic links are followed, hidden files left out. Raises InputRefused for a folder that is
    absent.
    """
    tree = _walk(folders)
    wanted = {(release.source, release.sha256) for release in releases}
    origins = {release.origin for release in releases}
    kept = dict(_kept(tree.folders))
    found: dict[tuple[str, str], Sequence[Path]] = {}
    hashes: dict[Path, str] = {}
    # What an archive names by its hash first, then what bears the name of a release.
    likely = {release.sha256 for release in releases}
    ordered = sorted(
        tree.files,
        key=lambda path: (
            not any(part in likely for part in path.parts),
            path.name not in origins,
            str(path),
        ),
    )
    for number, path in enumerate(ordered, start=1):
        if len(found) == len(wanted):
            break
        progress(f"hashing file {number:,} of {len(ordered):,}")
        try:
            hashes[path] = archives.content_sha256([path])
            for key in _matches(path, hashes[path], wanted):
                found.setdefault(key, [path])
        except InputRefused as error:
            tree.unreadable.append(str(error))
    for folder in tree.folders:
        if not any(source == "ctgov" and (source, sha) not in found for source, sha in wanted):
            break
        sha256 = _folder_sha256(folder, hashes)
        if sha256 is not None and ("ctgov", sha256) in wanted:
            found.setdefault(("ctgov", sha256), [folder])
    namesakes = {path.name: path for path in reversed(tree.files) if path.name in origins}
    return Found(tree.files, found, namesakes, kept, tree.unreadable)


def _matches(
    path: Path, sha256: str, wanted: Iterable[tuple[str, str]]
) -> Iterator[tuple[str, str]]:
    """Yield the releases whose content a file has; that of a vocabulary counts unpacked."""
    packed = path.name.lower().endswith(_PACKED)
    yield from (
        key for key in wanted if key[1] == sha256 and not (packed and is_vocabulary(key[0]))
    )
    if packed and any(is_vocabulary(source) for source, _ in wanted):
        unpacked = streams.unpacked_sha256(path)
        yield from (key for key in wanted if key[1] == unpacked and is_vocabulary(key[0]))


def _folder_sha256(folder: Path, hashes: Mapping[Path, str]) -> str | None:
    """Return the hash of a folder as a snapshot of trials, None if it is none."""
    try:
        _, files = clinicaltrials.files_of([folder])
        return archives.combined_sha256([hashes[file] for file in files])
    except (InputRefused, KeyError, OSError):
        # Not the files of a snapshot, or one that could not be hashed.
        return None


def _kept(folders: Iterable[Path]) -> Iterator[tuple[tuple[str, str], Path]]:
    """Yield the entries of archives: folders named by a hash, in those named by a source."""
    for folder in folders:
        sha256 = archive.sha256_of(folder)
        if sha256 is not None:
            yield (folder.parent.name, sha256), folder


def _walk(folders: Sequence[Path]) -> _Tree:
    """Return the files and folders below `folders`, each once though links lead to it again."""
    tree = _Tree()
    seen: set[tuple[int, int]] = set()
    waiting = list(reversed(folders))
    for folder in folders:
        if not folder.is_dir():
            raise InputRefused(f"{folder}: no such folder")
    while waiting:
        folder = waiting.pop()
        try:
            status = folder.stat()
            if (status.st_dev, status.st_ino) in seen:
                continue
            seen.add((status.st_dev, status.st_ino))
            with os.scandir(folder) as entries:
                inside = sorted(entries, key=lambda entry: entry.name)
        except OSError as error:
            tree.unreadable.append(f"{folder}: cannot be read: {error.strerror}")
            continue
        tree.folders.append(folder)
        for entry in inside:
            if entry.name.startswith("."):
                continue
            if entry.is_dir():
                waiting.append(Path(entry.path))
            elif entry.is_file():
                tree.files.append(Path(entry.path))
            elif entry.is_symlink():
                tree.unreadable.append(f"{entry.path}: is a broken link")
    return tree
