"""Intervals, the scales on which they are symmetric, and the exact interval of a proportion."""

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
    """An estimate, its limits, and the p value against no effect where that is tested.

    `low` and `high` are None where the data cannot support an interval with its nominal coverage;
    `reason` says why, except in `pooling.each_versus`. `estimate` is None where its denominator is
    0. `n` counts observations and `n_units` the units, named by `unit`, that are taken as
    independent. If these are drug and disease, `n_units` counts drugs, but diseases in `paired`,
    and lists in `pooling`.
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
        """Return the interval without limits and p value, with the reason."""
        return replace(self, low=None, high=None, reason=reason, p_value=None)

    def widened(self, low: float, high: float, p_value: float) -> "Interval":
        """Return the interval widened to include these limits, with the larger of the p values."""
        return replace(
            self,
            low=low if self.low is None else min(low, self.low),
            high=high if self.high is None else max(high, self.high),
            p_value=p_value if self.p_value is None else max(p_value, self.p_value),
        )


class Scale(NamedTuple):
    """A transformation that brings an estimator closer to normal, and its inverse."""

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
    """Return the limits estimate -+ t x standard error, computed on the scale and transformed back.

    `standard_error` is on the scale, `estimate` is not; t is Student's quantile with `df` degrees
    of freedom, the normal one if df is infinite.
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
    """Return `stated` with the limits `around` its estimate, and the p value against `no_effect`.

    p is two-sided and from the same t: it is below 1 - level exactly where the limits exclude
    `no_effect`. Without an estimate `stated` is returned as it is.
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


def clopper_pearson(n_hits: float, n: int) -> Interval:
    """Return the exact interval of Clopper and Pearson (1934) for n_hits / n.

    If units are independent it covers at least 95 % at every true rate. `n_hits` may be a mean over
    ties, hence a fraction. There is no estimate and no limit if n is 0.
    """
    stated = Interval("Clopper-Pearson", "pair", n, n)
    if n == 0:
        return stated.without("no observations")
    low, high = exact_limits(n_hits / n, n)
    return replace(stated, estimate=n_hits / n, low=float(low), high=float(high))


def exact_limits(rate: Any, n: Any) -> tuple[Any, Any]:
    """Return Clopper and Pearson's 95 % limits of rates among n; n x rate may be a fraction."""
    tail, hits, misses = (1 - LEVEL) / 2, n * rate, n * (1 - rate)
    with np.errstate(invalid="ignore"):
        low = np.where(hits > 0, scipy.special.betaincinv(hits, misses + 1, tail), 0.0)
        high = np.where(misses > 0, scipy.special.betaincinv(hits + 1, misses, 1 - tail), 1.0)
    return low, high
