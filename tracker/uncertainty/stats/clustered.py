"""Intervals and p values of figures over pairs that share drugs and diseases.

A figure is linearised: each pair has an influence on it, the influences sum to 0, and their sum of
squares estimates the figure's variance if pairs are independent. Pairs that share a drug or a
disease are not, so influences are added up by drug and by disease (Cameron, Gelbach and Miller
2011; Miglioretti and Heagerty 2007). Limits are the estimate -+ t x the standard error on a scale,
with Satterthwaite's (1946) degrees of freedom from the effective numbers of drugs and diseases. The
p value comes from the same t, so that p < 0.05 exactly where the 95 % interval excludes the value
of no effect. Limits of a rate are the exact ones for the number of independent pairs that would
have the same variance. tests/speed/null_worlds.py and tests/speed/shared_drugs.py measure coverage.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from tracker.uncertainty.stats.intervals import (
    LEVEL,
    LOG,
    LOGIT,
    PLAIN,
    Floats,
    Interval,
    Scale,
    exact_limits,
    t_interval,
)

UNIT = "drug and disease"
RATE_METHOD = "two-way clustered, Korn-Graubard"
# Fewer hits do not show how drugs or diseases vary beyond chance.
FEWEST_HITS = 3
# With fewer hits, limits of ratios are at least as wide as the exact ones for independent pairs.
FEW_HITS = 10

# A standard error below this share of what a figure is computed from is rounding.
_ROUNDING = 1e-12

Indices = NDArray[np.intp]


class Spread(NamedTuple):
    """The variance of a figure and its degrees of freedom, or arrays of both for several."""

    variance: Any
    df: Any


def two_way(influence: Floats, drug: Indices, disease: Indices, weight: Floats) -> Spread:
    """Return the spread of a figure from the influence of each pair.

    All arrays have shape (n,); `drug` and `disease` number the clusters from 0, and `weight` is
    what a pair counts in the `effective_number` of clusters, such as 1 for a prediction. The
    variance is the sum of the drug-clustered and the disease-clustered one, each times n / (n - 1)
    for its effective number n (at least 1.5), less that of single pairs; it is at least the largest
    of the three.
    """
    sums = [np.bincount(cluster, influence) for cluster in (drug, disease)]
    numbers = [
        effective_number(np.bincount(cluster, weight).astype(np.float64))
        for cluster in (drug, disease)
    ]
    found = added_up(float(influence @ influence), [float(one @ one) for one in sums], numbers)
    return Spread(float(found.variance), float(found.df))


def added_up(pairs: Any, squares: Sequence[Any], numbers: Sequence[float]) -> Spread:
    """Return the spread from sums of squared influences, combined as `two_way` describes.

    `pairs` is the sum over single pairs; `squares` are the sums over drugs and over diseases, and
    `numbers` the effective numbers of both. Sums may be arrays, for several figures of the same
    pairs.
    """
    counted = [max(number, 1.5) for number in numbers]
    parts = [n / (n - 1) * one for n, one in zip(counted, squares, strict=True)]
    variance = np.maximum.reduce([*parts, pairs, sum(parts) - pairs])
    of_variance = sum(part**2 / (n - 1) for n, part in zip(counted, parts, strict=True))
    known = np.maximum(of_variance, np.finfo(np.float64).tiny)
    return Spread(variance, np.maximum(np.where(of_variance > 0, variance**2 / known, 1.0), 1.0))


def effective_number(size: Floats) -> float:
    """Return (sum of sizes)^2 / sum of squared sizes of clusters, 0 if all are empty."""
    squares = float(size @ size)
    return float(size.sum()) ** 2 / squares if squares > 0 else 0.0


def of_sums(
    numerator: Floats,
    denominator: Floats,
    drug: Indices,
    disease: Indices,
    stated: Interval,
    scale: Scale,
    *,
    stake: Floats,
    no_effect: float | None = None,
) -> Interval:
    """Return the interval of sum(numerator) / sum(denominator), and p against `no_effect`.

    The arrays have shape (n,): what each pair adds to either sum, its clusters numbered from 0, and
    in `stake` its weight in the effective numbers of clusters. Without limits where `stated` has a
    reason, or where the denominator is 0.
    """
    total = float(denominator.sum())
    if not total > 0:
        return stated.without("nothing is expected")
    estimate = float(numerator.sum()) / total
    stated = replace(stated, estimate=estimate)
    if stated.reason is not None:
        return stated
    influence = (numerator - estimate * denominator) / total
    return around_spread(stated, two_way(influence, drug, disease, stake), scale, no_effect)


def hit_rate(
    is_hit: ArrayLike,
    drug: ArrayLike,
    disease: ArrayLike,
    *,
    weight: ArrayLike | None = None,
    n_listed: int | None = None,
) -> Interval:
    """Return the interval of the weighted share of pairs that are hits, with `rate_limits`.

    The arrays have shape (n,), ValueError if not; weights are 1 by default. The limits take the
    number of pairs to be the effective number of the weights, or `n_listed` where a weight is the
    share with which a tied pair is on a list of that length.
    """
    given = np.ones(np.shape(is_hit)) if weight is None else weight
    drugs, diseases, hit, weights = pairs(drug, disease, is_hit, given)
    stated = replace(of_pairs(drugs, LOGIT), method=RATE_METHOD)
    if not weights.sum() > 0:
        return stated.without("no observations")
    rate = min(float(weights @ hit) / float(weights.sum()), 1.0)
    n = effective_number(weights) if n_listed is None else n_listed
    influence = weights * (hit - rate) / weights.sum()
    low, high = rate_limits(rate, n, two_way(influence, drugs, diseases, weights))
    return replace(stated, estimate=rate, low=float(low), high=float(high))


def rate_limits(rate: Any, n: float, spread: Spread) -> tuple[Any, Any]:
    """Return the lower and upper limits of rates among n pairs, arrays if the rates are.

    They are Clopper and Pearson's for the effective number of independent pairs (Korn and Graubard
    1998): rate x (1 - rate) / variance x (normal quantile / Student's)^2, at most n. They are
    therefore never narrower than for n independent pairs, and equal to these at rates 0 and 1.
    """
    tail = (1 - LEVEL) / 2
    shrunk = (scipy.special.ndtri(tail) / scipy.special.stdtrit(spread.df, tail)) ** 2
    own = rate * (1 - rate)
    n_effective = np.where(own > 0, own * shrunk / np.where(own > 0, spread.variance, 1.0), n)
    return exact_limits(rate, np.minimum(n_effective, n))


def ratio(
    hits_in: ArrayLike, expected_in: ArrayLike, drug: ArrayLike, disease: ArrayLike
) -> Interval:
    """Return the interval of sum(hits_in) / sum(expected_in) on the log scale, and p against 1.

    The arrays have shape (n,), ValueError if not: what each pair adds to the observed and to the
    expected number of hits. The expected number is taken as known.
    """
    drugs, diseases, hit, expected = pairs(drug, disease, hits_in, expected_in)
    stated = of_pairs(drugs, LOG, reason=why_not(float(hit.sum())))
    return of_sums(hit, expected, drugs, diseases, stated, LOG, stake=hit, no_effect=1.0)


def score_gap(score: ArrayLike, is_hit: ArrayLike, drug: ArrayLike, disease: ArrayLike) -> Interval:
    """Return the interval of the mean score of hits less that of misses, and p against 0.

    The arrays have shape (n,), ValueError if not. The unit is that of the scores.
    """
    drugs, diseases, scores, hit = pairs(drug, disease, score, is_hit)
    n_hits = float(hit.sum())
    n_misses = len(hit) - n_hits
    stated = of_pairs(drugs, PLAIN, reason=why_not(n_hits, n_misses))
    if n_hits == 0 or n_misses == 0:
        return stated.without("no hit or no miss")
    of_hits, of_misses = (scores @ hit) / n_hits, (scores @ (1 - hit)) / n_misses
    stated = replace(stated, estimate=float(of_hits - of_misses))
    influence = hit * (scores - of_hits) / n_hits - (1 - hit) * (scores - of_misses) / n_misses
    spread = two_way(influence, drugs, diseases, hit)
    return around_spread(stated, spread, PLAIN, 0.0, size=float(np.abs(scores).max()))


def why_not(*counts: float) -> str | None:
    """Return why counts of hits, or of hits and misses, allow no interval; None if they do."""
    return f"fewer than {FEWEST_HITS} hits or misses" if min(counts) < FEWEST_HITS else None


def pairs(drug: ArrayLike, disease: ArrayLike, *values: ArrayLike) -> tuple[Any, ...]:
    """Return drugs and diseases numbered from 0, then the values; ValueError if shapes differ."""
    numbers = [np.asarray(one, dtype=np.float64) for one in values]
    arrays = (*(_numbered(np.asarray(one)) for one in (drug, disease)), *numbers)
    if len({array.shape for array in arrays}) != 1 or arrays[0].ndim != 1:
        raise ValueError("the arrays differ in shape")
    return arrays


def _numbered(cluster: NDArray[Any]) -> Indices:
    """Return the clusters numbered from 0 in the order of their values, as by np.unique.

    Integers of the order of the number of pairs are numbered without sorting.
    """
    if cluster.dtype.kind in "iu" and len(cluster) and cluster.min() >= 0:
        largest = int(cluster.max())
        if largest < 8 * len(cluster):
            occurs = np.zeros(largest + 1, dtype=np.bool_)
            occurs[cluster] = True
            return np.asarray((np.cumsum(occurs) - 1)[cluster])
    return np.unique(cluster, return_inverse=True)[1]


def of_pairs(drugs: Indices, scale: Scale, reason: str | None = None) -> Interval:
    """Return an interval without estimate and limits; drugs, numbered from 0, are its units."""
    n_drugs = int(drugs.max()) + 1 if len(drugs) else 0
    method = f"two-way clustered, t on {scale.name} scale"
    return Interval(method, UNIT, len(drugs), n_drugs, reason=reason)


def around_spread(
    stated: Interval,
    spread: Spread,
    scale: Scale,
    no_effect: float | None,
    *,
    size: float | None = None,
) -> Interval:
    """Return `stated` with limits and p value by t on the scale.

    It stays without limits if it has no estimate, a reason against an interval, or an error that is
    rounding beside `size`. That is the size of what the figure is computed from, by default of the
    figure; that of a difference may be rounding itself.
    """
    if stated.reason is not None or stated.estimate is None:
        return stated
    estimate, error = stated.estimate, spread.variance**0.5
    # The delta method: the error on the scale is the plain one over this slope.
    slope = {LOG: estimate, LOGIT: estimate * (1 - estimate)}.get(scale, 1.0)
    if size is None:
        size = abs(estimate)
    if error <= _ROUNDING * max(size, 1e-300) or not slope > 0:
        return stated.without("the pairs do not vary")
    return t_interval(stated, error / slope, scale, spread.df, no_effect)
