"""Reads tracker.toml: which sources a refresh follows, and where their files appear."""

import contextlib
import fnmatch
import os
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from tracker import fetching
from tracker.errors import InputRefused, ProblemsFound
from tracker.fetching import Patience, Provider
from tracker.files import names, toml_file

# What a header of HTTP can carry, and what may stand in parentheses there.
_CONTACT = re.compile(r"[ !-'*-~]{1,200}")
_URL = re.compile(r"https?://[^\s/]+\S*")
_LONGEST_SECONDS = 3_600
_WORDS = {
    str: "text",
    bool: "true or false",
    list: "a list",
    date: "a date",
    dict: "a table",
}
KINDS = ("chembl", "trials", "fda", "vocabulary")
DEFAULT_SETTLE_SECONDS = 60


@dataclass(frozen=True)
class Watched:
    """One table [[source]]: files that match `paths`, or a ChEMBL database at `url`.

    With a `provider`, new files are first fetched from it into the folder `fetched`.
    """

    kind: str
    folder: Path
    paths: list[str] = field(default_factory=list)
    url: str | None = None
    provider: Provider | None = None
    base_url: str = ""
    studies: str | None = None
    fetched: Path = Path("fetched")
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
class Notify:
    """Where digests are written, and the command that is given each on standard input."""

    folder: Path
    command: str | None


@dataclass(frozen=True)
class Configuration:
    """The settings in tracker.toml; `slates` is None where all are followed.

    `contact` is told to the servers that are asked for files. `authorities` are asked for
    timestamps of slates that have none, and `archive` is the folder in which ingested files are
    kept, None if they are not.
    """

    path: Path
    sources: list[Watched]
    slates: list[str] | None
    store: Path | None
    settle_seconds: float
    contact: str | None = None
    patience: Patience = field(default_factory=Patience)
    notify: Notify | None = None
    authorities: list[str] = field(default_factory=list)
    archive: Path | None = None


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
    notify = _notify(top.take("notify", dict), path, problems)
    archive = _archive(top.take("archive", dict), path, problems)
    manners = top.take("fetch", dict) or {}
    contact, patience = _manners(_Table(f"{path.name}, fetch", manners, problems))
    authorities = _authorities(top.take("timestamps", dict), path, problems)
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
        contact,
        patience,
        notify,
        authorities,
        archive,
    )


def _notify(content: object, path: Path, problems: list[str]) -> Notify | None:
    """Return how digests are written and sent, None if they are not."""
    if content is None:
        return None
    table = _Table(f"{path.name}, notify", content, problems)
    folder, command = table.take("folder", str), table.take("command", str)
    table.refuse_rest()
    if command is not None:
        try:
            is_command = bool(shlex.split(command))
        except ValueError:
            is_command = False
        if not is_command:
            problems.append(f"{path.name}, notify: command is not a command line")
    return Notify(path.parent / (folder or "digests"), command)


def _authorities(content: object, path: Path, problems: list[str]) -> list[str]:
    """Return the timestamping authorities that are asked."""
    if content is None:
        return []
    table = _Table(f"{path.name}, timestamps", content, problems)
    found = table.take_texts("authorities") or []
    table.refuse_rest()
    if len(problems) == table.n_problems_before and not found:
        problems.append(f"{table.where}: lists no authorities")
    problems += [
        f"{table.where}: {url!r} is not an address (http:// or https://)"
        for url in found
        if not _URL.fullmatch(url)
    ]
    return found


def _archive(content: object, path: Path, problems: list[str]) -> Path | None:
    """Return the folder in which ingested files are kept, None if they are not."""
    if content is None:
        return None
    table = _Table(f"{path.name}, archive", content, problems)
    folder = table.take("folder", str)
    table.refuse_rest()
    return path.parent / (folder or "archive")


def _manners(table: "_Table") -> tuple[str | None, Patience]:
    """Return whom servers may write to, and how often they are asked."""
    contact = table.take("contact", str)
    given: dict[str, float] = {}
    for one in fields(Patience):
        value = table.take(one.name, int, float)
        lowest = 1 if one.name == "attempts" else 0
        if value is not None and not lowest <= value <= _LONGEST_SECONDS:
            table.problems.append(
                f"{table.where}: {one.name} must be from {lowest} to {_LONGEST_SECONDS:,}"
            )
        elif value is not None:
            given[one.name] = float(value)
    table.refuse_rest()
    if contact is not None and not _CONTACT.fullmatch(contact):
        table.problems.append(
            f"{table.where}: contact must be one line of printable ASCII without parentheses"
        )
    attempts = int(given.pop("attempts", Patience.attempts))
    return contact, Patience(attempts, **given)


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
        self.problems.append(f"{self.where}: {key} must be {_WORDS.get(kinds[0], 'a number')}")
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
    kind = table.take("kind", str) or ""
    wanted = table.take("fetch", bool, str)
    provider = fetching.find(kind, wanted) if wanted else None
    base_url = table.take("base_url", str)
    place = table.take("folder", str) or "fetched"
    paths = table.take_texts("path") or []
    watched = Watched(
        kind,
        folder,
        paths + ([f"{place}/{provider.pattern}"] if provider else []),
        table.take("url", str),
        provider,
        (base_url or (provider.base_url if provider else "")).rstrip("/"),
        table.take("studies", str),
        folder / place,
        table.take("version", str),
        table.take("released", date),
        table.take("complete", bool),
        table.take("name", str),
    )
    table.refuse_rest()
    if wanted and provider is None and kind in KINDS:
        names = [one.name for one in fetching.PROVIDERS.values() if one.kind == kind]
        table.problems.append(f"{table.where}: fetch must be one of {', '.join(names)}")
    if base_url is not None and not _URL.fullmatch(base_url):
        table.problems.append(f"{table.where}: base_url must begin with https:// or http://")
    if base_url is not None and not wanted:
        table.problems.append(f"{table.where}: base_url is only for fetch")
    if len(table.problems) == table.n_problems_before:
        table.problems += [f"{table.where}: {problem}" for problem in _contradictions(watched)]
    return watched


def _contradictions(watched: Watched) -> list[str]:
    found = []
    if watched.kind not in KINDS:
        found.append(f"kind must be one of {', '.join(KINDS)}")
    if bool(watched.paths) == (watched.url is not None):
        found.append("needs either path or fetch, or for chembl url")
    found += [
        f"path {path!r} is not a file pattern" for path in watched.paths if not _is_pattern(path)
    ]
    if watched.kind != "chembl" and (watched.url or watched.version):
        found.append("url and version are only for chembl")
    if watched.kind != "trials" and watched.complete is not None:
        found.append("complete is only for trials")
    if watched.studies is not None and (
        watched.studies not in ("all", "followed") or watched.kind != "trials"
    ):
        found.append('studies is "all" or "followed", and only for trials')
    if watched.kind != "vocabulary" and watched.name is not None:
        found.append("name is only for vocabulary")
    return found


def _is_pattern(path: str) -> bool:
    """Whether pathlib accepts it as a pattern; only Python 3.13 takes ** as part of a name."""
    parts = Path(path).parts[1:] if Path(path).is_absolute() else Path(path).parts
    return (
        bool(parts) and "\0" not in path and all(part == "**" or "**" not in part for part in parts)
    )
