"""Estimates of the enrichment versus equally popular drugs: of tiers, of parts, and over time.

Every such figure is the ratio of one list of predictions; the view ratio_variance has what its
interval takes.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection, Row

from tracker.uncertainty.estimates.records import Estimate, adjusted, of_enrichment, query, unknown
from tracker.uncertainty.stats import stratified

METRIC, KIND_VIEW, MONTHS, SIZES = (
    *("enrichment_vs_matched", "match_kind_enrichment"),
    *("hits_by_month", "global_list"),
)
# As in stratified_ratio: above it predictions are their own baseline.
MOST_OWN_SHARE = 0.9

# The views of the primary endpoint over time and by part of the slate, and what names their rows.
PART_VIEWS: Mapping[str, tuple[str, ...]] = {
    MONTHS: ("month",),
    "enrichment_by_k": ("k",),
    "enrichment_by_knowledge": ("known_of", "least_known"),
    "enrichment_by_area": ("area",),
}
# All views of such figures.
VIEWS: Mapping[str, tuple[str, ...]] = {
    METRIC: (),
    KIND_VIEW: ("strength",),
    **PART_VIEWS,
    SIZES: ("list_size",),
}

Key = tuple[str, str, str, str]
Ratios = Mapping[Key, stratified.Ratio]

_RATIOS = (
    "stratified_ratio left join ratio_variance "
    "using (slate_id, versus, list_kind, list_name, evidence_window, population)"
)
# What names a list, what its ratio is, and what that varies by.
_LIST = ("list_kind", "list_name", "evidence_window", "population")
_FIGURE = ("ratio", "listed_hits", "s", "expected_hits")
_SPREAD = ("chance", "drugs", "diseases", "effective_drugs", "effective_diseases")
_WEAKEST = sa.text(
    "select max(strength) from shown_match_kind where slate_id = :slate_id and is_weakest"
)


def of_view(connection: Connection, slate: Row[Any], view: str, bar: float) -> Iterator[Estimate]:
    """Yield the estimates of one of the VIEWS, whose values they have, in the order of its rows.

    p values are adjusted by Holm's method over the tiers, over the sizes of a global list, and over
    the parts of one view; not over months and kinds of match, whose figures are one figure as it
    grew. Fast inside `scope.of_slates`.
    """
    key = {"slate_id": str(slate.slate_id)}
    known = ratios(connection, slate)
    weakest = connection.execute(_WEAKEST, key).scalar()
    order = ("evidence_window", "population", *(VIEWS[view] or ("tier",)))
    rows = connection.execute(query(view, ["*"], order, **key)).all()
    found = [_estimate(view, row, known.get(_list_of(view, row, weakest)), bar) for row in rows]
    if view in (MONTHS, KIND_VIEW):
        yield from found
    elif view in (METRIC, SIZES):
        for _, group in groupby(found, lambda one: (one.evidence_window, one.population)):
            yield from adjusted(group)
    else:
        yield from adjusted(found)


def ratios(connection: Connection, slate: Row[Any]) -> Ratios:
    """Return the ratios of a slate by kind and name of the list, window and population."""
    rows = ratio_rows(connection, slate_id=str(slate.slate_id), versus="none")
    return {tuple(row[:4]): ratio_of(row) for row in rows if row.ratio is not None}


def ratio_rows(connection: Connection, **key: str) -> Sequence[Row[Any]]:
    """Return rows of the view stratified_ratio with what ratio_variance has of them."""
    columns = (*_LIST, *_FIGURE, *_SPREAD)
    return connection.execute(query(_RATIOS, columns, (), **key)).all()


def ratio_of(row: Row[Any]) -> stratified.Ratio:
    """Return the ratio of a row of `ratio_rows`."""
    spread = [getattr(row, name) for name in _SPREAD]
    return stratified.Ratio(row.ratio, row.listed_hits, row.s, *spread)


def is_current(estimate: Estimate) -> bool:
    """Return whether a stored estimate is of the ratio as it is defined now.

    Until version 0.2 it was another one, whose interval is never shown beside this value.
    """
    return estimate.metric != METRIC or estimate.method in (stratified.METHOD, stratified.EXACT)


def _list_of(view: str, row: Row[Any], weakest: int | None) -> Key:
    """Return the key of the list that a row of the view is about."""
    where = (row.evidence_window, row.population)
    if view == SIZES:
        return ("size", str(row.list_size), *where)
    if view == KIND_VIEW and row.strength != weakest:
        return ("subset", row.match_kind, *where)
    if view == MONTHS and row.subset != "all":
        return ("subset", row.subset, *where)
    if view in (METRIC, KIND_VIEW, MONTHS):
        return ("tier", row.tier, *where)
    return ("part", row.part, *where)


def _estimate(view: str, row: Row[Any], ratio: stratified.Ratio | None, bar: float) -> Estimate:
    key = {
        "evidence_window": row.evidence_window,
        "population": row.population,
        # A list by rank has predictions of every tier.
        "tier": getattr(row, "tier", None),
        "row_key": {name: getattr(row, name) for name in VIEWS[view]},
    }
    if ratio is None:
        return unknown(view, METRIC, row.n_predictions, row.reason, stratified.METHOD, **key)
    return of_enrichment(
        stratified.interval(ratio, row.n_predictions),
        *(view, METRIC, row.enrichment_vs_matched),
        n_hits=row.n_hits,
        bar=bar,
        **key,
    )
