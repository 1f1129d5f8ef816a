"""Pointwise limits of Kaplan-Meier curves, clustered by drug and disease.

A pair without an event is censored at the date of the last release that could have shown one. At
equal times events come before censoring. Reports show the curve of the view survival_curve.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tracker.uncertainty.stats import clustered
from tracker.uncertainty.stats.clustered import Indices
from tracker.uncertainty.stats.intervals import Floats
from tracker.uncertainty.stats.resampling import MIN_DISEASES, MIN_WITH_HITS

SURVIVAL_METHOD = "Kaplan-Meier, two-way clustered, Korn-Graubard"

_BLOCK_CELLS = 4_000_000


@dataclass(frozen=True)
class Curve:
    """A step function of time, with an entry for each distinct time of an event.

    The arrays have shape (n_times,). `probability`, of no event yet, holds from its time until the
    next. `low` and `high` are NaN where there is no interval, and `reason` says why.
    """

    time: Floats
    probability: Floats
    low: Floats
    high: Floats
    reason: tuple[str | None, ...]


def kaplan_meier(
    times: ArrayLike, has_event: ArrayLike, drug: ArrayLike, disease: ArrayLike
) -> Curve:
    """Return the probability of no event yet, by Kaplan and Meier (1958), with its limits.

    The arrays have shape (n,); times are finite and 0 or more, in any unit; ValueError if not. The
    curve is linearised by the infinitesimal jackknife, and influences are added up by drug and by
    disease as those of a rate, which they are without censoring. No interval is given with fewer
    than 6 diseases, before events in 3 of them, or once the probability is 0.
    """
    drugs, diseases, time, has = clustered.pairs(drug, disease, times, has_event)
    event = has > 0
    if np.any(time < 0) or not np.all(np.isfinite(time)):
        raise ValueError("a time is missing or is before the freeze")
    grid = np.unique(time[event])
    pairs = _Pairs.of(np.searchsorted(grid, time, side="right"), event, len(grid))
    probability: Floats = np.cumprod(1 - pairs.events / pairs.at_risk).astype(np.float64)
    squares, numbers, n_with_event = [], [], np.zeros(len(grid), dtype=np.int64)
    for cluster in (drugs, diseases):
        found, n_with_event = pairs.squares_of(cluster)
        squares.append(found)
        numbers.append(clustered.effective_number(np.bincount(cluster).astype(np.float64)))
    spread = clustered.added_up(pairs.own_squares(), squares, numbers)
    # Influences are on log(probability).
    spread = spread._replace(variance=probability**2 * spread.variance)
    n_diseases = int(diseases.max(initial=-1)) + 1
    reason = tuple(
        _reason(n_diseases, int(n), survival > 0)
        for n, survival in zip(n_with_event, probability, strict=True)
    )
    is_known = np.array([one is None for one in reason], dtype=np.bool_)
    limits = clustered.rate_limits(probability, len(time), spread)
    low, high = (np.where(is_known, limit, np.nan) for limit in limits)
    return Curve(grid, probability, low, high, reason)


def _reason(n_diseases: int, n_with_event: int, is_open: bool) -> str | None:
    if n_diseases < MIN_DISEASES:
        return f"fewer than {MIN_DISEASES} diseases"
    if n_with_event < MIN_WITH_HITS:
        return f"events in fewer than {MIN_WITH_HITS} diseases by then"
    return None if is_open else "every pair followed so long has had its event"


@dataclass(frozen=True)
class _Pairs:
    """Pairs, each with the number of distinct times of an event to which it was followed.

    `reached`, that number, and `event` have shape (n,); `at_risk` and `events`, the numbers of
    pairs at risk and with an event at each time, have shape (n_times,). The influence of a pair on
    log(probability) at a time is the sum of `step` over the times until then at which it was at
    risk, less `drop` at the time of its event.
    """

    reached: Indices
    event: NDArray[np.bool_]
    at_risk: Floats
    events: Floats

    @classmethod
    def of(cls, reached: Indices, event: NDArray[np.bool_], n_times: int) -> "_Pairs":
        at_risk, events = _counts(np.zeros_like(reached), reached, event, (1, n_times))
        return cls(reached, event, at_risk[0], events[0])

    @property
    def drop(self) -> Floats:
        """1 / (at risk - events) at each time, 0 where every pair at risk has its event."""
        rest = self.at_risk - self.events
        return np.divide(1.0, rest, out=np.zeros_like(rest), where=rest > 0)

    @property
    def step(self) -> Floats:
        return np.where(self.drop > 0, self.drop - 1 / self.at_risk, 0.0)

    def squares_of(self, cluster: Indices) -> tuple[Floats, NDArray[np.int64]]:
        """Return by time the clusters' sum of squared influences and how many had an event.

        `cluster` has shape (n,) and numbers the clusters from 0.
        """
        n_times = len(self.at_risk)
        order = np.argsort(cluster, kind="stable")
        ordered, reached, event = cluster[order], self.reached[order], self.event[order]
        squares, n_with_event = np.zeros(n_times), np.zeros(n_times, dtype=np.int64)
        n = int(cluster.max(initial=-1)) + 1
        block = max(1, _BLOCK_CELLS // (n_times + 1))
        for first in range(0, n, block):
            end = min(first + block, n)
            rows = slice(*np.searchsorted(ordered, [first, end]))
            at_risk, events = _counts(
                ordered[rows] - first, reached[rows], event[rows], (end - first, n_times)
            )
            influence = np.cumsum(at_risk * self.step - events * self.drop, axis=1)
            squares += (influence**2).sum(axis=0)
            n_with_event += (np.cumsum(events, axis=1) > 0).sum(axis=0)
        return squares, n_with_event

    def own_squares(self) -> Floats:
        """Return the sum of squared influences of single pairs by time."""
        n_times = len(self.at_risk)
        followed = np.concatenate([[0.0], np.cumsum(self.step)])
        ended = followed[self.reached]
        ended[self.event] -= self.drop[self.reached[self.event] - 1]
        settled = np.cumsum(np.bincount(self.reached, ended**2, n_times + 1))
        n_open = len(self.reached) - np.cumsum(np.bincount(self.reached, minlength=n_times + 1))
        return np.asarray((settled + n_open * followed**2)[1:])


def _counts(
    row: Indices, reached: Indices, event: NDArray[np.bool_], shape: tuple[int, int]
) -> tuple[Floats, Floats]:
    """Return how many pairs are at risk and how many have an event, by row and time."""
    n_rows, n_times = shape
    cell = row * (n_times + 1) + reached
    followed, events = (
        np.bincount(cells, minlength=n_rows * (n_times + 1)).reshape(n_rows, -1)[:, 1:]
        for cells in (cell, cell[event])
    )
    at_risk = np.cumsum(followed[:, ::-1], axis=1)[:, ::-1]
    return at_risk.astype(np.float64), events.astype(np.float64)
