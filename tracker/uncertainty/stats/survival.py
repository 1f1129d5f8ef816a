"""Time to event with censoring: Kaplan-Meier, Aalen-Johansen, log-rank.

Times are days since the freeze; a pair without an event is censored at the date of the last
release that could have shown one. At equal times events come before censoring.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from tracker.uncertainty.stats.intervals import LEVEL, Floats, Interval
from tracker.uncertainty.stats.resampling import MIN_DISEASES, MIN_WITH_HITS
from tracker.uncertainty.stats.significance import Significance

# With fewer events up to a time, the interval there covers less than 93 %
# (tests/speed/coverage.py).
MIN_EVENTS = 3

_BLOCK_CELLS = 4_000_000

# Maps pairs at risk, events of interest and of any kind, (..., n_times), to a probability.
Probability = Callable[[Floats, Floats, Floats], Floats]


@dataclass(frozen=True)
class Curve:
    """A step function of time: a row for each distinct time of an event of interest.

    The arrays have shape (n_times,). `probability` applies from the time until the next one. It is
    `start` before the first and unknown after `last`, the last observation. `low` and `high` are
    NaN where there is no interval.
    """

    time: Floats
    n_at_risk: NDArray[np.int64]
    n_events: NDArray[np.int64]
    probability: Floats
    low: Floats
    high: Floats
    start: float
    last: float
    level: float
    method: str
    unit: str
    n: int
    n_units: int

    def at(self, time: float) -> Interval:
        """Return the probability at a time."""
        step = int(np.searchsorted(self.time, time, side="right")) - 1
        stated = Interval(
            self.start, None, None, self.level, self.method, self.unit, self.n, self.n_units
        )
        if time > self.last:
            return replace(stated, estimate=None, reason="nothing is observed so late")
        if step < 0:
            return replace(stated, reason="no event up to then")
        stated = replace(stated, estimate=float(self.probability[step]))
        if np.isnan(self.low[step]):
            return replace(stated, reason=f"too few events or {self.unit}s with one up to then")
        return replace(stated, low=float(self.low[step]), high=float(self.high[step]))

    def median(self) -> Interval:
        """Return the first time at which survival is 0.5 or less (Brookmeyer and Crowley 1982).

        The limits are the first times at which the band's lower and upper limit are 0.5 or less;
        a limit that is not reached is None. For a survival curve.
        """
        reached = [self._first(values) for values in (self.probability, self.low, self.high)]
        reason = None
        if reached[0] is None:
            reason = "half of the pairs have not had the event"
        elif None in reached:
            reason = "a limit is outside the time observed"
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
    cause = np.asarray(has_event, dtype=np.bool_).astype(np.int64)
    table = _Table(times, cause, disease)
    n_after = table.at_risk - table.events
    with np.errstate(all="ignore"):
        variance = np.cumsum(table.events / (table.at_risk * n_after))
        error = np.sqrt(variance) / np.abs(np.log(_survival(table.at_risk, table.events)))
    return _curve(table, lambda n, d, _: _survival(n, d), error, ("Kaplan-Meier", 1.0), level)


def aalen_johansen(
    times: ArrayLike,
    cause: ArrayLike,
    disease: ArrayLike | None = None,
    *,
    level: float = LEVEL,
) -> Curve:
    """Return the probability of an event of cause 1 by Aalen and Johansen (1978).

    The arrays have shape (n,). `cause` is 0 where censored, 1 for the event of interest and above 1
    for what competes with it, such as a terminated trial; times are 0 or later, ValueError if not.
    Limits are computed on the log-log scale; the variance is the delta method's (Marubini and
    Valsecchi 1995), or with `disease` the jackknife's as in `kaplan_meier`.
    """
    table = _Table(times, np.asarray(cause, dtype=np.int64), disease)
    probability = _incidence(table.at_risk, table.events, table.of_any_kind)
    with np.errstate(all="ignore"):
        error = _incidence_error(table) / (probability * np.abs(np.log(probability)))
    return _curve(table, _incidence, error, ("Aalen-Johansen", 0.0), level)


def log_rank(
    times: ArrayLike, has_event: ArrayLike, group: ArrayLike, stratum: ArrayLike | None = None
) -> Significance:
    """Return whether groups differ in the times of their events (Mantel 1966).

    The arrays have shape (n,). With `stratum` (a disease, say) groups are compared within it and
    the differences added up. The statistic is chi-square; `expected`, its mean, is its degrees of
    freedom, one less than the number of distinguishable groups. ValueError as for `kaplan_meier`.
    """
    time = np.asarray(times, dtype=np.float64)
    event = np.asarray(has_event, dtype=np.bool_)
    groups, member = np.unique(np.asarray(group), return_inverse=True)
    of_stratum = np.zeros(len(time)) if stratum is None else np.asarray(stratum)
    owner = np.unique(of_stratum, return_inverse=True)[1]
    if not time.shape == event.shape == member.shape == owner.shape:
        raise ValueError("times, events, groups and strata differ in shape")
    excess = np.zeros(len(groups))
    covariance = np.zeros((len(groups), len(groups)))
    n_telling = 0
    order = np.argsort(owner, kind="stable")
    for rows in np.split(order, np.flatnonzero(np.diff(owner[order])) + 1):
        difference, spread = _log_rank_terms(time[rows], event[rows], member[rows], len(groups))
        excess += difference
        covariance += spread
        n_telling += bool(spread.any())
    df = int(np.linalg.matrix_rank(covariance))
    chi_square = float(excess @ np.linalg.pinv(covariance, hermitian=True) @ excess)
    return Significance(
        chi_square,
        float(df),
        float(scipy.stats.chi2.sf(chi_square, df)) if df else None,
        "two-sided",
        "log-rank" if stratum is None else "log-rank within strata",
        len(time),
        n_telling,
        reason=None if df else "no event while two groups are at risk",
    )


def _survival(at_risk: Floats, of_any_kind: Floats) -> Floats:
    hazard = np.divide(of_any_kind, at_risk, out=np.zeros_like(at_risk), where=at_risk > 0)
    survival: Floats = np.cumprod(1 - hazard, axis=-1)
    return survival


def _incidence(at_risk: Floats, events: Floats, of_any_kind: Floats) -> Floats:
    survival = _survival(at_risk, of_any_kind)
    before = np.concatenate([np.ones_like(survival[..., :1]), survival[..., :-1]], axis=-1)
    hazard = np.divide(events, at_risk, out=np.zeros_like(at_risk), where=at_risk > 0)
    incidence: Floats = np.cumsum(before * hazard, axis=-1)
    return incidence


class _Table:
    """At each distinct time of an event, the pairs at risk and those with each kind of event.

    `at_risk`, `events` (of interest) and `of_any_kind` have shape (n_times,).
    """

    def __init__(
        self, times: ArrayLike, cause: NDArray[np.int64], disease: ArrayLike | None
    ) -> None:
        time = np.asarray(times, dtype=np.float64)
        if time.shape != cause.shape or time.ndim != 1:
            raise ValueError("times and events differ in shape")
        if np.any(time < 0) or not np.all(np.isfinite(time)):
            raise ValueError("a time is missing or is before the freeze")
        self.grid = np.unique(time[cause > 0])
        self.last = float(time.max(initial=0))
        self.n = self.n_units = len(time)
        self._n_reached = np.searchsorted(self.grid, time, side="right")
        self._cause = cause
        self.unit: NDArray[np.intp] | None = None
        everyone = np.zeros(len(time), dtype=np.intp)
        self.at_risk, self.events, self.of_any_kind = (
            counts[0] for counts in self.counts(slice(None), everyone, 1)
        )
        if disease is not None:
            units, self.unit = np.unique(np.asarray(disease), return_inverse=True)
            self.n_units = len(units)

    def by_unit(self, unit: NDArray[np.intp]) -> Iterator[tuple[Floats, Floats, Floats]]:
        """Yield the three counts by unit, each of shape (some units, n_times), in blocks."""
        order = np.argsort(unit, kind="stable")
        ordered = unit[order]
        block = max(1, _BLOCK_CELLS // (len(self.grid) + 1))
        for first in range(0, self.n_units, block):
            n_units = min(block, self.n_units - first)
            begin, end = np.searchsorted(ordered, [first, first + n_units])
            yield self.counts(order[begin:end], ordered[begin:end] - first, n_units)

    def counts(
        self, rows: slice | NDArray[np.intp], unit: NDArray[np.intp], n_units: int
    ) -> tuple[Floats, Floats, Floats]:
        """Return the three counts of some pairs by unit, each of shape (n_units, n_times)."""
        width = len(self.grid) + 1
        cell, cause = unit * width + self._n_reached[rows], self._cause[rows]

        def tally(cells: NDArray[np.intp]) -> Floats:
            table = np.bincount(cells, minlength=n_units * width).reshape(n_units, width)
            return table[:, 1:].astype(np.float64)

        at_risk: Floats = np.cumsum(tally(cell)[:, ::-1], axis=1)[:, ::-1]
        return at_risk, tally(cell[cause == 1]), tally(cell[cause > 0])


def _incidence_error(table: _Table) -> Floats:
    """Return the standard error of the cumulative incidence at each time (delta method)."""
    survival = _survival(table.at_risk, table.of_any_kind)
    before = np.append(1.0, survival[:-1])
    incidence = _incidence(table.at_risk, table.events, table.of_any_kind)
    n, d, d_all = table.at_risk, table.events, table.of_any_kind
    # The last time may leave nobody: its own term is then weighted by 0.
    lost = np.divide(d_all, n * (n - d_all), out=np.zeros_like(n), where=n > d_all)
    own = before**2 * d * (n - d) / n**3
    shared = before * d / n**2
    variance: Floats = (
        incidence**2 * np.cumsum(lost)
        - 2 * incidence * np.cumsum(incidence * lost)
        + np.cumsum(incidence**2 * lost)
        + np.cumsum(own)
        - 2 * (incidence * np.cumsum(shared) - np.cumsum(incidence * shared))
    )
    return np.sqrt(np.maximum(variance, 0))


def _curve(
    table: _Table,
    probability_of: Probability,
    own_error: Floats,
    named: tuple[str, float],
    level: float,
) -> Curve:
    """Return the curve with its limits; `own_error` is that of log(-log) for independent pairs."""
    method, start = named
    probability = probability_of(table.at_risk, table.events, table.of_any_kind)
    if table.unit is not None:
        error, is_known = _jackknife(table, table.unit, probability_of)
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
        start,
        table.last,
        level,
        method,
        unit,
        table.n,
        table.n_units,
    )


def _jackknife(
    table: _Table, unit: NDArray[np.intp], probability_of: Probability
) -> tuple[Floats, NDArray[np.bool_]]:
    """Return the jackknife error of log(-log p) over diseases, and where it is known."""
    whole = (table.at_risk, table.events, table.of_any_kind)
    n_with_event = np.zeros(len(table.grid))
    total, squares = np.zeros(len(table.grid)), np.zeros(len(table.grid))
    with np.errstate(all="ignore"):
        centre = np.log(-np.log(probability_of(*whole)))
        for counts in table.by_unit(unit):
            rest = (every - part for every, part in zip(whole, counts, strict=True))
            shift = np.log(-np.log(probability_of(*rest))) - centre
            total += shift.sum(axis=0)
            squares += (shift**2).sum(axis=0)
            n_with_event += (np.cumsum(counts[1], axis=1) > 0).sum(axis=0)
        n = max(1, table.n_units)
        variance = (n - 1) / n * (squares - total**2 / n)
        error: Floats = np.sqrt(np.maximum(variance, 0))
    is_known = (n_with_event >= MIN_WITH_HITS) & (n >= MIN_DISEASES) & np.isfinite(variance)
    return error, is_known


def _log_rank_terms(
    time: Floats, event: NDArray[np.bool_], member: NDArray[np.intp], n_groups: int
) -> tuple[Floats, Floats]:
    """Return observed less expected events by group, (n_groups,), and their covariance."""
    table = _Table(time, event.astype(np.int64), None)
    at_risk, n_events, _ = table.counts(slice(None), member, n_groups)
    n, d = table.at_risk, table.events
    share = at_risk / n
    weight = d * (n - d) / np.maximum(n - 1, 1)
    covariance = np.diag((weight * share).sum(axis=1)) - (weight * share) @ share.T
    return (n_events - d * share).sum(axis=1), covariance
