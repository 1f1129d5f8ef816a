"""Estimates of how two slates compare: the difference of hit rates, the ratio of enrichments."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any
from uuid import UUID

import sqlalchemy as sa
from sqlalchemy import Connection, Row

from tracker.store import statements
from tracker.uncertainty.estimates import endpoint
from tracker.uncertainty.estimates.records import Estimate, adjusted, of_interval, read_arrays
from tracker.uncertainty.stats import clustered, paired, pooling

VIEW = "comparison"
DIFFERENCE, RATIO = "hit_rate_difference", "enrichment_ratio"


@dataclass(frozen=True)
class Compared:
    """A row of the view comparison with the estimates of its two figures."""

    row: Row[Any]
    difference: Estimate
    ratio: Estimate


def compare(
    connection: Connection, slates: Sequence[Row[Any]], population: str, tier: str
) -> list[Compared]:
    """Compare each of the slates with each later one that predicts for a common disease.

    Values are those of the view comparison; p values are adjusted over the pairs of slates by
    Holm's method, those of each figure on their own. Fast inside `scope.of_comparison`.
    """
    rows = [
        row
        for own, other in combinations(slates, 2)
        if (row := _row(connection, own, other, population, tier)) is not None
    ]
    found = [(row, *_estimates(connection, row)) for row in rows]
    differences = adjusted(difference for _, difference, _ in found)
    ratios = adjusted(ratio for _, _, ratio in found)
    return [
        Compared(row, difference, ratio)
        for row, difference, ratio in zip(rows, differences, ratios, strict=True)
    ]


def _row(
    connection: Connection, own: Row[Any], other: Row[Any], population: str, tier: str
) -> Row[Any] | None:
    names = connection.exec_driver_sql("from comparison limit 0").keys()
    view = sa.table(
        VIEW,
        sa.column("slate_id", sa.Uuid),
        sa.column("versus_slate_id", sa.Uuid),
        *[sa.column(name) for name in names if not name.endswith("slate_id")],
    )
    return connection.execute(
        sa.select(view).where(
            view.c.slate_id == own.slate_id,
            view.c.versus_slate_id == other.slate_id,
            view.c.population == population,
            view.c.tier == tier,
        )
    ).first()


def _estimates(connection: Connection, row: Row[Any]) -> tuple[Estimate, Estimate]:
    key = {
        "slate_id": str(row.slate_id),
        "versus_slate_id": str(row.versus_slate_id),
        "population": row.population,
        "tier": row.tier,
    }
    pairs = read_arrays(connection, statements.find("compared_pair").clause, key)
    names = ("is_hit", "is_own", "is_other", "drug_id", "disease_id")
    lists = paired.Lists.of(*[pairs[name] for name in names])
    own = _part(connection, row, row.slate_id, row.versus_slate_id)
    other = _part(connection, row, row.versus_slate_id, row.slate_id)
    return (
        _estimate(row, DIFFERENCE, paired.difference(lists), row.reason),
        _estimate(row, RATIO, paired.ratio(lists, own, other), row.ratio_reason),
    )


def _part(connection: Connection, row: Row[Any], own: UUID, other: UUID) -> pooling.Part | None:
    """Return what the enrichment of one of the lists rests on, None where nothing is expected."""
    key = endpoint.list_key(own, "common", row.population, row.tier, str(other))
    return endpoint.judge(connection, key, row.n_predictions)[1]


def _estimate(
    row: Row[Any], metric: str, compared: clustered.Compared, why_not: str | None
) -> Estimate:
    """Return the estimate of a figure of the view; `why_not` is why it has no value there."""
    value = getattr(row, metric)
    interval = compared.interval
    if value is None:
        interval = replace(interval, low=None, high=None, reason=why_not)
    estimate = of_interval(
        interval,
        *(VIEW, metric, value),
        population=row.population,
        row_key={
            "slate_id": str(row.slate_id),
            "versus_slate_id": str(row.versus_slate_id),
            "tier": row.tier,
        },
    )
    if value is None:
        return estimate
    return replace(estimate, p_value=compared.p_value, test=interval.method)
