"""Intervals of the scores of predicted probabilities, and of the points of a reliability curve.

Every figure is a mean weighted by the inverse probability of censoring, linearised and clustered by
drug and disease as in `clustered`. The weights are taken as known, which makes intervals a little
too wide, since scores with estimated weights vary less. tests/speed/probability_scores.py measures
coverage.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from tracker.uncertainty.stats import clustered
from tracker.uncertainty.stats.clustered import Indices
from tracker.uncertainty.stats.intervals import LOG, LOGIT, PLAIN, Floats, Interval, Scale


@dataclass(frozen=True)
class Forecasts:
    """Predicted probabilities of pairs whose outcome is known; every array has shape (n,).

    `weight` is the inverse probability of censoring; `of` leaves out pairs of weight 0.
    """

    drug: Indices
    disease: Indices
    probability: Floats
    is_hit: Floats
    weight: Floats

    @classmethod
    def of(
        cls,
        probability: ArrayLike,
        is_hit: ArrayLike,
        weight: ArrayLike,
        drug: ArrayLike,
        disease: ArrayLike,
    ) -> "Forecasts":
        """Return the pairs with a weight above 0; ValueError if the arrays differ in shape."""
        arrays = clustered.pairs(drug, disease, probability, is_hit, weight)
        drugs, diseases, *values = (one[arrays[-1] > 0] for one in arrays)
        return cls(*clustered.pairs(drugs, diseases, *values))

    def stated(self, scale: Scale) -> Interval:
        """Return an interval without estimate and limits, with any reason against limits."""
        n_hits = float(self.is_hit.sum())
        reason = clustered.why_not(n_hits, len(self.is_hit) - n_hits)
        if len(self.is_hit) == 0:
            reason = "no observations"
        return clustered.of_pairs(self.drug, scale, reason=reason)


def brier_score(forecasts: Forecasts) -> Interval:
    """Return the interval of the weighted mean squared error, on the logit scale."""
    return _mean_loss(forecasts, (forecasts.probability - forecasts.is_hit) ** 2, LOGIT)


def log_score(forecasts: Forecasts) -> Interval:
    """Return the interval of the weighted mean of -ln(probability of what happened), log scale.

    ValueError if a certain prediction failed, which makes the score infinite.
    """
    seen = np.where(forecasts.is_hit == 1, forecasts.probability, 1 - forecasts.probability)
    if (seen == 0).any():
        raise ValueError("a certain prediction failed, so that the score is infinite")
    return _mean_loss(forecasts, -np.log(seen), LOG)


def brier_skill_score(forecasts: Forecasts) -> Interval:
    """Return the interval of 1 - Brier score / (r (1 - r)), and p against 0; 1 is best.

    r is the observed rate; influences include what each pair adds to it.
    """
    hit, weight = forecasts.is_hit, forecasts.weight
    rate = float(weight @ hit) / float(weight.sum()) if len(hit) else 0.0
    variance = rate * (1 - rate)
    stated = forecasts.stated(PLAIN)
    if not variance > 0:
        return stated.without("no hit or no miss")
    loss = (forecasts.probability - hit) ** 2
    score = float(weight @ loss) / float(weight.sum())
    of_rate = score * (1 - 2 * rate) / variance**2
    influence = weight / weight.sum() * (of_rate * (hit - rate) - (loss - score) / variance)
    spread = clustered.two_way(influence, forecasts.drug, forecasts.disease, weight * hit)
    stated = replace(stated, estimate=1 - score / variance)
    return clustered.around_spread(stated, spread, PLAIN, 0.0, size=1.0)


def observed_rate(forecasts: Forecasts) -> Interval:
    """Return the interval of the weighted share of hits, by `clustered.hit_rate`."""
    return clustered.hit_rate(
        forecasts.is_hit, forecasts.drug, forecasts.disease, weight=forecasts.weight
    )


def _mean_loss(forecasts: Forecasts, loss: Floats, scale: Scale) -> Interval:
    """Return the interval of a weighted mean of losses.

    A few hits have most of the loss, so clusters are weighted by what they add to it.
    """
    stated, added = forecasts.stated(scale), forecasts.weight * loss
    if stated.n == 0:
        return stated
    return clustered.of_sums(
        added, forecasts.weight, forecasts.drug, forecasts.disease, stated, scale, stake=added
    )
