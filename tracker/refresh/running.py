"""One idempotent run: ingest what is new, detect what happened, record the scoreboard.

Each release is ingested in its own transaction, so that one bad file does not keep others out of
the store, and a run killed at any moment is completed by the next.
"""

import hashlib
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from pathlib import Path
from typing import Any
from uuid import UUID

import sqlalchemy as sa
from filelock import FileLock, Timeout
from sqlalchemy import Connection

from tracker import evidence, slates, store
from tracker.errors import CheckFailed, InputRefused, StoreBusy
from tracker.evidence import detection
from tracker.evidence.chembl import reading as chembl
from tracker.evidence.fda import reading as fda
from tracker.evidence.trials import reading as clinicaltrials
from tracker.evidence.vocabularies import reading as vocabularies
from tracker.files import names
from tracker.refresh import configuration
from tracker.refresh.configuration import Watched
from tracker.report import coverage
from tracker.report.coverage import Seen
from tracker.store import keys, schema
from tracker.uncertainty import scoreboard

UNCHANGED_EXIT_CODE = 6
# Named anew when a change of the events' definitions has to be applied to what is there.
_RULES = "events of all slates, matched through vocabularies"
# A release of any other source is one of a vocabulary.
_KINDS = {"chembl": "chembl", "ctgov": "trials", "fda": "fda"}

# Most serious first.
_EXIT_CODES = {"failed": CheckFailed.exit_code, "refused": InputRefused.exit_code}

# The releases of the store by kind and SHA-256, as rows of schema.release.
_Releases = Mapping[tuple[str, str | None], sa.Row[Any]]

# Reports what happens, in words and as fields: the event, then its details.
Log = Callable[[str, dict[str, object]], None]


@dataclass(frozen=True)
class Found:
    """The result for one file or database.

    It is new (in a dry run), held (already stored), settling, ingested, refused, or failed (it
    violated an invariant).
    """

    kind: str
    origin: str
    status: str
    version: str | None = None
    released_on: date | None = None
    n_rows: int | None = None
    n_versions: int | None = None
    problem: str | None = None


@dataclass(frozen=True)
class Refreshed:
    """The result of a refresh; `exit_code` is the command's."""

    is_dry_run: bool
    sources: list[Found]
    outcomes: list[detection.Detected] = field(default_factory=list)
    n_slates: int = 0
    exit_code: int = 0
    # Of each slate, if there was anything to detect.
    coverage: list[Seen] = field(default_factory=list)

    @property
    def is_unchanged(self) -> bool:
        """Whether nothing was ingested and nothing new was detected."""
        return not self.outcomes and all(
            found.status not in ("ingested", "new") for found in self.sources
        )

    @property
    def summary(self) -> str:
        """A one-line summary."""
        counts = {
            status: sum(found.status == status for found in self.sources)
            for status in ("ingested", "new", "held", "settling", "refused", "failed")
        }
        counted = ", ".join(f"{count} {status}" for status, count in counts.items() if count)
        if self.is_dry_run:
            return f"releases: {counted or 'none'}; a dry run detects no outcomes"
        n_outcomes = sum(entry.n_outcomes for entry in self.outcomes)
        return (
            f"releases: {counted or 'none'}; {n_outcomes:,} new outcomes in {self.n_slates} slates"
        )


def run(
    config: Path | str = "tracker.toml",
    *,
    db: Path | None = None,
    dry_run: bool = False,
    wait: float = store.DEFAULT_WAIT_SECONDS,
    log: Log = lambda _event, _fields: None,
) -> Refreshed:
    """Bring the store up to date with the sources in `config`; without news nothing changes.

    `db` takes precedence over the configuration's store. A source that is refused, or that would
    violate an invariant, does not stop the others; exit_code is then 3, or 4. Raises InputRefused
    for a bad configuration or an unknown slate, StoreBusy if another process writes, CheckFailed if
    a detected outcome violates an invariant, TrackerError if the disk is full.
    """
    read = configuration.read(Path(config))
    path = db or read.store or Path("tracker.duckdb")
    store.require_place(path)
    try:
        with FileLock(f"{path.resolve()}.refresh.lock", timeout=wait):
            slate_ids = _slates(path, read.slates)
            stored = _stored_releases(path)
            found = [
                entry
                for watched in read.sources
                for entry in _ingest_source(
                    path, watched, stored, read.settle_seconds, dry_run, wait, log
                )
            ]
            outcomes, seen = ([], []) if dry_run else _detect(path, slate_ids, wait, log)
    except Timeout:
        raise StoreBusy(f"another refresh of {path.name} is running; waited {wait:g} s") from None
    statuses = {entry.status for entry in found}
    exit_code = next((code for status, code in _EXIT_CODES.items() if status in statuses), 0)
    done = Refreshed(dry_run, found, outcomes, len(slate_ids), exit_code, seen)
    log("done", {"summary": done.summary})
    return done


def _ingest_source(
    path: Path,
    watched: Watched,
    stored: _Releases,
    settle_seconds: float,
    dry_run: bool,
    wait: float,
    log: Log,
) -> list[Found]:
    try:
        targets: list[Path | str] = [watched.url] if watched.url else list(watched.files())
    except OSError as error:
        where = error.filename or ", ".join(watched.paths)
        problem = f"{where}: cannot be read: {error.strerror}"
        found = Found(watched.kind, ", ".join(watched.paths), "refused", problem=problem)
        log(found.status, {"kind": found.kind, "origin": found.origin, "problem": problem})
        return [found]
    if not targets:
        log("nothing there", {"kind": watched.kind, "path": ", ".join(watched.paths)})
    return [
        _ingest_target(path, watched, target, stored, settle_seconds, dry_run, wait, log)
        for target in targets
    ]


def _ingest_target(
    path: Path,
    watched: Watched,
    target: Path | str,
    stored: _Releases,
    settle_seconds: float,
    dry_run: bool,
    wait: float,
    log: Log,
) -> Found:
    """Ingest one file or database unless it is in the store; return a refusal, do not raise it."""
    origin = target.name if isinstance(target, Path) else "the database"
    try:
        if isinstance(target, Path) and _is_settling(target, settle_seconds):
            found = Found(watched.kind, origin, "settling")
        elif known := stored.get((watched.kind, _sha256(watched, target))):
            found = Found(watched.kind, origin, "held", known.version, known.released_on)
        elif dry_run:
            found = Found(watched.kind, origin, "new", released_on=_known_date(watched, target))
        else:
            log("ingesting", {"kind": watched.kind, "origin": origin})
            with store.writer(path, wait=wait) as connection:
                done = _ingest(connection, watched, target)
            found = Found(
                watched.kind,
                origin,
                "ingested" if done.is_new else "held",
                done.version,
                done.released_on,
                done.n_rows,
                done.n_versions,
            )
    except InputRefused as error:
        found = Found(watched.kind, origin, "refused", problem=str(error))
    except CheckFailed as error:
        found = Found(watched.kind, origin, "failed", problem=str(error))
    except OSError as error:
        # Errors of the store are TrackerErrors, so this one is the source's.
        problem = f"{error.filename or origin}: cannot be read: {error.strerror or error}"
        found = Found(watched.kind, origin, "refused", problem=problem)
    log(found.status, {"kind": found.kind, "origin": origin, "problem": found.problem})
    return found


def _is_settling(path: Path, seconds: float) -> bool:
    """Whether a file, or one in a folder, was changed less than `seconds` ago.

    A time in the future, from another clock, counts by its distance, so that no file waits forever.
    Raises OSError for a broken link.
    """
    paths = [path, *path.rglob("*")] if path.is_dir() else [path]
    now = time.time()
    return any(abs(now - entry.stat().st_mtime) < seconds for entry in paths)


def _known_date(watched: Watched, target: Path | str) -> date | None:
    """Return the release date that is known before a source is read."""
    if watched.released is not None or isinstance(target, str):
        return watched.released
    if watched.kind == "trials":
        return configuration.dated(target)
    return names.date_in(target)


def _stored_releases(path: Path) -> _Releases:
    """Return the releases of the store by kind and SHA-256, without a writer."""
    if not path.exists():
        return {}
    with store.reader(path) as connection:
        return {
            (_KINDS.get(row.source, "vocabulary"), row.sha256): row
            for row in connection.execute(sa.select(schema.release))
        }


def _sha256(watched: Watched, target: Path | str) -> str | None:
    """Return the SHA-256 of a file's content, None for a database."""
    if isinstance(target, str):
        return None
    if watched.kind == "chembl":
        return chembl.locate(str(target)).sha256
    if watched.kind == "trials":
        return clinicaltrials.locate([target]).sha256
    if watched.kind == "fda":
        return fda.locate(target).sha256
    return vocabularies.locate(target).sha256


def _ingest(connection: Connection, watched: Watched, target: Path | str) -> evidence.Ingested:
    if watched.kind == "chembl":
        return evidence.ingest_chembl(
            connection, str(target), version=watched.version, released_on=watched.released
        )
    if watched.kind == "trials":
        return evidence.ingest_trials(
            connection,
            [Path(target)],
            released_on=watched.released or configuration.dated(Path(target)),
            is_complete=watched.complete,
        )
    if watched.kind == "fda":
        return evidence.ingest_fda(connection, Path(target), released_on=watched.released)
    vocabulary = evidence.ingest_vocabulary(
        connection, Path(target), source=watched.name, released_on=watched.released
    )
    return evidence.Ingested(
        vocabulary.source,
        vocabulary.version,
        vocabulary.released_on,
        vocabulary.is_new,
        n_rows=vocabulary.n_terms + vocabulary.n_mappings,
    )


def _detect(
    path: Path, slate_ids: list[UUID], wait: float, log: Log
) -> tuple[list[detection.Detected], list[Seen]]:
    """Detect outcomes unless the last refresh covered the same releases and slates."""
    if not slate_ids:
        return [], []
    with store.reader(path) as connection:
        if _last_state(connection) == _state(connection, slate_ids):
            return [], []
    with store.writer(path, wait=wait) as connection:
        outcomes = detection.detect(
            connection,
            slate_ids,
            followed_since=_last_refresh(connection),
            progress=lambda message: log("detecting", {"step": message}),
        )
        _record(connection, slate_ids, outcomes)
        log("recording the scoreboard", {"slates": len(slate_ids)})
        scoreboard.append(
            connection, slate_ids, store.now(connection), refresh_digest=_evidence(connection)
        )
        seen = coverage.seen_counts(connection, slate_ids)
    return outcomes, seen


def _slates(path: Path, wanted: list[str] | None) -> list[UUID]:
    """Return the slates to follow: those asked for, else all."""
    if wanted is None and not path.exists():
        return []
    with store.reader(path) as connection:
        if wanted is None:
            return detection.all_slates(connection)
        # Two names may refer to one slate.
        return list(dict.fromkeys(slates.find(connection, word).slate_id for word in wanted))


def _state(connection: Connection, slate_ids: list[UUID]) -> str:
    """Return the SHA-256 of all that a detection depends on: releases, slates and their sets.

    The rules too: what a refresh by older rules left behind is not current.
    """
    lines = [
        _RULES,
        *_release_lines(connection),
        *sorted(map(str, slate_ids)),
        *_attachment_lines(connection, slate_ids),
    ]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def _evidence(connection: Connection) -> str:
    """Return the SHA-256 of the releases alone: another slate is not new evidence."""
    return hashlib.sha256("\n".join(_release_lines(connection)).encode()).hexdigest()


def _release_lines(connection: Connection) -> list[str]:
    release = schema.release
    rows = connection.execute(
        sa.select(release.c.source, release.c.sha256).order_by(release.c.release_id)
    )
    return [f"{row.source} {row.sha256}" for row in rows]


def _attachment_lines(connection: Connection, slate_ids: list[UUID]) -> list[str]:
    """Return the sets attached to slates: their candidates may be drugs that are new here."""
    attached = schema.slate_attachment
    rows = connection.execute(
        sa.select(attached.c.slate_id, attached.c.set_kind)
        .where(attached.c.slate_id.in_(slate_ids))
        .order_by(attached.c.slate_id, attached.c.set_kind)
    )
    return [f"{row.slate_id} {row.set_kind}" for row in rows]


def _last_refresh(connection: Connection) -> datetime | None:
    statement = sa.select(sa.func.max(schema.refresh.c.refreshed_at))
    instant: datetime | None = connection.execute(statement).scalar()
    return instant


def _last_state(connection: Connection) -> str | None:
    refresh = schema.refresh
    statement = sa.select(refresh.c.state_sha256).order_by(refresh.c.refresh_id.desc()).limit(1)
    return connection.execute(statement).scalar()


def _record(
    connection: Connection, slate_ids: list[UUID], outcomes: list[detection.Detected]
) -> None:
    refresh, release = schema.refresh, schema.release
    n_releases = connection.execute(sa.select(sa.func.count()).select_from(release)).scalar_one()
    connection.execute(
        refresh.insert(),
        {
            "refresh_id": keys.next_key(connection, refresh.c.refresh_id),
            "refreshed_at": store.now(connection),
            "state_sha256": _state(connection, slate_ids),
            "n_releases": n_releases,
            "n_slates": len(slate_ids),
            "n_outcomes": sum(entry.n_outcomes for entry in outcomes),
        },
    )
