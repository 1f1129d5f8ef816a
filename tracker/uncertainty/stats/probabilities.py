"""Intervals of the scores of predicted probabilities, and of the points of a reliability curve.

Every figure is a mean weighted by the inverse probability of censoring, linearised and spread over
drugs and diseases as in `clustered`; the weights are taken as known, which errs on the safe side,
since estimated ones vary less. tests/speed/probability_scores.py measures coverage.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from tracker.uncertainty.stats.clustered import (
    FEW_HITS,
    FEWEST_HITS,
    SMALLEST_P,
    Compared,
    Indices,
    effective_number,
    two_way,
)
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


@dataclass(frozen=True)
class Forecasts:
    """Predicted probabilities of pairs whose outcome is known; every array has shape (n,).

    `weight` is the inverse probability of censoring; pairs of weight 0 are left out by `of`.
    """

    probability: Floats
    is_hit: Floats
    weight: Floats
    drug: Indices
    disease: Indices

    @classmethod
    def of(
        cls,
        probability: ArrayLike,
        is_hit: ArrayLike,
        weight: ArrayLike,
        drug: ArrayLike,
        disease: ArrayLike,
    ) -> "Forecasts":
        """Return the pairs that have a weight; ValueError if the arrays differ in shape."""
        columns = [np.asarray(one) for one in (probability, is_hit, weight, drug, disease)]
        if columns[0].ndim != 1 or any(one.shape != columns[0].shape for one in columns):
            raise ValueError("the arrays differ in shape")
        known = columns[2] > 0
        numbers = [one[known].astype(np.float64) for one in columns[:3]]
        drugs, diseases = (np.unique(one[known], return_inverse=True)[1] for one in columns[3:])
        return cls(numbers[0], numbers[1], numbers[2], drugs, diseases)

    @property
    def share(self) -> Floats:
        """The weights, scaled to add up to 1."""
        scaled: Floats = self.weight / self.weight.sum()
        return scaled

    def mean(self, values: Floats) -> float:
        """Return the weighted mean of the pairs' values."""
        return float(self.weight @ values) / float(self.weight.sum())

    @property
    def fewest(self) -> int:
        """The number of hits or of misses, whichever is less."""
        n_hits = int(self.is_hit.sum())
        return min(n_hits, len(self.is_hit) - n_hits)


def brier_score(forecasts: Forecasts, *, level: float = LEVEL) -> Interval:
    """Return the interval of the weighted mean squared error, on the logit scale."""
    loss = (forecasts.probability - forecasts.is_hit) ** 2
    return _mean_loss(forecasts, loss, LOGIT, level)


def log_score(forecasts: Forecasts, *, level: float = LEVEL) -> Interval:
    """Return the interval of the weighted mean of -ln(probability of what happened), log scale.

    No certain prediction may have failed: ValueError.
    """
    seen = np.where(forecasts.is_hit == 1, forecasts.probability, 1 - forecasts.probability)
    if (seen == 0).any():
        raise ValueError("a certain prediction failed, so that the score is infinite")
    return _mean_loss(forecasts, -np.log(seen), LOG, level)


def brier_skill_score(forecasts: Forecasts, *, level: float = LEVEL) -> Compared:
    """Return the interval of 1 - Brier score / r (1 - r) for the observed rate r, and p against 0.

    That r rests on the same pairs is part of the influence. Units: 1 is best.
    """
    share, hit = forecasts.share, forecasts.is_hit
    rate = forecasts.mean(hit) if len(hit) else 0.0
    variance = rate * (1 - rate)
    if not variance > 0:
        stated = _stated(forecasts, None, PLAIN, level)
        return Compared(replace(stated, reason="no hit or no miss"), None)
    loss = (forecasts.probability - hit) ** 2
    score = forecasts.mean(loss)
    stated = _stated(forecasts, 1 - score / variance, PLAIN, level)
    if forecasts.fewest < FEWEST_HITS:
        return Compared(replace(stated, reason=_TOO_FEW), None)
    of_rate = score * (1 - 2 * rate) / variance**2
    influence = share * (of_rate * (hit - rate) - (loss - score) / variance)
    spread = two_way(influence, forecasts.drug, forecasts.disease, forecasts.weight * hit)
    error = spread.variance**0.5
    if error <= _ROUNDING:
        return Compared(replace(stated, reason=_ALIKE), None)
    estimate = 1 - score / variance
    low, high = around(estimate, error, PLAIN, level, spread.df)
    p_value = max(float(2 * special.stdtr(spread.df, -abs(estimate) / error)), SMALLEST_P)
    return Compared(replace(stated, low=low, high=high), p_value)


def observed_rate(forecasts: Forecasts, *, level: float = LEVEL) -> Interval:
    """Return the interval of the weighted share of hits, on the logit scale.

    With fewer than 10 hits or misses each limit is the wider of this interval's and Clopper and
    Pearson's, for the effective number of pairs (Korn and Graubard 1998).
    """
    if len(forecasts.is_hit) == 0:
        return replace(_stated(forecasts, None, LOGIT, level), reason="no observations")
    share, hit = forecasts.share, forecasts.is_hit
    rate = min(forecasts.mean(hit), 1.0)
    n = effective_number(forecasts.weight)
    low, high = exact_limits(rate * n, n, level)
    if forecasts.fewest > 0:
        influence = share * (hit - rate)
        spread = two_way(influence, forecasts.drug, forecasts.disease, forecasts.weight)
        error = spread.variance**0.5 / (rate * (1 - rate))
        clustered = around(rate, error, LOGIT, level, spread.df)
        if forecasts.fewest >= FEW_HITS:
            low, high = clustered
        else:
            low, high = min(low, clustered[0]), max(high, clustered[1])
    return replace(_stated(forecasts, rate, LOGIT, level), low=low, high=high)


_TOO_FEW = f"fewer than {FEWEST_HITS} hits or misses"
_ALIKE = "the pairs do not vary"
# An error that rounding alone would leave.
_ROUNDING = 1e-12


def _mean_loss(forecasts: Forecasts, loss: Floats, scale: Scale, level: float) -> Interval:
    """Return the interval of a weighted mean of losses.

    A few hits have most of the loss, so that clusters count by what they add to it.
    """
    if len(loss) == 0:
        return replace(_stated(forecasts, None, scale, level), reason="no observations")
    share = forecasts.share
    mean = forecasts.mean(loss)
    stated = _stated(forecasts, mean, scale, level)
    if forecasts.fewest < FEWEST_HITS:
        return replace(stated, reason=_TOO_FEW)
    added = forecasts.weight * loss
    spread = two_way(share * (loss - mean), forecasts.drug, forecasts.disease, added)
    error = spread.variance**0.5
    if error <= _ROUNDING * mean:
        return replace(stated, reason=_ALIKE)
    slope = mean * (1 - mean) if scale is LOGIT else mean
    low, high = around(mean, error / slope, scale, level, spread.df)
    return replace(stated, low=low, high=high)


def _stated(forecasts: Forecasts, estimate: float | None, scale: Scale, level: float) -> Interval:
    n_drugs = len(np.unique(forecasts.drug))
    method = f"two-way clustered, t on {scale.name} scale"
    return Interval(
        estimate, None, None, level, method, "drug and disease", len(forecasts.is_hit), n_drugs
    )
