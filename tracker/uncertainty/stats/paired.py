"""Two lists of predictions of equal length, compared over the same diseases.

The difference of hit rates is linearised as in `clustered`: a pair's influence is what it adds to
one list's rate less what it adds to the other's, so that a pair on both hardly counts. The variance
is that of independent pairs, plus the amounts by which the drug-clustered and the disease-clustered
sums of squares exceed it. The degrees of freedom are Satterthwaite's (1946) over those of the two
sums that do, infinite if neither does. `pooling.versus` compares the enrichments. With fewer than
10 hits on one list alone, limits are at least as wide, and p at least as large, as those of
McNemar's mid-p test (Fagerland, Lydersen and Laake 2013). tests/speed/compared_lists.py measures
coverage and p.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import scipy
from numpy.typing import ArrayLike

from tracker.uncertainty.stats import clustered, pooling
from tracker.uncertainty.stats.clustered import FEW_HITS, FEWEST_HITS, UNIT, Indices
from tracker.uncertainty.stats.intervals import LEVEL, PLAIN, Floats, Interval, t_interval
from tracker.uncertainty.stats.pooling import Part


@dataclass(frozen=True)
class Lists:
    """The pairs on either list; every array has shape (n,).

    `own` and `other` are 1 where the first or the second list has the pair, else 0; drugs and
    diseases are numbered from 0.
    """

    drug: Indices
    disease: Indices
    is_hit: Floats
    own: Floats
    other: Floats

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
        lists = cls(*clustered.pairs(drug, disease, is_hit, own, other))
        if lists.own.sum() != lists.other.sum():
            raise ValueError("the lists differ in length")
        return lists

    @property
    def discordant(self) -> tuple[int, int]:
        """The numbers of hits on the first list alone and on the second alone."""
        own = self.is_hit * self.own * (1 - self.other)
        other = self.is_hit * self.other * (1 - self.own)
        return int(own.sum()), int(other.sum())


def difference(lists: Lists) -> Interval:
    """Return the interval of the first hit rate less the second, -1 to 1, and p against 0."""
    length = float(lists.own.sum())
    stated = _stated(lists, f"paired, two-way clustered, t on {PLAIN.name} scale")
    if length == 0:
        return stated.without("the lists are empty")
    own_rate = float(lists.is_hit @ lists.own) / length
    other_rate = float(lists.is_hit @ lists.other) / length
    stated = replace(stated, estimate=own_rate - other_rate)
    n_discordant = sum(lists.discordant)
    if n_discordant == 0:
        return stated.without(_NONE_DISCORDANT)
    influence = (
        lists.own * (lists.is_hit - own_rate) - lists.other * (lists.is_hit - other_rate)
    ) / length
    variance, df = _variance(influence, lists)
    if variance == 0:
        return stated.without("the pairs do not vary")
    found = t_interval(stated, variance**0.5, PLAIN, df, 0.0)
    return _widened(lists, found, lambda share: (2 * share - 1) * n_discordant / length)


def ratio(lists: Lists, own: Part | None, other: Part | None) -> Interval:
    """Return the interval of the first enrichment over the second, and p against 1.

    `own` and `other` are the lists as parts of a pool, None for one that cannot be pooled.
    """
    stated = _stated(lists, pooling.METHOD)
    if own is None or other is None:
        return stated.without("nothing is expected")
    if min(own.n_hits, other.n_hits) < FEWEST_HITS:
        return stated.without(f"fewer than {FEWEST_HITS} hits of a list")
    n_discordant = sum(lists.discordant)
    if n_discordant == 0:
        return stated.without(_NONE_DISCORDANT)
    versus = pooling.versus([own], [other])
    found = replace(versus, n=stated.n, n_units=stated.n_units)
    if found.low is None:
        return found
    n_shared = own.n_hits - lists.discordant[0]
    expected = [one.n_hits * one.s / one.r for one in (own, other)]

    def exact(share: float) -> float:
        first, second = n_shared + share * n_discordant, n_shared + (1 - share) * n_discordant
        if second == 0:
            return float("inf")
        return (first / expected[0]) / (second / expected[1])

    return _widened(lists, found, exact)


_NONE_DISCORDANT = "no hit that only one of the lists has"


def _stated(lists: Lists, method: str) -> Interval:
    return Interval(method, UNIT, int(lists.own.sum()), len(np.unique(lists.disease)))


def _widened(lists: Lists, found: Interval, exact: Callable[[float], float]) -> Interval:
    """Widen limits and p to McNemar's if fewer than 10 hits are on one list alone.

    `exact` returns the figure for the first list's share of these hits.
    """
    own, other = lists.discordant
    n_discordant = own + other
    if n_discordant >= FEW_HITS:
        return found
    tail = (1 - LEVEL) / 2
    low = exact(_least_share(own, n_discordant, tail))
    high = exact(1 - _least_share(other, n_discordant, tail))
    return found.widened(low, high, min(1.0, 2 * _at_least(max(own, other), n_discordant, 0.5)))


def _at_least(count: int, n: int, share: float) -> float:
    """Return the mid-p tail: the chance of more than `count` of n, plus half that of `count`."""
    return float(scipy.stats.binom.sf(count, n, share) + scipy.stats.binom.pmf(count, n, share) / 2)


def _least_share(count: int, n: int, tail: float) -> float:
    """Return the share at which the mid-p tail is `tail`, 0 if `count` is 0."""
    if count == 0:
        return 0.0
    return float(scipy.optimize.brentq(lambda share: _at_least(count, n, share) - tail, 0.0, 1.0))


def _variance(influence: Floats, lists: Lists) -> tuple[float, float]:
    """Return the variance of a difference and its degrees of freedom."""
    of_pairs = float(influence @ influence)
    differs = np.abs(lists.own - lists.other)
    variance, spread = of_pairs, 0.0
    for cluster in (lists.drug, lists.disease):
        total = np.bincount(cluster, influence)
        part = float(total @ total)
        if part > of_pairs:
            n = clustered.effective_number(np.bincount(cluster, differs).astype(np.float64))
            variance += part - of_pairs
            spread += part**2 / max(n - 1, 0.5)
    return variance, max(variance**2 / spread, 1.0) if spread > 0 else np.inf
