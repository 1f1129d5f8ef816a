"""Bands of Kaplan-Meier curves, by the jackknife over diseases.

Times are days since the freeze; a pair without an event is censored at the date of the last
release that could have shown one. At equal times events come before censoring. The curve that
reports show is that of the view survival_curve.
"""

from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from tracker.uncertainty.stats.intervals import LEVEL, Floats
from tracker.uncertainty.stats.resampling import MIN_DISEASES, MIN_WITH_HITS

SURVIVAL_METHOD = "Kaplan-Meier, log-log, jackknife over diseases"

_BLOCK_CELLS = 4_000_000


@dataclass(frozen=True)
class Curve:
    """A step function of time: a row for each distinct time of an event.

    The arrays have shape (n_times,). `probability`, of no event yet, applies from the time until
    the next one. `low` and `high` are NaN where there is no interval, and `reason` says why.
    """

    time: Floats
    probability: Floats
    low: Floats
    high: Floats
    reason: tuple[str | None, ...]


def kaplan_meier(
    times: ArrayLike, has_event: ArrayLike, disease: ArrayLike, n_pairs: ArrayLike | None = None
) -> Curve:
    """Return the probability of no event yet, by Kaplan and Meier (1958), with log-log limits.

    The arrays have shape (n,); times are 0 or later, ValueError if not; an element counts as often
    as `n_pairs` says, once without it. Whole diseases are independent: the variance is the
    jackknife's over diseases, the quantile Student's with n_diseases - 1 degrees of freedom. No
    interval is given with fewer than 6 diseases, or with events in fewer than 3 of them.
    """
    time, event = np.asarray(times, dtype=np.float64), np.asarray(has_event, dtype=np.bool_)
    if time.shape != event.shape or time.ndim != 1:
        raise ValueError("times and events differ in shape")
    if np.any(time < 0) or not np.all(np.isfinite(time)):
        raise ValueError("a time is missing or is before the freeze")
    weight = np.ones(len(time)) if n_pairs is None else np.asarray(n_pairs, np.float64)
    units, unit = np.unique(np.asarray(disease), return_inverse=True)
    grid = np.unique(time[event])
    order = np.argsort(unit, kind="stable")
    reached = np.searchsorted(grid, time, side="right")
    pairs = _Pairs(unit[order], reached[order], event[order], weight[order], len(grid))
    probability, error, n_with_event = _jackknife(pairs, len(units))
    half = scipy.special.stdtrit(max(1, len(units) - 1), (1 + LEVEL) / 2) * error
    with np.errstate(all="ignore"):
        limits = [probability ** np.exp(sign * half) for sign in (1, -1)]
    reason = tuple(
        _reason(len(units), int(n), survival > 0, bool(is_finite))
        for n, survival, is_finite in zip(n_with_event, probability, np.isfinite(half), strict=True)
    )
    is_known = np.array([one is None for one in reason], dtype=np.bool_)
    low, high = (np.where(is_known, limit, np.nan) for limit in limits)
    return Curve(grid, probability, low, high, reason)


def _reason(n_diseases: int, n_with_event: int, is_open: bool, is_finite: bool) -> str | None:
    if n_diseases < MIN_DISEASES:
        return f"fewer than {MIN_DISEASES} diseases"
    if n_with_event < MIN_WITH_HITS:
        return f"events in fewer than {MIN_WITH_HITS} diseases by then"
    if not is_open:
        return "every pair followed so long has had its event"
    return None if is_finite else "one disease alone has pairs without an event by then"


def _survival(at_risk: Floats, events: Floats) -> Floats:
    hazard = np.divide(events, at_risk, out=np.zeros_like(at_risk), where=at_risk > 0)
    return np.asarray(np.cumprod(1 - hazard, axis=-1))


@dataclass(frozen=True)
class _Pairs:
    """Pairs in the order of their diseases, numbered from 0; the arrays have shape (n,).

    `reached` is how many of the `n_times` distinct times of an event a pair was followed to.
    """

    disease: NDArray[np.intp]
    reached: NDArray[np.intp]
    event: NDArray[np.bool_]
    weight: Floats
    n_times: int

    def counts(self, first: int, end: int, *, together: bool = False) -> list[Floats]:
        """Return the pairs at risk and those with an event at each time, of diseases first to end.

        By disease, of shape (end - first, n_times), or (1, n_times) of all `together`.
        """
        rows = slice(*np.searchsorted(self.disease, [first, end]))
        shape = (1 if together else end - first, self.n_times + 1)
        row = 0 if together else self.disease[rows] - first
        cell, event = row * shape[1] + self.reached[rows], self.event[rows]
        weight = self.weight[rows]
        followed, events = (
            np.bincount(cells, weights, shape[0] * shape[1]).reshape(shape)[:, 1:]
            for cells, weights in ((cell, weight), (cell[event], weight[event]))
        )
        at_risk = np.cumsum(followed[:, ::-1], axis=1)[:, ::-1]
        return [at_risk.astype(np.float64), events.astype(np.float64)]


def _jackknife(pairs: _Pairs, n: int) -> tuple[Floats, Floats, NDArray[np.int64]]:
    """Return p, the jackknife error of log(-log p), and the diseases with an event by each time."""
    every = pairs.counts(0, n, together=True)
    probability = _survival(*every)[0]
    n_with_event = np.zeros(pairs.n_times, dtype=np.int64)
    total, squares = np.zeros(pairs.n_times), np.zeros(pairs.n_times)
    block = max(1, _BLOCK_CELLS // (pairs.n_times + 1))
    with np.errstate(all="ignore"):
        centre = np.log(-np.log(probability))
        for first in range(0, n, block):
            counts = pairs.counts(first, min(first + block, n))
            rest = (whole - part for whole, part in zip(every, counts, strict=True))
            shift = np.log(-np.log(_survival(*rest))) - centre
            total += shift.sum(axis=0)
            squares += (shift**2).sum(axis=0)
            n_with_event += (np.cumsum(counts[1], axis=1) > 0).sum(axis=0)
        variance = (n - 1) / max(1, n) * (squares - total**2 / max(1, n))
    return probability, np.sqrt(np.maximum(variance, 0)), n_with_event
