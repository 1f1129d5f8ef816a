"""Estimates of the enrichment versus equally popular drugs: of tiers, of parts, and over time.

Every such figure is the ratio of one list of predictions; the view ratio_variance has what its
interval takes.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection, Row

from tracker.figures import Figure, IntervalMethod, estimate_keys
from tracker.uncertainty.estimates.records import Estimate, adjusted, of_enrichment, query, unknown
from tracker.uncertainty.stats import stratified

METRIC = "enrichment_vs_matched"
# As in stratified_ratio: above it predictions are their own baseline.
MOST_OWN_SHARE = 0.9

Key = tuple[str, str, str, str]
Ratios = Mapping[Key, stratified.Ratio]

_RATIOS = (
    "stratified_ratio left join ratio_variance "
    "using (slate_id, versus, list_kind, list_name, evidence_window, population)"
)
# What names a list, what its ratio is, and what that varies by.
_LIST = ("list_kind", "list_name", "evidence_window", "population")
_FIGURE = ("ratio", "n_listed_hits", "s", "expected_hits")
_SPREAD = (
    *("chance", "drugs", "diseases", "effective_drugs", "effective_diseases"),
    *("records", "effective_records"),
)
_WEAKEST = sa.text(
    "select max(strength) from shown_match_kind where slate_id = :slate_id and is_weakest"
)


def of_figure(
    connection: Connection, slate: Row[Any], figure: Figure, how: IntervalMethod, bar: float
) -> Iterator[Estimate]:
    """Yield the estimates of a stratified ratio, whose values are the view's, in its rows' order.

    p values are adjusted as the figure's entry says: not over months and kinds of match, which are
    one figure as it grew. Fast inside `scope.of_slates`.
    """
    key = {"slate_id": str(slate.slate_id)}
    known = ratios(connection, slate)
    weakest = connection.execute(_WEAKEST, key).scalar()
    order = ("evidence_window", "population", *(estimate_keys(figure.view) or ("tier",)))
    rows = connection.execute(query(figure.view, ["*"], order, **key)).all()
    found = [_estimate(figure, how, row, known.get(_list_of(row, weakest)), bar) for row in rows]
    if how.adjusted_within is None:
        yield from found
    elif how.adjusted_within == "window and population":
        for _, group in groupby(found, lambda one: (one.evidence_window, one.population)):
            yield from adjusted(group)
    else:
        yield from adjusted(found)


def ratios(connection: Connection, slate: Row[Any]) -> Ratios:
    """Return the ratios of a slate by kind and name of the list, window and population."""
    rows = ratio_rows(connection, slate_id=str(slate.slate_id), versus="none")
    return {
        tuple(row[:4]): ratio_of(row)
        for row in rows
        if row.ratio is not None and row.list_kind != "unskilled"
    }


def ratio_rows(connection: Connection, **key: str) -> Sequence[Row[Any]]:
    """Return rows of the view stratified_ratio with what ratio_variance has of them."""
    columns = (*_LIST, *_FIGURE, *_SPREAD)
    return connection.execute(query(_RATIOS, columns, (), **key)).all()


def ratio_of(row: Row[Any]) -> stratified.Ratio:
    """Return the ratio of a row of `ratio_rows`."""
    spread = [getattr(row, name) for name in _SPREAD]
    return stratified.Ratio(row.ratio, row.n_listed_hits, row.s, *spread)


def is_current(estimate: Estimate) -> bool:
    """Return whether a stored estimate is of the ratio as it is defined now.

    Until version 0.2 it was another one, whose interval is never shown beside this value.
    """
    return estimate.metric != METRIC or estimate.method in (stratified.METHOD, stratified.EXACT)


def _list_of(row: Row[Any], weakest: int | None) -> Key:
    """Return the key of the list that a row of a view is about."""
    where = (row.evidence_window, row.population)
    if hasattr(row, "list_size"):
        return ("size", str(row.list_size), *where)
    if hasattr(row, "strength") and row.strength != weakest:
        return ("subset", row.match_kind, *where)
    if getattr(row, "study_setting", "plan") != "plan":
        return ("subset", row.study_setting, *where)
    if getattr(row, "weighting", "none") != "none":
        return ("subset", row.weighting, *where)
    if hasattr(row, "subset") and row.subset != "all":
        return ("subset", row.subset, *where)
    if hasattr(row, "nearness"):
        # A class is the population of its list.
        return ("tier", row.tier, row.evidence_window, row.nearness)
    if hasattr(row, "part"):
        return ("part", row.part, *where)
    return ("failure" if hasattr(row, "failure_rate") else "tier", row.tier, *where)


def _estimate(
    figure: Figure,
    how: IntervalMethod,
    row: Row[Any],
    ratio: stratified.Ratio | None,
    bar: float,
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
        *(figure.view, figure.name, getattr(row, figure.name)),
        n_hits=getattr(row, how.hits),
        bar=bar,
        **key,
    )
