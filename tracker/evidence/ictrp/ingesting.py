"""Ingests exports of ICTRP: each study stored when it is new or changed, and once.

A study that several registries have is kept under one number, and where ClinicalTrials.gov has
shown it, by its own record alone.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path

import sqlalchemy as sa
from sqlalchemy import Connection

from tracker.errors import MAX_LISTED, InputRefused
from tracker.evidence import release_ledger
from tracker.evidence.ictrp import reading as ictrp
from tracker.evidence.snapshots import LocatedFile
from tracker.evidence.trials import ingesting as trials
from tracker.evidence.trials import reading as clinicaltrials
from tracker.files import archives
from tracker.progress import Progress, silent
from tracker.store import statements

SOURCE = "ictrp"


def ingest_ictrp(
    connection: Connection,
    paths: Sequence[Path],
    *,
    released_on: date | None = None,
    is_complete: bool = False,
    progress: Progress = silent,
) -> list[release_ledger.Ingested]:
    """Store the studies of exports of ICTRP that are new or changed.

    Each of `paths` is a release, and they are stored in the order of their dates. The date is
    `released_on`, which is for one file, else the day of export that the file states, else that of
    its name. An export is what a search found: what it lacks has vanished only if it `is_complete`.
    Raises InputRefused or ProblemsFound naming file and record. The same content adds nothing.
    """
    if released_on is not None and len(paths) > 1:
        raise InputRefused("one release date cannot be that of several files")
    progress("hashing")
    sources = [ictrp.locate(path) for path in paths]
    dated = [(released_on or ictrp.stated_date(source), source) for source in sources]
    dated.sort(key=lambda one: (one[0] or date.max, one[1].path.name))
    return [
        _ingested(connection, source, stated, is_complete, progress) for stated, source in dated
    ]


def _ingested(
    connection: Connection,
    source: LocatedFile,
    released_on: date | None,
    is_complete: bool,
    progress: Progress,
) -> release_ledger.Ingested:
    origin = source.path.name
    stored = release_ledger.find_same(connection, SOURCE, source.sha256, released_on=released_on)
    if stored is not None:
        return stored
    if released_on is None:
        raise InputRefused(f"{origin}: states no day of export; give it with --released")
    release_ledger.refuse_future(released_on)
    release_ledger.refuse_older(connection, SOURCE, origin, released_on)
    progress("reading the studies")
    clinicaltrials.prepare_staging(connection)
    read = ictrp.stage(connection, source, progress)
    archives.refuse_changed(source.stamps)
    if not read.records:
        raise InputRefused(f"{origin}: contains no study")
    progress("storing what is new")
    ictrp.place_studies(connection, read, is_complete=is_complete)
    statements.run(connection, "registry_study")
    connection.execute(sa.text("delete from staged_study"))
    connection.execute(sa.text("insert into staged_study by name from registry_study"))
    trials.prepare(connection, released_on)
    _refuse_contradictions(connection, released_on)
    done = trials.store(
        connection,
        trials.Snapshot(SOURCE, source.form, origin, source.sha256, released_on, is_complete),
    )
    notes = [*done.notes, *ictrp.unread_notes(read)]
    if done.n_rows < len(read.records):
        notes.insert(
            0,
            f"records: {len(read.records):,}, of which {done.n_rows:,} stand for a study; that of "
            "each of the others is told by another record, or by ClinicalTrials.gov",
        )
    return replace(done, notes=tuple(notes))


def _refuse_contradictions(connection: Connection, released_on: date) -> None:
    """Raise ProblemsFound if another export of the day says something else of a study."""
    asked = {"released_on": released_on, "limit": MAX_LISTED}
    release_ledger.refuse_found(
        statements.run(connection, "contradicted_study", asked).all(),
        lambda row: (
            f"{row.source_key}: differs from what {row.origin}, an export of the same day, has"
        ),
    )
