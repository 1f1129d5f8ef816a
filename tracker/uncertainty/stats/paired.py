"""Two lists of predictions of equal length, compared over the same diseases.

The difference of hit rates is linearised as in `clustered`: a pair's influence is what it adds to
one list less what it adds to the other, so that a pair in both hardly counts. Pairs are taken as
independent, and what influences of one drug or one disease add up to beyond that is added to the
variance; its degrees of freedom are Satterthwaite's (1946), of that excess alone. The ratio of
enrichments is that of two pooled ones (`pooling.versus`). With fewer than 10 hits that
one list has and the other has not, limits are never narrower, and p is never smaller, than those
of McNemar's test by mid-p (Fagerland, Lydersen and Laake 2013). tests/speed/compared_lists.py
measures coverage and p.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import scipy
from numpy.typing import ArrayLike

from tracker.uncertainty.stats import pooling
from tracker.uncertainty.stats.clustered import (
    FEW_HITS,
    FEWEST_HITS,
    SMALLEST_P,
    Compared,
    Indices,
    effective_number,
)
from tracker.uncertainty.stats.intervals import (
    LEVEL,
    LOG,
    PLAIN,
    Floats,
    Interval,
    Scale,
    around,
)
from tracker.uncertainty.stats.pooling import Part


@dataclass(frozen=True)
class Lists:
    """Predictions listed by one model or both; every array has shape (n,).

    `own` and `other` are 1 where the list has the pair, else 0.
    """

    is_hit: Floats
    own: Floats
    other: Floats
    drug: Indices
    disease: Indices

    @classmethod
    def of(
        cls,
        is_hit: ArrayLike,
        own: ArrayLike,
        other: ArrayLike,
        drug: ArrayLike,
        disease: ArrayLike,
    ) -> "Lists":
        """Return the lists; ValueError if the arrays differ in shape or the lists in length."""
        hit, listed, also = (
            np.asarray(values, dtype=np.float64) for values in (is_hit, own, other)
        )
        drugs, diseases = (
            np.unique(np.asarray(key), return_inverse=True)[1] for key in (drug, disease)
        )
        arrays = (hit, listed, also, drugs, diseases)
        if len({array.shape for array in arrays}) != 1:
            raise ValueError("the arrays differ in shape")
        if listed.sum() != also.sum():
            raise ValueError("the lists differ in length")
        return cls(hit, listed, also, drugs, diseases)

    @property
    def discordant(self) -> tuple[int, int]:
        """The number of hits that only the first list has, and that only the second has."""
        own = self.is_hit * self.own * (1 - self.other)
        other = self.is_hit * self.other * (1 - self.own)
        return int(own.sum()), int(other.sum())


def difference(lists: Lists, *, level: float = LEVEL) -> Compared:
    """Return the interval of the first hit rate less the second, -1 to 1, and p against 0."""
    length = float(lists.own.sum())
    stated = _stated(lists, None, PLAIN, level)
    if length == 0:
        return Compared(replace(stated, reason="the lists are empty"), None)
    own_rate = float(lists.is_hit @ lists.own) / length
    other_rate = float(lists.is_hit @ lists.other) / length
    stated = replace(stated, estimate=own_rate - other_rate)
    influence = (
        lists.own * (lists.is_hit - own_rate) - lists.other * (lists.is_hit - other_rate)
    ) / length
    n_discordant = sum(lists.discordant)

    def exact(share: float) -> float:
        return (2 * share - 1) * n_discordant / length

    if n_discordant == 0:
        return Compared(replace(stated, reason=_NONE_DISCORDANT), None)
    variance, df = _variance(influence, lists)
    estimate, error = own_rate - other_rate, variance**0.5
    limits = around(estimate, error, PLAIN, level, df)
    p_value = max(float(2 * scipy.stats.t.sf(abs(estimate) / error, df)), SMALLEST_P)
    return _widened(lists, stated, limits, p_value, exact)


def ratio(lists: Lists, own: Part | None, other: Part | None, *, level: float = LEVEL) -> Compared:
    """Return the interval of the first enrichment over the second, and p against 1.

    `own` and `other` are the enrichments, with what drugs, diseases and hits add to each.
    """
    stated = replace(_stated(lists, None, LOG, level), method=pooling.METHOD)
    if own is None or other is None:
        return Compared(replace(stated, reason="nothing is expected"), None)
    if min(own.n_hits, other.n_hits) < FEWEST_HITS:
        return Compared(replace(stated, reason=f"fewer than {FEWEST_HITS} hits of a list"), None)
    n_discordant = sum(lists.discordant)
    if n_discordant == 0:
        return Compared(replace(stated, reason=_NONE_DISCORDANT), None)
    found = pooling.versus([own], [other], level=level)
    stated = replace(stated, estimate=found.interval.estimate)
    if found.interval.low is None or found.interval.high is None or found.p_value is None:
        reason = "the enrichment of one of the lists has no interval"
        return Compared(replace(stated, reason=reason), None)
    n_shared = own.n_hits - lists.discordant[0]

    def exact(share: float) -> float:
        first, second = n_shared + share * n_discordant, n_shared + (1 - share) * n_discordant
        if second == 0:
            return float("inf")
        return (first / own.expected_hits) / (second / other.expected_hits)

    limits = (found.interval.low, found.interval.high)
    return _widened(lists, stated, limits, found.p_value, exact)


_NONE_DISCORDANT = "no hit that only one of the lists has"


def _stated(lists: Lists, estimate: float | None, scale: Scale, level: float) -> Interval:
    method = f"paired, two-way clustered, t on {scale.name} scale"
    n_diseases = len(np.unique(lists.disease))
    n = int(lists.own.sum())
    return Interval(estimate, None, None, level, method, "drug and disease", n, n_diseases)


def _widened(
    lists: Lists,
    stated: Interval,
    limits: tuple[float, float],
    p_value: float,
    exact: Callable[[float], float],
) -> Compared:
    """Widen limits and p by McNemar's where few hits are of one list alone.

    `exact` gives the figure for a share of these hits.
    """
    own, other = lists.discordant
    n_discordant, (low, high) = own + other, limits
    if n_discordant < FEW_HITS:
        tail = (1 - stated.level) / 2
        low = min(low, exact(_least_share(own, n_discordant, tail)))
        high = max(high, exact(1 - _least_share(other, n_discordant, tail)))
        fewer = 2 * _at_least(max(own, other), n_discordant, 0.5)
        p_value = max(p_value, min(1.0, fewer))
    return Compared(replace(stated, low=low, high=high), p_value)


def _at_least(count: int, n: int, share: float) -> float:
    """Return the chance of `count` or more of n, that of `count` itself by half."""
    return float(scipy.stats.binom.sf(count, n, share) + scipy.stats.binom.pmf(count, n, share) / 2)


def _least_share(count: int, n: int, tail: float) -> float:
    """Return the share at which `count` or more of n have the chance `tail`, 0 for none."""
    if count == 0:
        return 0.0
    return float(scipy.optimize.brentq(lambda share: _at_least(count, n, share) - tail, 0.0, 1.0))


def _variance(influence: Floats, lists: Lists) -> tuple[float, float]:
    """Return the variance of a figure and its degrees of freedom."""
    of_pairs = float(influence @ influence)
    differs = np.abs(lists.own - lists.other)
    variance, spread = of_pairs, 0.0
    for cluster in (lists.drug, lists.disease):
        total = np.bincount(cluster, influence)
        part = float(total @ total)
        if part > of_pairs:
            n = effective_number(np.bincount(cluster, differs).astype(np.float64))
            variance += part - of_pairs
            spread += part**2 / max(n - 1, 0.5)
    return variance, max(variance**2 / spread, 1.0) if spread > 0 else np.inf
