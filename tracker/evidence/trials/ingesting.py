"""Ingests a snapshot of ClinicalTrials.gov: each study stored when it is new or changed."""

from collections.abc import Sequence
from datetime import date
from pathlib import Path

from sqlalchemy import Connection

from tracker.entities import folding
from tracker.errors import InputRefused
from tracker.evidence import release_ledger
from tracker.evidence.trials import aact
from tracker.evidence.trials import reading as clinicaltrials
from tracker.files import names
from tracker.progress import Progress, silent
from tracker.store import filling, schema, statements


def ingest_trials(
    connection: Connection,
    paths: Sequence[Path],
    *,
    released_on: date | None = None,
    is_complete: bool | None = None,
    progress: Progress = silent,
) -> release_ledger.Ingested:
    """Store the studies of a snapshot of ClinicalTrials.gov that are new or changed.

    The snapshot's date is `released_on`, else the latest in the names of `paths`, else today in
    UTC. A study that a complete snapshot lacks has vanished; AACT files are taken as complete
    unless `is_complete` is given. Raises InputRefused or ProblemsFound naming file and record; the
    same content adds nothing.
    """
    progress("hashing")
    source = clinicaltrials.locate(paths)
    stored = release_ledger.find_same(connection, "ctgov", source.sha256)
    if stored is not None:
        return stored
    named = max(filter(None, map(names.date_in, paths)), default=None)
    released_on = released_on or named or release_ledger.today()
    release_ledger.refuse_future(released_on)
    release_ledger.refuse_older(connection, "ctgov", source.origin, released_on)
    progress("reading the studies")
    complete = source.form == "AACT" if is_complete is None else is_complete
    clinicaltrials.stage(connection, source, progress, is_complete=complete)
    clinicaltrials.refuse_problems(connection, source)
    if complete and source.form == "AACT":
        aact.refuse_unlisted_studies(connection)
    progress("storing what is new")
    folding.prepare(connection, statements.find("trial_name").clause)
    statements.run(connection, "given_trial")
    first_id = filling.next_key(connection, schema.trial.c.trial_id)
    statements.run(connection, "new_trial", {"first_id": first_id})
    n_rows = release_ledger.count_rows(connection, "new_trial")
    if n_rows == 0:
        raise InputRefused(f"{source.origin}: contains no study")
    version = released_on.isoformat()
    release_id = release_ledger.add_release(
        connection, "ctgov", version, released_on, source.sha256, source.origin, n_rows
    )
    statements.run(connection, "known_trial_record")
    statements.run(connection, "given_trial_record")
    moved = release_ledger.record_presence(connection, release_id, complete)
    n_before = release_ledger.count_rows(connection, "trial")
    statements.run(connection, "append_trial", {"release_id": release_id})
    statements.run(connection, "append_trial_condition")
    statements.run(connection, "intervention_role")
    statements.run(connection, "append_trial_intervention")
    n_versions = release_ledger.count_rows(connection, "trial") - n_before
    release_ledger.add_coverage(
        connection, release_id, source.form, complete, n_rows, n_versions, *moved
    )
    return release_ledger.Ingested(
        "ctgov",
        version,
        released_on,
        True,
        n_rows,
        n_versions,
        *moved,
        notes=_left_out_notes(connection, release_id),
    )


def _left_out_notes(connection: Connection, release_id: int) -> tuple[str, ...]:
    """Word which of the studies that a release added make no event."""
    rows = statements.run(connection, "left_out_study_count", {"release_id": release_id}).all()
    if not rows:
        return ()
    kinds = "; ".join(f"{row.n_studies:,} {row.kind}" for row in rows)
    return (f"left out, since only interventional studies make events: {kinds}",)
