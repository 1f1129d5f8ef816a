"""Rebuilds a ledger in a private store, step by step, as the store that is replayed made it."""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection, Engine

from tracker import evidence, schema, temp_tables
from tracker.errors import InputRefused, RefusedForNow
from tracker.evidence import detection, release_ledger
from tracker.evidence.kinds import Stated, is_vocabulary, of_source
from tracker.extras.replay import claims, stored, taking
from tracker.extras.replay.sources import Found
from tracker.extras.replay.steps import Step
from tracker.progress import Progress
from tracker.store import statements

# States of a Source.
FOUND, DATABASE = "found", "a database"
# Columns of trial that earlier versions did not fill.
_NOT_READ_BEFORE = ("primary_purpose", "why_stopped", "results_posted_on", "last_known_status")
# File systems take 255 bytes.
_LONGEST_NAME = 200


@dataclass(frozen=True)
class Source:
    """The source of a release: its file, and in words what is wrong with it.

    Its state is found, absent, other content, unreadable, refused, or a database.
    """

    release: sa.Row[Any]
    state: str
    path: Path | None = None
    problem: str | None = None

    @property
    def is_checked(self) -> bool:
        """Whether its rows were read from its file and not taken from the store."""
        return self.state == FOUND


@dataclass
class Rebuilt:
    """The sources of a rebuilt ledger, loads without a file, and events not yet recorded."""

    sources: list[Source] = field(default_factory=list)
    unchecked_claims: list[datetime] = field(default_factory=list)
    n_pending: int = 0


def is_database(release: sa.Row[Any]) -> bool:
    """Whether a release was read from a database, of which no file can be kept."""
    return release.source == "chembl" and "://" in release.origin


def rebuild(
    engine: Engine,
    steps: Sequence[Step],
    releases: Mapping[int, sa.Row[Any]],
    found: Found,
    claim_files: Sequence[Path],
    links: Path,
    progress: Progress,
) -> Rebuilt:
    """Take every step again; return what each release was read from.

    `links` is an empty folder. The rows of a release without its file are taken from the store.
    """
    done = Rebuilt()
    with engine.begin() as connection:
        taking.entities(connection)
    numbers = itertools.count(1)
    for step in steps:
        with engine.begin() as connection:
            taking.aliases(connection, step.at)
        if step.kind == "release" and step.release_id is not None:
            release = releases[step.release_id]
            progress(f"reading {release.source} {release.version}")
            place = links / str(next(numbers))
            done.sources.append(_ingested(engine, step, release, found, place))
        elif step.kind == "detection":
            progress(f"detecting as of {step.at:%Y-%m-%d %H:%M}")
            with engine.begin() as connection:
                _detect(connection, step)
        elif not claims.replay(engine, step.at, claim_files):
            done.unchecked_claims.append(step.at)
            with engine.begin() as connection:
                taking.claims(connection, step.at)
    with engine.begin() as connection:
        taking.aliases(connection, None)
    return done


def pending(connection: Connection) -> int:
    """Return how many events the evidence shows that no detection has recorded; rolls back."""
    first_id = temp_tables.next_key(connection, schema.event.c.event_id)
    detection.detect(connection, [])
    n_pending = temp_tables.next_key(connection, schema.event.c.event_id) - first_id
    connection.rollback()
    return n_pending


def _detect(connection: Connection, step: Step) -> None:
    """Detect, and date what came of it as the store did."""
    event, matching = schema.event, schema.matching
    first_event = temp_tables.next_key(connection, event.c.event_id)
    first_matching = temp_tables.next_key(connection, matching.c.matching_id)
    detection.detect(connection, [])
    connection.execute(
        event.update()
        .where(event.c.event_id >= first_event)
        .values(recorded_at=step.at, observed_at=step.at)
    )
    connection.execute(
        matching.update()
        .where(matching.c.matching_id >= first_matching)
        .values(matched_at=step.matched_at)
    )


def _ingested(
    engine: Engine, step: Step, release: sa.Row[Any], found: Found, place: Path
) -> Source:
    """Ingest the file of a release, or take its rows from the store where that cannot be."""
    paths = found.paths.get((release.source, release.sha256))
    source = _read(engine, step, release, paths, place) if paths else _absent(release, found)
    if not source.is_checked:
        with engine.begin() as connection:
            taking.release(connection, release)
    return source


def _read(
    engine: Engine, step: Step, release: sa.Row[Any], paths: Sequence[Path], place: Path
) -> Source:
    """Ingest the file of a release as the store has it, else as the file states itself."""
    named = _named(release, paths, place)
    problem = None
    for version, released_on in ((release.version, release.released_on), (None, None)):
        try:
            with engine.begin() as connection:
                _ingest(connection, step, release, named, version, released_on)
            return Source(release, FOUND, paths[0], problem)
        except InputRefused as error:
            problem = problem or str(error)
            if isinstance(error, RefusedForNow) and release.released_on <= release_ledger.today():
                return Source(release, "unreadable", paths[0], problem)
        except OSError as error:
            problem = f"{error.filename or paths[0]}: cannot be read: {error.strerror or error}"
            return Source(release, "unreadable", paths[0], problem)
    return Source(release, "refused", paths[0], problem)


def _absent(release: sa.Row[Any], found: Found) -> Source:
    if is_database(release):
        return Source(release, DATABASE)
    namesake = found.namesakes.get(release.origin)
    state = "absent" if namesake is None else "other content"
    return Source(release, state, namesake)


def _named(release: sa.Row[Any], paths: Sequence[Path], place: Path) -> list[Path]:
    """Return the files under the name they were ingested with, which says what they contain."""
    (path, *_) = paths
    name = Path(release.origin).name
    if path.is_dir() or not name or len(name.encode()) > _LONGEST_NAME:
        return list(paths)
    plain = name.removesuffix(".gz")
    if is_vocabulary(release.source):
        name = f"{plain}.gz" if path.name.endswith(".gz") else plain
    place.mkdir()
    link = place / name
    link.symlink_to(path.resolve())
    return [link]


def _ingest(
    connection: Connection,
    step: Step,
    release: sa.Row[Any],
    paths: list[Path],
    version: str | None,
    released_on: date | None,
) -> None:
    """Store a release, and date what came of it as the store did."""
    if release.source == "chembl":
        evidence.ingest_chembl(
            connection,
            str(paths[0]),
            version=version,
            released_on=released_on,
            keeps_keys=_has_keys(connection, release),
            is_whole=_keeps_every_name(connection, release),
        )
    else:
        stated = Stated(
            released_on=released_on,
            name=release.source,
            is_complete=_is_complete(connection, release),
        )
        of_source(release.source).ingest(connection, paths, stated)
    own = schema.release
    # A later release may have the same content.
    newest = sa.select(sa.func.max(own.c.release_id)).where(
        own.c.source == release.source, own.c.sha256 == release.sha256
    )
    number = connection.execute(newest).scalar_one()
    connection.execute(own.update().where(own.c.release_id == number).values(ingested_at=step.at))
    _leave_out(connection, release, number)
    taking.date_aliases(connection, step.at, step.until)


def _leave_out(connection: Connection, release: sa.Row[Any], number: int) -> None:
    """Leave out what the store read of none of a release's studies, as earlier versions did."""
    trial, held = schema.trial, stored.of(schema.trial)
    for name in _NOT_READ_BEFORE:
        own = (held.c.release_id == release.release_id) & held.c[name].is_not(None)
        if not connection.execute(sa.select(sa.exists().where(own))).scalar_one():
            of_release = trial.update().where(trial.c.release_id == number)
            connection.execute(of_release.values({name: None}))


def _is_complete(connection: Connection, release: sa.Row[Any]) -> bool | None:
    """Return whether the store took a release for complete, None if it does not say."""
    coverage = stored.of(schema.release_coverage)
    found: bool | None = connection.execute(
        sa.select(coverage.c.is_complete).where(coverage.c.release_id == release.release_id)
    ).scalar()
    return found


def _has_keys(connection: Connection, release: sa.Row[Any]) -> bool:
    """Return whether the store has keys of a release's molecules; earlier versions kept none."""
    key = stored.of(schema.molecule_key)
    wanted = sa.select(sa.exists().where(key.c.release_id == release.release_id))
    return bool(connection.execute(wanted).scalar_one())


def _keeps_every_name(connection: Connection, release: sa.Row[Any]) -> bool:
    """Return whether the store has names of all molecules; earlier versions kept some."""
    with stored.first(connection):
        values = {"release_id": release.release_id}
        return bool(statements.run(connection, "keeps_every_name", values).scalar_one())
