"""Ingests FDA approvals: each submission and product stored when it is new or changed."""

from datetime import date
from pathlib import Path

from sqlalchemy import Connection

from tracker import schema
from tracker.evidence import release_ledger
from tracker.evidence.fda import reading as fda
from tracker.evidence.snapshots import Snapshots
from tracker.progress import Progress, silent
from tracker.store import statements


def ingest_fda(
    connection: Connection,
    path: Path,
    *,
    released_on: date | None = None,
    is_partial: bool = False,
    progress: Progress = silent,
) -> release_ledger.Ingested:
    """Store the submissions and products of the FDA that are new or changed.

    The release's date is `released_on`, else the source's: the newest file of the Drugs@FDA zip,
    last_updated of openFDA. A record that a complete release lacks has vanished: one that has as
    many records as it states that there are, and is not said to be partial by `is_partial`. Raises
    InputRefused or ProblemsFound naming file and record. The same content adds nothing, unless
    `released_on` gives it another date: then it is a release that repeats an earlier one.
    """
    progress("hashing")
    source = fda.locate(path)
    stored = release_ledger.find_same(connection, "fda", source.sha256, released_on=released_on)
    if stored is not None:
        return stored
    return _SNAPSHOTS.store(
        connection,
        source,
        lambda: fda.stage(connection, source),
        released_on,
        progress,
        is_partial=is_partial,
    )


def _action_notes(connection: Connection, release_id: int) -> tuple[str, ...]:
    """Word how many of the actions that a release added can date an approval, and the others."""
    rows = statements.run(connection, "release_action_count", {"release_id": release_id}).all()
    n_actions = sum(row.n_actions for row in rows)
    n_approvals = sum(row.n_actions for row in rows if row.is_approval)
    if n_actions == n_approvals:
        return ()
    others = ", ".join(f"{row.n_actions:,} {row.kind}" for row in rows if not row.is_approval)
    return (
        f"{n_approvals:,} of {n_actions:,} new or changed actions approve a new molecular entity "
        f"or a new use; the others date no approval: {others}",
    )


_SNAPSHOTS = Snapshots(
    source="fda",
    publisher="the FDA",
    records="approvals",
    stem="fda",
    new={
        "new_approval": schema.approval.c.approval_id,
        "new_product": schema.approval_product.c.product_id,
    },
    tables=("approval", "approval_product"),
    parts=("product_ingredient",),
    notes_of=_action_notes,
)
