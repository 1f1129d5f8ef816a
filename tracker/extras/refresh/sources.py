"""The files and databases that a refresh follows: which are new, and what became of them.

Each is ingested in its own transaction, so that one bad file does not keep others out of the store.
What the store refused it remembers, so that nobody is told of it every night.
"""

import gzip
import hashlib
import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import date, datetime
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection

from tracker import evidence, schema, store
from tracker.errors import CheckFailed, InputRefused, RefusedForNow
from tracker.evidence.chembl import tables
from tracker.evidence.kinds import KINDS, Stated, of_source
from tracker.extras.refresh import configuration, fetching
from tracker.extras.refresh.configuration import Configuration, Watched
from tracker.files import archives, names
from tracker.log import tampering
from tracker.version import VERSION

# Reports what happens, in words and as fields: the event, then its details.
Log = Callable[[str, dict[str, object]], None]


@dataclass(frozen=True)
class Stored:
    """The release in the store that came from a file: its source and hash, and the file."""

    source: str
    sha256: str
    path: Path


@dataclass(frozen=True)
class Found:
    """The result for a file or a database, or for another step of a refresh.

    The status of a source is new (in a dry run), already ingested, settling, ingested, refused,
    refused before, or failed (it violated an invariant). `release` is its release in the store.
    """

    kind: str
    origin: str
    status: str
    version: str | None = None
    released_on: date | None = None
    n_rows: int | None = None
    n_versions: int | None = None
    problem: str | None = None
    release: Stored | None = None
    # Remarks on records of the release that do not count, or that are known otherwise now.
    notes: tuple[str, ...] = ()

    def report(self, log: Log) -> None:
        """Report the result, with its problem if there is one."""
        log(self.status, {"kind": self.kind, "origin": self.origin, "problem": self.problem})


@dataclass(frozen=True)
class _Target:
    """A file, a folder or the URL of a database, and the source that names it."""

    watched: Watched
    place: Path | str

    @property
    def origin(self) -> str:
        return self.place.name if isinstance(self.place, Path) else "the database"

    def found(self, status: str, problem: str | None = None, **more: Any) -> Found:
        return Found(self.watched.kind, self.origin, status, problem=problem, **more)


@dataclass(frozen=True)
class Held:
    """What a store has: releases by kind and SHA-256, and the digests of what it refused."""

    releases: Mapping[tuple[str, str | None], Sequence[sa.Row[Any]]] = field(default_factory=dict)
    refusals: frozenset[str] = frozenset()


def ingest(
    path: Path, config: Configuration, held: Held, *, dry_run: bool, wait: float, log: Log
) -> list[Found]:
    """Ingest what is new in the sources of a configuration; return the result for each of them.

    Releases of a kind whose order matters are taken in the order of their dates, whichever source
    names them. A source that is refused, or that would violate an invariant, does not stop the
    others. Raises StoreBusy if another process writes, TrackerError if the disk is full.
    """
    entries: list[_Target | Found] = []
    for watched in config.sources:
        entries += _listed(watched, held, config.settle_seconds, log)
    _order(entries)
    refusals: dict[str, Found] = {}
    results = []
    for entry in entries:
        if isinstance(entry, _Target):
            done = _ingested(path, entry, dry_run, wait, refusals, log)
            done.report(log)
            results.append(done)
        else:
            results.append(entry)
    if refusals and not dry_run and path.exists():
        with store.writer(path, wait=wait) as connection:
            _remember(connection, refusals)
    return results


def _listed(watched: Watched, held: Held, settle_seconds: float, log: Log) -> list[_Target | Found]:
    """Return what a source names: new files and databases as targets, others as results."""
    try:
        places: list[Path | str] = [watched.url] if watched.url else list(watched.files())
    except OSError as error:
        origin = ", ".join(watched.paths)
        problem = f"{error.filename or origin}: cannot be read: {error.strerror}"
        found = Found(watched.kind, origin, "refused", problem=problem)
        found.report(log)
        return [found]
    if not places:
        log("nothing there", {"kind": watched.kind, "path": ", ".join(watched.paths)})
    entries: list[_Target | Found] = []
    for place in places:
        target = _Target(watched, place)
        known = _known(target, held, settle_seconds)
        if known is not None:
            known.report(log)
        entries.append(known or target)
    return entries


def _known(target: _Target, held: Held, settle_seconds: float) -> Found | None:
    """Return the result for a target that needs no ingestion, None for a new one."""
    if not isinstance(target.place, Path):
        return None
    try:
        if _is_settling(target.place, settle_seconds):
            return target.found("settling")
        sha256 = _sha256(target)
        release = _held_as(target, held.releases.get((target.watched.kind, sha256), ()))
        if release is not None:
            return target.found(
                "already ingested",
                version=release.version,
                released_on=release.released_on,
                release=Stored(release.source, release.sha256, target.place),
            )
    except InputRefused:
        # Refused when it is ingested, unless it was before.
        sha256 = _bytes_sha256(target.place)
    except OSError as error:
        return target.found("refused", _unreadable(target, error))
    if sha256 is not None and _refusal(target, sha256) in held.refusals:
        return target.found("refused before")
    return None


def _held_as(target: _Target, releases: Sequence[sa.Row[Any]]) -> sa.Row[Any] | None:
    """Return the release of a target, among those with its content; None if it is a new one.

    The same content with a later stated date, or with another version, is a further release. The
    time at which a file was changed states nothing.
    """
    if not releases:
        return None
    watched = target.watched
    kind = KINDS[watched.kind]
    if kind.is_versioned:
        wanted = watched.version and tables.plain_version(watched.version)
        same = [one for one in releases if wanted in (None, tables.plain_version(one.version))]
    else:
        named = names.date_in(Path(target.place)) if kind.names_state_dates else None
        stated = watched.released or (named and _content_date(target))
        # One that is older than what is held adds nothing.
        newest = max(one.released_on for one in releases)
        same = [
            one
            for one in releases
            if stated in (None, one.released_on) or (stated < newest and one.released_on == newest)
        ]
    return same[-1] if same else None


def _order(entries: list[_Target | Found]) -> None:
    """Sort the targets of each kind whose order matters by date, in the places they have."""
    for kind in (kind.name for kind in KINDS.values() if kind.has_order):
        found = [
            (place, entry)
            for place, entry in enumerate(entries)
            if isinstance(entry, _Target) and entry.watched.kind == kind
        ]
        if len(found) < 2:
            continue
        dated = sorted(
            (target for _, target in found),
            key=lambda target: (_content_date(target) or date.max, target.origin),
        )
        for (place, _), target in zip(found, dated, strict=True):
            entries[place] = target


def _ingested(
    path: Path, target: _Target, dry_run: bool, wait: float, refusals: dict[str, Found], log: Log
) -> Found:
    """Ingest one target; a refusal is returned, and noted in `refusals` if it will stand."""
    try:
        if dry_run:
            return target.found("new", released_on=_known_date(target))
        log("ingesting", {"kind": target.watched.kind, "origin": target.origin})
        with store.writer(path, wait=wait) as connection:
            done = _store(connection, target.watched, target.place)
            stored = _stored(connection, target, done) if done.is_new else None
            if done.is_new:
                _note_fetch(connection, target, done)
        return target.found(
            "ingested" if done.is_new else "already ingested",
            version=done.version,
            released_on=done.released_on,
            n_rows=done.n_rows,
            n_versions=done.n_versions,
            problem=done.remark,
            release=stored,
            notes=done.notes,
        )
    except InputRefused as error:
        refused = target.found("refused", str(error))
        sha256 = None if _may_pass(error) else _digest(target)
        if sha256 is not None:
            refusals[_refusal(target, sha256)] = refused
            if isinstance(target.place, Path):
                fetching.ask_again(target.place)
        return refused
    except CheckFailed as error:
        return target.found("failed", str(error))
    except OSError as error:
        # Errors of the store are TrackerErrors, so this one is the source's.
        return target.found("refused", _unreadable(target, error))


def _may_pass(error: InputRefused) -> bool:
    """Whether the same content may be accepted later; a damaged gzip is an OSError in Python."""
    cause = error.__cause__
    is_of_system = isinstance(cause, OSError) and not isinstance(cause, gzip.BadGzipFile)
    return isinstance(error, RefusedForNow) or is_of_system


def _unreadable(target: _Target, error: OSError) -> str:
    return f"{error.filename or target.origin}: cannot be read: {error.strerror or error}"


def _store(connection: Connection, watched: Watched, place: Path | str) -> evidence.Ingested:
    """Store the release in a file, a folder or a database, as `tracker ingest` does."""
    kind = KINDS[watched.kind]
    stated = Stated(
        released_on=watched.released,
        version=watched.version,
        name=watched.name,
        is_complete=watched.complete,
        undated_on=configuration.dated(Path(place)) if kind.files_are_dated else None,
    )
    return kind.ingest(connection, [place], stated)


def _is_settling(path: Path, seconds: float) -> bool:
    """Whether a file, or one in a folder, was changed less than `seconds` ago.

    A fetched file is whole. A time in the future, from another clock, counts by its distance, so
    that no file waits forever. Raises OSError for a broken link.
    """
    if fetching.landed(path) is not None:
        return False
    paths = [path, *path.rglob("*")] if path.is_dir() else [path]
    now = time.time()
    return any(abs(now - entry.stat().st_mtime) < seconds for entry in paths)


def _known_date(target: _Target) -> date | None:
    """Return the release date that is known before a source is read."""
    watched, place = target.watched, target.place
    if watched.released is not None or isinstance(place, str):
        return watched.released
    dated = configuration.dated if KINDS[watched.kind].files_are_dated else names.date_in
    return dated(place)


def _content_date(target: _Target) -> date | None:
    """Return the date of a target's release, None if it states none or cannot be read."""
    stated_date = KINDS[target.watched.kind].stated_date
    if target.watched.released is not None or stated_date is None:
        return _known_date(target)
    try:
        return stated_date(Path(target.place))
    except (InputRefused, OSError):
        return None


def held(connection: Connection) -> Held:
    """Return what a store has.

    Raises CheckFailed if a refusal was not written by tracker: it would keep a release out.
    """
    tampering.require_sound(connection, schema.refused_file)
    releases: dict[tuple[str, str | None], list[sa.Row[Any]]] = {}
    for row in connection.execute(sa.select(schema.release).order_by(schema.release.c.release_id)):
        releases.setdefault((of_source(row.source).name, row.sha256), []).append(row)
    return Held(
        releases,
        frozenset(connection.execute(sa.select(schema.refused_file.c.refusal_sha256)).scalars()),
    )


def _remember(connection: Connection, refusals: Mapping[str, Found]) -> None:
    table = schema.refused_file
    known = set(connection.execute(sa.select(table.c.refusal_sha256)).scalars())
    rows = [
        {
            "refusal_sha256": refusal,
            "kind": found.kind,
            "origin": found.origin,
            "problem": found.problem,
            "refused_at": store.now(connection),
        }
        for refusal, found in refusals.items()
        if refusal not in known
    ]
    if rows:
        connection.execute(table.insert(), rows)


def _refusal(target: _Target, sha256: str) -> str:
    """Return the digest of all that a refusal rests on: content, settings, version of tracker."""
    watched = target.watched
    content = [sha256, watched.kind, watched.version, watched.complete, watched.name]
    content += [VERSION, str(_known_date(target))]
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()


def _digest(target: _Target) -> str | None:
    """Return the SHA-256 by which a target is known, None if nothing is known of it."""
    if not isinstance(target.place, Path):
        return None
    try:
        return _sha256(target)
    except InputRefused:
        return _bytes_sha256(target.place)
    except OSError:
        return None


def _sha256(target: _Target) -> str | None:
    """Return the SHA-256 of a target's content, None for a database."""
    place = target.place
    return KINDS[target.watched.kind].sha256_of(place) if isinstance(place, Path) else None


def _stored(connection: Connection, target: _Target, done: evidence.Ingested) -> Stored | None:
    """Return the release of a file that was ingested just now, None for a database."""
    if not isinstance(target.place, Path):
        return None
    release = schema.release
    newest = (
        sa.select(release.c.sha256)
        .where(release.c.source == done.source)
        .order_by(release.c.release_id.desc())
        .limit(1)
    )
    return Stored(done.source, connection.execute(newest).scalar_one(), target.place)


def _note_fetch(connection: Connection, target: _Target, done: evidence.Ingested) -> None:
    """Record where the file of a new release was fetched from, if it was."""
    found = fetching.landed(target.place) if isinstance(target.place, Path) else None
    if found is None:
        return
    release = schema.release
    release_id = connection.execute(
        sa.select(sa.func.max(release.c.release_id)).where(
            release.c.source == done.source, release.c.sha256 == _sha256(target)
        )
    ).scalar_one()
    fetched_at = datetime.fromisoformat(found.fetched_at)
    row = {**asdict(found), "release_id": release_id, "fetched_at": fetched_at}
    connection.execute(schema.release_fetch.insert(), row)


def _bytes_sha256(path: Path) -> str | None:
    """Return the SHA-256 of a file or of all files in a folder, whatever they are."""
    files: Sequence[Path] = sorted(path.rglob("*")) if path.is_dir() else [path]
    files = [file for file in files if file.is_file()]
    try:
        return archives.content_sha256(files) if files else None
    except InputRefused:
        return None
