"""The power of a slate of a given size, and how many more events would settle a question."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import ceil, log

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from tracker.uncertainty.stats.clustered import FEW_HITS, FEWEST_HITS, Indices
from tracker.uncertainty.stats.intervals import LEVEL, Floats, Interval

# Worlds drawn for each size of enrichment: a power of 0.8 is known within 0.028.
N_WORLDS = 200
POWER = 0.8
LARGEST = 1000.0

# Draws are the same for every size of enrichment, so that power rises with it.
_SEED = 20_150_612
# A hazard is finite, and so is the number of events drawn of a drug.
_SURE = 1 - 1e-9
_MANY = 10_000


@dataclass(frozen=True)
class Design:
    """The predictions whose power is asked: what each is expected to do without any skill.

    `rate` has shape (n,) and is the yearly probability of an event; `drug` and `disease` number
    from 0. `drug_spread` is the variance of the true rates of drugs over the square of their mean.
    """

    rate: Floats
    drug: Indices
    disease: Indices
    drug_spread: float

    def repeated(self, factor: float) -> "Design":
        """Return `factor` times as many such predictions, of other drugs and diseases."""
        n = ceil(len(self.rate) * factor)
        copy, place = np.divmod(np.arange(n), len(self.rate))
        return replace(
            self,
            rate=self.rate[place],
            drug=self.drug[place] + copy * (self.drug.max() + 1),
            disease=self.disease[place] + copy * (self.disease.max() + 1),
        )


def rate_over(yearly_rate: Floats, months: float) -> Floats:
    """Return the probability of an event within `months`, at a constant yearly rate."""
    return np.asarray(1 - (1 - yearly_rate) ** (months / 12))


def power(design: Design, enrichment: float, months: float) -> float:
    """Return the probability that a true enrichment is seen, its 95 % interval being above 1.

    In each of 200 simulated worlds the hazard of a prediction is `enrichment` times its own, times
    the momentum of its drug, which is gamma with mean 1 and variance `drug_spread`. Hits over those
    expected without any skill are judged by the interval of `clustered.ratio`, and with fewer than
    10 hits by the exact Poisson one too, as in `matched.rate_ratio`. The expectation is taken as
    known, which favours the slate a little.
    """
    expected = rate_over(design.rate, months)
    if not expected.sum() > 0:
        return 0.0
    n_seen = _is_seen(draw(design, enrichment, months), expected, design).sum()
    return int(n_seen) / N_WORLDS


@dataclass(frozen=True)
class Hits:
    """The hits of all worlds: the world and the prediction of each."""

    world: Indices
    prediction: Indices


def draw(design: Design, enrichment: float, months: float) -> Hits:
    """Draw events of each drug, then the prediction of each event; a second one changes nothing."""
    random = np.random.default_rng(_SEED)
    by_drug = np.argsort(design.drug, kind="stable")
    hazard = -np.log1p(-np.minimum(design.rate[by_drug], _SURE)) * (months / 12)
    upto = np.concatenate([[0.0], np.cumsum(hazard)])
    drugs, first = np.unique(design.drug[by_drug], return_index=True)
    start, end = upto[first], upto[np.append(first[1:], len(hazard))]
    momentum = np.ones((N_WORLDS, len(drugs)))
    if design.drug_spread > 0:
        shape = 1 / design.drug_spread
        momentum = random.gamma(shape, 1 / shape, momentum.shape)
    n_events = random.poisson(np.minimum(enrichment * (end - start) * momentum, _MANY))
    world, drug = np.divmod(np.repeat(np.arange(n_events.size), n_events.ravel()), len(drugs))
    at = start[drug] + random.random(len(drug)) * (end - start)[drug]
    place = np.minimum(np.searchsorted(upto, at, side="right") - 1, len(hazard) - 1)
    world, place = np.divmod(np.unique(world * len(hazard) + place), len(hazard))
    return Hits(world, by_drug[place])


def _is_seen(hits: Hits, expected: Floats, design: Design) -> NDArray[np.bool_]:
    """Return, for each world with enough hits for an interval, whether that lies above 1.

    It is the interval of `clustered.ratio` for all worlds at once, from sums over hits.
    """
    n_hits = _sums(hits.world, 1.0)
    ratio = n_hits / expected.sum()
    of_pairs = _squares(n_hits, _sums(hits.world, expected[hits.prediction]), ratio, expected)
    parts, numbers = [], []
    for cluster in (design.drug, design.disease):
        expected_of: Floats = np.bincount(cluster, expected).astype(np.float64)
        of_hit = cluster[hits.prediction]
        key, n_of = np.unique(hits.world * len(expected_of) + of_hit, return_counts=True)
        squares = _sums(key // len(expected_of), n_of.astype(np.float64) ** 2)
        n = np.maximum(n_hits**2 / np.maximum(squares, 1.0), 1.5)
        total = _squares(squares, _sums(hits.world, expected_of[of_hit]), ratio, expected_of)
        parts.append(n / (n - 1) * total)
        numbers.append(n)
    spread = sum(part**2 / (n - 1) for part, n in zip(parts, numbers, strict=True))
    variance = np.maximum.reduce([*parts, of_pairs, parts[0] + parts[1] - of_pairs])
    enough = (n_hits >= FEWEST_HITS) & (variance > 0)
    n_hits, ratio, variance = n_hits[enough], ratio[enough], variance[enough]
    error = variance**0.5 / n_hits
    df = np.maximum(variance**2 / spread[enough], 1.0)
    low = ratio * np.exp(-special.stdtrit(df, (1 + LEVEL) / 2) * error)
    exact = special.gammaincinv(n_hits, (1 - LEVEL) / 2) / expected.sum()
    return np.asarray(np.where(n_hits < FEW_HITS, np.minimum(low, exact), low) > 1)


def _sums(world: Indices, values: ArrayLike) -> Floats:
    total: Floats = np.bincount(world, np.broadcast_to(values, world.shape), N_WORLDS).astype(
        np.float64
    )
    return total


def _squares(squares: Floats, products: Floats, ratio: Floats, expected: Floats) -> Floats:
    """Return the sum of (hits - ratio x expected)^2 from the sums of its three products."""
    total = squares - 2 * ratio * products + ratio**2 * float(expected @ expected)
    return np.asarray(np.maximum(total, 0.0))


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
    if n > limit:
        return None
    found = _smallest(
        lambda times: power(design.repeated(times), enrichment, months), 1.0, limit / n
    )
    return None if found is None else ceil(n * found)


def _smallest(power_of: Callable[[float], float], low: float, high: float) -> float | None:
    """Return the least value, within 1 %, from which power is 0.8; None if it is not at `high`."""
    if power_of(low) >= POWER:
        return low
    # Upwards, since large values are slow to draw.
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
