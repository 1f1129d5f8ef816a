"""Time to event with censoring: Kaplan-Meier curves, over pairs or over diseases.

Times are days since the freeze; a pair without an event is censored at the date of the last
release that could have shown one. At equal times events come before censoring.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from tracker.uncertainty.stats.intervals import LEVEL, Floats, Interval
from tracker.uncertainty.stats.resampling import MIN_DISEASES, MIN_WITH_HITS

# With fewer events up to a time, the interval there covers less than 93 %
# (tests/speed/coverage.py).
MIN_EVENTS = 3

_BLOCK_CELLS = 4_000_000


@dataclass(frozen=True)
class Curve:
    """A step function of time: a row for each distinct time of an event.

    The arrays have shape (n_times,). `probability` applies from the time until the next one. It is
    1 before the first and unknown after `last`, the last observation. `low` and `high` are NaN
    where there is no interval.
    """

    time: Floats
    n_at_risk: NDArray[np.int64]
    n_events: NDArray[np.int64]
    probability: Floats
    low: Floats
    high: Floats
    last: float
    level: float
    method: str
    unit: str
    n: int
    n_units: int

    def at(self, time: float) -> Interval:
        """Return the probability at a time."""
        step = int(np.searchsorted(self.time, time, side="right")) - 1
        stated = Interval(1.0, None, None, self.level, self.method, self.unit, self.n, self.n_units)
        if time > self.last:
            return replace(stated, estimate=None, reason="no observation lasts that long")
        if step < 0:
            return replace(stated, reason="no event up to then")
        stated = replace(stated, estimate=float(self.probability[step]))
        if np.isnan(self.low[step]):
            return replace(stated, reason=f"too few events or {self.unit}s with one up to then")
        return replace(stated, low=float(self.low[step]), high=float(self.high[step]))

    def median(self) -> Interval:
        """Return the first time at which survival is 0.5 or less (Brookmeyer and Crowley 1982).

        The limits are the first times at which the band's lower and upper limit are 0.5 or less;
        a limit that is not reached is None.
        """
        reached = [self._first(values) for values in (self.probability, self.low, self.high)]
        reason = None
        if reached[0] is None:
            reason = "half of the pairs have not had the event"
        elif None in reached:
            reason = "a limit is outside the observed time"
        return Interval(
            reached[0],
            reached[1],
            reached[2],
            self.level,
            self.method,
            self.unit,
            self.n,
            self.n_units,
            reason=reason,
        )

    def _first(self, values: Floats) -> float | None:
        down = np.flatnonzero(values <= 0.5)
        return float(self.time[down[0]]) if len(down) else None


def kaplan_meier(
    times: ArrayLike,
    has_event: ArrayLike,
    disease: ArrayLike | None = None,
    *,
    level: float = LEVEL,
) -> Curve:
    """Return the probability of no event yet, by Kaplan and Meier (1958), with log-log limits.

    The arrays have shape (n,); times are 0 or later, ValueError if not. Without `disease` pairs
    are independent and the variance is Greenwood's; with it whole diseases are, the variance is
    the jackknife's over diseases and the quantile Student's with n_diseases - 1 degrees of freedom.
    """
    table = _Table(times, np.asarray(has_event, dtype=np.bool_), disease)
    n_after = table.at_risk - table.events
    with np.errstate(all="ignore"):
        variance = np.cumsum(table.events / (table.at_risk * n_after))
        error = np.sqrt(variance) / np.abs(np.log(_survival(table.at_risk, table.events)))
    return _curve(table, error, level)


def _survival(at_risk: Floats, events: Floats) -> Floats:
    hazard = np.divide(events, at_risk, out=np.zeros_like(at_risk), where=at_risk > 0)
    survival: Floats = np.cumprod(1 - hazard, axis=-1)
    return survival


class _Table:
    """At each distinct time of an event, the pairs at risk and those with the event.

    `at_risk` and `events` have shape (n_times,).
    """

    def __init__(
        self, times: ArrayLike, has_event: NDArray[np.bool_], disease: ArrayLike | None
    ) -> None:
        time = np.asarray(times, dtype=np.float64)
        if time.shape != has_event.shape or time.ndim != 1:
            raise ValueError("times and events differ in shape")
        if np.any(time < 0) or not np.all(np.isfinite(time)):
            raise ValueError("a time is missing or is before the freeze")
        self.grid = np.unique(time[has_event])
        self.last = float(time.max(initial=0))
        self.n = self.n_units = len(time)
        self._n_reached = np.searchsorted(self.grid, time, side="right")
        self._has_event = has_event
        self.unit: NDArray[np.intp] | None = None
        everyone = np.zeros(len(time), dtype=np.intp)
        self.at_risk, self.events = (counts[0] for counts in self.counts(slice(None), everyone, 1))
        if disease is not None:
            units, self.unit = np.unique(np.asarray(disease), return_inverse=True)
            self.n_units = len(units)

    def by_unit(self, unit: NDArray[np.intp]) -> Iterator[tuple[Floats, Floats]]:
        """Yield both counts by unit, each of shape (some units, n_times), in blocks."""
        order = np.argsort(unit, kind="stable")
        ordered = unit[order]
        block = max(1, _BLOCK_CELLS // (len(self.grid) + 1))
        for first in range(0, self.n_units, block):
            n_units = min(block, self.n_units - first)
            begin, end = np.searchsorted(ordered, [first, first + n_units])
            yield self.counts(order[begin:end], ordered[begin:end] - first, n_units)

    def counts(
        self, rows: slice | NDArray[np.intp], unit: NDArray[np.intp], n_units: int
    ) -> tuple[Floats, Floats]:
        """Return both counts of some pairs by unit, each of shape (n_units, n_times)."""
        width = len(self.grid) + 1
        cell = unit * width + self._n_reached[rows]

        def tally(cells: NDArray[np.intp]) -> Floats:
            table = np.bincount(cells, minlength=n_units * width).reshape(n_units, width)
            return table[:, 1:].astype(np.float64)

        at_risk: Floats = np.cumsum(tally(cell)[:, ::-1], axis=1)[:, ::-1]
        return at_risk, tally(cell[self._has_event[rows]])


def _curve(table: _Table, own_error: Floats, level: float) -> Curve:
    """Return the curve with its limits; `own_error` is that of log(-log) for independent pairs."""
    method = "Kaplan-Meier"
    probability = _survival(table.at_risk, table.events)
    if table.unit is not None:
        error, is_known = _jackknife(table, table.unit)
        half = scipy.stats.t.ppf((1 + level) / 2, max(1, table.n_units - 1)) * error
        method, unit = f"{method}, log-log, jackknife over diseases", "disease"
    else:
        is_known = np.cumsum(table.events) >= MIN_EVENTS
        half = scipy.stats.norm.ppf((1 + level) / 2) * own_error
        method, unit = f"{method}, log-log", "pair"
    with np.errstate(all="ignore"):
        limits = [probability ** np.exp(sign * half) for sign in (1, -1)]
    is_known &= np.isfinite(half)
    low, high = (np.where(is_known, limit, np.nan) for limit in limits)
    return Curve(
        table.grid,
        table.at_risk.astype(np.int64),
        table.events.astype(np.int64),
        probability,
        low,
        high,
        table.last,
        level,
        method,
        unit,
        table.n,
        table.n_units,
    )


def _jackknife(table: _Table, unit: NDArray[np.intp]) -> tuple[Floats, NDArray[np.bool_]]:
    """Return the jackknife error of log(-log p) over diseases, and where it is known."""
    totals = (table.at_risk, table.events)
    n_with_event = np.zeros(len(table.grid))
    total, squares = np.zeros(len(table.grid)), np.zeros(len(table.grid))
    with np.errstate(all="ignore"):
        centre = np.log(-np.log(_survival(*totals)))
        for counts in table.by_unit(unit):
            rest = (whole - part for whole, part in zip(totals, counts, strict=True))
            shift = np.log(-np.log(_survival(*rest))) - centre
            total += shift.sum(axis=0)
            squares += (shift**2).sum(axis=0)
            n_with_event += (np.cumsum(counts[1], axis=1) > 0).sum(axis=0)
        n = max(1, table.n_units)
        variance = (n - 1) / n * (squares - total**2 / n)
        error: Floats = np.sqrt(np.maximum(variance, 0))
    is_known = (n_with_event >= MIN_WITH_HITS) & (n >= MIN_DISEASES) & np.isfinite(variance)
    return error, is_known
