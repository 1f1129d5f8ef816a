"""Publishes figures of slates, and the verdicts on them, at an update."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection

from tracker import schema, slates
from tracker.reports import overview
from tracker.store.state import scope
from tracker.uncertainty import scoreboard


def publish(
    connection: Connection,
    slate_ids: Sequence[Any],
    now: datetime,
    *,
    refresh_digest: str | None = None,
) -> int:
    """Append slates' figures to the scoreboard, then their verdicts; return the figures added.

    `now` and `refresh_digest` are those of `scoreboard.append`.
    """
    n_added = scoreboard.append(connection, slate_ids, now, refresh_digest=refresh_digest)
    for slate_id in slate_ids:
        slate = slates.find(connection, str(slate_id))
        with scope.of_slates(connection, slate):
            found = overview.judged(connection, slate)
        connection.execute(
            sa.insert(schema.recorded_verdict),
            {
                "slate_id": slate.slate_id,
                "recorded_at": now,
                "verdict": found.facts["overall"],
                "sentence": found.sentence,
                "reasons": found.reasons,
            },
        )
    return n_added
