"""Estimates of a slate's figures, each with one interval clustered by drug and disease."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, Row

from tracker import schema
from tracker.figures import (
    ENTRIES,
    OF_VIEW,
    POPULATIONS,
    WINDOWS,
    Figure,
    IntervalMethod,
    Window,
    estimate_keys,
    with_interval,
)
from tracker.slates import plans
from tracker.store.state import scope
from tracker.uncertainty.estimates import lists, power, probabilities
from tracker.uncertainty.estimates.records import (
    Estimate,
    adjusted,
    append,
    estimated_pairs,
    newest,
    of_enrichment,
    of_interval,
    query,
    read_arrays,
    read_sample,
    unknown,
)
from tracker.uncertainty.stats import clustered
from tracker.uncertainty.stats.intervals import Floats, Interval

# Views with estimates outside headline_figure; those of groups such as deciles are not compared.
_COMPARED = tuple(
    entry.view
    for entry in ENTRIES
    if any(one.interval and one.interval.method != "grouped_rate" for one in entry.figures)
    and not any(one.noun for one in entry.figures)
)

_PAIR = ("is_hit", "drug_id", "disease_id")

Figures = dict[tuple[str, str, str, str], Row[Any]]
Columns = dict[str, NDArray[Any]]


@dataclass(frozen=True)
class _Cell:
    """A window, population and tier of a slate, with its predictions.

    `pairs` are the predictions of all tiers, `own` those of the tier; `rates` are the hit rates of
    breadth_baseline by kind and number of the group.
    """

    dimensions: dict[str, Any]
    pairs: Columns
    in_tier: NDArray[np.bool_]
    own: Columns
    rates: Mapping[str, Floats]


def record_slate(connection: Connection, slate: Row[Any], now: datetime) -> list[Estimate]:
    """Append the current estimates of a slate to the table estimate, and return them."""
    with scope.of_slates(connection, slate):
        found = estimate_slate(connection, slate)
    return append(connection, "slate_id", slate.slate_id, found, now)


def estimate_slate(
    connection: Connection, slate: Row[Any], values: Figures | None = None
) -> list[Estimate]:
    """Return the estimates of a slate's figures, in all windows and populations.

    The figures are those of tracker.figures that have an interval, with the values of their views.
    Where an enrichment's interval contains both 1 and the bar of the slate's plan, the reason says
    so, and n_events_needed is the number of further hits that would resolve it. p values are
    adjusted by Holm's method as the figure's entry says. `values` are the slate's headline figures
    if already read. Call it inside `scope.of_slates`.
    """
    values = values or headline_figures(connection, slate)
    tiers = [tier for tier in schema.TIERS if ("hit_rate", "all", "all", tier) in values]
    bar = plans.of_slate(slate).plan.success_bar
    pairs = {window: estimated_pairs(connection, slate, window) for window in WINDOWS}
    baseline = _baseline(connection, slate)
    estimates: list[Estimate] = []
    for window, population in product(WINDOWS, POPULATIONS):
        rates = {
            grouping: baseline[window, population, grouping] for grouping in ("decile", "cohort")
        }
        cells = list(_cells(pairs[window], window, population, (*tiers, "all"), rates))
        for figure, how in with_interval("rate", "versus_slate", "versus_expected", "gap"):
            # Tier 'all' compared with the whole slate is always 1.
            judged = cells[:-1] if how.method == "versus_slate" else cells
            estimates += adjusted(_estimate(figure, how, cell, values, bar) for cell in judged)
    ratios = lists.ratios(connection, slate)
    for figure, how in with_interval("stratified"):
        estimates += lists.of_figure(connection, slate, figure, how, bar, ratios)
    for figure, _ in with_interval("tied_rate"):
        estimates += _tied_rates(connection, slate, figure)
    estimates += probabilities.of_probabilities(connection, slate)
    for figure, how in with_interval("grouped_rate"):
        estimates += _of_groups(connection, slate, figure, how, pairs)
    return estimates


def _cells(
    pairs: Columns, window: str, population: str, tiers: Sequence[str], rates: Mapping[str, Floats]
) -> Iterator[_Cell]:
    if population == "novel":
        pairs = {name: values[pairs["is_novel"]] for name, values in pairs.items()}
    for tier in tiers:
        where = {"evidence_window": window, "population": population, "tier": tier}
        in_tier, own = np.ones(len(pairs["tier"]), dtype=np.bool_), pairs
        if tier != "all":
            in_tier = np.asarray(pairs["tier"] == tier)
            own = {name: values[in_tier] for name, values in pairs.items()}
        yield _Cell(where, pairs, in_tier, own, rates)


def stored_or_computed(
    connection: Connection, slate: Row[Any], values: Figures
) -> tuple[list[Estimate], str]:
    """Return the newest estimates of a slate, and their origin in words.

    Stored ones are used if their methods are current and `are_of` holds; else they are computed and
    not stored. `values` are the slate's headline figures. Call it inside `scope.of_slates`.
    """
    stored, computed_at = newest(connection, "slate_id", slate.slate_id)
    stored = [estimate for estimate in stored if estimate.view_name != power.VIEW]
    is_current = all(map(lists.is_current, stored)) and all(map(_is_current, stored))
    is_current = is_current and are_of(connection, slate, stored, values)
    if is_current and computed_at is not None:
        return stored, f"computed on {computed_at:%Y-%m-%d} and stored"
    found = estimate_slate(connection, slate, values)
    why = "none are stored" if not stored else "the figures have changed since any were stored"
    return found, f"computed for this report and not stored: {why}"


def _is_current(estimate: Estimate) -> bool:
    """Return whether a stored estimate of a rate has the method that rates have now.

    Until version 0.2 intervals of deciles took pairs as independent.
    """
    entry = OF_VIEW.get(estimate.view_name)
    is_rate = entry and any(
        one.name == estimate.metric and one.kind == "rate" for one in entry.figures
    )
    return not is_rate or estimate.low is None or estimate.method == clustered.RATE_METHOD


def are_of(
    connection: Connection,
    slate: Row[Any],
    stored: Sequence[Estimate],
    values: Figures | None = None,
) -> bool:
    """Return whether stored estimates cover the views' figures with the views' values.

    An earlier version may have stored none of a newer figure. Values of figures by group, such as
    deciles, are not compared.
    """
    figures = {
        (figure.view, figure.name)
        for entry in ENTRIES
        for figure in entry.figures
        if figure.interval and entry.view not in _COMPARED
    }
    if not figures <= {(one.view_name, one.metric) for one in stored}:
        return False
    values = values or headline_figures(connection, slate)
    further = {}
    for view in _COMPARED:
        if OF_VIEW[view].of_probabilities and not plans.are_probabilities(slate.plan):
            continue
        keys = ("evidence_window", "population", *estimate_keys(view))
        metrics = [one.name for one in OF_VIEW[view].figures if one.interval]
        rows = query(view, (*keys, *metrics), (), slate_id=str(slate.slate_id))
        for row in connection.execute(rows):
            for metric in metrics:
                further[view, metric, *row[: len(keys)]] = getattr(row, metric)
    own = {
        (
            one.view_name,
            one.metric,
            one.evidence_window,
            one.population,
            *(one.row_key[name] for name in estimate_keys(one.view_name)),
        ): one.value
        for one in stored
        if one.view_name in _COMPARED
    }
    return own == further and all(
        values[figure_key(one)].value == one.value
        for one in stored
        if one.view_name not in _COMPARED and not one.row_key
    )


def figure_key(estimate: Estimate) -> tuple[str, str, str, str]:
    """Return the key of an estimate's figure in the view headline_figure."""
    return (
        estimate.metric,
        estimate.evidence_window or "all",
        estimate.population or "all",
        estimate.tier or "all",
    )


def headline_figures(connection: Connection, slate: Row[Any]) -> Figures:
    """Return the rows of a slate in the view headline_figure by `figure_key`."""
    names = ("metric", "evidence_window", "population", "tier", "value", "n", "reason")
    rows = connection.execute(query("headline_figure", names, slate_id=str(slate.slate_id)))
    return {(row.metric, row.evidence_window, row.population, row.tier): row for row in rows}


def _baseline(connection: Connection, slate: Row[Any]) -> Mapping[tuple[str, str, str], Floats]:
    """Return the rates of breadth_baseline by window, population and kind, at group numbers."""
    columns = ("evidence_window", "population", "grouping_kind", "breadth_group")
    rows = query(
        "breadth_baseline", (*columns, "baseline_hit_rate"), (), slate_id=str(slate.slate_id)
    )
    rates: dict[tuple[str, str, str], Floats] = defaultdict(lambda: np.zeros(11))
    for *kind, group, rate in connection.execute(rows):
        rates[tuple(kind)][group] = rate or 0.0
    return rates


def _estimate(
    figure: Figure, how: IntervalMethod, cell: _Cell, values: Figures, bar: float
) -> Estimate:
    """Return the estimate of a figure of headline_figure."""
    window, population, tier = cell.dimensions.values()
    row = values[figure.name, window, population, tier]
    named = (figure.view, figure.name)
    if figure.kind != "rate" and row.value is None:
        return unknown(*named, row.n, row.reason, **cell.dimensions)
    interval = _interval(how, cell)
    if figure.kind != "enrichment":
        test = interval.method if figure.kind == "difference" else None
        return of_interval(interval, *named, row.value, test=test, **cell.dimensions)
    return of_enrichment(
        interval,
        *named,
        row.value,
        n_hits=int(cell.own["is_hit"].sum()),
        bar=bar,
        # n counts the tier alone; the interval of enrichment over the slate counts all its pairs.
        n=int(cell.in_tier.sum()),
        **cell.dimensions,
    )


def _interval(how: IntervalMethod, cell: _Cell) -> Interval:
    """Return the interval of a figure, and its p value where it has one."""
    hit, drug, disease = (cell.own[name] for name in _PAIR)
    if how.method == "gap":
        return clustered.score_gap(cell.own["score"], hit, drug, disease)
    if how.method == "versus_slate":
        every, drugs, diseases = (cell.pairs[name] for name in _PAIR)
        hits = every.astype(np.float64)
        return clustered.ratio(hits * cell.in_tier, hits * cell.in_tier.mean(), drugs, diseases)
    if how.grouping is not None:
        expected = cell.rates[how.grouping][cell.own[f"breadth_{how.grouping}"]]
        return clustered.ratio(hit, expected, drug, disease)
    if how.among is not None:
        among = cell.own[how.among]
        hit, drug, disease = hit[among], drug[among], disease[among]
    return clustered.hit_rate(hit, drug, disease)


def _tied_rates(connection: Connection, slate: Row[Any], figure: Figure) -> Iterator[Estimate]:
    """Yield the hit rates of global lists; predictions tied at the end of one share its places."""
    slate_id = str(slate.slate_id)
    pairs = read_sample(connection, "global_list_sample", slate_id=slate_id)
    order = ("evidence_window", "population", "list_size")
    for row in connection.execute(query(figure.view, ["*"], order, slate_id=slate_id)):
        can_be = pairs["evidence_window"] == row.evidence_window
        can_be &= pairs["population"] == row.population
        if row.n_predictions > 0:
            can_be &= pairs["score"] >= row.lowest_score
        own = {name: values[can_be] for name, values in pairs.items()}
        share = row.n_tied_listed / row.n_tied if row.n_tied else 0.0
        yield of_interval(
            clustered.hit_rate(
                *[own[name] for name in _PAIR],
                weight=np.where(own["score"] == row.lowest_score, share, 1.0),
                n_listed=row.n_predictions,
            ),
            figure.view,
            figure.name,
            row.hit_rate,
            evidence_window=row.evidence_window,
            population=row.population,
            row_key={"list_size": row.list_size},
        )


def _of_groups(
    connection: Connection,
    slate: Row[Any],
    figure: Figure,
    how: IntervalMethod,
    pairs: Mapping[Window, Columns],
) -> Iterator[Estimate]:
    """Yield the hit rates of groups of pairs, such as deciles; `pairs` are by window."""
    keys, slate_id = estimate_keys(figure.view), str(slate.slate_id)
    entered: Columns = {}
    if figure.view == "phase_success":
        names = ("population", "phase", "listed", "disease_id", "drug_id", "has_succeeded")
        entered = read_arrays(connection, query("phase_entry", names, slate_id=slate_id))
        entered["is_hit"] = entered["has_succeeded"]
    columns = (*figure.dimensions, *keys, how.trials, figure.name)
    # Scores are sorted once for all deciles.
    ties: dict[tuple[str, str], tuple[clustered.Indices, clustered.Indices]] = {}
    for row in connection.execute(query(figure.view, columns, slate_id=slate_id)):
        own = entered or pairs[row.evidence_window]
        if entered:
            share = np.asarray(own["population"] == row.population, np.float64)
        else:
            share = np.asarray(own["is_novel"] | (row.population == "all"), np.float64)
        if figure.view == "score_decile_hit_rate":
            subset = (row.evidence_window, row.population)
            if subset not in ties:
                ties[subset] = _ties(own["score"][share > 0])
            share[share > 0] = _shares(*ties[subset], row.score_decile)
        else:
            for key in keys:
                share *= own[key] == getattr(row, key)
        listed = share > 0
        trials = getattr(row, how.trials)
        yield of_interval(
            clustered.hit_rate(
                *[own[name][listed] for name in _PAIR], weight=share[listed], n_listed=trials
            ),
            figure.view,
            figure.name,
            getattr(row, figure.name),
            n=trials,
            row_key={key: getattr(row, key) for key in keys},
            **{name: getattr(row, name) for name in figure.dimensions},
        )


def _ties(score: Floats) -> tuple[clustered.Indices, clustered.Indices]:
    """Return the rank of each score among the distinct ones, from 0, and how many share each."""
    _, tied, n_tied = np.unique(score, return_inverse=True, return_counts=True)
    return tied, n_tied


def _shares(tied: clustered.Indices, n_tied: clustered.Indices, decile: int) -> Floats:
    """Return the share with which each prediction is in a decile, by score_decile_hit_rate."""
    each, extra = divmod(len(tied), 10)
    before, through = (each * number + min(number, extra) for number in (decile - 1, decile))
    up_to = np.cumsum(n_tied)
    drawn = np.minimum(through, up_to) - np.maximum(before, up_to - n_tied)
    return np.asarray((np.maximum(drawn, 0) / n_tied)[tied])
