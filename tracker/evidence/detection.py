"""Appends to the ledger what the evidence shows and the ledger lacks; the rest is left alone.

Events are defined in sql/detection and sql/evidence. They are facts about drugs and diseases, the
same for every slate; what they mean for a slate is a view, outcome.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy import Connection

from tracker import store
from tracker.evidence import matching
from tracker.progress import Progress, silent
from tracker.store import catalog, filling, schema, scope, state, statements


@dataclass(frozen=True)
class Detected:
    """The number of new outcomes of a type for a slate."""

    slate_id: UUID
    outcome_type: str
    n_outcomes: int


def corrected(connection: Connection, since: datetime) -> int:
    """Return how many events were corrected since an instant, itself included."""
    found = statements.run(connection, "correction_count", {"since": since})
    return int(found.scalar_one())


def corrected_words(n_corrected: int) -> str:
    """Word how many recorded approvals are none."""
    noun = "FDA approval was" if n_corrected == 1 else "FDA approvals were"
    return f"{n_corrected:,} recorded {noun} corrected: not of a new molecular entity or a new use"


def detect(
    connection: Connection,
    slate_ids: Sequence[UUID],
    *,
    followed_since: datetime | None = None,
    progress: Progress = silent,
) -> list[Detected]:
    """Append the events that the evidence in the store shows, for all drugs and diseases.

    Afterwards the view new_event is empty. Returns the outcomes of these slates that rest on an
    event added now, and all of a slate recorded after `followed_since`, by slate and type.
    """
    matching.match_texts(connection, progress=progress)
    recorded_at = store.now(connection)
    progress("matching the evidence")
    with scope.computed_once(connection, catalog.read_again(["new_event"])):
        statements.run(
            connection,
            "append_event",
            {
                "recorded_at": recorded_at,
                "first_id": filling.next_key(connection, schema.event.c.event_id),
            },
        )
    progress("counting outcomes")
    with state.up_to_date(connection):
        counted = statements.run(
            connection,
            "detected_count",
            {"recorded_at": recorded_at, "followed_since": followed_since},
        )
        rows = counted.mappings().all()
    wanted = set(slate_ids)
    return [Detected(**row) for row in rows if row["slate_id"] in wanted]
