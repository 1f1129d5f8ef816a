"""Appends what the detection views find to the ledger and leaves existing outcomes alone.

Outcomes are defined in sql/detection and sql/evidence. Each view leaves out what is already in the
ledger, so that running it twice adds nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

import sqlalchemy as sa
from sqlalchemy import Connection

from tracker import store
from tracker.progress import Progress, silent
from tracker.store import keys, schema, scope, statements

# Views that several detection views read.
_READ_OFTEN = ("trial_pair", "trial_state", "pair_trial_state")
_NONE_YET = "create or replace temp table detected_outcome as from new_outcome limit 0"


@dataclass(frozen=True)
class Detected:
    """The number of new outcomes of a type for a slate."""

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
    with scope.computed_once(connection, _READ_OFTEN):
        connection.exec_driver_sql(_NONE_YET)
        for slate_id in slate_ids:
            progress(f"detecting outcomes of slate {str(slate_id)[:8]}")
            statements.run(connection, "found_outcome", {"slate_id": str(slate_id)})
    statements.run(
        connection,
        "append_detected_outcome",
        {
            "recorded_at": store.now(connection),
            "first_id": keys.next_key(connection, schema.outcome.c.outcome_id),
        },
    )
    return [Detected(**row) for row in statements.run(connection, "detected_count").mappings()]


def all_slates(connection: Connection) -> list[UUID]:
    """Return every slate of the store, in the order in which they were recorded."""
    slate = schema.slate
    statement = sa.select(slate.c.slate_id).order_by(slate.c.recorded_at, slate.c.slate_id)
    return list(connection.execute(statement).scalars())
