"""The scoreboard: what each refresh published of a slate, appended and never edited.

Each row includes the hash of the preceding row, so that the check scoreboard_chain finds a row that
was edited or removed.
"""

import hashlib
from collections.abc import Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection, Row, text

from tracker import slates
from tracker.rows import Rows, rows_from
from tracker.slates import plans
from tracker.store import catalog, filling, keys, schema, scope
from tracker.uncertainty import estimates

_incoming = sa.Table(
    "incoming_scoreboard",
    sa.MetaData(),
    *[sa.Column(column.name, column.type) for column in schema.scoreboard.c],
    prefixes=["TEMPORARY"],
)

_FIGURES = text(
    """
select metric, evidence_window, population, tier, value, n
from headline_figure
where slate_id = :slate_id
order by metric, evidence_window, population, tier
"""
)

_LINES = text("select scoreboard_id, line from incoming_line order by scoreboard_id")

_LAST_SHA256 = text("select row_sha256 from scoreboard order by scoreboard_id desc limit 1")


def append(
    connection: Connection,
    slate_ids: Sequence[Any],
    now: datetime,
    *,
    refresh_digest: str | None = None,
) -> int:
    """Publish the current headline figures of slates; return the number of rows added.

    Estimates are computed, appended to the table estimate, and supply the rows' intervals.
    `refresh_digest` identifies what a refresh ingested; updates with one count as refreshes.
    """
    n_added = 0
    for slate_id in slate_ids:
        slate = slates.find(connection, str(slate_id))
        found = estimates.record_slate(connection, slate, now)
        intervals = {
            estimates.figure_key(estimate): estimate for estimate in found if not estimate.row_key
        }
        with scope.of_slates(connection, slate):
            figures = connection.execute(_FIGURES, {"slate_id": str(slate.slate_id)}).all()
        rows = []
        for figure in figures:
            key = (figure.metric, figure.evidence_window, figure.population, figure.tier)
            interval = intervals.get(key)
            rows.append(
                {
                    **figure._mapping,
                    "recorded_at": now,
                    "slate_id": slate.slate_id,
                    "low": interval.low if interval else None,
                    "high": interval.high if interval else None,
                    "level": interval.level if interval else None,
                    "method": interval.method if interval else None,
                    "refresh_digest": refresh_digest,
                }
            )
        _append_chained(connection, rows)
        n_added += len(rows)
    return n_added


def _append_chained(connection: Connection, rows: list[dict[str, Any]]) -> None:
    link = connection.execute(_LAST_SHA256).scalar() or ""
    filling.recreate(connection, _incoming)
    first_id = keys.next_key(connection, schema.scoreboard.c.scoreboard_id)
    for number, row in enumerate(rows, start=first_id):
        row["scoreboard_id"] = number
    connection.execute(sa.insert(_incoming), rows)
    views = {view.name: view for view in catalog.read_views()}
    # The view that defines a row's line is applied to incoming rows, too.
    catalog.store_variant(
        connection,
        views["scoreboard_line"],
        name="incoming_line",
        table="scoreboard",
        stand_in=_incoming.name,
    )
    lines = {line.scoreboard_id: line.line for line in connection.execute(_LINES)}
    for row in rows:
        row["previous_sha256"] = link
        link = hashlib.sha256((link + lines[row["scoreboard_id"]]).encode()).hexdigest()
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
    """Return a slate's figures by quarter, as last published in each; empty if none ever were.

    Without `metrics`, the figures its plan has criteria for. A quarter without an update is marked.
    """
    names = (
        *("quarter_start", "metric", "evidence_window", "population", "tier", "n_updates"),
        *("recorded_at", "value", "low", "high", "n", "reason"),
    )
    view = sa.table(
        "scoreboard_quarter",
        sa.column("slate_id", sa.Uuid),
        *[sa.column(name) for name in names],
    )
    shown = sa.and_(
        *[
            view.c[name] == value
            for name, value in (
                ("evidence_window", evidence_window),
                ("population", population),
                ("tier", tier),
            )
            if value is not None
        ],
        view.c.metric.in_(metrics) if metrics else _of_plan(view, plans.of_slate(slate).plan),
    )
    query = (
        sa.select(*[view.c[name] for name in names])
        .where(view.c.slate_id == slate.slate_id, shown)
        .order_by(*[view.c[name] for name in names[1:5]], view.c.quarter_start)
    )
    return rows_from(connection.execute(query))


def _of_plan(view: sa.TableClause, plan: plans.Plan) -> sa.ColumnElement[bool]:
    return sa.or_(
        *[
            sa.and_(
                *[
                    view.c[name] == getattr(criterion, name)
                    for name in ("metric", "evidence_window", "population", "tier")
                ]
            )
            for criterion in plan.criteria
        ]
    )
