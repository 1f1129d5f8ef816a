"""One idempotent run: ingest what is new, detect what happened, record the scoreboard.

A run killed at any moment is completed by the next.
"""

import contextlib
import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID

import sqlalchemy as sa
from filelock import FileLock, Timeout
from sqlalchemy import Connection

from tracker import schema, slates, store, temp_tables
from tracker.errors import CheckFailed, InputRefused, StoreBusy, TrackerError
from tracker.evidence import detection
from tracker.extras.refresh import archiving, configuration, fetched, proving, sources
from tracker.extras.refresh.configuration import Configuration
from tracker.extras.refresh.sources import Found, Held, Log
from tracker.progress import Progress, silent
from tracker.reports import coverage
from tracker.reports.coverage import Seen
from tracker.reports.words import count
from tracker.rows import Rows, render, to_json

UNCHANGED_EXIT_CODE = 6
# To be renamed when a change of the events' definitions has to be applied to existing stores.
_RULES = "events of all slates, matched through vocabularies"

# In the order in which a summary counts them.
_STATUSES = (
    "fetched",
    "unchanged",
    "not fetched",
    "ingested",
    "new",
    "already ingested",
    "settling",
    "refused",
    "refused before",
    "failed",
    archiving.NOT_KEPT,
)
_SOURCE_COLUMNS = ("kind", "origin", "status", "version", "released_on", "n_rows", "n_versions")
# Most serious first.
_EXIT_CODES = {
    "failed": CheckFailed.exit_code,
    "refused": InputRefused.exit_code,
    "not fetched": InputRefused.exit_code,
    "not proved": InputRefused.exit_code,
    archiving.NOT_KEPT: TrackerError.exit_code,
    "not sent": TrackerError.exit_code,
}


@dataclass(frozen=True)
class _Known:
    """The state of a store before a run: slates to follow, releases, and whether both are detected.

    Read at once, because opening the store takes most of the time of a run without news.
    """

    slate_ids: list[UUID] = field(default_factory=list)
    held: Held = field(default_factory=Held)
    is_current: bool = False


@dataclass(frozen=True)
class Refreshed:
    """The result of a refresh; `exit_code` is the command's."""

    is_dry_run: bool
    sources: list[Found]
    outcomes: list[detection.Detected] = field(default_factory=list)
    # The evidence of the outcomes in words; empty without an outcome.
    rest_on: str = ""
    n_slates: int = 0
    exit_code: int = 0
    # Of each slate, if there was anything to detect.
    coverage: list[Seen] = field(default_factory=list)
    # Events recorded earlier that are no approvals by the present rules.
    n_corrected: int = 0

    @property
    def is_unchanged(self) -> bool:
        """Whether nothing was ingested or corrected, and nothing new was detected or proved."""
        return (
            not self.outcomes
            and not self.n_corrected
            and all(found.status not in ("ingested", "new", "proved") for found in self.sources)
        )

    @property
    def summary(self) -> str:
        """A one-line summary."""
        counted = self._counted(_STATUSES)
        if self.is_dry_run:
            return f"releases: {counted or 'none'}; a dry run detects no outcomes"
        stamped = self._counted(("proved", "not proved"))
        none_in = f"no new outcomes in {count(self.n_slates, 'slate')}"
        return (
            f"releases: {counted or 'none'}; {self.rest_on or none_in}"
            f"{f'; dates: {stamped}' if stamped else ''}"
        )

    def _counted(self, statuses: Sequence[str]) -> str:
        counts = Counter(found.status for found in self.sources)
        return ", ".join(f"{counts[status]} {status}" for status in statuses if counts[status])

    def text(self, form: str = "table") -> str:
        """Return what a refresh prints in one of the formats of rows; csv has the sources alone."""
        sources = _columns(self.sources, _SOURCE_COLUMNS)
        outcomes = _columns(self.outcomes, ("slate_id", "outcome_type", "n_outcomes"))
        if form == "csv":
            return render(sources, form)
        notes = [f"{one.origin}: {note}" for one in self.sources for note in one.notes]
        if form == "json":
            document = {
                "summary": self.summary,
                "is_dry_run": self.is_dry_run,
                "exit_code": self.exit_code,
                "problems": [one.problem for one in self.sources if one.problem],
                "notes": notes,
                "n_corrected": self.n_corrected,
                "sources": sources.records(),
                "outcomes": outcomes.records(),
                "coverage": [
                    asdict(one) | {"slate_id": str(one.slate_id)} for one in self.coverage
                ],
            }
            return to_json(document)
        if form == "table":
            names = ("origin", "status", "released_on", "n_rows", "n_versions")
            headings = ["source", "status", "released", "rows", "new"]
            sources = Rows(headings, _columns(self.sources, names).values)
        if self.n_corrected:
            notes.append(detection.corrected_words(self.n_corrected))
        lines = [*notes, *coverage.seen_lines(self.coverage), self.summary]
        tables = [render(rows, form) for rows in (sources, outcomes) if rows.values]
        return "\n".join(tables) + "".join(f"{line}\n" for line in lines)

    def __str__(self) -> str:
        """Return what the command prints."""
        return self.text()


def _columns(found: Sequence[object], names: Sequence[str]) -> Rows:
    """Return these attributes of each as rows."""
    return Rows([*names], [tuple(getattr(one, name) for name in names) for one in found])


def run(
    config: Path | str = "tracker.toml",
    *,
    db: Path | None = None,
    dry_run: bool = False,
    offline: bool = False,
    wait: float = store.DEFAULT_WAIT_SECONDS,
    log: Log = lambda _event, _fields: None,
    progress: Progress = silent,
) -> Refreshed:
    """Bring the store up to date with the sources in `config`; without news nothing changes.

    What is new on the servers that it names is fetched first, and the authorities that it names are
    asked for timestamps of slates without any at the end, unless `offline` or `dry_run`.
    `db` takes precedence over the configuration's store. A source that is refused, or that would
    violate an invariant, does not stop the others; exit_code is then 3, or 4. Raises InputRefused
    for a bad configuration or an unknown slate, StoreBusy if another process writes, CheckFailed if
    a detected outcome violates an invariant, TrackerError if the disk is full.
    """
    read = configuration.read(Path(config))
    path = db or read.store or Path("tracker.duckdb")
    with _alone(path, wait):
        known = _known(path, read.slates)
        found = []
        if not offline and not dry_run:
            found += fetched.fetch(path, read, known.slate_ids, log=log, progress=progress)
        if found:
            # Servers take their time, in which other commands may have written.
            known = _known(path, read.slates)
        slate_ids = known.slate_ids
        found += sources.ingest(path, read, known.held, dry_run=dry_run, wait=wait, log=log)
        if not dry_run:
            found += archiving.keep(read.archive, found, log)
        is_current = known.is_current and all(one.status != "ingested" for one in found)
        outcomes, rest_on, seen, n_corrected = (
            ([], "", [], 0) if dry_run or is_current else _detect(path, slate_ids, wait, log)
        )
        if not dry_run and not offline:
            found += proving.prove(path, read, slate_ids, wait=wait, log=log, progress=progress)
        if not dry_run:
            found += _told(path, read, slate_ids, log)
    statuses = {entry.status for entry in found}
    exit_code = next((code for status, code in _EXIT_CODES.items() if status in statuses), 0)
    done = Refreshed(
        dry_run, found, outcomes, rest_on, len(slate_ids), exit_code, seen, n_corrected
    )
    log("done", {"summary": done.summary})
    return done


def prove(
    config: Path | str = "tracker.toml",
    *,
    db: Path | None = None,
    wait: float = store.DEFAULT_WAIT_SECONDS,
    log: Log = lambda _event, _fields: None,
    progress: Progress = silent,
) -> list[Found]:
    """Ask the authorities in `config` for timestamps, as a refresh does at its end.

    Raises InputRefused for a bad configuration or an unknown slate, StoreBusy if another process
    writes.
    """
    read = configuration.read(Path(config))
    path = db or read.store or Path("tracker.duckdb")
    slate_ids = _followed(path, read.slates)
    return proving.prove(path, read, slate_ids, wait=wait, log=log, progress=progress)


def fetch(
    config: Path | str = "tracker.toml",
    *,
    db: Path | None = None,
    only: Sequence[str] = (),
    wait: float = store.DEFAULT_WAIT_SECONDS,
    log: Log = lambda _event, _fields: None,
    progress: Progress = silent,
) -> list[Found]:
    """Fetch what is new from the servers in `config`, or from those named in `only`.

    Raises InputRefused for a bad configuration or an unknown name, StoreBusy while a refresh runs.
    """
    read = configuration.read(Path(config))
    path = db or read.store or Path("tracker.duckdb")
    with _alone(path, wait):
        slate_ids = _followed(path, read.slates)
        return fetched.fetch(path, read, slate_ids, only=only, log=log, progress=progress)


@contextlib.contextmanager
def _alone(path: Path, wait: float) -> Iterator[None]:
    """Keep other refreshes of a store from running; raises StoreBusy if one runs for long."""
    store.require_place(path)
    try:
        with FileLock(f"{path.resolve()}.refresh.lock", timeout=wait):
            yield
    except Timeout:
        raise StoreBusy(f"another refresh of {path.name} is running; waited {wait:g} s") from None


def _told(path: Path, config: Configuration, slate_ids: list[UUID], log: Log) -> list[Found]:
    """Write and send the digest of the last refresh; a failure does not end the run."""
    if config.notify is None:
        return []
    # Reports and statistics, which a run without a digest need not wait for.
    from tracker.extras.refresh import digest

    try:
        found = digest.tell(path, config, slate_ids)
    except OSError as error:
        problem = f"{error.filename or 'the digest'}: cannot be written: {error.strerror}"
        found = [Found("digest", "the digest", "not sent", problem=problem)]
    for one in found:
        one.report(log)
    return found


def _detect(
    path: Path, slate_ids: list[UUID], wait: float, log: Log
) -> tuple[list[detection.Detected], str, list[Seen], int]:
    """Detect outcomes, and record for which releases and slates."""
    if not slate_ids:
        return [], "", [], 0
    # NumPy and SciPy, which a run without news need not wait for.
    from tracker.reports import verdicts

    with store.writer(path, wait=wait) as connection:
        began = store.now(connection)
        # Events that a freeze or another command recorded since are news to this run, too.
        last = connection.execute(sa.select(sa.func.max(schema.refresh.c.refreshed_at))).scalar()
        since = last or datetime.min.replace(tzinfo=UTC)
        outcomes = detection.detect(
            connection,
            slate_ids,
            since=since,
            progress=lambda message: log("detecting", {"step": message}),
        )
        _record(connection, slate_ids, outcomes)
        log("recording the scoreboard", {"slates": len(slate_ids)})
        verdicts.publish(
            connection, slate_ids, store.now(connection), refresh_digest=_evidence(connection)
        )
        seen = coverage.seen_counts(connection, slate_ids)
        n_corrected = detection.corrected(connection, began)
        rest_on = detection.summed(connection, slate_ids, since) if outcomes else ""
    return outcomes, rest_on, seen, n_corrected


def _known(path: Path, wanted: list[str] | None) -> _Known:
    """Return what the store has; of slates those asked for, else all."""
    if not path.exists() and wanted is None:
        return _Known()
    with store.reader(path) as connection:
        slate_ids = _slates(connection, wanted)
        is_current = _last_state(connection) == _state(connection, slate_ids)
        return _Known(slate_ids, sources.held(connection), is_current)


def _followed(path: Path, wanted: list[str] | None) -> list[UUID]:
    if not path.exists() and wanted is None:
        return []
    with store.reader(path) as connection:
        return _slates(connection, wanted)


def _slates(connection: Connection, wanted: list[str] | None) -> list[UUID]:
    """Return the slates to follow: those asked for, else all."""
    if wanted is None:
        return slates.all_slate_ids(connection)
    # Two names may refer to one slate.
    return list(dict.fromkeys(slates.find(connection, word).slate_id for word in wanted))


def _state(connection: Connection, slate_ids: list[UUID]) -> str:
    """Return the SHA-256 of what a detection depends on: rules, releases, slates, their sets."""
    lines = [_RULES, *_release_lines(connection), *sorted(map(str, slate_ids))]
    lines += _attachment_lines(connection, slate_ids)
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
            "refresh_id": temp_tables.next_key(connection, refresh.c.refresh_id),
            "refreshed_at": store.now(connection),
            "state_sha256": _state(connection, slate_ids),
            "n_releases": n_releases,
            "n_slates": len(slate_ids),
            "n_outcomes": sum(entry.n_outcomes for entry in outcomes),
        },
    )
