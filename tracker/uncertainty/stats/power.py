"""The power of a slate at its freeze, and how many more events would settle a question."""

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil, log, pi

import numpy as np
import scipy

from tracker.uncertainty.stats.clustered import FEW_HITS, FEWEST_HITS, Indices
from tracker.uncertainty.stats.intervals import LEVEL, Floats, Interval
from tracker.uncertainty.stats.stratified import FEWEST_DRUGS

METHOD = "closed form of Mantel-Haenszel over strata"
POWER = 0.8
LARGEST = 1000.0

# The report needs 2 effective drugs among those that hits fall on, fewer than are expected here.
_ENOUGH_DRUGS = FEWEST_DRUGS + 0.5

# A hazard is finite.
_SURE = 1 - 1e-9


@dataclass(frozen=True)
class Design:
    """The predictions whose power is asked, each with what its stratum does without any skill.

    Of shape (n,), from 0 where they number: `rate` is the yearly probability of an event of the
    stratum's candidates, `n_candidates` how many these are and `share` how many of them are
    predicted. `drug_spread` is the variance of the true rates of drugs over the square of their
    mean.
    """

    rate: Floats
    n_candidates: Floats
    share: Floats
    disease: Indices
    drug: Indices
    breadth_class: Indices
    drug_spread: float


def _hazard(yearly_rate: Floats, months: float) -> Floats:
    return np.asarray(-np.log1p(-np.minimum(yearly_rate, _SURE)) * (months / 12))


def power(
    design: Design, enrichment: float, months: float, times: float = 1.0, level: float = LEVEL
) -> float:
    """Return the probability that an enrichment is seen, its interval lying above 1.

    The predictions have `enrichment` times the hazard of the other candidates of their strata, and
    there are `times` as many of them, of other drugs and diseases. The interval, of `level`, is of
    `stratified.interval`, whose estimate and variance follow in closed form from these hazards;
    docs/statistics.md#power has the derivation.
    """
    hazard, others = _hazard(design.rate, months), 1 - design.share
    hit, rate = -np.expm1(-enrichment * hazard), -np.expm1(-hazard)
    r, s = float(hit @ others), float(rate @ others)
    if not s > 0:
        return 0.0
    of_own = hit * (1 - hit) * (others / r) ** 2
    of_others = rate * (1 - rate) * others * design.share / s**2
    own, other = float(of_own.sum()) / times, float(of_others.sum()) / times
    of_disease = np.bincount(design.disease, of_own + of_others) / times
    # The part of diseases is left out where negative: what chance leaves of it on average.
    diseases = float((of_disease @ of_disease / times / pi) ** 0.5)
    n_hits = times * float(hit.sum())
    # What a drug's momentum moves is less where an event is likely anyway.
    moved = _squares(design, enrichment * hazard * (1 - hit) * others / r, hazard * (1 - rate) / s)
    drugs = design.drug_spread * float(moved.sum()) / times
    squares = _squares(design, hit * others / r, rate / s)
    # Which drugs carry the ratio also depends on where the hits fall.
    n_drugs = 1 / (float(squares @ squares) / float(squares.sum()) ** 2 / times + 1 / n_hits)
    if n_drugs < _ENOUGH_DRUGS:
        return 0.0
    variance = own + other + drugs
    # With few hits, chance is estimated too high on average: the mean of 1 / hits.
    estimated = variance + (own + other) ** 2 + diseases
    df = max((estimated / drugs) ** 2 * max(n_drugs - 1, 0.5), 1.0) if drugs > 0 else np.inf
    quantile = float(scipy.special.stdtrit(df, (1 + level) / 2))
    # A low estimate has few hits and a wide interval.
    slope = max(1 + quantile * (own**2 - other**2) / (2 * variance**1.5), 0.5)
    seen = scipy.special.ndtr((log(r / s) - quantile * estimated**0.5) / variance**0.5 / slope)
    few = np.arange(FEWEST_HITS, FEW_HITS)
    is_seen = scipy.special.gammaincinv(few, (1 - level) / 2) > n_hits * s / r
    chances = scipy.special.pdtr(few, n_hits) - scipy.special.pdtr(few - 1, n_hits)
    return float(min(seen, scipy.special.pdtrc(FEW_HITS - 1, n_hits) + chances @ is_seen))


def _squares(design: Design, own: Floats, other: Floats) -> Floats:
    """Return the square of what each drug has at stake in the logarithm.

    That is what its predictions add to the hits, less what its other candidates add to those of
    others; `other` is the latter of a stratum all of which is predicted. Drugs that are never
    predicted are alike within a class of breadth.
    """
    of_class = np.bincount(design.breadth_class, other / design.n_candidates)
    n_of_class = np.zeros(len(of_class))
    np.maximum.at(n_of_class, design.breadth_class, design.n_candidates)
    drugs, first = np.unique(design.drug, return_index=True)
    classes = design.breadth_class[first]
    stakes = np.bincount(design.drug, own + other * design.share)[drugs] - of_class[classes]
    n_left = np.maximum(n_of_class - np.bincount(classes, minlength=len(of_class)), 0).astype(int)
    return np.concatenate([stakes, np.repeat(of_class, n_left)]) ** 2


def smallest_enrichment(design: Design, months: float) -> float | None:
    """Return the smallest true enrichment seen with a power of 0.8; None if none up to 1,000 is."""
    return _smallest(lambda enrichment: power(design, enrichment, months), 1.0, LARGEST)


def months_needed(design: Design, enrichment: float, limit: float) -> float | None:
    """Return after how many months the enrichment is seen with a power of 0.8, at constant rates.

    At least 1; None if not within `limit`.
    """
    return _smallest(lambda length: power(design, enrichment, length), 1.0, limit)


def predictions_needed(design: Design, enrichment: float, months: float, limit: int) -> int | None:
    """Return how many predictions of the same kind show the enrichment with a power of 0.8.

    At least as many as there are; None if more than `limit`.
    """
    n = len(design.rate)
    if not 0 < n <= limit:
        return None
    found = _smallest(lambda times: power(design, enrichment, months, times), 1.0, limit / n)
    return None if found is None else ceil(n * found)


def _smallest(power_of: Callable[[float], float], low: float, high: float) -> float | None:
    """Return the least value, within 1 %, from which power is 0.8; None if it is not at `high`."""
    if power_of(low) >= POWER:
        return low
    # Upwards: at a high rate, most pairs have their event in the end.
    upper = min(2 * low, high)
    while power_of(upper) < POWER:
        if upper >= high:
            return None
        low, upper = upper, min(2 * upper, high)
    while upper > 1.01 * low:
        middle = (low * upper) ** 0.5
        if power_of(middle) < POWER:
            low = middle
        else:
            upper = middle
    return upper


def further_events(interval: Interval, bar: float, n_events: int) -> int | None:
    """Return how many more events would resolve an enrichment interval that contains 1 and `bar`.

    The standard error of the logarithm of a ratio of counts falls as 1 / sqrt(events) (Katz et al.
    1978). If the estimate and the spread of hits over diseases stay as they are, the limits exclude
    1 or the bar, whichever is further from the estimate, at n_events x (half width / distance)^2
    events, half width and distance being logarithms. 0 if the interval already excludes one of
    them; None if there is no interval to narrow, or one from 0, which has no
    width on this scale.
    """
    if interval.estimate is None or not interval.low or interval.high is None:
        return None
    if not interval.low <= min(1.0, bar) or not max(1.0, bar) <= interval.high:
        return 0
    half = log(interval.high / interval.low) / 2
    distance = max(abs(log(interval.estimate)), abs(log(interval.estimate / bar)))
    if distance == 0:
        return None
    return max(1, ceil(n_events * (half / distance) ** 2) - n_events)
