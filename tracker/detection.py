"""Appends what the detection views find to the ledger; what is there already is left alone.

What an outcome is stands in sql/detection and sql/evidence. Each view leaves out what the ledger
holds, so that running it twice adds nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

import sqlalchemy as sa
from sqlalchemy import Connection, text

from tracker import schema, store
from tracker.loads import Progress, silent

# What several views of detection read: computed once and kept in a temporary table of the same
# name, which DuckDB finds before the view.
_SHARED = ("trial_pair", "trial_state", "pair_trial_state")
_FIND = text("create or replace temp table detected_outcome as from new_outcome limit 0")
_FOUND_IN_SLATE = text(
    "insert into detected_outcome by name from new_outcome where slate_id = :slate_id"
)
_APPEND = text(
    """
insert into outcome by name
select
    (select coalesce(max(outcome_id), 0) from outcome) + row_number() over (
        order by
            slate_id, release_id, disease_id, drug_id, outcome_type, source, event_date, detail
    ) as outcome_id,
    slate_id,
    disease_id,
    drug_id,
    outcome_type,
    event_date,
    first_public_on,
    source,
    release_id,
    detail,
    cast(:recorded_at as timestamptz) as observed_at,
    cast(:recorded_at as timestamptz) as recorded_at,
    'detected' as outcome_origin
from detected_outcome
"""
)
_COUNT = text(
    "select slate_id, outcome_type, count(*) as n_outcomes from detected_outcome "
    "group by slate_id, outcome_type order by slate_id, outcome_type"
)


@dataclass(frozen=True)
class Detected:
    """How many outcomes of a type were new for a slate."""

    slate_id: UUID
    outcome_type: str
    n_outcomes: int


def detect(
    connection: Connection, slate_ids: Sequence[UUID], *, progress: Progress = silent
) -> list[Detected]:
    """Append the outcomes that the evidence in the store shows for these slates' pairs.

    Afterwards the view new_outcome is empty for them. Returns what was added, by slate and type.
    """
    progress("resolving the evidence")
    for name in _SHARED:
        connection.exec_driver_sql("create temp table " + name + " as from main." + name)
    connection.execute(_FIND)
    for slate_id in slate_ids:
        progress(f"detecting outcomes of slate {str(slate_id)[:8]}")
        connection.execute(_FOUND_IN_SLATE, {"slate_id": str(slate_id)})
    for name in _SHARED:
        connection.exec_driver_sql("drop table temp." + name)
    connection.execute(_APPEND, {"recorded_at": store.now(connection)})
    return [Detected(*row) for row in connection.execute(_COUNT)]


def all_slates(connection: Connection) -> list[UUID]:
    """Return every slate of the store, in the order in which they were recorded."""
    slate = schema.slate
    statement = sa.select(slate.c.slate_id).order_by(slate.c.recorded_at, slate.c.slate_id)
    return list(connection.execute(statement).scalars())
