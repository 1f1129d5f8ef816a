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

# A report needs 2 effective drugs among those with hits, which are fewer than are expected here.
_ENOUGH_DRUGS = FEWEST_DRUGS + 0.5

# Rates are capped here, so that hazards are finite.
_SURE = 1 - 1e-9


@dataclass(frozen=True)
class Design:
    """The predictions of a slate, each with the rate of its stratum without skill.

    Arrays have shape (n,): `rate` is the yearly probability of an event among the stratum's
    candidates, `n_candidates` their number and `share` the part of them that is predicted;
    `disease`, `drug` and `breadth_class` are numbered from 0. `drug_spread` is the variance of the
    drugs' true rates over the square of their mean.
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
    """Return the probability that the interval of an enrichment lies above 1 after some months.

    The predictions have `enrichment` times the hazard of the other candidates of their strata. With
    `times` there are that many times as many of them, for further drugs and diseases. The interval
    is that of `stratified.interval` at `level`; its estimate and variance follow in closed form
    from the hazards (docs/statistics.md#power).
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
    # A negative part of diseases counts as 0, so that chance alone makes it positive on average.
    diseases = float((of_disease @ of_disease / times / pi) ** 0.5)
    n_hits = times * float(hit.sum())
    # A drug's momentum moves less where an event is likely anyway.
    moved = _squares(design, enrichment * hazard * (1 - hit) * others / r, hazard * (1 - rate) / s)
    drugs = design.drug_spread * float(moved.sum()) / times
    squares = _squares(design, hit * others / r, rate / s)
    # Few hits fall on few drugs, however many are predicted.
    n_drugs = 1 / (float(squares @ squares) / float(squares.sum()) ** 2 / times + 1 / n_hits)
    if n_drugs < _ENOUGH_DRUGS:
        return 0.0
    variance = own + other + drugs
    # With few hits, chance is overestimated: the mean of 1 / hits exceeds 1 / mean hits.
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
    """Return each drug's squared stake in the logarithm of the ratio, of shape (n_drugs,).

    A stake is what the drug's predictions add to R, less what its other candidates add to S. Of
    shape (n,), `own` is what a prediction adds to R, and `other` what a candidate of its stratum
    would add to S if all were predicted. Within a class of breadth, drugs that are never predicted
    are taken as alike.
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
    """Return the least true enrichment seen with a power of 0.8, None if it exceeds 1,000."""
    return _smallest(lambda enrichment: power(design, enrichment, months), 1.0, LARGEST)


def months_needed(design: Design, enrichment: float, limit: float) -> float | None:
    """Return after how many months the enrichment is seen with a power of 0.8, at constant rates.

    At least 1; None if more than `limit`.
    """
    return _smallest(lambda length: power(design, enrichment, length), 1.0, limit)


def predictions_needed(design: Design, enrichment: float, months: float, limit: int) -> int | None:
    """Return how many such predictions show the enrichment with a power of 0.8.

    At least as many as there are; None if more than `limit`, or without predictions.
    """
    n = len(design.rate)
    if not 0 < n <= limit:
        return None
    found = _smallest(lambda times: power(design, enrichment, months, times), 1.0, limit / n)
    return None if found is None else ceil(n * found)


def _smallest(power_of: Callable[[float], float], low: float, high: float) -> float | None:
    """Return the least value with a power of 0.8, to within 1 %; None if above `high`."""
    if power_of(low) >= POWER:
        return low
    # From below: at high values most pairs have their event, and power may fall again.
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
    events, with half width and distance on the log scale. 0 if the interval excludes 1 or the bar
    already; None without an interval, with a lower limit of 0, or if the estimate, 1 and the bar
    are equal.
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
