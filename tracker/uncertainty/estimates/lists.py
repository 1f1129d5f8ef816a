"""Estimates of the enrichment over equally popular drugs: of tiers, of parts, and over time.

Each such figure is the ratio of one list of predictions, identified by list_number;
stats.stratified computes its interval from the views stratified_ratio and ratio_variance.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from sqlalchemy import Connection, Row

from tracker.figures import MATCHED, Figure, IntervalMethod, estimate_keys
from tracker.uncertainty.estimates.records import Estimate, adjusted, of_enrichment, query, unknown
from tracker.uncertainty.stats import stratified

# As in stratified_ratio: with a greater own_share, predictions are their own baseline.
MOST_OWN_SHARE = 0.9

# By the number of the list.
Ratios = Mapping[int, stratified.Ratio]

# Columns of stratified_ratio, then those of ratio_variance in the order of stratified.Ratio.
_FIGURE = ("list_number", "ratio", "n_listed_hits", "r", "s", "own_share")
_SPREAD = (
    "chance",
    "drugs",
    "diseases",
    "effective_drugs",
    "effective_diseases",
    "records",
    "effective_records",
)


def of_figure(
    connection: Connection,
    slate: Row[Any],
    figure: Figure,
    how: IntervalMethod,
    bar: float,
    known: Ratios,
) -> Iterator[Estimate]:
    """Yield the estimates of a stratified ratio; values are the view's.

    p values are adjusted as the figure's entry says: not over months and kinds of match, which
    repeat one figure as it grew. `known` are the `ratios` of the slate.
    """
    key = {"slate_id": str(slate.slate_id)}
    order = ("evidence_window", "population", *(estimate_keys(figure.view) or ("tier",)))
    rows = connection.execute(query(figure.view, ["*"], order, **key)).all()
    found = [_estimate(figure, how, row, known.get(row.list_number), bar) for row in rows]
    if how.adjusted_within is None:
        yield from found
    elif how.adjusted_within == "window and population":
        for _, group in groupby(found, lambda one: (one.evidence_window, one.population)):
            yield from adjusted(group)
    else:
        yield from adjusted(found)


def ratios(connection: Connection, slate: Row[Any]) -> Ratios:
    """Return the ratios of a slate's lists by list_number, without lists that have none."""
    rows = ratio_rows(connection, slate_id=str(slate.slate_id))
    return {row.list_number: ratio_of(row) for row in rows if row.ratio is not None}


def ratio_rows(
    connection: Connection,
    ratio: str = "stratified_ratio",
    variance: str = "ratio_variance",
    **key: object,
) -> Sequence[Row[Any]]:
    """Return rows of a view of ratios, joined with the view of their variances."""
    joined = f"{ratio} left join {variance} using (slate_id, list_number)"
    return connection.execute(query(joined, (*_FIGURE, *_SPREAD), (), **key)).all()


def ratio_of(row: Row[Any]) -> stratified.Ratio:
    """Return the ratio of a row of `ratio_rows`."""
    spread = [getattr(row, name) for name in _SPREAD]
    return stratified.Ratio(row.ratio, row.n_listed_hits, row.s, *spread)


def is_current(estimate: Estimate) -> bool:
    """Return whether a stored estimate is of the ratio as it is defined now.

    Until version 0.2 the endpoint was another ratio, whose interval must not be shown for this one.
    """
    return estimate.metric != MATCHED or estimate.method in (stratified.METHOD, stratified.EXACT)


def _estimate(
    figure: Figure, how: IntervalMethod, row: Row[Any], ratio: stratified.Ratio | None, bar: float
) -> Estimate:
    key = {
        "evidence_window": row.evidence_window,
        "population": row.population,
        # A list by rank has predictions of every tier.
        "tier": getattr(row, "tier", None),
        "row_key": {name: getattr(row, name) for name in estimate_keys(figure.view)},
    }
    if ratio is None:
        return unknown(
            figure.view, figure.name, row.n_predictions, row.reason, stratified.METHOD, **key
        )
    return of_enrichment(
        stratified.interval(ratio, row.n_predictions),
        figure.view,
        figure.name,
        getattr(row, figure.name),
        n_hits=getattr(row, how.hits),
        bar=bar,
        **key,
    )
