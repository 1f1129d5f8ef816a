"""Reads tracker.toml: which sources a refresh follows, and where their files appear."""

import contextlib
import fnmatch
import math
import os
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from dataclasses import fields as dataclass_fields
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import httpx

from tracker.errors import InputRefused, ProblemsFound
from tracker.evidence.kinds import KINDS
from tracker.extras.refresh import fetching
from tracker.extras.refresh.fetching import Provider
from tracker.files import fields, names, toml_file
from tracker.files.fields import Kind, Problem
from tracker.request_limits import RequestLimits

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

    `contact` is told to the servers that are asked for files. A fetch from one receives at most
    `most_bytes`, by default those of the provider. `authorities` are asked for timestamps of slates
    that have none. `archive` is the folder in which ingested files are kept, if they are.
    """

    path: Path
    sources: list[Watched]
    slates: list[str] | None
    store: Path | None
    settle_seconds: float
    contact: str | None = None
    limits: RequestLimits = field(default_factory=RequestLimits)
    most_bytes: int | None = None
    notify: Notify | None = None
    authorities: list[str] = field(default_factory=list)
    archive: Path | None = None

    @property
    def fetched(self) -> list[tuple[Watched, Provider]]:
        """The sources that are fetched, each with its server."""
        return [(one, one.provider) for one in self.sources if one.provider is not None]


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
    problems = list(fields.problems(path.name, content, _CONFIGURATION))
    if problems:
        raise ProblemsFound(problems)
    store, fetch = content.get("store"), content.get("fetch", {})
    notify, archive = content.get("notify"), content.get("archive")
    limits = {name: float(fetch[name]) for name in _PATIENCE if name in fetch}
    attempts = int(limits.pop("attempts", RequestLimits.attempts))
    return Configuration(
        path,
        sources=[_watched(source, path.parent) for source in content["source"]],
        slates=_as_list(content["slates"]) if "slates" in content else None,
        store=path.parent / store if store else None,
        settle_seconds=content.get("settle_seconds", DEFAULT_SETTLE_SECONDS),
        contact=fetch.get("contact"),
        limits=RequestLimits(attempts, **limits),
        most_bytes=fetch.get("most_bytes"),
        notify=None
        if notify is None
        else Notify(path.parent / (notify.get("folder") or "digests"), notify.get("command")),
        authorities=_as_list(content.get("timestamps", {}).get("authorities", [])),
        archive=None if archive is None else path.parent / (archive.get("folder") or "archive"),
    )


def _as_list(texts: str | list[str]) -> list[str]:
    return [texts] if isinstance(texts, str) else texts


def _watched(given: Mapping[str, Any], folder: Path) -> Watched:
    kind, wanted = given["kind"], given.get("fetch")
    provider = fetching.find(kind, wanted) if wanted else None
    place = given.get("folder") or "fetched"
    return Watched(
        kind,
        folder,
        _as_list(given.get("path", [])) + ([f"{place}/{provider.pattern}"] if provider else []),
        given.get("url"),
        provider,
        (given.get("base_url") or (provider.base_url if provider else "")).rstrip("/"),
        given.get("studies"),
        folder / place,
        given.get("version"),
        given.get("released"),
        given.get("complete"),
        given.get("name"),
    )


def _contradictions(given: Mapping[str, Any]) -> Iterator[Problem]:
    """Yield what is wrong with a source of which every key by itself is right."""
    watched, wanted = _watched(given, Path()), given.get("fetch")
    if wanted and watched.provider is None:
        names = [one.name for one in fetching.PROVIDERS.values() if one.kind == watched.kind]
        yield ".fetch", f"{fields.shown(wanted)} is not one of {', '.join(names)}"
        return
    for name in ("base_url", "folder", "studies"):
        if name in given and not wanted:
            yield "", f"{name} is only for fetch"
    if bool(watched.paths) == (watched.url is not None):
        yield "", "needs either path or fetch, or for chembl url"
    for path in watched.paths:
        if not _is_pattern(path):
            yield "", f"path {path!r} is not a file pattern"
    if not KINDS[watched.kind].is_versioned and (watched.url or watched.version):
        yield "", "url and version are only for chembl"
    if "complete" in given and not KINDS[watched.kind].states_completeness:
        kinds = " and ".join(one.name for one in KINDS.values() if one.states_completeness)
        yield "", f"complete is only for {kinds}"
    for name, kind in (("studies", "trials"), ("name", "vocabulary")):
        if name in given and watched.kind != kind:
            yield "", f"{name} is only for {kind}"


def _is_pattern(path: str) -> bool:
    """Whether pathlib accepts it as a pattern; only Python 3.13 takes ** as part of a name."""
    parts = Path(path).parts[1:] if Path(path).is_absolute() else Path(path).parts
    return (
        bool(parts) and "\0" not in path and all(part == "**" or "**" not in part for part in parts)
    )


def _texts(kind: Kind, words: str, *, least: int = 0) -> Kind:
    """Return the kind of one text of a kind, or of a list of them."""
    many = fields.listed(kind, words, least=least)
    return Kind(
        words,
        lambda value: isinstance(value, str) or many.accepts(value),
        lambda value: kind.problems(value) if isinstance(value, str) else many.within(value),
    )


def _number(least: int, most: int) -> Kind:
    return fields.number(f"a number from {least} to {most:,}", lambda value: least <= value <= most)


def _address(given: str) -> httpx.URL | None:
    """Return the address that a text is, None if it is none."""
    with contextlib.suppress(httpx.InvalidURL):
        return httpx.URL(given) if re.fullmatch(r"https?://[^\s/]+\S*", given) else None
    return None


_HOUR, _DAY = 3_600, 86_400
_ADDRESS = fields.text("an address (http:// or https://)", _address, is_shown=False)
_FILLED = fields.text("text of at least one character", lambda text: text or None)
_PATIENCE = {
    **{one.name: _number(0, _HOUR) for one in dataclass_fields(RequestLimits)},
    "attempts": _number(1, _HOUR),
    "longest_request": _number(1, _DAY),
    "longest_fetch": _number(1, _DAY),
    "least_rate": _number(0, 1_000_000),
}
_SOURCE = fields.table(
    {"kind": fields.one_of(*KINDS)},
    {
        "path": _texts(_FILLED, "text or a list of texts"),
        "fetch": Kind("true or the name of a server", lambda value: isinstance(value, bool | str)),
        "base_url": _ADDRESS,
        "folder": fields.TEXT,
        "studies": fields.one_of("all", "followed"),
        "url": fields.text("text", str, is_shown=False),
        "version": fields.TEXT,
        # A date with a time of day is a date to Python only.
        "released": Kind("a date", lambda value: type(value) is date),
        "complete": fields.FLAG,
        "name": fields.TEXT,
    },
    rule=_contradictions,
)
_CONFIGURATION = fields.table(
    {"source": fields.listed(_SOURCE, "a list of sources to follow, [[source]]")},
    {
        "store": fields.TEXT,
        "slates": _texts(_FILLED, "text or a list of texts"),
        "settle_seconds": fields.number(
            "a number of at least 0", lambda value: 0 <= value < math.inf
        ),
        "notify": fields.table(
            {},
            {
                "folder": fields.TEXT,
                "command": fields.text(
                    "a command line", lambda text: shlex.split(text) or None, is_shown=False
                ),
            },
        ),
        "archive": fields.table({}, {"folder": fields.TEXT}),
        # What a header of HTTP can carry, and what may stand in parentheses there.
        "fetch": fields.table(
            {},
            {
                "contact": fields.text(
                    "one line of printable ASCII without parentheses",
                    re.compile(r"[ !-'*-~]{1,200}").fullmatch,
                ),
                **_PATIENCE,
                "most_bytes": fields.whole(1),
            },
        ),
        "timestamps": fields.table(
            {"authorities": _texts(_ADDRESS, "an address or a list of addresses", least=1)}
        ),
    },
)
