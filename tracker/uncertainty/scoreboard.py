"""The scoreboard: the figures of slates as each refresh published them, append-only.

Each row includes the hash of the preceding row, so that the check scoreboard_chain finds edited or
removed rows.
"""

import hashlib
from collections.abc import Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection, Row, text

from tracker import schema, slates, temp_tables
from tracker.rows import Rows, rows_from
from tracker.slates import plans
from tracker.store.state import scope
from tracker.uncertainty import estimates
from tracker.uncertainty.estimates.records import query

_incoming = sa.Table(
    "incoming_scoreboard",
    sa.MetaData(),
    *[sa.Column(column.name, column.type) for column in schema.scoreboard.c],
    prefixes=["TEMPORARY"],
)

# The columns that identify a figure, and those from its estimate.
_FIGURE = ("metric", "evidence_window", "population", "tier")
_INTERVAL = ("low", "high", "level", "method")

_LAST_SHA256 = text("select row_sha256 from scoreboard order by scoreboard_id desc limit 1")


def append(
    connection: Connection,
    slate_ids: Sequence[Any],
    now: datetime,
    *,
    refresh_digest: str | None = None,
) -> int:
    """Publish the current headline figures of slates; return the number of rows added.

    It also computes estimates and appends them to the table estimate; rows have their intervals.
    `refresh_digest` identifies what a refresh ingested; updates with one count as refreshes.
    """
    n_added = 0
    chosen = [slates.find(connection, str(slate_id)) for slate_id in slate_ids]
    computed = []
    with scope.of_slates(connection, *chosen):
        for slate in chosen:
            figures = estimates.headline_figures(connection, slate)
            computed.append((slate, figures, estimates.estimate_slate(connection, slate, figures)))
    for slate, figures, estimated in computed:
        found = estimates.append(connection, "slate_id", slate.slate_id, estimated, now)
        intervals = {
            estimates.figure_key(estimate): estimate for estimate in found if not estimate.row_key
        }
        known = {"recorded_at": now, "slate_id": slate.slate_id, "refresh_digest": refresh_digest}
        rows = [
            {name: getattr(figures[key], name) for name in (*_FIGURE, "value", "n")}
            | {name: getattr(intervals.get(key), name, None) for name in _INTERVAL}
            | known
            for key in sorted(figures)
        ]
        _append_chained(connection, rows)
        n_added += len(rows)
    return n_added


def _append_chained(connection: Connection, rows: list[dict[str, Any]]) -> None:
    link = connection.execute(_LAST_SHA256).scalar() or ""
    temp_tables.recreate(connection, _incoming)
    first_id = temp_tables.next_key(connection, schema.scoreboard.c.scoreboard_id)
    for number, row in enumerate(rows, start=first_id):
        row["scoreboard_id"] = number
    connection.execute(sa.insert(_incoming), rows)
    # The view that defines the hashed line of a row is also applied to incoming rows.
    scope.store_variant(
        connection,
        "scoreboard_line",
        name="incoming_line",
        table="scoreboard",
        stand_in=_incoming.name,
    )
    lines = connection.execute(query("incoming_line", ["line"], ["scoreboard_id"])).scalars()
    for row, line in zip(rows, lines, strict=True):
        row["previous_sha256"] = link
        link = hashlib.sha256((link + line).encode()).hexdigest()
        row["row_sha256"] = link
    connection.execute(sa.insert(schema.scoreboard), rows)


def trend(
    connection: Connection,
    slate: Row[Any],
    *,
    metrics: Sequence[str] = (),
    evidence_window: str | None = None,
    population: str | None = None,
    tier: str | None = None,
) -> Rows:
    """Return a slate's figures as last published in each quarter; empty if never published.

    Without `metrics`, these are the figures in its plan's criteria. Quarters without an update are
    marked.
    """
    names = (
        "quarter_start",
        "metric",
        "evidence_window",
        "population",
        "tier",
        "n_updates",
        "recorded_at",
        "value",
        "low",
        "high",
        "n",
        "reason",
    )
    asked = {"evidence_window": evidence_window, "population": population, "tier": tier}
    shown = query(
        "scoreboard_quarter",
        names,
        (*_FIGURE, "quarter_start"),
        slate_id=str(slate.slate_id),
        **{name: value for name, value in asked.items() if value is not None},
    )
    of_plan = [
        sa.and_(*[sa.literal_column(name) == getattr(criterion, name) for name in _FIGURE])
        for criterion in plans.of_slate(slate).plan.criteria
    ]
    is_asked = sa.literal_column("metric").in_(metrics) if metrics else sa.or_(*of_plan)
    return rows_from(connection.execute(shown.where(is_asked)))
