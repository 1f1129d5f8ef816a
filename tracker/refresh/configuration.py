"""Reads tracker.toml: which sources a refresh follows, and where their files appear."""

import contextlib
import fnmatch
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from tracker.errors import InputRefused, ProblemsFound
from tracker.files import names, toml_file

KINDS = ("chembl", "trials", "fda", "vocabulary")
DEFAULT_SETTLE_SECONDS = 60


@dataclass(frozen=True)
class Watched:
    """One table [[source]]: files that match `paths`, or a ChEMBL database at `url`."""

    kind: str
    folder: Path
    paths: list[str] = field(default_factory=list)
    url: str | None = None
    version: str | None = None
    released: date | None = None
    complete: bool | None = None
    name: str | None = None

    def files(self) -> list[Path]:
        """Return the files and folders that exist now, oldest first, then by name.

        Raises OSError for a folder that cannot be listed.
        """
        found: set[Path] = set()
        for pattern in map(Path, self.paths):
            folder = Path(pattern.anchor) if pattern.is_absolute() else self.folder
            found.update(_matches(folder, pattern.relative_to(pattern.anchor).parts))
        present = [path for path in found if not path.name.startswith(".")]
        return sorted(present, key=lambda path: (dated(path), path.name))


@dataclass(frozen=True)
class Configuration:
    """The settings in tracker.toml; `slates` is None where all are followed."""

    path: Path
    sources: list[Watched]
    slates: list[str] | None
    store: Path | None
    settle_seconds: float


def dated(path: Path) -> date:
    """Return the date in a file's name, else that of its last change in UTC.

    For a broken link it is the link's own; a time beyond the calendar becomes its last day.
    """
    found = names.date_in(path)
    if found is not None:
        return found
    changed = path.lstat().st_mtime
    with contextlib.suppress(OSError):
        changed = path.stat().st_mtime
    try:
        return datetime.fromtimestamp(changed, UTC).date()
    except (ValueError, OverflowError, OSError):
        return date.max if changed > 0 else date.min


def _matches(folder: Path, parts: Sequence[str]) -> set[Path]:
    """Return the matches of a pattern below a folder; a part that exists literally matches itself.

    Brackets in the name of a folder are therefore not a pattern. Raises OSError for a folder that
    cannot be listed.
    """
    found = {folder}
    for part in parts:
        if part == "**":
            below = {
                Path(name)
                for base in found
                if base.is_dir()
                for name, _, _ in os.walk(base, onerror=_fail)
            }
            found |= below
            continue
        literal = {base / part for base in found if os.path.lexists(base / part)}
        if any(sign in part for sign in "*?["):
            literal |= {
                child
                for base in found
                if base.is_dir()
                for child in base.iterdir()
                if fnmatch.fnmatchcase(child.name, part)
            }
        found = literal
    return found


def _fail(error: OSError) -> None:
    raise error


def read(path: Path) -> Configuration:
    """Read a configuration; its relative paths count from the file's own folder.

    Raises InputRefused if it is not TOML, ProblemsFound naming every invalid key.
    """
    if not path.exists():
        raise InputRefused(f"{path}: no such file; see docs/guides/refresh.md")
    content = toml_file.read(path)
    problems: list[str] = []
    top = _Table(path.name, content, problems)
    store = top.take("store", str)
    slates = top.take_texts("slates")
    settle_seconds = top.take("settle_seconds", int, float)
    tables = top.take("source", list) or []
    top.refuse_rest()
    sources = [
        _watched(_Table(f"{path.name}, source {number}", table, problems), path.parent)
        for number, table in enumerate(tables, start=1)
    ]
    if not tables and "source" not in content:
        problems.append(f"{path.name}: has no [[source]] to follow")
    if settle_seconds is not None and not 0 <= settle_seconds < float("inf"):
        problems.append(f"{path.name}: settle_seconds must be 0 or more")
    if problems:
        raise ProblemsFound(problems)
    return Configuration(
        path,
        sources,
        slates,
        path.parent / store if store else None,
        DEFAULT_SETTLE_SECONDS if settle_seconds is None else settle_seconds,
    )


class _Table:
    """The keys of one TOML table, taken one by one; an invalid one becomes a problem."""

    def __init__(self, where: str, content: object, problems: list[str]) -> None:
        self.where = where
        self.problems = problems
        self.n_problems_before = len(problems)
        self._rest: dict[str, Any] = {}
        if isinstance(content, Mapping):
            self._rest = dict(content)
        else:
            problems.append(f"{where}: is not a table")

    def take(self, key: str, *kinds: type) -> Any:
        value = self._rest.pop(key, None)
        # TOML has no NULL; bool is a subclass of int only in Python.
        if value is None or (type(value) in kinds):
            return value
        wanted = {str: "text", bool: "true or false", list: "a list", date: "a date"}
        self.problems.append(f"{self.where}: {key} must be {wanted.get(kinds[0], 'a number')}")
        return None

    def take_texts(self, key: str) -> list[str] | None:
        value = self._rest.pop(key, None)
        texts = [value] if isinstance(value, str) else value
        if texts is None:
            return None
        if isinstance(texts, Sequence) and all(isinstance(item, str) and item for item in texts):
            return list(texts)
        self.problems.append(f"{self.where}: {key} must be text or a list of texts")
        return None

    def refuse_rest(self) -> None:
        self.problems += [f"{self.where}: unknown key {key!r}" for key in self._rest]


def _watched(table: _Table, folder: Path) -> Watched:
    kind = table.take("kind", str)
    paths = table.take_texts("path")
    watched = Watched(
        kind or "",
        folder,
        paths or [],
        table.take("url", str),
        table.take("version", str),
        table.take("released", date),
        table.take("complete", bool),
        table.take("name", str),
    )
    table.refuse_rest()
    if len(table.problems) == table.n_problems_before:
        table.problems += [f"{table.where}: {problem}" for problem in _contradictions(watched)]
    return watched


def _contradictions(watched: Watched) -> list[str]:
    found = []
    if watched.kind not in KINDS:
        found.append(f"kind must be one of {', '.join(KINDS)}")
    if bool(watched.paths) == (watched.url is not None):
        found.append("needs a path, or for chembl a url, and not both")
    found += [
        f"path {path!r} is not a file pattern" for path in watched.paths if not _is_pattern(path)
    ]
    if watched.kind != "chembl" and (watched.url or watched.version):
        found.append("url and version are only for chembl")
    if watched.kind != "trials" and watched.complete is not None:
        found.append("complete is only for trials")
    if watched.kind != "vocabulary" and watched.name is not None:
        found.append("name is only for vocabulary")
    return found


def _is_pattern(path: str) -> bool:
    """Whether pathlib accepts it as a pattern; only Python 3.13 takes ** as part of a name."""
    parts = Path(path).parts[1:] if Path(path).is_absolute() else Path(path).parts
    return (
        bool(parts) and "\0" not in path and all(part == "**" or "**" not in part for part in parts)
    )
