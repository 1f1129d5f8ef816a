"""Estimates that compare two slates: the difference of hit rates and the ratio of enrichments."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from sqlalchemy import Connection, Row

from tracker.uncertainty.estimates import endpoint
from tracker.uncertainty.estimates.records import (
    Estimate,
    adjusted,
    of_interval,
    query,
    read_sample,
)
from tracker.uncertainty.stats import Interval, paired, pooling

VIEW = "comparison"
_LISTS = endpoint.Views(
    "comparison_ratio", "comparison_variance", "comparison_influence", "comparison_hit_influence"
)
VIEWS_READ = (VIEW, "comparison_prediction", "comparison_disease", "comparison_hit", *_LISTS)
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
    """Compare each slate with each later one in the order given, where the view comparison does.

    Values are the view's; p values of each figure are adjusted over the pairs of slates by Holm's
    method. Fast inside `scope.of_comparison`.
    """
    found = []
    for own, other in combinations(slates, 2):
        key = {
            "slate_id": str(own.slate_id),
            "versus_slate_id": str(other.slate_id),
            "population": population,
            "tier": tier,
        }
        row = connection.execute(query(VIEW, ["*"], (), **key)).first()
        if row is not None:
            found.append((row, *_estimates(connection, row, key)))
    differences = adjusted(difference for _, difference, _ in found)
    ratios = adjusted(ratio for _, _, ratio in found)
    return [
        Compared(row, difference, ratio)
        for (row, *_), difference, ratio in zip(found, differences, ratios, strict=True)
    ]


def _estimates(
    connection: Connection, row: Row[Any], key: dict[str, str]
) -> tuple[Estimate, Estimate]:
    pairs = read_sample(connection, "compared_pair", **key)
    names = ("is_hit", "is_own", "is_other", "drug_id", "disease_id")
    lists = paired.Lists.of(*[pairs[name] for name in names])
    swapped = {"slate_id": key["versus_slate_id"], "versus_slate_id": key["slate_id"]}
    own, other = (_pooled(connection, row, one) for one in (key, key | swapped))
    return (
        _estimate(row, DIFFERENCE, paired.difference(lists), row.reason, key),
        _estimate(row, RATIO, paired.ratio(lists, own, other), row.ratio_reason, key),
    )


def _pooled(connection: Connection, row: Row[Any], key: dict[str, str]) -> pooling.Part | None:
    """Return the list with this key in comparison_list as part of a pool, None if it has none."""
    number = connection.execute(query("comparison_list", ["list_number"], (), **key)).scalar_one()
    return endpoint.judge(connection, _LISTS, key["slate_id"], number, row.n_predictions)[1]


def _estimate(
    row: Row[Any], metric: str, interval: Interval, why_not: str | None, key: dict[str, str]
) -> Estimate:
    """Return the estimate of a figure of the view; `why_not` is the view's reason for no value."""
    value = getattr(row, metric)
    if value is None:
        interval = interval.without(why_not)
    test = None if value is None else interval.method
    row_key = {name: key[name] for name in ("slate_id", "versus_slate_id", "tier")}
    return of_interval(
        interval, VIEW, metric, value, population=row.population, row_key=row_key, test=test
    )
