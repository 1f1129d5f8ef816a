"""Two lists of predictions of equal length, compared over the same diseases.

Both figures are linearised as in `clustered`: a pair's influence is what it adds to one list less
what it adds to the other, so that a pair in both hardly counts. Pairs are taken as independent, and
what influences of one drug or one disease add up to beyond that is added to the variance; its
degrees of freedom are Satterthwaite's (1946), of that excess alone. With fewer than 10 hits that
one list has and the other has not, limits are never narrower, and p is never smaller, than those
of McNemar's test by mid-p (Fagerland, Lydersen and Laake 2013). tests/speed/compared_lists.py
measures coverage and p.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import scipy
from numpy.typing import ArrayLike

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


@dataclass(frozen=True)
class Lists:
    """Predictions listed by one model or both; every array has shape (n,).

    `own` and `other` are 1 where the list has the pair, else 0; `own_expected` and `other_expected`
    are the hits that each expects of it, 0 where it does not list the pair.
    """

    is_hit: Floats
    own: Floats
    other: Floats
    own_expected: Floats
    other_expected: Floats
    drug: Indices
    disease: Indices

    @classmethod
    def of(
        cls,
        is_hit: ArrayLike,
        own: ArrayLike,
        other: ArrayLike,
        own_expected: ArrayLike,
        other_expected: ArrayLike,
        drug: ArrayLike,
        disease: ArrayLike,
    ) -> "Lists":
        """Return the lists; ValueError if the arrays differ in shape or the lists in length."""
        hit, listed, also, own_hits, other_hits = (
            np.asarray(values, dtype=np.float64)
            for values in (is_hit, own, other, own_expected, other_expected)
        )
        drugs, diseases = (
            np.unique(np.asarray(key), return_inverse=True)[1] for key in (drug, disease)
        )
        arrays = (hit, listed, also, own_hits, other_hits, drugs, diseases)
        if len({array.shape for array in arrays}) != 1:
            raise ValueError("the arrays differ in shape")
        if listed.sum() != also.sum():
            raise ValueError("the lists differ in length")
        return cls(hit, listed, also, own_hits, other_hits, drugs, diseases)

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

    return _compared(lists, stated, influence, PLAIN, 0.0, exact)


def ratio(lists: Lists, *, level: float = LEVEL) -> Compared:
    """Return the interval of the first hits / expected over the second's, and p against 1.

    What is expected is taken as known.
    """
    own_hits, other_hits = float(lists.is_hit @ lists.own), float(lists.is_hit @ lists.other)
    own_total, other_total = float(lists.own_expected.sum()), float(lists.other_expected.sum())
    stated = _stated(lists, None, LOG, level)
    if not (own_total > 0 and other_total > 0):
        return Compared(replace(stated, reason="nothing is expected"), None)
    if min(own_hits, other_hits) < FEWEST_HITS:
        return Compared(replace(stated, reason=f"fewer than {FEWEST_HITS} hits of a list"), None)
    estimate = (own_hits / own_total) / (other_hits / other_total)
    stated = replace(stated, estimate=estimate)
    influence = (
        lists.own * lists.is_hit / own_hits
        - lists.own_expected / own_total
        - lists.other * lists.is_hit / other_hits
        + lists.other_expected / other_total
    )
    n_shared = own_hits - lists.discordant[0]
    n_discordant = sum(lists.discordant)

    def exact(share: float) -> float:
        own, other = n_shared + share * n_discordant, n_shared + (1 - share) * n_discordant
        if other == 0:
            return float("inf")
        return (own / own_total) / (other / other_total)

    return _compared(lists, stated, influence, LOG, 1.0, exact)


def _stated(lists: Lists, estimate: float | None, scale: Scale, level: float) -> Interval:
    method = f"paired, two-way clustered, t on {scale.name} scale"
    n_diseases = len(np.unique(lists.disease))
    n = int(lists.own.sum())
    return Interval(estimate, None, None, level, method, "drug and disease", n, n_diseases)


def _compared(
    lists: Lists,
    stated: Interval,
    influence: Floats,
    scale: Scale,
    no_effect: float,
    exact: Callable[[float], float],
) -> Compared:
    """Add limits and p; `exact` gives the figure for a share of the discordant hits."""
    own, other = lists.discordant
    n_discordant = own + other
    if n_discordant == 0 or stated.estimate is None:
        return Compared(replace(stated, reason="no hit that only one of the lists has"), None)
    variance, df = _variance(influence, lists)
    error = variance**0.5
    low, high = around(stated.estimate, error, scale, stated.level, df)
    distance = scale.to(np.array(stated.estimate)) - scale.to(np.array(no_effect))
    p_value = max(float(2 * scipy.stats.t.sf(abs(float(distance)) / error, df)), SMALLEST_P)
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
