"""Ingests EMA's table of medicines: each product stored when it is new or changed."""

from collections.abc import Sequence
from datetime import date
from pathlib import Path

from sqlalchemy import Connection

from tracker.entities import folding
from tracker.errors import MAX_LISTED, InputRefused, ProblemsFound
from tracker.evidence import release_ledger
from tracker.evidence.ema import reading as ema
from tracker.progress import Progress, silent
from tracker.store import filling, schema, statements


def ingest_ema(
    connection: Connection,
    paths: Sequence[Path],
    *,
    released_on: date | None = None,
    progress: Progress = silent,
) -> list[release_ledger.Ingested]:
    """Store the products of EMA's table of medicines that are new or changed.

    Each of `paths` is a release, and they are stored in the order of their dates. The date is
    `released_on`, which is for one file, else the one that the file states, else that of its name.
    A product that a complete table lacks has vanished. Raises InputRefused or ProblemsFound naming
    file, row and column. The same content adds nothing, unless another date is stated: then it
    repeats an earlier release.
    """
    if released_on is not None and len(paths) > 1:
        raise InputRefused("one release date cannot be that of several files")
    progress("hashing")
    sources = [ema.locate(path) for path in paths]
    if len(sources) > 1:
        sources.sort(key=lambda source: ema.stated_date(source) or date.max)
    return [_ingested(connection, source, released_on, progress) for source in sources]


def _ingested(
    connection: Connection, source: ema.Source, released_on: date | None, progress: Progress
) -> release_ledger.Ingested:
    path = source.path
    stored = release_ledger.find_same(connection, "ema", source.sha256)
    stated = released_on or (None if stored is None else ema.stated_date(source))
    if stored is not None and stated not in (None, stored.released_on):
        stored = release_ledger.find_same(connection, "ema", source.sha256, released_on=stated)
    if stored is not None:
        return stored
    progress("reading the medicines")
    edition = ema.stage(connection, source)
    released_on = released_on or edition.released_on
    if released_on is None:
        raise InputRefused(f"{path.name}: does not state its date; give --released")
    release_ledger.refuse_future(released_on)
    release_ledger.refuse_older(connection, "ema", path.name, released_on)
    repeats = statements.run(connection, "medicine_repeat", {"limit": MAX_LISTED}).all()
    if repeats:
        raise ProblemsFound(
            [f"{row.source_key}: {row.product_number} occurs twice" for row in repeats],
            repeats[0].n_problems,
        )
    progress("storing what is new")
    folding.prepare(connection, statements.find("medicine_text_name").clause)
    first_id = filling.next_key(connection, schema.medicine.c.medicine_id)
    statements.run(connection, "new_medicine", {"first_id": first_id})
    n_rows = release_ledger.count_rows(connection, "new_medicine")
    version = released_on.isoformat()
    release_id = release_ledger.add_release(
        connection, "ema", version, released_on, source.sha256, path.name, n_rows
    )
    statements.run(connection, "known_medicine_record")
    statements.run(connection, "given_medicine_record")
    moved = release_ledger.record_presence(connection, release_id, edition.is_complete)
    n_before = release_ledger.count_rows(connection, "medicine")
    statements.run(connection, "append_medicine", {"release_id": release_id})
    statements.run(connection, "append_medicine_substance")
    statements.run(connection, "append_medicine_area")
    n_versions = release_ledger.count_rows(connection, "medicine") - n_before
    release_ledger.add_coverage(
        connection, release_id, source.form, edition.is_complete, n_rows, n_versions, *moved
    )
    return release_ledger.Ingested(
        "ema",
        version,
        released_on,
        True,
        n_rows,
        n_versions,
        *moved,
        notes=(
            *release_ledger.partial_notes("EMA", edition.is_complete),
            *_left_out_notes(connection, release_id),
        ),
    )


def _left_out_notes(connection: Connection, release_id: int) -> tuple[str, ...]:
    """Word how many of the products that a release added make no event, by what they are."""
    rows = statements.run(connection, "left_out_medicine_count", {"release_id": release_id}).all()
    if not rows:
        return ()
    n_medicines = sum(row.n_medicines for row in rows)
    kinds = ", ".join(f"{row.n_medicines:,} {row.kind}" for row in rows)
    return (f"{n_medicines:,} new or changed medicines make no event: {kinds}",)
