"""Ingests FDA approvals: each submission and product stored when it is new or changed."""

from datetime import date
from pathlib import Path

from sqlalchemy import Connection

from tracker import folding, statements
from tracker.errors import InputRefused, ProblemsFound
from tracker.ingest import ledger
from tracker.loads import Progress, silent
from tracker.sources import fda
from tracker.sources.formats import MAX_SHOWN


def ingest_fda(
    connection: Connection,
    path: Path,
    *,
    released_on: date | None = None,
    progress: Progress = silent,
) -> ledger.Ingested:
    """Store the submissions and products of the FDA that are new or changed.

    The release's date is `released_on`, else what the source says: the newest file of the
    Drugs@FDA zip, last_updated of openFDA. A record that a complete release lacks has vanished.
    Raises InputRefused or ProblemsFound naming file and record; the same content adds nothing.
    """
    progress("hashing")
    source = fda.locate(path)
    held = ledger.held(connection, "fda", source.sha256)
    if held is not None:
        return held
    progress("reading the approvals")
    edition = fda.stage(connection, source)
    released_on = released_on or edition.released_on
    if released_on is None:
        raise InputRefused(f"{path.name}: does not say its date; give --released")
    ledger.refuse_future(released_on)
    ledger.refuse_older(connection, "fda", path.name, released_on)
    repeats = statements.run(connection, "fda_repeat", {"limit": MAX_SHOWN}).all()
    if repeats:
        raise ProblemsFound(
            [f"{row.source_key}: {row.record} stands there twice" for row in repeats],
            repeats[0].n_problems,
        )
    progress("storing what is new")
    folding.prepare(connection, statements.find("fda_name").clause)
    statements.run(connection, "new_approval")
    statements.run(connection, "new_product")
    n_rows = ledger.count_rows(connection, "new_approval") + ledger.count_rows(
        connection, "new_product"
    )
    version = released_on.isoformat()
    release_id = ledger.add_release(
        connection, "fda", version, released_on, source.sha256, path.name, n_rows
    )
    statements.run(connection, "known_fda_record")
    statements.run(connection, "given_fda_record")
    moved = ledger.record_presence(connection, release_id, edition.is_complete)
    n_before = ledger.count_rows(connection, "approval") + ledger.count_rows(
        connection, "approval_product"
    )
    statements.run(connection, "append_approval", {"release_id": release_id})
    statements.run(connection, "append_approval_product", {"release_id": release_id})
    statements.run(connection, "append_product_ingredient")
    n_after = ledger.count_rows(connection, "approval") + ledger.count_rows(
        connection, "approval_product"
    )
    n_versions = n_after - n_before
    complete = edition.is_complete
    ledger.add_coverage(connection, release_id, source.form, complete, n_rows, n_versions, *moved)
    return ledger.Ingested("fda", version, released_on, True, n_rows, n_versions, *moved)
