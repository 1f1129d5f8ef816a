"""Intervals, the scales on which they are symmetric, and the exact one of a proportion."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

LEVEL = 0.95

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Interval:
    """An estimate and its error.

    `low` and `high` are None, and `reason` explains why, where the data cannot support an interval
    with its nominal coverage; `estimate` is None where its denominator is 0. `n` counts
    observations and `n_units` the units, named by `unit`, that are taken as independent.
    """

    estimate: float | None
    low: float | None
    high: float | None
    level: float
    method: str
    unit: str
    n: int
    n_units: int
    n_replicates: int | None = None
    seed: int | None = None
    reason: str | None = None


class Scale(NamedTuple):
    """A scale on which an estimator is closer to normal, and the way back."""

    name: str
    to: Callable[[Floats], Floats]
    back: Callable[[Floats], Floats]


def _logit(rate: Floats) -> Floats:
    odds: Floats = np.log(rate) - np.log1p(-rate)
    return odds


def _inverse_logit(odds: Floats) -> Floats:
    rate: Floats = 1 / (1 + np.exp(-odds))
    return rate


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
    half = special.stdtrit(df, (1 + level) / 2) * standard_error
    with np.errstate(over="ignore"):
        low, high = scale.back(scale.to(np.array(estimate)) + np.array([-half, half]))
    return float(low), float(high)


def clopper_pearson(n_hits: float, n: int, *, level: float = LEVEL) -> Interval:
    """Return the exact interval of Clopper and Pearson (1934) of n_hits / n.

    It covers at least `level` at every true rate; no estimate and no limits if n is 0. Hits need
    not be whole: they may be a mean.
    """
    name = "Clopper-Pearson"
    if n == 0:
        return Interval(None, None, None, level, name, "pair", 0, 0, reason="no observations")
    low, high = exact_limits(n_hits, n, level)
    return Interval(n_hits / n, low, high, level, name, "pair", n, n)


def exact_limits(n_hits: float, n: float, level: float) -> tuple[float, float]:
    """Return Clopper and Pearson's limits of n_hits / n; the numbers need not be whole."""
    tail = (1 - level) / 2
    low = float(special.betaincinv(n_hits, n - n_hits + 1, tail)) if n_hits > 0 else 0.0
    high = float(special.betaincinv(n_hits + 1, n - n_hits, 1 - tail)) if n_hits < n else 1.0
    return low, high
