"""Intervals, the scales on which they are symmetric, and the exact one of a proportion."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import scipy
from numpy.typing import NDArray

LEVEL = 0.95

Floats = NDArray[np.float64]


# A p value is never 0.
SMALLEST_P = 1e-300


@dataclass(frozen=True)
class Interval:
    """An estimate, its error, and the p value of no effect by the same t where that is tested.

    `low` and `high` are None, and `reason` explains why, where the data cannot support an interval
    with its nominal coverage; `estimate` is None where its denominator is 0. `n` counts
    observations and `n_units` the units, named by `unit`, that are taken as independent.
    """

    method: str
    unit: str
    n: int
    n_units: int
    estimate: float | None = None
    low: float | None = None
    high: float | None = None
    level: float = LEVEL
    n_replicates: int | None = None
    seed: int | None = None
    reason: str | None = None
    p_value: float | None = None

    def without(self, reason: str | None) -> "Interval":
        """Return the estimate alone, with the reason why it has no limits."""
        return replace(self, low=None, high=None, reason=reason, p_value=None)

    def widened(self, low: float, high: float, p_value: float) -> "Interval":
        """Return the interval where it is not narrower than these limits, and p not smaller."""
        return replace(
            self,
            low=low if self.low is None else min(low, self.low),
            high=high if self.high is None else max(high, self.high),
            p_value=p_value if self.p_value is None else max(p_value, self.p_value),
        )


class Scale(NamedTuple):
    """A scale on which an estimator is closer to normal, and the way back."""

    name: str
    to: Callable[[Floats], Floats]
    back: Callable[[Floats], Floats]


def _logit(rate: Floats) -> Floats:
    return np.asarray(np.log(rate) - np.log1p(-rate))


def _inverse_logit(odds: Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp(-odds)))


PLAIN = Scale("plain", lambda value: value, lambda value: value)
LOG = Scale("log", np.log, np.exp)
LOGIT = Scale("logit", _logit, _inverse_logit)
FISHER_Z = Scale("Fisher z", np.arctanh, np.tanh)


def around(
    estimate: float, standard_error: float, scale: Scale, level: float, df: float = np.inf
) -> tuple[float, float]:
    """Return the limits estimate -+ t x standard error, both on the scale.

    `estimate` is in its own units, `standard_error` on the scale; t is Student's quantile with `df`
    degrees of freedom, the normal one where df is infinite.
    """
    half = scipy.special.stdtrit(df, (1 + level) / 2) * standard_error
    with np.errstate(over="ignore"):
        low, high = scale.back(scale.to(np.array(estimate)) + np.array([-half, half]))
    return float(low), float(high)


def t_interval(
    stated: Interval,
    standard_error: float,
    scale: Scale,
    df: float = np.inf,
    no_effect: float | None = None,
) -> Interval:
    """Return `stated` with the limits `around` its estimate, and p of the same t against no effect.

    p is two-sided: it is below 1 - level exactly where the limits leave out `no_effect`.
    """
    if stated.estimate is None:
        return stated
    low, high = around(stated.estimate, standard_error, scale, stated.level, df)
    stated = replace(stated, low=low, high=high)
    if no_effect is None:
        return stated
    distance = float(scale.to(np.array(stated.estimate)) - scale.to(np.array(no_effect)))
    p_value = 2 * float(scipy.special.stdtr(df, -abs(distance) / standard_error))
    return replace(stated, p_value=max(p_value, SMALLEST_P))


def clopper_pearson(n_hits: float, n: int, unit: str = "pair") -> Interval:
    """Return the exact interval of Clopper and Pearson (1934) of n_hits / n.

    It covers at least 95 % at every true rate; no estimate and no limits if n is 0. Hits need
    not be whole: they may be a mean.
    """
    stated = Interval("Clopper-Pearson", unit, n, n)
    if n == 0:
        return stated.without("no observations")
    low, high = exact_limits(n_hits / n, n)
    return replace(stated, estimate=n_hits / n, low=float(low), high=float(high))


def exact_limits(rate: Any, n: Any) -> tuple[Any, Any]:
    """Return Clopper and Pearson's limits of rates of n; n x rate need not be whole."""
    tail, hits, misses = (1 - LEVEL) / 2, n * rate, n * (1 - rate)
    with np.errstate(invalid="ignore"):
        low = np.where(hits > 0, scipy.special.betaincinv(hits, misses + 1, tail), 0.0)
        high = np.where(misses > 0, scipy.special.betaincinv(hits + 1, misses, 1 - tail), 1.0)
    return low, high
