"""Intervals and p values of figures over pairs that share drugs and diseases.

A figure is linearised: every pair has an influence, which sums to 0 over the pairs and whose spread
is that of the figure. Pairs of one drug are alike, and so are pairs of one disease; influences are
therefore added up both ways (Cameron, Gelbach and Miller 2011; Miglioretti and Heagerty 2007).
Limits are the estimate -+ t x the standard error on a scale, with Satterthwaite's (1946) degrees of
freedom from the effective numbers of drugs and diseases, and the p value is of the same t, so that
p < 0.05 exactly where a 95 % interval leaves out the value of no effect. tests/speed/null_worlds.py
measures both.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from tracker.uncertainty.stats.intervals import (
    LEVEL,
    LOG,
    LOGIT,
    PLAIN,
    Floats,
    Interval,
    Scale,
    around,
    exact_limits,
)

# With fewer hits, limits are never narrower than the exact ones of independent pairs.
FEW_HITS = 10

# A p value is never 0.
SMALLEST_P = 1e-300

Indices = NDArray[np.intp]


@dataclass(frozen=True)
class Spread:
    """The variance of a figure, its degrees of freedom, and effective numbers of clusters."""

    variance: float
    df: float
    n_drugs: float
    n_diseases: float


@dataclass(frozen=True)
class Compared:
    """An interval and the p value of no effect by the same t; None where there is no interval."""

    interval: Interval
    p_value: float | None


def two_way(influence: Floats, drug: Indices, disease: Indices, weight: Floats) -> Spread:
    """Return the spread of a figure of which each pair has this influence.

    All arrays have shape (n,); `drug` and `disease` number the clusters from 0, and `weight` says
    how much a pair contributes, such as 1 for a prediction. The effective number of clusters is
    (sum of weights)^2 / sum of squared weights of clusters. The variance is the sum of the two
    clustered ones, each times n / (n - 1) for its effective number n, 1.5 if that is less, without
    that of the pairs; but at least the largest of the three.
    """
    pairs = float(influence @ influence)
    parts, numbers = [], []
    for cluster in (drug, disease):
        total = np.bincount(cluster, influence)
        size: Floats = np.bincount(cluster, weight).astype(np.float64)
        n = max(effective_number(size), 1.5)
        parts.append(n / (n - 1) * float(total @ total))
        numbers.append(n)
    variance = max(*parts, pairs, sum(parts) - pairs)
    spread_of_variance = sum(part**2 / (n - 1) for part, n in zip(parts, numbers, strict=True))
    df = variance**2 / spread_of_variance if spread_of_variance > 0 else 1.0
    return Spread(variance, max(df, 1.0), numbers[0], numbers[1])


def effective_number(size: Floats) -> float:
    """Return the number of equal clusters that would vary as much, 0 if all are empty."""
    squares = float(size @ size)
    return float(size.sum()) ** 2 / squares if squares > 0 else 0.0


def of_sums(
    numerator: Floats,
    denominator: Floats,
    drug: Indices,
    disease: Indices,
    scale: Scale,
    *,
    stake: Floats,
    no_effect: float | None = None,
    level: float = LEVEL,
) -> Compared:
    """Return the interval of sum(numerator) / sum(denominator), and p against `no_effect`.

    The arrays have shape (n,) and say what each pair adds; `stake` is its weight in the effective
    numbers, `drug` and `disease` number from 0. Every figure over pairs is such a ratio.
    """
    total = float(denominator.sum())
    estimate = float(numerator.sum()) / total if total > 0 else None
    stated = _stated(estimate, scale, len(numerator), drug, level)
    if estimate is None:
        return Compared(replace(stated, reason="nothing is expected"), None)
    influence = (numerator - estimate * denominator) / total
    return around_spread(stated, two_way(influence, drug, disease, stake), scale, no_effect)


def hit_rate(
    is_hit: ArrayLike,
    drug: ArrayLike,
    disease: ArrayLike,
    *,
    weight: ArrayLike | None = None,
    n_listed: int | None = None,
    level: float = LEVEL,
) -> Interval:
    """Return the interval of the weighted share of pairs that are hits, on the logit scale.

    The arrays have shape (n,), ValueError if not; without weights each is 1. With fewer than 10
    hits or misses each limit is the wider of this interval's and Clopper and Pearson's, for the
    effective number of pairs (Korn and Graubard 1998), or for `n_listed` where the weights are
    the shares in which tied pairs are on a list of that length.
    """
    hit, drugs, diseases = pairs(is_hit, drug, disease)
    weights = np.ones(len(hit)) if weight is None else np.asarray(weight, dtype=np.float64)
    stated = _stated(None, LOGIT, len(hit), drugs, level)
    if len(hit) == 0:
        return replace(stated, reason="no observations")
    rate = min(float(weights @ hit) / float(weights.sum()), 1.0)
    n = effective_number(weights) if n_listed is None else n_listed
    low, high = exact_limits(rate * n, n, level)
    fewest = min(hit.sum(), len(hit) - hit.sum())
    if n_listed is not None:
        fewest = min(rate * n, n - rate * n)
    if fewest > 0:
        found = of_sums(weights * hit, weights, drugs, diseases, LOGIT, stake=weights, level=level)
        own_low, own_high = found.interval.low or 0.0, found.interval.high or 1.0
        if fewest >= FEW_HITS:
            low, high = own_low, own_high
        else:
            low, high = min(low, own_low), max(high, own_high)
    return replace(stated, estimate=rate, low=low, high=high)


def ratio(
    hits_in: ArrayLike,
    expected_in: ArrayLike,
    drug: ArrayLike,
    disease: ArrayLike,
    *,
    level: float = LEVEL,
) -> Compared:
    """Return the interval of sum(hits_in) / sum(expected_in) on the log scale, and p against 1.

    The arrays have shape (n,), ValueError if not. Of each pair they give what it adds to the
    observed and to the expected number, which is taken as known.
    """
    hit, drugs, diseases = pairs(hits_in, drug, disease)
    expected = np.asarray(expected_in, dtype=np.float64)
    if expected.shape != hit.shape:
        raise ValueError("the arrays differ in shape")
    if expected.sum() > 0 and hit.sum() < FEWEST_HITS:
        estimate = float(hit.sum()) / float(expected.sum())
        return _too_few(_stated(estimate, LOG, len(hit), drugs, level))
    return of_sums(hit, expected, drugs, diseases, LOG, stake=hit, no_effect=1.0, level=level)


def score_gap(
    score: ArrayLike,
    is_hit: ArrayLike,
    drug: ArrayLike,
    disease: ArrayLike,
    *,
    level: float = LEVEL,
) -> Compared:
    """Return the interval of the mean score of hits less that of misses, and p against 0.

    The arrays have shape (n,), ValueError if not; units as of the scores.
    """
    hit, drugs, diseases = pairs(is_hit, drug, disease)
    scores = np.asarray(score, dtype=np.float64)
    if scores.shape != hit.shape:
        raise ValueError("the arrays differ in shape")
    n_hits = float(hit.sum())
    n_misses = len(hit) - n_hits
    if n_hits == 0 or n_misses == 0:
        stated = _stated(None, PLAIN, len(hit), drugs, level)
        return Compared(replace(stated, reason="no hit or no miss"), None)
    of_hits, of_misses = (scores @ hit) / n_hits, (scores @ (1 - hit)) / n_misses
    stated = _stated(float(of_hits - of_misses), PLAIN, len(hit), drugs, level)
    if min(n_hits, n_misses) < FEWEST_HITS:
        return _too_few(stated)
    influence = hit * (scores - of_hits) / n_hits - (1 - hit) * (scores - of_misses) / n_misses
    return around_spread(stated, two_way(influence, drugs, diseases, hit), PLAIN, 0.0)


# With fewer hits neither drugs nor diseases can be told apart from chance.
FEWEST_HITS = 3
UNIT = "drug and disease"
# An error that rounding alone would leave.
_ROUNDING = 1e-12


def pairs(
    values: ArrayLike, drug: ArrayLike, disease: ArrayLike
) -> tuple[Floats, Indices, Indices]:
    """Return values, and drugs and diseases numbered from 0; ValueError if they differ in shape."""
    number = np.asarray(values, dtype=np.float64)
    drugs, diseases = _numbered(np.asarray(drug)), _numbered(np.asarray(disease))
    if not number.shape == drugs.shape == diseases.shape or number.ndim != 1:
        raise ValueError("the arrays differ in shape")
    return number, drugs, diseases


def _numbered(cluster: NDArray[Any]) -> Indices:
    """Return numbers from 0 in the order of the clusters' values, as np.unique would.

    Whole numbers that are not many times as large as there are pairs need no sorting.
    """
    if cluster.dtype.kind in "iu" and len(cluster) and cluster.min() >= 0:
        largest = int(cluster.max())
        if largest < 8 * len(cluster):
            occurs = np.zeros(largest + 1, dtype=np.bool_)
            occurs[cluster] = True
            numbers: Indices = (np.cumsum(occurs) - 1)[cluster]
            return numbers
    return np.unique(cluster, return_inverse=True)[1]


def _stated(estimate: float | None, scale: Scale, n: int, drugs: Indices, level: float) -> Interval:
    method = f"two-way clustered, t on {scale.name} scale"
    n_drugs = int(drugs.max()) + 1 if len(drugs) else 0
    return Interval(estimate, None, None, level, method, UNIT, n, n_drugs)


def _too_few(stated: Interval) -> Compared:
    return Compared(replace(stated, reason=f"fewer than {FEWEST_HITS} hits or misses"), None)


def around_spread(
    stated: Interval, spread: Spread, scale: Scale, no_effect: float | None
) -> Compared:
    """Add the limits that belong to the spread of an estimate, and its p value on the scale."""
    estimate, error = stated.estimate, spread.variance**0.5
    if estimate is None or error <= _ROUNDING * max(abs(estimate), 1e-300):
        return Compared(replace(stated, reason="the pairs do not vary"), None)
    # On the scale an error is the plain one times the slope.
    slope = {LOG: estimate, LOGIT: estimate * (1 - estimate)}.get(scale, 1.0)
    if not slope > 0:
        return Compared(replace(stated, reason="the pairs do not vary"), None)
    low, high = around(estimate, error / slope, scale, stated.level, spread.df)
    stated = replace(stated, low=low, high=high)
    if no_effect is None:
        return Compared(stated, None)
    distance = float(scale.to(np.array(estimate)) - scale.to(np.array(no_effect)))
    p_value = float(2 * special.stdtr(spread.df, -abs(distance) / (error / slope)))
    return Compared(stated, max(p_value, SMALLEST_P))
