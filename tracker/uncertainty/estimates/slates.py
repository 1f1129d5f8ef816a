"""Estimates of a slate's figures.

Rates, enrichments and gaps have one interval each, clustered by drug and by disease, and the p
value of the same statistic; deciles have the exact interval.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

import numpy as np
import sqlalchemy as sa
from numpy.typing import NDArray
from sqlalchemy import Connection, Row

from tracker.metrics import METRICS, POPULATIONS, WINDOWS
from tracker.slates import plans
from tracker.store import schema, scope
from tracker.uncertainty import stats
from tracker.uncertainty.estimates import global_lists, parts, power, probabilities
from tracker.uncertainty.estimates.matched import (
    MatchedCounts,
    are_by_match_kind,
    by_match_kind,
    estimated_pairs,
)
from tracker.uncertainty.estimates.records import (
    Estimate,
    adjusted,
    append,
    newest,
    of_compared,
    of_interval,
    read_arrays,
)
from tracker.uncertainty.stats import clustered, matched

# How each enrichment versus popularity measures popularity.
_GROUPINGS = {
    "enrichment_vs_popularity": "decile",
    "enrichment_vs_popularity_tie_safe": "cohort",
}

# The views of hit rates by decile, and the column that numbers the deciles.
DECILES = {
    "score_decile_hit_rate": "score_decile",
    "breadth_decile_hit_rate": "breadth_decile",
}

# What rates, enrichments and gaps read of a prediction.
_COUNTED = (
    *("disease_id", "drug_id", "is_hit", "has_any_outcome", "score"),
    *("breadth_decile", "breadth_cohort"),
)

Figures = dict[tuple[str, str, str, str], Row[Any]]
Columns = dict[str, NDArray[Any]]


@dataclass(frozen=True)
class _Cell:
    """A window, a population and a tier of the slate, and its predictions.

    `pairs` are those of all tiers, `own` those of the tier.
    """

    evidence_window: str
    population: str
    tier: str
    pairs: Columns
    in_tier: NDArray[np.bool_]
    own: Columns

    @property
    def dimensions(self) -> dict[str, Any]:
        return {
            "evidence_window": self.evidence_window,
            "population": self.population,
            "tier": self.tier,
        }


def record_slate(connection: Connection, slate: Row[Any], now: datetime) -> list[Estimate]:
    """Append the current estimates of a slate to the table estimate, and return them."""
    with scope.of_slates(connection, slate):
        found = estimate_slate(connection, slate)
    append(connection, "slate_id", slate.slate_id, found, now)
    return found


def estimate_slate(connection: Connection, slate: Row[Any]) -> list[Estimate]:
    """Return the estimates of a slate's figures, of both windows and populations.

    Values are those of the views headline_figure, match_kind_enrichment, global_list, of
    parts.PART_VIEWS and DECILES and, of a slate that declares probabilities, brier_score, log_score
    and reliability_bin. Where an enrichment's interval contains both 1 and the bar of the slate's
    plan, the reason states so and n_events_needed is the number of further hits that would resolve
    it. p values are adjusted by Holm's method over the tiers, over the sizes of global lists, and
    over the parts of the slate. Fast inside `scope.of_slates`.
    """
    figures = headline_figures(connection, slate)
    tiers = [tier for tier in schema.TIERS if ("hit_rate", "all", "all", tier) in figures]
    bar = plans.of_slate(slate).plan.success_bar
    pairs = estimated_pairs(connection, slate)
    baseline = _baseline(connection, slate)
    counts = MatchedCounts(connection, slate, pairs)
    estimates: list[Estimate] = []
    for window in WINDOWS:
        for population in POPULATIONS:
            cells = list(_cells(pairs, window, population, (*tiers, "all")))
            estimates += _proportions(cells, figures)
            estimates += adjusted(_versus_matched(cells, figures, counts, bar))
            estimates += adjusted(_versus_random(cells, figures, bar))
            for metric in _GROUPINGS:
                estimates += adjusted(_versus_popularity(metric, cells, figures, baseline, bar))
            estimates += adjusted(_score_gaps(cells, figures))
    estimates += by_match_kind(connection, slate, counts, bar)
    estimates += parts.of_parts(connection, slate, counts, bar)
    estimates += global_lists.of_lists(connection, slate, bar)
    estimates += probabilities.of_probabilities(connection, slate)
    return estimates + list(_deciles(connection, slate))


def _cells(
    pairs: Mapping[str, Columns], window: str, population: str, tiers: Sequence[str]
) -> Iterator[_Cell]:
    columns = {name: pairs[window][name] for name in ("tier", *_COUNTED)}
    if population == "novel":
        columns = {name: values[pairs[window]["is_novel"]] for name, values in columns.items()}
    for tier in tiers:
        in_tier, own = np.ones(len(columns["tier"]), dtype=np.bool_), columns
        if tier != "all":
            in_tier = np.asarray(columns["tier"] == tier)
            own = {name: columns[name][in_tier] for name in _COUNTED}
        yield _Cell(window, population, tier, columns, in_tier, own)


def stored_or_computed(connection: Connection, slate: Row[Any]) -> tuple[list[Estimate], str]:
    """Return the newest estimates of a slate, and their origin in words.

    Stored ones are used where every figure and global list still equals the view's (score
    deciles are not compared); else they are computed here and not stored. Fast inside
    `scope.of_slates`.
    """
    stored, computed_at = newest(connection, "slate_id", slate.slate_id)
    stored = [estimate for estimate in stored if estimate.view_name != power.VIEW]
    figures = headline_figures(connection, slate)
    is_current = (
        global_lists.are_of(connection, slate, stored)
        and are_by_match_kind(connection, slate, stored)
        and probabilities.are_of(connection, slate, stored)
        and parts.are_by_part(connection, slate, stored)
        and all(
            estimate.row_key
            or estimate.view_name in probabilities.METRICS
            or figures[figure_key(estimate)].value == estimate.value
            for estimate in stored
        )
    )
    if is_current and computed_at is not None:
        return stored, f"computed on {computed_at:%Y-%m-%d} and stored"
    found = estimate_slate(connection, slate)
    why = "none are stored" if not stored else "the figures have changed since any were stored"
    return found, f"computed for this report and not stored: {why}"


def figure_key(estimate: Estimate) -> tuple[str, str, str, str]:
    """Return the key of an estimate's figure in the view headline_figure."""
    return (
        estimate.metric,
        estimate.evidence_window or "all",
        estimate.population or "all",
        estimate.tier or "all",
    )


def headline_figures(connection: Connection, slate: Row[Any]) -> Figures:
    """Return the rows of the view headline_figure of a slate by their keys, as figure_key's."""
    names = ("metric", "evidence_window", "population", "tier", "value", "n", "reason")
    view = sa.table(
        "headline_figure", sa.column("slate_id", sa.Uuid), *[sa.column(name) for name in names]
    )
    rows = connection.execute(
        sa.select(*[view.c[name] for name in names]).where(view.c.slate_id == slate.slate_id)
    )
    return {(row.metric, row.evidence_window, row.population, row.tier): row for row in rows}


def _baseline(connection: Connection, slate: Row[Any]) -> Columns:
    names = ("evidence_window", "population", "grouping_kind", "breadth_group")
    view = sa.table(
        "breadth_baseline",
        sa.column("slate_id", sa.Uuid),
        *[sa.column(name) for name in (*names, "baseline_hit_rate")],
    )
    query = sa.select(*[view.c[name] for name in (*names, "baseline_hit_rate")])
    return read_arrays(connection, query.where(view.c.slate_id == slate.slate_id))


def _unknown(view: str, figure: Row[Any], cell: _Cell) -> Estimate:
    """Return the estimate of a figure that is unknown in its view."""
    return Estimate(
        view_name=view,
        metric=figure.metric,
        value=None,
        n=figure.n,
        level=stats.LEVEL,
        method="two-way clustered",
        unit="drug and disease",
        reason=figure.reason,
        **cell.dimensions,
    )


def _figure(figures: Figures, metric: str, cell: _Cell) -> Row[Any]:
    return figures[metric, cell.evidence_window, cell.population, cell.tier]


def _proportions(cells: Sequence[_Cell], figures: Figures) -> Iterator[Estimate]:
    """Yield hit rates, and precision proxies among the pairs with an outcome."""
    for metric in ("hit_rate", "precision_proxy"):
        for cell in cells:
            counted = [cell.own[name] for name in ("is_hit", "drug_id", "disease_id")]
            if metric == "precision_proxy":
                counted = [values[cell.own["has_any_outcome"]] for values in counted]
            interval = clustered.hit_rate(*counted)
            yield of_interval(
                interval,
                *(METRICS[metric].view, metric, _figure(figures, metric, cell).value),
                **cell.dimensions,
            )


def _versus_matched(
    cells: Sequence[_Cell], figures: Figures, counts: MatchedCounts, bar: float
) -> Iterator[Estimate]:
    metric = "enrichment_vs_matched"
    for cell in cells:
        figure = _figure(figures, metric, cell)
        # With a reason beside a value, the predictions are their own baseline.
        if figure.value is None or figure.reason is not None:
            yield replace(_unknown(metric, figure, cell), value=figure.value)
            continue
        world = counts.world(cell.evidence_window, cell.population, cell.tier)
        compared = matched.rate_ratio(figure.value, world)
        yield _enrichment(compared, metric, figure, cell, bar)


def _versus_random(cells: Sequence[_Cell], figures: Figures, bar: float) -> Iterator[Estimate]:
    metric = "enrichment_vs_random"
    for cell in cells:
        # All pairs of the slate compared with themselves give 1 whatever happened.
        if cell.tier == "all":
            continue
        figure = _figure(figures, metric, cell)
        if figure.value is None:
            yield _unknown(metric, figure, cell)
            continue
        hit = cell.pairs["is_hit"].astype(np.float64)
        compared = clustered.ratio(
            hit * cell.in_tier,
            hit * cell.in_tier.mean(),
            cell.pairs["drug_id"],
            cell.pairs["disease_id"],
        )
        yield _enrichment(compared, metric, figure, cell, bar)


def _versus_popularity(
    metric: str, cells: Sequence[_Cell], figures: Figures, baseline: Columns, bar: float
) -> Iterator[Estimate]:
    grouping = _GROUPINGS[metric]
    for cell in cells:
        figure = _figure(figures, metric, cell)
        if figure.value is None:
            yield _unknown(METRICS[metric].view, figure, cell)
            continue
        wanted = (
            (baseline["evidence_window"] == cell.evidence_window)
            & (baseline["population"] == cell.population)
            & (baseline["grouping_kind"] == grouping)
        )
        rate = np.zeros(11)
        rate[baseline["breadth_group"][wanted]] = np.ma.filled(
            baseline["baseline_hit_rate"][wanted], 0.0
        )
        compared = clustered.ratio(
            cell.own["is_hit"],
            rate[cell.own[f"breadth_{grouping}"]],
            cell.own["drug_id"],
            cell.own["disease_id"],
        )
        yield _enrichment(compared, metric, figure, cell, bar)


def _score_gaps(cells: Sequence[_Cell], figures: Figures) -> Iterator[Estimate]:
    metric = "score_gap"
    for cell in cells:
        figure = _figure(figures, metric, cell)
        if figure.value is None:
            yield _unknown(METRICS[metric].view, figure, cell)
            continue
        compared = clustered.score_gap(
            *[cell.own[name] for name in ("score", "is_hit", "drug_id", "disease_id")]
        )
        estimate = of_interval(
            compared.interval, METRICS[metric].view, metric, figure.value, **cell.dimensions
        )
        yield replace(estimate, p_value=compared.p_value, test=compared.interval.method)


def _enrichment(
    compared: clustered.Compared, metric: str, figure: Row[Any], cell: _Cell, bar: float
) -> Estimate:
    return of_compared(
        compared,
        *(METRICS[metric].view, metric, figure.value),
        n_hits=int(cell.own["is_hit"].sum()),
        bar=bar,
        # Of the tier, whatever it was compared with.
        n=int(cell.in_tier.sum()),
        **cell.dimensions,
    )


def _deciles(connection: Connection, slate: Row[Any]) -> Iterator[Estimate]:
    """Yield the exact intervals of hit rates by decile of the score, and of the breadth."""
    for view_name, decile in DECILES.items():
        is_by_score = view_name == "score_decile_hit_rate"
        hits = "tie_mean_hits" if is_by_score else "n_hits"
        names = ("evidence_window", "population", decile, "n_predictions", hits, "hit_rate")
        view = sa.table(
            view_name, sa.column("slate_id", sa.Uuid), *[sa.column(name) for name in names]
        )
        rows = connection.execute(
            sa.select(*[view.c[name] for name in names])
            .where(view.c.slate_id == slate.slate_id)
            .order_by(*[view.c[name] for name in names[:3]])
        )
        for row in rows:
            yield of_interval(
                stats.clopper_pearson(getattr(row, hits), row.n_predictions),
                *(view_name, "hit_rate", row.hit_rate),
                evidence_window=row.evidence_window,
                population=row.population,
                row_key={decile: getattr(row, decile)},
            )
