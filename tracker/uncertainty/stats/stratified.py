"""The interval and p value of enrichment_vs_matched, Mantel and Haenszel's ratio over strata.

The view ratio_variance computes the parts of the variance of the ratio's logarithm: chance
(Greenland and Robins 1985), and the variation beyond it between drugs, between diseases, and
between records that made hits of several drugs in several diseases. Limits use Student's t with
Satterthwaite's (1946) degrees of freedom from effective numbers of drugs, diseases and records
(Carter, Schnepel and Steigerwald 2017). tests/speed/null_worlds.py measures coverage.
"""

from dataclasses import dataclass, replace

import numpy as np
import scipy

from tracker.uncertainty.stats.clustered import FEW_HITS, FEWEST_HITS, UNIT
from tracker.uncertainty.stats.intervals import LEVEL, LOG, SMALLEST_P, Interval, t_interval

METHOD = "Mantel-Haenszel over strata, drugs and diseases, t on log scale"
# Without a hit.
EXACT = "exact Poisson of strata"
# Less than this is rounding: where all pairs of a stratum are hits, equal parts are subtracted.
_ROUNDING = 1e-12

# In effect one drug does not show how drugs differ.
FEWEST_DRUGS = 2.0
ONE_DRUG = "too few drugs: in effect fewer than two carry the ratio"


@dataclass(frozen=True)
class Ratio:
    """A ratio of the view stratified_ratio, with the parts of the variance of its logarithm.

    `expected` is the view's `s`, not its expected_hits. `chance`, `drugs`, `diseases` and `records`
    are variances; `n_drugs`, `n_diseases` and `n_records` are effective numbers. Without a hit all
    seven are None.
    """

    estimate: float
    n_hits: float
    expected: float
    chance: float | None = None
    drugs: float | None = None
    diseases: float | None = None
    n_drugs: float | None = None
    n_diseases: float | None = None
    records: float | None = None
    n_records: float | None = None

    @property
    def _clusters(self) -> tuple[tuple[float, float], ...]:
        """The parts of the variance beyond chance, each with its effective number of clusters."""
        parts = (
            (self.drugs, self.n_drugs),
            (self.diseases, self.n_diseases),
            (self.records, self.n_records),
        )
        return tuple((part, n or 0.0) for part, n in parts if part)

    @property
    def variance(self) -> float:
        """The variance of the logarithm of the ratio; 0 where it is rounding alone."""
        variance = (self.chance or 0.0) + sum(part for part, _ in self._clusters)
        return variance if variance > _ROUNDING else 0.0

    @property
    def df(self) -> float:
        """The degrees of freedom of the variance, infinite where chance alone varies."""
        spread = sum(part**2 / max(n - 1, 0.5) for part, n in self._clusters)
        return max(self.variance**2 / spread, 1.0) if spread > 0 else np.inf


def interval(ratio: Ratio, n: int, *, level: float = LEVEL) -> Interval:
    """Return the interval of a ratio of `n` predictions, and its p value against 1.

    At a ratio of 0, limits and p are Garwood's (1936). Otherwise there is no interval with fewer
    than 3 hits, if in effect fewer than two drugs carry the ratio, or if the variance is 0; with 3
    to 9 hits, limits are at least as wide as Garwood's, and p is at least as large.
    """
    stated = Interval(METHOD, UNIT, n, round(ratio.n_drugs or 0), ratio.estimate, level=level)
    if ratio.estimate == 0:
        exact = replace(stated, method=EXACT)
        return exact.widened(*garwood(0, ratio.expected, level))
    if ratio.n_hits < FEWEST_HITS:
        return stated.without(f"fewer than {FEWEST_HITS} hits")
    if (ratio.n_drugs or 0.0) < FEWEST_DRUGS:
        return stated.without(ONE_DRUG)
    if not ratio.variance > 0:
        return stated.without("the pairs do not vary")
    found = t_interval(stated, ratio.variance**0.5, LOG, ratio.df, 1.0)
    if ratio.n_hits < FEW_HITS:
        return found.widened(*garwood(ratio.n_hits, ratio.n_hits / ratio.estimate, level))
    return found


def garwood(n_hits: float, expected: float, level: float = LEVEL) -> tuple[float, float, float]:
    """Return the exact Poisson limits of hits / expected (Garwood 1936), and p against 1."""
    tail = (1 - level) / 2
    if n_hits == 0:
        high, p_value = -float(np.log(tail)) / expected, 2 * float(np.exp(-expected))
        return 0.0, high, max(min(1.0, p_value), SMALLEST_P)
    low = float(scipy.special.gammaincinv(n_hits, tail)) / expected
    high = float(scipy.special.gammaincinv(n_hits + 1, 1 - tail)) / expected
    at_least = float(scipy.special.gammainc(n_hits, expected))
    at_most = float(scipy.special.gammaincc(n_hits + 1, expected))
    return low, high, max(min(1.0, 2 * min(at_least, at_most)), SMALLEST_P)
