"""Takes outcomes from files back: a further row says that one no longer counts, and why."""

from dataclasses import dataclass
from datetime import date
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection, Row

from tracker import schema, store
from tracker.entities import keys_of
from tracker.entities.kinds import DISEASE, DRUG
from tracker.errors import InputRefused

_LONGEST_REASON = 500


@dataclass(frozen=True)
class Annulled:
    """An outcome that was taken back; `is_new` is false if it had been before, for its reason."""

    outcome_id: int
    annulled_on: date
    reason: str
    is_new: bool


def require_reason(reason: str) -> str:
    """Return a reason without spaces around it; InputRefused unless every page can show it."""
    reason = reason.strip()
    if not reason:
        raise InputRefused("the reason cannot be empty")
    if len(reason) > _LONGEST_REASON:
        raise InputRefused(f"the reason is longer than {_LONGEST_REASON} characters")
    if not reason.isprintable():
        raise InputRefused("the reason contains a line end or another control character")
    return reason


def annul(connection: Connection, outcome_id: int, reason: str) -> Annulled:
    """Append that an outcome from a file counts no longer; one annulled before stays as it is.

    Raises InputRefused for an outcome that the store lacks, or that was detected in evidence, and
    for a reason that is empty, long or not printable.
    """
    event, annulment = schema.event, schema.annulment
    reason = require_reason(reason)
    found = connection.execute(sa.select(event).where(event.c.event_id == outcome_id)).first()
    if found is None:
        raise InputRefused(f"the store has no outcome {outcome_id}; see 'tracker outcome list'")
    if found.event_origin == "detected":
        raise InputRefused(
            f"outcome {outcome_id} was detected in evidence, not loaded from a file: what "
            "its source corrects, the next release shows"
        )
    earlier = connection.execute(
        sa.select(annulment).where(annulment.c.event_id == outcome_id)
    ).first()
    if earlier is not None:
        return Annulled(outcome_id, earlier.annulled_at.date(), earlier.reason, is_new=False)
    now = store.now(connection)
    connection.execute(
        annulment.insert(), {"event_id": outcome_id, "reason": reason, "annulled_at": now}
    )
    return Annulled(outcome_id, now.date(), reason, is_new=True)


def find(
    connection: Connection,
    slate: Row[Any],
    drug: str,
    disease: str,
    *,
    outcome_type: str | None = None,
    event_date: date | None = None,
) -> int:
    """Return the number of the one outcome from a file that a slate has of a pair.

    `drug` and `disease` are names or identifiers. Raises InputRefused where there is none or
    several.
    """
    event = schema.event
    (drug_id,) = keys_of(connection, DRUG, [drug])
    (disease_id,) = keys_of(connection, DISEASE, [disease])
    wanted = {"event_type": outcome_type, "event_date": event_date}
    found = connection.execute(
        sa.select(event)
        .where(
            event.c.event_origin != "detected",
            event.c.drug_id == drug_id,
            event.c.disease_id == disease_id,
            sa.or_(event.c.slate_id.is_(None), event.c.slate_id == slate.slate_id),
            *[event.c[name] == value for name, value in wanted.items() if value is not None],
        )
        .order_by(event.c.event_id)
    ).all()
    if not found:
        raise InputRefused(
            f"slate {str(slate.slate_id)[:8]} has no such outcome of '{drug}' and '{disease}' from "
            "a file; see 'tracker outcome list'"
        )
    if len(found) > 1:
        listed = ", ".join(
            f"{one.event_id} ({one.event_type}, {one.event_date or 'undated'})" for one in found
        )
        raise InputRefused(f"several outcomes are meant, name one by its number: {listed}")
    return int(found[0].event_id)
