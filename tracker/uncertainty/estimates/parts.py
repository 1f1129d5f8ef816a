"""Estimates of the primary endpoint over time and by part of the slate."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection, Row

from tracker.uncertainty import stats
from tracker.uncertainty.estimates.matched import METRIC, MatchedCounts
from tracker.uncertainty.estimates.records import Estimate, of_compared
from tracker.uncertainty.stats import matched

# The views of such figures, and the columns that name a row of each.
PART_VIEWS: Mapping[str, tuple[str, ...]] = {
    "hits_by_month": ("month",),
    "enrichment_by_k": ("k",),
    "enrichment_by_knowledge": ("known_of", "least_known"),
    "enrichment_by_area": ("area",),
}
_MONTHS = "hits_by_month"


def of_parts(
    connection: Connection, slate: Row[Any], counts: MatchedCounts, bar: float
) -> list[Estimate]:
    """Return the estimates of the views PART_VIEWS, in the order of their rows.

    p values are adjusted by Holm's method over the rows of a view, but not over months, whose
    figures are one figure as it grew.
    """
    found: list[Estimate] = []
    for view in PART_VIEWS:
        of_view = list(_of_view(connection, slate, view, counts, bar))
        if view != _MONTHS:
            p_values = stats.holm([one.p_value for one in of_view])
            of_view = [replace(one, p_adjusted=p) for one, p in zip(of_view, p_values, strict=True)]
        found += of_view
    return found


def are_by_part(connection: Connection, slate: Row[Any], stored: Iterable[Estimate]) -> bool:
    """Return whether stored estimates have the rows of PART_VIEWS, with their values."""
    values = {
        (view, *(getattr(row, name) for name in keys)): row.enrichment_vs_matched
        for view, keys in PART_VIEWS.items()
        for row in _rows(connection, slate, view)
    }
    return values == {
        (one.view_name, *(one.row_key[name] for name in PART_VIEWS[one.view_name])): one.value
        for one in stored
        if one.view_name in PART_VIEWS
    }


def _of_view(
    connection: Connection, slate: Row[Any], view: str, counts: MatchedCounts, bar: float
) -> Iterator[Estimate]:
    for row in _rows(connection, slate, view):
        row_key = {name: getattr(row, name) for name in PART_VIEWS[view]}
        key = {
            "evidence_window": row.evidence_window,
            "population": row.population,
            # A list by rank has predictions of every tier.
            "tier": getattr(row, "tier", None),
            "row_key": row_key,
        }
        value = row.enrichment_vs_matched
        # With a reason beside a value, the predictions are their own baseline.
        if value is None or row.reason is not None:
            yield Estimate(
                view_name=view,
                metric=METRIC,
                value=value,
                n=row.n_predictions,
                level=stats.LEVEL,
                method="two-way clustered",
                unit="drug and disease",
                reason=row.reason,
                **key,
            )
            continue
        world = _world(counts, view, row)
        yield of_compared(
            matched.rate_ratio(value, world),
            *(view, METRIC, value),
            n_hits=row.n_hits,
            bar=bar,
            n=row.n_predictions,
            **key,
        )


def _world(counts: MatchedCounts, view: str, row: Row[Any]) -> matched.World:
    dimensions = (row.evidence_window, row.population)
    if view != _MONTHS:
        return counts.world(*dimensions, row.part)
    until = None if row.subset == "all" else row.ends_on
    return counts.world(*dimensions, row.tier, row.subset, until=until)


def _rows(connection: Connection, slate: Row[Any], view: str) -> Sequence[Row[Any]]:
    keys: list[sa.ColumnElement[Any]] = [sa.literal_column(name) for name in PART_VIEWS[view]]
    return connection.execute(
        sa.select(sa.text("*"))
        .select_from(sa.table(view))
        .where(sa.column("slate_id", sa.Uuid) == slate.slate_id)
        .order_by(*keys)
    ).all()
