"""Appends to the ledger the events that the evidence shows and the ledger lacks.

Events are defined in sql/detection and sql/evidence. They are facts about drugs and diseases, the
same for every slate; what they mean for a slate is a view, outcome.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy import Connection

from tracker import schema, store, temp_tables
from tracker.evidence import matching
from tracker.progress import Progress, silent
from tracker.store import catalog, statements
from tracker.store.state import kept, scope


@dataclass(frozen=True)
class Detected:
    """The number of new outcomes of a type for a slate."""

    slate_id: UUID
    outcome_type: str
    n_outcomes: int


@dataclass(frozen=True)
class Recorded:
    """The number of events that were appended to the ledger, and the instant that all bear."""

    n_events: int
    recorded_at: datetime


def summed(connection: Connection, slate_ids: Sequence[UUID], since: datetime) -> str:
    """Return a sentence on the outcomes found since an instant: their pairs, events and studies.

    Each is counted once; `detect` counts the same outcomes by slate and type.
    """
    values = {"slate_ids": [str(one) for one in slate_ids], "since": since}
    with kept.up_to_date(connection):
        total = statements.run(connection, "detected_sum", values).one()

    def count(number: int, one: str, several: str) -> str:
        return f"{number:,} {one if number == 1 else several}"

    studies = f", {count(total.n_studies, 'study', 'studies')}" if total.n_studies else ""
    return (
        f"{count(total.n_outcomes, 'new outcome', 'new outcomes')} of "
        f"{count(total.n_pairs, 'pair', 'pairs')} in {count(total.n_slates, 'slate', 'slates')}, "
        f"from {count(total.n_events, 'event', 'events')}{studies}"
    )


def corrected(connection: Connection, since: datetime) -> int:
    """Return how many events were corrected at an instant or since."""
    found = statements.run(connection, "correction_count", {"since": since})
    return int(found.scalar_one())


def corrected_words(n_corrected: int) -> str:
    """Word how many recorded approvals turned out not to be of a new entity or use."""
    noun = "FDA approval was" if n_corrected == 1 else "FDA approvals were"
    return f"{n_corrected:,} recorded {noun} corrected: not of a new molecular entity or a new use"


def record_events(connection: Connection, *, progress: Progress = silent) -> Recorded:
    """Append the events that the evidence in the store shows, for all drugs and diseases.

    Afterwards the view new_event is empty.
    """
    matching.match_texts(connection, progress=progress)
    recorded_at = store.now(connection)
    first_id = temp_tables.next_key(connection, schema.event.c.event_id)
    progress("matching the evidence")
    with scope.computed_once(connection, catalog.read_again(["new_event"])):
        statements.run(
            connection, "append_event", {"recorded_at": recorded_at, "first_id": first_id}
        )
    return Recorded(
        temp_tables.next_key(connection, schema.event.c.event_id) - first_id, recorded_at
    )


def detect(
    connection: Connection,
    slate_ids: Sequence[UUID],
    *,
    since: datetime | None = None,
    progress: Progress = silent,
) -> list[Detected]:
    """Append what the evidence shows as `record_events` does; count the outcomes by slate and type.

    Counted are outcomes of these slates that rest on an event recorded now, or since `since`, and
    all outcomes of a slate recorded since.
    """
    recorded_at = record_events(connection, progress=progress).recorded_at
    progress("counting outcomes")
    with kept.up_to_date(connection):
        counted = statements.run(connection, "detected_count", {"since": since or recorded_at})
        rows = counted.mappings().all()
    wanted = set(slate_ids)
    return [Detected(**row) for row in rows if row["slate_id"] in wanted]
