"""Ingests a snapshot of ClinicalTrials.gov: each study stored when it is new or changed.

Past versions of studies, from the registry's history, are releases of a source of their own: they
come in any order, detection does not read them, and no snapshot is compared with them.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

import sqlalchemy as sa
from sqlalchemy import Connection

from tracker import schema, temp_tables
from tracker.entities import folding
from tracker.errors import InputRefused
from tracker.evidence import release_ledger
from tracker.evidence.trials import aact, staged
from tracker.evidence.trials import reading as clinicaltrials
from tracker.files import names
from tracker.progress import Progress, silent
from tracker.store import statements

# The sources of the releases that snapshots and past versions are.
SNAPSHOTS, HISTORY = "ctgov", "ctgov_history"


def ingest_trials(
    connection: Connection,
    paths: Sequence[Path],
    *,
    released_on: date | None = None,
    is_complete: bool | None = None,
    undated_on: date | None = None,
    progress: Progress = silent,
) -> release_ledger.Ingested:
    """Store the studies of a snapshot of ClinicalTrials.gov, or past versions, that are new.

    The snapshot's date is `released_on`, else the latest in the names of `paths`, else
    `undated_on`, else today in UTC. A study that a complete snapshot lacks has vanished; AACT files
    are taken as complete unless `is_complete` is given. Raises InputRefused or ProblemsFound naming
    file and record. The same content adds nothing, unless another date is stated: then it repeats
    an earlier release.
    """
    progress("hashing")
    found = clinicaltrials.locate(paths)
    is_past = found.form == "history"
    source = HISTORY if is_past else SNAPSHOTS
    named = max(filter(None, map(names.date_in, paths)), default=None)
    stated = released_on or named
    # What a version said on its day is the same whenever it was fetched.
    stored = release_ledger.find_same(
        connection, source, found.sha256, released_on=None if is_past else stated
    )
    if stored is not None:
        return stored
    if is_past and is_complete:
        raise InputRefused(f"{found.origin}: past versions of studies are no complete snapshot")
    released_on = stated or undated_on or release_ledger.today()
    release_ledger.refuse_future(released_on)
    if not is_past:
        release_ledger.refuse_older(connection, source, found.origin, released_on)
    progress("reading the studies")
    complete = found.form == "AACT" if is_complete is None else is_complete
    missing = clinicaltrials.stage(connection, found, progress, is_complete=complete)
    clinicaltrials.refuse_problems(connection, found)
    if complete and found.form == "AACT":
        aact.refuse_unlisted_studies(connection)
    if is_past:
        _refuse_later_versions(connection, found, released_on)
    progress("storing what is new")
    prepare(connection, released_on)
    if temp_tables.count_rows(connection, "new_trial") == 0:
        raise InputRefused(f"{found.origin}: contains no study")
    snapshot = Snapshot(source, found.form, found.origin, found.sha256, released_on, complete)
    done = store(connection, snapshot, are_past=is_past)
    return replace(done, notes=_missing_notes(missing)) if is_past else done


@dataclass(frozen=True)
class Snapshot:
    """A release of studies whose records are staged: what the ledger has of it."""

    source: str
    form: str
    origin: str
    sha256: str
    released_on: date
    is_complete: bool


def prepare(connection: Connection, released_on: date) -> None:
    """Find which of the staged studies are new or changed, in the temporary table new_trial."""
    folding.prepare(connection, statements.find("trial_name").clause)
    statements.run(connection, "given_trial")
    first_id = temp_tables.next_key(connection, schema.trial.c.trial_id)
    statements.run(connection, "new_trial", {"first_id": first_id, "released_on": released_on})


def store(
    connection: Connection, snapshot: Snapshot, *, are_past: bool = False
) -> release_ledger.Ingested:
    """Store a release of studies, of any registry, that are staged and prepared.

    Past versions do not say which studies there are.
    """
    source, is_complete = snapshot.source, snapshot.is_complete
    n_rows = temp_tables.count_rows(connection, "new_trial")
    version = snapshot.released_on.isoformat()
    release_id = release_ledger.add_release(
        connection, source, version, snapshot.released_on, snapshot.sha256, snapshot.origin, n_rows
    )
    moved = (0, 0)
    if not are_past:
        statements.run(connection, "known_trial_record", {"source": source})
        statements.run(connection, "given_trial_record")
        moved = release_ledger.record_presence(connection, release_id, is_complete)
    n_before = temp_tables.count_rows(connection, "trial")
    statements.run(connection, "append_trial", {"release_id": release_id})
    statements.run(connection, "append_trial_condition")
    statements.run(connection, "intervention_role")
    statements.run(connection, "append_trial_intervention")
    n_versions = temp_tables.count_rows(connection, "trial") - n_before
    release_ledger.add_coverage(
        connection, release_id, snapshot.form, is_complete, n_rows, n_versions, *moved
    )
    notes = (
        ()
        if are_past
        else (*_numbers(connection, release_id), *_left_out_notes(connection, release_id))
    )
    return release_ledger.Ingested(
        source, version, snapshot.released_on, True, n_rows, n_versions, *moved, notes=notes
    )


def _refuse_later_versions(
    connection: Connection, found: clinicaltrials.Source, released_on: date
) -> None:
    """Raise InputRefused for a version submitted after the day on which it was fetched."""
    late = connection.execute(
        sa.select(staged.REVISION)
        .where(staged.REVISION.c.submitted_on > released_on)
        .order_by(staged.REVISION.c.source_key)
        .limit(1)
    ).first()
    if late is not None:
        raise InputRefused(
            f"{late.source_key}: was submitted on {late.submitted_on}, after {released_on}, the "
            f"day of {found.origin}; give the day on which it was fetched with --released"
        )


def _missing_notes(missing: Sequence[str]) -> tuple[str, ...]:
    """Word which versions the registry lists and did not deliver."""
    if not missing:
        return ()
    noun = "version" if len(missing) == 1 else "versions"
    return (
        f"{len(missing):,} {noun} that the registry lists and did not deliver, "
        f"{missing[0]} for one: the version before stands until the next",
    )


def _numbers(connection: Connection, release_id: int) -> tuple[str, ...]:
    """Store the numbers that studies have elsewhere; word how many studies are others by them."""
    merged = statements.run(connection, "append_merged_study", {"release_id": release_id})
    n_merged = int(merged.scalar_one())
    statements.run(connection, "append_study_number", {"release_id": release_id})
    if not n_merged:
        return ()
    noun = "study" if n_merged == 1 else "studies"
    return (f"kept under another number from now on: {n_merged:,} {noun}",)


def _left_out_notes(connection: Connection, release_id: int) -> tuple[str, ...]:
    """Word which of the studies that a release added make no event."""
    rows = statements.run(connection, "left_out_study_count", {"release_id": release_id}).all()
    if not rows:
        return ()
    kinds = "; ".join(f"{row.n_studies:,} {row.kind}" for row in rows)
    return (
        "left out, since only interventional studies of a condition and an intervention make "
        f"events: {kinds}",
    )
