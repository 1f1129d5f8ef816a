"""Ingests FDA approvals: each submission and product stored when it is new or changed."""

from datetime import date
from pathlib import Path

from sqlalchemy import Connection

from tracker.entities import folding
from tracker.errors import MAX_LISTED, InputRefused, ProblemsFound
from tracker.evidence import release_ledger
from tracker.evidence.fda import reading as fda
from tracker.progress import Progress, silent
from tracker.store import filling, schema, statements


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
    progress("reading the approvals")
    edition = fda.stage(connection, source)
    released_on = released_on or edition.released_on
    if released_on is None:
        raise InputRefused(f"{path.name}: does not state its date; give --released")
    release_ledger.refuse_future(released_on)
    release_ledger.refuse_older(connection, "fda", path.name, released_on)
    repeats = statements.run(connection, "fda_repeat", {"limit": MAX_LISTED}).all()
    if repeats:
        raise ProblemsFound(
            [f"{row.source_key}: {row.record} occurs twice" for row in repeats],
            repeats[0].n_problems,
        )
    progress("storing what is new")
    folding.prepare(connection, statements.find("fda_name").clause)
    for name, key in (
        ("new_approval", schema.approval.c.approval_id),
        ("new_product", schema.approval_product.c.product_id),
    ):
        statements.run(connection, name, {"first_id": filling.next_key(connection, key)})
    n_rows = release_ledger.count_rows(connection, "new_approval") + release_ledger.count_rows(
        connection, "new_product"
    )
    version = released_on.isoformat()
    release_id = release_ledger.add_release(
        connection, "fda", version, released_on, source.sha256, path.name, n_rows
    )
    statements.run(connection, "known_fda_record")
    statements.run(connection, "given_fda_record")
    complete = edition.is_complete and not is_partial
    moved = release_ledger.record_presence(connection, release_id, complete)
    n_before = release_ledger.count_rows(connection, "approval") + release_ledger.count_rows(
        connection, "approval_product"
    )
    statements.run(connection, "append_approval", {"release_id": release_id})
    statements.run(connection, "append_approval_product", {"release_id": release_id})
    statements.run(connection, "append_product_ingredient")
    n_after = release_ledger.count_rows(connection, "approval") + release_ledger.count_rows(
        connection, "approval_product"
    )
    n_versions = n_after - n_before
    release_ledger.add_coverage(
        connection, release_id, source.form, complete, n_rows, n_versions, *moved
    )
    return release_ledger.Ingested(
        "fda",
        version,
        released_on,
        True,
        n_rows,
        n_versions,
        *moved,
        notes=(
            *release_ledger.partial_notes("the FDA", complete),
            *_action_notes(connection, release_id),
        ),
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
