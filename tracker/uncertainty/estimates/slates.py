"""Estimates of a slate's figures.

Rates have Wilson's interval and the bootstrap over diseases, enrichments and gaps the bootstrap,
score deciles the exact interval.
"""

from collections.abc import Iterator, Sequence
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
from tracker.uncertainty.estimates import power
from tracker.uncertainty.estimates.records import (
    REPLICATES_UNSTORED,
    SEED,
    Estimate,
    append,
    newest,
    of_interval,
    read_arrays,
)

# How each enrichment versus popularity measures popularity.
_GROUPINGS = {
    "enrichment_vs_popularity": "decile",
    "enrichment_vs_popularity_tie_safe": "cohort",
}

# So many draws of a disease in all; a slate of 22,000 diseases gets a thousand replicates.
_MOST_DRAWS = 22_000_000
_FEWEST_REPLICATES = 1_000

Counts = NDArray[np.int64]
Figures = dict[tuple[str, str, str, str], Row[Any]]


@dataclass(frozen=True)
class _Cell:
    """A window, a population and a tier of the slate, and how to draw from it."""

    evidence_window: str
    population: str
    tier: str
    seed: int
    n_replicates: int

    @property
    def dimensions(self) -> dict[str, Any]:
        return {
            "evidence_window": self.evidence_window,
            "population": self.population,
            "tier": self.tier,
        }

    @property
    def drawing(self) -> dict[str, int]:
        return {"seed": self.seed, "n_replicates": self.n_replicates}


def record_slate(
    connection: Connection, slate: Row[Any], now: datetime, *, seed: int = SEED
) -> list[Estimate]:
    """Append the current estimates of a slate to the table estimate, and return them."""
    with scope.of_slates(connection, slate):
        found = estimate_slate(connection, slate, seed=seed)
    append(connection, "slate_id", slate.slate_id, found, now)
    return found


def estimate_slate(
    connection: Connection,
    slate: Row[Any],
    *,
    seed: int = SEED,
    most_replicates: int = stats.N_REPLICATES,
) -> list[Estimate]:
    """Return the estimates of a slate's figures, of both windows and populations.

    Values are those of the views headline_figure and score_decile_hit_rate. Where an enrichment's
    interval contains both 1 and the bar of the slate's plan, the reason states so and
    n_events_needed is the number of further hits that would resolve it. p values are adjusted over
    the tiers by Holm's method. Fast inside `scope.of_slates`.
    """
    figures = headline_figures(connection, slate)
    tiers = [tier for tier in schema.TIERS if ("hit_rate", "all", "all", tier) in figures]
    bar = plans.of_slate(slate).plan.success_bar
    counts = _SlateCounts(connection, slate)
    n_replicates = min(
        most_replicates, max(_FEWEST_REPLICATES, _MOST_DRAWS // max(1, counts.n_diseases))
    )
    estimates: list[Estimate] = []
    for window in WINDOWS:
        for population in POPULATIONS:
            cells = [
                _Cell(window, population, tier, seed, n_replicates) for tier in (*tiers, "all")
            ]
            estimates += _proportions(cells, figures, counts)
            estimates += _adjusted(_versus_random(cells, figures, counts, bar))
            for metric in _GROUPINGS:
                estimates += _adjusted(_versus_popularity(metric, cells, figures, counts, bar))
            estimates += _adjusted(_score_gaps(connection, slate, cells, figures))
    return estimates + list(_deciles(connection, slate))


def stored_or_computed(connection: Connection, slate: Row[Any]) -> tuple[list[Estimate], str]:
    """Return the newest estimates of a slate, and their origin in words.

    Stored ones are used where every headline figure still equals the view's (score deciles are not
    compared); else they are computed here, with the default seed and fewer replicates, and not
    stored. Fast inside `scope.of_slates`.
    """
    stored, computed_at = newest(connection, "slate_id", slate.slate_id)
    stored = [estimate for estimate in stored if estimate.view_name != power.VIEW]
    figures = headline_figures(connection, slate)
    is_current = bool(stored) and all(
        estimate.row_key or figures[figure_key(estimate)].value == estimate.value
        for estimate in stored
    )
    if is_current and computed_at is not None:
        return stored, f"computed on {computed_at:%Y-%m-%d} and stored"
    found = estimate_slate(connection, slate, most_replicates=REPLICATES_UNSTORED)
    why = "none are stored" if not stored else "the figures have changed since any were stored"
    return found, f"computed for this report with seed {SEED} and not stored: {why}"


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


class _SlateCounts:
    """The views' counts by disease as arrays; a disease is a position in them."""

    def __init__(self, connection: Connection, slate: Row[Any]) -> None:
        self._connection, self._slate = connection, slate
        self._tiers = self._read(
            "disease_tier_count",
            *("evidence_window", "population", "tier", "disease_id"),
            *("n_predictions", "n_with_any_outcome", "n_hits"),
        )
        self.diseases = np.unique(self._tiers["disease_id"])
        self.n_diseases = len(self.diseases)
        self._groups: dict[str, dict[str, NDArray[Any]]] = {}

    def by_disease(self, cell: _Cell, tier: str, column: str) -> Counts:
        """Return a count of the cell's window and population by disease, for a tier or all."""
        return self._spread(self._tiers, cell, tier, column)

    def by_group(self, view: str, cell: _Cell, grouping: str, column: str) -> Counts:
        """Return a count by disease and breadth group, of shape (n_diseases, 10)."""
        tier = cell.tier if view != "disease_breadth_count" else "all"
        return self._spread(self._of_view(view, grouping), cell, tier, column, by_group=True)

    def _of_view(self, view: str, grouping: str) -> dict[str, NDArray[Any]]:
        key = f"{view} {grouping}"
        if key not in self._groups:
            columns = {
                "breadth_prediction_count": ("population", "tier", "n_predictions"),
                "breadth_hit_count": ("evidence_window", "population", "tier", "n_hits"),
                "disease_breadth_count": (
                    *("evidence_window", "population"),
                    *("n_candidates", "n_candidate_hits"),
                ),
            }[view]
            self._groups[key] = self._read(
                view, "disease_id", "breadth_group", *columns, grouping=grouping
            )
        return self._groups[key]

    def _read(
        self, view: str, *columns: str, grouping: str | None = None
    ) -> dict[str, NDArray[Any]]:
        table = sa.table(
            view,
            sa.column("slate_id", sa.Uuid),
            sa.column("grouping_kind"),
            *[sa.column(name) for name in columns],
        )
        query = sa.select(*[table.c[name] for name in columns]).where(
            table.c.slate_id == self._slate.slate_id
        )
        if grouping is not None:
            query = query.where(table.c.grouping_kind == grouping)
        return read_arrays(self._connection, query)

    def _spread(
        self,
        rows: dict[str, NDArray[Any]],
        cell: _Cell,
        tier: str,
        column: str,
        *,
        by_group: bool = False,
    ) -> Counts:
        wanted = rows["population"] == cell.population
        if "evidence_window" in rows:
            wanted &= rows["evidence_window"] == cell.evidence_window
        if "tier" in rows and tier != "all":
            wanted &= rows["tier"] == tier
        place = np.searchsorted(self.diseases, rows["disease_id"][wanted])
        counts = rows[column][wanted]
        if not by_group:
            return np.bincount(place, counts, self.n_diseases).astype(np.int64)
        place = place * 10 + rows["breadth_group"][wanted] - 1
        spread = np.bincount(place, counts, self.n_diseases * 10).astype(np.int64)
        return spread.reshape(self.n_diseases, 10)


def _unknown(view: str, figure: Row[Any], cell: _Cell, method: str) -> Estimate:
    """Return the estimate of a figure that is unknown in its view."""
    return Estimate(
        view_name=view,
        metric=figure.metric,
        value=None,
        n=figure.n,
        level=stats.LEVEL,
        method=method,
        unit="disease",
        reason=figure.reason,
        **cell.dimensions,
    )


def _proportions(
    cells: Sequence[_Cell], figures: Figures, counts: _SlateCounts
) -> Iterator[Estimate]:
    """Yield hit rates and precision proxies: Wilson's interval, then the disease bootstrap."""
    for metric, over in (("hit_rate", "n_predictions"), ("precision_proxy", "n_with_any_outcome")):
        view = METRICS[metric].view
        for cell in cells:
            figure = figures[metric, cell.evidence_window, cell.population, cell.tier]
            hits = counts.by_disease(cell, cell.tier, "n_hits")
            total = counts.by_disease(cell, cell.tier, over)
            is_nonempty = total > 0
            yield of_interval(
                stats.wilson(int(hits.sum()), int(total.sum())),
                *(view, metric, figure.value),
                **cell.dimensions,
            )
            yield of_interval(
                stats.hit_rate(hits[is_nonempty], total[is_nonempty], **cell.drawing),
                *(view, metric, figure.value),
                **cell.dimensions,
            )


def _versus_random(
    cells: Sequence[_Cell], figures: Figures, counts: _SlateCounts, bar: float
) -> Iterator[Estimate]:
    metric = "enrichment_vs_random"
    for cell in cells:
        # All pairs of the slate compared with themselves give 1 whatever happened.
        if cell.tier == "all":
            continue
        figure = figures[metric, cell.evidence_window, cell.population, cell.tier]
        if figure.value is None:
            yield _unknown(metric, figure, cell, "disease bootstrap")
            continue
        table = [
            counts.by_disease(cell, tier, column)
            for tier in (cell.tier, "all")
            for column in ("n_hits", "n_predictions")
        ]
        is_nonempty = table[3] > 0
        table = [column[is_nonempty] for column in table]
        interval = stats.enrichment_vs_random(*table, **cell.drawing)
        test = stats.permutation(*table, seed=cell.seed, n_permutations=cell.n_replicates)
        yield _tested(
            _unresolved(
                of_interval(interval, metric, metric, figure.value), interval, table[0], bar
            ),
            test,
            cell,
        )


def _versus_popularity(
    metric: str, cells: Sequence[_Cell], figures: Figures, counts: _SlateCounts, bar: float
) -> Iterator[Estimate]:
    view, grouping = METRICS[metric].view, _GROUPINGS[metric]
    for cell in cells:
        figure = figures[metric, cell.evidence_window, cell.population, cell.tier]
        if figure.value is None:
            yield _unknown(view, figure, cell, "disease bootstrap")
            continue
        hits = counts.by_disease(cell, cell.tier, "n_hits")
        predictions, group_hits, candidates, candidate_hits = (
            counts.by_group(name, cell, grouping, column)
            for name, column in (
                ("breadth_prediction_count", "n_predictions"),
                ("breadth_hit_count", "n_hits"),
                ("disease_breadth_count", "n_candidates"),
                ("disease_breadth_count", "n_candidate_hits"),
            )
        )
        interval = stats.enrichment_vs_popularity(
            hits, predictions, candidates, candidate_hits, **cell.drawing
        )
        test = stats.permutation(
            *(group_hits.ravel(), predictions.ravel()),
            *(candidate_hits.ravel(), candidates.ravel()),
            seed=cell.seed,
            n_permutations=cell.n_replicates,
        )
        yield _tested(
            _unresolved(of_interval(interval, view, metric, figure.value), interval, hits, bar),
            test,
            cell,
        )


def _score_gaps(
    connection: Connection, slate: Row[Any], cells: Sequence[_Cell], figures: Figures
) -> Iterator[Estimate]:
    metric = "score_gap"
    names = ("evidence_window", "tier", "is_novel", "is_hit", "score", "disease_id")
    view = sa.table(
        "pair_outcome", sa.column("slate_id", sa.Uuid), *[sa.column(name) for name in names]
    )
    window = cells[0].evidence_window
    pairs = read_arrays(
        connection,
        sa.select(*[view.c[name] for name in names]).where(
            view.c.slate_id == slate.slate_id, view.c.evidence_window == window
        ),
    )
    for cell in cells:
        figure = figures[metric, cell.evidence_window, cell.population, cell.tier]
        if figure.value is None:
            yield _unknown(METRICS[metric].view, figure, cell, "disease bootstrap")
            continue
        wanted = pairs["is_novel"] | (cell.population == "all")
        if cell.tier != "all":
            wanted &= pairs["tier"] == cell.tier
        is_hit, score = pairs["is_hit"][wanted], pairs["score"][wanted]
        diseases, place = np.unique(pairs["disease_id"][wanted], return_inverse=True)

        def total(
            values: NDArray[Any],
            where: NDArray[np.bool_],
            place: NDArray[np.intp] = place,
            n_diseases: int = len(diseases),
        ) -> NDArray[Any]:
            return np.bincount(place[where], values[where], n_diseases)

        one = np.ones(len(score))
        interval = stats.score_gap(
            *(total(score, is_hit), total(one, is_hit)),
            *(total(score, ~is_hit), total(one, ~is_hit)),
            **cell.drawing,
        )
        yield _tested(
            of_interval(interval, METRICS[metric].view, metric, figure.value),
            stats.van_elteren(score, is_hit, place),
            cell,
        )


def _deciles(connection: Connection, slate: Row[Any]) -> Iterator[Estimate]:
    names = ("evidence_window", "population", "score_decile", "n_predictions", "n_hits", "hit_rate")
    view = sa.table(
        "score_decile_hit_rate",
        sa.column("slate_id", sa.Uuid),
        *[sa.column(name) for name in names],
    )
    rows = connection.execute(
        sa.select(*[view.c[name] for name in names])
        .where(view.c.slate_id == slate.slate_id)
        .order_by(*[view.c[name] for name in names[:3]])
    )
    for row in rows:
        yield of_interval(
            stats.clopper_pearson(row.n_hits, row.n_predictions),
            *("score_decile_hit_rate", "hit_rate", row.hit_rate),
            evidence_window=row.evidence_window,
            population=row.population,
            row_key={"score_decile": row.score_decile},
        )


def _unresolved(estimate: Estimate, interval: stats.Interval, hits: Counts, bar: float) -> Estimate:
    """Mark an enrichment whose interval contains both 1 and the bar as not resolvable."""
    if interval.low is None or interval.high is None:
        return estimate
    if not (interval.low <= 1 and interval.high >= bar):
        return estimate
    n_needed = stats.further_events(interval, bar, int(hits.sum()))
    how_many = "" if n_needed is None else f"; about {n_needed:,} further hits would resolve it"
    reason = f"not resolvable yet: the interval contains both 1 and {bar:g}{how_many}"
    return replace(estimate, n_events_needed=n_needed, reason=reason)


def _tested(estimate: Estimate, test: stats.Significance, cell: _Cell) -> Estimate:
    """Add a test's p value, and the cell's dimensions."""
    return replace(estimate, p_value=test.p_value, test=test.method, **cell.dimensions)


def _adjusted(estimates: Iterator[Estimate]) -> list[Estimate]:
    """Adjust the p values of the tiers for their number; tier 'all' is not a further test."""
    found = list(estimates)
    tiers = [estimate for estimate in found if estimate.tier != "all"]
    overall = [replace(e, p_adjusted=e.p_value) for e in found if e.tier == "all"]
    adjusted = stats.holm([estimate.p_value for estimate in tiers])
    return [
        replace(estimate, p_adjusted=p) for estimate, p in zip(tiers, adjusted, strict=True)
    ] + overall
