"""Publishes a store as a static site: no server, no outside request, the same bytes each time."""

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from sqlalchemy import Connection

from tracker import clock, replacing, slates, store
from tracker.errors import DEFAULT_WAIT_SECONDS, InputRefused
from tracker.extras.site import (
    console,
    downloads,
    entity_pages,
    feed,
    overview,
    publications,
    register,
    search,
    slate_pages,
    study_pages,
)
from tracker.extras.site.files import MANIFEST, Files, require_own
from tracker.extras.site.layout import FOLDERS, Site, assets
from tracker.extras.site.register import Register
from tracker.log import timestamp_proofs
from tracker.log.timestamps import Obtained
from tracker.progress import Progress
from tracker.reports import leaderboard
from tracker.slates import checking
from tracker.store import statements
from tracker.store.state import narrowing, scope
from tracker.version import VERSION

# The further parts of a site, each with its table.
_STUDIES = {"Rounds": "round", "Evaluations": "evaluation", "Benchmarks": "benchmark"}


@dataclass(frozen=True)
class Published:
    """The result of publishing: the folder, the as-of instant, and the amount.

    `n_slates` counts those shown; `words` says how many were frozen and how many are withheld.
    `unsealed` says why the manifest is not sealed in the log, None if it is; `obtained` has the
    results of asking authorities to timestamp the head that covers it.
    """

    folder: Path
    as_of: datetime
    n_slates: int
    words: str
    n_files: int
    n_bytes: int
    manifest_sha256: str
    unsealed: str | None
    obtained: list[Obtained] = field(default_factory=list)

    @property
    def proved(self) -> list[str]:
        """What the publication's timestamps prove, in words."""
        found = [one.verified for one in self.obtained if one.verified is not None]
        return [timestamp_proofs.published_by(one.generated_at, one.authority) for one in found]

    @property
    def unproved(self) -> list[str]:
        """Why an authority gave none."""
        return [str(one.problem) for one in self.obtained if one.verified is None]


def publish(
    db: Path,
    folder: Path,
    progress: Progress,
    console_from: Path | bool = False,
    *,
    wait: float | None = DEFAULT_WAIT_SECONDS,
    authorities: Sequence[str] = (),
) -> Published:
    """Write the site of a store to `folder`, all of it or nothing, after its manifest is sealed.

    The store's log seals the hash of the manifest unless the store cannot be written; with `wait`
    None, the store is only read. The `authorities` then timestamp the head that covers it. An
    unchanged site gets no new seal and no new timestamps.

    An absent or empty folder is filled, an earlier site replaced. `console_from` adds a page with
    SQL, with DuckDB-Wasm from that folder, or from npm if True. The store is checked first, and
    read only from its rows. Raises CheckFailed if it is not sound, InputRefused if the folder
    contains anything else or there is nothing to publish, StoreBusy if the store is locked for more
    than `wait` seconds, and TrackerError if the folder cannot be written.
    """
    source = None if isinstance(console_from, bool) else console_from
    engine = partial(console.engine, source, progress) if console_from else None
    with replacing.folder(folder, require_own) as staged:
        with (
            store.reader(db, writes_to=staged, from_rows=True) as connection,
            contextlib.ExitStack() as computed,
        ):
            checking.require_sound(db, connection, progress, computed)
            files, known, as_of = draw(connection, staged, engine, progress, computed)
        sha256 = files.sha256(MANIFEST)
        unsealed: str | None = "the store is open for reading"
        if wait is not None:
            progress("sealing the manifest")
            unsealed = publications.seal(db, sha256, len(files), wait)
        with store.reader(db) as connection:
            publications.write(connection, staged, sha256, known.head)
            obtained = publications.stamp(connection, staged, folder, authorities, progress)
        return Published(
            folder.resolve(),
            as_of,
            len(known.shown),
            known.words,
            len(files),
            files.n_bytes,
            sha256,
            unsealed,
            obtained,
        )


def draw(
    connection: Connection,
    folder: Path,
    engine: console.Engine | None,
    progress: Progress,
    computed: contextlib.ExitStack | None = None,
) -> tuple[Files, Register, datetime]:
    """Write the site of a store to an empty folder; return its files, register and instant.

    `engine`, which returns the files of DuckDB-Wasm, adds a page with SQL. The connection can write
    to the folder, and afterwards looks back to the instant. What a check has `computed` of all
    slates, as of now, is reused where it is the same. Raises InputRefused if there is nothing to
    publish.
    """
    chosen = slates.all_slates(connection)
    if not chosen and not _studies(connection):
        raise InputRefused(
            "the store has no slate, evaluation or benchmark to publish; freeze or import a "
            "slate first"
        )
    # A store written under a clock far ahead would report future days.
    latest = statements.run(connection, "latest_instant").scalar_one()
    as_of = max([min(latest, clock.read()), *[slate.created_at for slate in chosen]])
    store.set_as_of(connection, as_of)
    known = register.read(connection)
    if computed is not None and (known.withheld or latest > as_of):
        computed.close()
    if engine is not None and not known.shown:
        raise InputRefused("no slate is shown, and a page with SQL queries slates")
    program = engine() if engine is not None else {}
    files = Files(folder)
    with (
        # Slates keep their numbers among all slates, and their entries in the log.
        scope.computed_once(connection, ("slate_number", "slate_proof")),
        narrowing.without_slates(connection, [one.slate.slate_id for one in known.withheld]),
    ):
        _write(connection, files, known, as_of, program, progress)
    return files, known, as_of


def _write(
    connection: Connection,
    files: Files,
    known: Register,
    as_of: datetime,
    program: dict[str, bytes],
    progress: Progress,
) -> None:
    for path, content in assets().items():
        files.write(path, content)
    # Each view is computed once for all slates; each page takes its own rows.
    shown = [entry.slate for entry in known.shown]
    with scope.of_slates(connection, *shown):
        progress("reading the predictions")
        entities = entity_pages.read(connection)
        site = Site(
            as_of.astimezone(UTC).isoformat(),
            str(known.head.log_id),
            _navigation(connection, has_console=bool(program)),
            entity_pages.names(entities),
        )
        summaries = []
        for number, entry in enumerate(known.shown, start=1):
            progress(f"slate {number} of {len(known.shown)}")
            summaries.append(slate_pages.write(connection, files, site, entry, known.head, as_of))
        for kind in FOLDERS:
            progress(f"pages of {FOLDERS[kind]}")
            entity_pages.write(connection, files, site, kind, entities)
        progress("models")
        models = leaderboard.build(connection, as_of)
        rounds = study_pages.write_rounds(connection, files, site)
        first = known.entries[0].slate.slate_id if known.entries else None
        feed.write(connection, files, as_of, first)
    entity_pages.write_lists(files, site, entities)
    for entry in known.withheld:
        register.write_withheld(connection, files, entry)
    register.write(files, known)
    progress("evaluations and benchmarks")
    benchmarks = study_pages.write_benchmarks(connection, files, site)
    evaluations = study_pages.write_evaluations(connection, files, site)
    search.write(connection, files, entities, summaries, [*rounds, *evaluations, *benchmarks])
    downloads.write_scoreboard(connection, files)
    if summaries:
        downloads.write_slates(files, slate_pages.listed(summaries))
    if program:
        console.write(connection, files, site, summaries, program)
    counts = {kind: sum(one.entity_kind == kind for one in entities) for kind in FOLDERS}
    studies = {"rounds": rounds, "evaluations": evaluations, "benchmarks": benchmarks}
    overview.write(connection, files, site, summaries, known, models, studies, counts)
    overview.write_downloads(files, site)
    downloads.write_metadata(connection, files, site.as_of)
    files.write_manifest({"tracker": VERSION, "as_of": site.as_of})


def _navigation(connection: Connection, *, has_console: bool) -> tuple[tuple[str, str], ...]:
    sections = [
        ("Track record", "index.html"),
        ("Diseases", "diseases/index.html"),
        ("Drugs", "drugs/index.html"),
    ]
    sections += [(name, f"index.html#{name.lower()}") for name in _studies(connection)]
    if has_console:
        sections.append(("SQL", console.PATH))
    return (*sections, ("Downloads", "downloads/index.html"))


def _studies(connection: Connection) -> list[str]:
    """Return the further parts of a site that the store has content for."""
    return [
        name
        for name, table in _STUDIES.items()
        if connection.exec_driver_sql(f"from {table} limit 1").first() is not None
    ]
