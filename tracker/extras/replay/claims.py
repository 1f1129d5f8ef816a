"""Claims that a file made of the world: which file a load was of, and the load once more."""

import os
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

import sqlalchemy as sa
from sqlalchemy import Connection, Engine

from tracker import schema, temp_tables
from tracker.errors import InputRefused
from tracker.extras.replay import stored
from tracker.slates import outcomes

_SUFFIXES = (".csv", ".tsv", ".parquet", ".jsonl", ".ndjson")
_COLUMN = b"outcome_type"
# At either end of a file: where CSV and JSON lines name their columns, and where Parquet does.
_LOOKED_AT = 1 << 16
_SAME = ("disease_id", "drug_id", "event_type", "source")


def files(paths: Sequence[Path]) -> list[Path]:
    """Return the files that may be tables of outcomes, by their names and columns."""
    return [path for path in paths if path.name.endswith(_SUFFIXES) and _has_column(path)]


def replay(engine: Engine, at: datetime, paths: Sequence[Path]) -> bool:
    """Load once more the file whose claims the store recorded at `at`; whether one is there.

    It is the one that is most like them.
    """
    likeness = [(_likeness(engine, at, path), path) for path in paths]
    greatest, path = max(likeness, key=lambda one: one[0], default=(0, Path()))
    if not greatest:
        return False
    event = schema.event
    with engine.begin() as connection:
        first_id = temp_tables.next_key(connection, event.c.event_id)
        outcomes.load(connection, path, allow_extra=True)
        loaded = event.update().where(event.c.event_id >= first_id)
        is_unclaimed = event.c.observed_at == event.c.recorded_at
        connection.execute(loaded.where(is_unclaimed).values(observed_at=at))
        connection.execute(loaded.values(recorded_at=at))
    return True


def _likeness(engine: Engine, at: datetime, path: Path) -> int:
    """Return how alike a file and the store's load are, 0 for not at all; nothing is kept."""
    with engine.connect() as connection, connection.begin() as transaction:
        first_id = temp_tables.next_key(connection, schema.event.c.event_id)
        try:
            outcomes.load(connection, path, allow_extra=True)
        except (InputRefused, OSError):
            transaction.rollback()
            return 0
        n_common = _n_common(connection, at, first_id)
        transaction.rollback()
        return n_common


def _n_common(connection: Connection, at: datetime, first_id: int) -> int:
    """Return how many claims of the load are about the same, those of the same day counted twice.

    A claim whose date was altered still shows whose file it was.
    """
    event, held = schema.event, stored.of(schema.event)
    same = [event.c[name] == held.c[name] for name in _SAME]
    number = sa.func.count(sa.distinct(held.c.event_id))
    is_same_day = event.c.event_date.is_not_distinct_from(held.c.event_date)
    common = (
        sa.select(number + number.filter(is_same_day))
        .select_from(event)
        .join(held, sa.and_(*same))
        .where(
            event.c.event_id >= first_id,
            held.c.recorded_at == at,
            held.c.event_origin != "detected",
            held.c.slate_id.is_(None),
        )
    )
    return int(connection.execute(common).scalar_one())


def _has_column(path: Path) -> bool:
    try:
        with path.open("rb") as handle:
            head = handle.read(_LOOKED_AT)
            size = handle.seek(0, os.SEEK_END)
            handle.seek(max(0, size - _LOOKED_AT))
            return _COLUMN in head or _COLUMN in handle.read()
    except OSError:
        return False
