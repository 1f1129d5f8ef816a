"""Intervals of the scores of predicted probabilities, and of the points of a reliability curve.

Every figure is a mean weighted by the inverse probability of censoring, linearised and spread over
drugs and diseases as in `clustered`; the weights are taken as known, which errs on the safe side,
since estimated ones vary less. tests/speed/probability_scores.py measures coverage.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from tracker.uncertainty.stats import clustered
from tracker.uncertainty.stats.clustered import FEWEST_HITS, UNIT, Compared, Indices
from tracker.uncertainty.stats.intervals import LEVEL, LOG, LOGIT, PLAIN, Floats, Interval, Scale


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

    def why_not(self) -> str | None:
        """Return why there is no interval of a mean loss, None if nothing stands against it."""
        n_hits = int(self.is_hit.sum())
        if len(self.is_hit) == 0:
            return "no observations"
        if min(n_hits, len(self.is_hit) - n_hits) < FEWEST_HITS:
            return f"fewer than {FEWEST_HITS} hits or misses"
        return None


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
    hit, weight = forecasts.is_hit, forecasts.weight
    rate = float(weight @ hit) / float(weight.sum()) if len(hit) else 0.0
    variance = rate * (1 - rate)
    if not variance > 0:
        stated = _stated(forecasts, None, PLAIN, level)
        return Compared(replace(stated, reason="no hit or no miss"), None)
    loss = (forecasts.probability - hit) ** 2
    score = float(weight @ loss) / float(weight.sum())
    stated = _stated(forecasts, 1 - score / variance, PLAIN, level)
    reason = forecasts.why_not()
    if reason is not None:
        return Compared(replace(stated, reason=reason), None)
    of_rate = score * (1 - 2 * rate) / variance**2
    influence = weight / weight.sum() * (of_rate * (hit - rate) - (loss - score) / variance)
    spread = clustered.two_way(influence, forecasts.drug, forecasts.disease, weight * hit)
    return clustered.around_spread(stated, spread, PLAIN, 0.0)


def observed_rate(forecasts: Forecasts, *, level: float = LEVEL) -> Interval:
    """Return the interval of the weighted share of hits, as of `clustered.hit_rate`."""
    return clustered.hit_rate(
        *(forecasts.is_hit, forecasts.drug, forecasts.disease),
        weight=forecasts.weight,
        level=level,
    )


def _mean_loss(forecasts: Forecasts, loss: Floats, scale: Scale, level: float) -> Interval:
    """Return the interval of a weighted mean of losses.

    A few hits have most of the loss, so that clusters count by what they add to it.
    """
    weight, reason = forecasts.weight, forecasts.why_not()
    if reason is not None:
        mean = float(weight @ loss) / float(weight.sum()) if len(loss) else None
        return replace(_stated(forecasts, mean, scale, level), reason=reason)
    added = weight * loss
    return clustered.of_sums(
        *(added, weight, forecasts.drug, forecasts.disease, scale), stake=added, level=level
    ).interval


def _stated(forecasts: Forecasts, estimate: float | None, scale: Scale, level: float) -> Interval:
    n_drugs = len(np.unique(forecasts.drug))
    method = f"two-way clustered, t on {scale.name} scale"
    return Interval(estimate, None, None, level, method, UNIT, len(forecasts.is_hit), n_drugs)
