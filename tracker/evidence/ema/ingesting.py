"""Ingests EMA's table of medicines: each product stored when it is new or changed."""

from collections.abc import Sequence
from datetime import date
from pathlib import Path

from sqlalchemy import Connection

from tracker import schema
from tracker.errors import InputRefused
from tracker.evidence import release_ledger
from tracker.evidence.ema import reading as ema
from tracker.evidence.snapshots import LocatedFile, Snapshots
from tracker.progress import Progress, silent
from tracker.store import statements


def ingest_ema(
    connection: Connection,
    paths: Sequence[Path],
    *,
    released_on: date | None = None,
    progress: Progress = silent,
) -> list[release_ledger.Ingested]:
    """Store the products of EMA's table of medicines that are new or changed.

    Each of `paths` is a release, and they are stored in the order of their dates, then of their
    names. The date is `released_on`, which is for one file, else the one that the file states, else
    that of its name. A product that a complete table lacks has vanished. Raises InputRefused or
    ProblemsFound naming file, row and column. The same content adds nothing, unless another date is
    stated: then it repeats an earlier release.
    """
    if released_on is not None and len(paths) > 1:
        raise InputRefused("one release date cannot be that of several files")
    progress("hashing")
    sources = [ema.locate(path) for path in paths]
    if len(sources) > 1:
        sources.sort(key=lambda one: (ema.stated_date(one) or date.max, one.path.name, one.sha256))
    return [_ingested(connection, source, released_on, progress) for source in sources]


def _ingested(
    connection: Connection, source: LocatedFile, released_on: date | None, progress: Progress
) -> release_ledger.Ingested:
    stored = release_ledger.find_same(connection, "ema", source.sha256)
    stated = released_on or (None if stored is None else ema.stated_date(source))
    if stored is not None and stated not in (None, stored.released_on):
        stored = release_ledger.find_same(connection, "ema", source.sha256, released_on=stated)
    if stored is not None:
        return stored
    return _SNAPSHOTS.store(
        connection, source, lambda: ema.stage(connection, source), released_on, progress
    )


def _left_out_notes(connection: Connection, release_id: int) -> tuple[str, ...]:
    """Word how many of the products that a release added make no event, by what they are."""
    rows = statements.run(connection, "left_out_medicine_count", {"release_id": release_id}).all()
    if not rows:
        return ()
    n_medicines = sum(row.n_medicines for row in rows)
    kinds = ", ".join(f"{row.n_medicines:,} {row.kind}" for row in rows)
    return (f"{n_medicines:,} new or changed medicines make no event: {kinds}",)


_SNAPSHOTS = Snapshots(
    source="ema",
    publisher="EMA",
    records="medicines",
    stem="medicine",
    new={"new_medicine": schema.medicine.c.medicine_id},
    tables=("medicine",),
    parts=("medicine_substance", "medicine_area"),
    notes_of=_left_out_notes,
)
