"""Bands of Kaplan-Meier curves, by the jackknife over diseases.

Times are days since the freeze; a pair without an event is censored at the date of the last
release that could have shown one. At equal times events come before censoring. The curve that
reports show is that of the view survival_curve.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

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
    n_diseases: int


def kaplan_meier(
    times: ArrayLike,
    has_event: ArrayLike,
    disease: ArrayLike,
    n_pairs: ArrayLike | None = None,
    *,
    level: float = LEVEL,
) -> Curve:
    """Return the probability of no event yet, by Kaplan and Meier (1958), with log-log limits.

    The arrays have shape (n,); times are 0 or later, ValueError if not; an element counts as often
    as `n_pairs` says, once without it. Whole diseases are independent: the variance is the
    jackknife's over diseases, the quantile Student's with n_diseases - 1 degrees of freedom. No
    interval is given with fewer than 6 diseases, or with events in fewer than 3 of them.
    """
    table = _Table(times, has_event, disease, n_pairs)
    probability = _survival(table.at_risk, table.events)
    error, n_with_event = _jackknife(table)
    half = special.stdtrit(max(1, table.n_diseases - 1), (1 + level) / 2) * error
    with np.errstate(all="ignore"):
        limits = [probability ** np.exp(sign * half) for sign in (1, -1)]
    is_finite = np.isfinite(half)
    reason = tuple(
        _reason(table.n_diseases, int(n), survival > 0, bool(finite))
        for n, survival, finite in zip(n_with_event, probability, is_finite, strict=True)
    )
    is_known = np.array([one is None for one in reason], dtype=np.bool_)
    low, high = (np.where(is_known, limit, np.nan) for limit in limits)
    return Curve(table.grid, probability, low, high, reason, table.n_diseases)


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
    survival: Floats = np.cumprod(1 - hazard, axis=-1)
    return survival


class _Table:
    """At each distinct time of an event, the pairs at risk and those with the event.

    `at_risk` and `events` have shape (n_times,).
    """

    def __init__(
        self,
        times: ArrayLike,
        has_event: ArrayLike,
        disease: ArrayLike,
        n_pairs: ArrayLike | None,
    ) -> None:
        time = np.asarray(times, dtype=np.float64)
        event = np.asarray(has_event, dtype=np.bool_)
        if time.shape != event.shape or time.ndim != 1:
            raise ValueError("times and events differ in shape")
        if np.any(time < 0) or not np.all(np.isfinite(time)):
            raise ValueError("a time is missing or is before the freeze")
        self.grid = np.unique(time[event])
        self._n_reached = np.searchsorted(self.grid, time, side="right")
        self._event = event
        self._n_pairs = np.ones(len(time)) if n_pairs is None else np.asarray(n_pairs, np.float64)
        units, self._disease = np.unique(np.asarray(disease), return_inverse=True)
        self.n_diseases = len(units)
        everyone = np.zeros(len(time), dtype=np.intp)
        self.at_risk, self.events = (counts[0] for counts in self._counts(slice(None), everyone, 1))

    def by_disease(self) -> Iterator[tuple[Floats, Floats]]:
        """Yield both counts by disease, each of shape (some diseases, n_times), in blocks."""
        order = np.argsort(self._disease, kind="stable")
        ordered = self._disease[order]
        block = max(1, _BLOCK_CELLS // (len(self.grid) + 1))
        for first in range(0, self.n_diseases, block):
            n_diseases = min(block, self.n_diseases - first)
            begin, end = np.searchsorted(ordered, [first, first + n_diseases])
            yield self._counts(order[begin:end], ordered[begin:end] - first, n_diseases)

    def _counts(
        self, rows: slice | NDArray[np.intp], unit: NDArray[np.intp], n_units: int
    ) -> tuple[Floats, Floats]:
        """Return both counts of some rows by unit, each of shape (n_units, n_times)."""
        width = len(self.grid) + 1
        cell = unit * width + self._n_reached[rows]
        weight = self._n_pairs[rows]
        event = self._event[rows]

        def tally(cells: NDArray[np.intp], weights: Floats) -> Floats:
            table = np.bincount(cells, weights, minlength=n_units * width).reshape(n_units, width)
            return table[:, 1:].astype(np.float64)

        at_risk: Floats = np.cumsum(tally(cell, weight)[:, ::-1], axis=1)[:, ::-1]
        return at_risk, tally(cell[event], weight[event])


def _jackknife(table: _Table) -> tuple[Floats, NDArray[np.int64]]:
    """Return the jackknife error of log(-log p), and the diseases with an event by each time."""
    totals = (table.at_risk, table.events)
    n_with_event = np.zeros(len(table.grid), dtype=np.int64)
    total, squares = np.zeros(len(table.grid)), np.zeros(len(table.grid))
    with np.errstate(all="ignore"):
        centre = np.log(-np.log(_survival(*totals)))
        for counts in table.by_disease():
            rest = (whole - part for whole, part in zip(totals, counts, strict=True))
            shift = np.log(-np.log(_survival(*rest))) - centre
            total += shift.sum(axis=0)
            squares += (shift**2).sum(axis=0)
            n_with_event += (np.cumsum(counts[1], axis=1) > 0).sum(axis=0)
        n = max(1, table.n_diseases)
        variance = (n - 1) / n * (squares - total**2 / n)
        error: Floats = np.sqrt(np.maximum(variance, 0))
    return error, n_with_event
