"""The power of a slate of a given size, and how many more events would settle a question."""

from dataclasses import dataclass
from math import ceil, floor, log

import scipy

from tracker.uncertainty.stats.intervals import Interval


@dataclass(frozen=True)
class Power:
    """The smallest enrichment a tier can show; None, with the reason, where none can be shown.

    `n_hits_needed` of `n_effective` predictions is the smallest number that a one-sided exact
    binomial test at `alpha` finds too large for the base rate; at `minimum_enrichment` times the
    base rate at least that many occur with probability `power`.
    """

    minimum_enrichment: float | None
    n_hits_needed: int | None
    base_rate: float
    n_effective: int
    alpha: float
    power: float
    method: str
    reason: str | None = None


def rate_over(yearly_rate: float, years: float) -> float:
    """Return the share of pairs with an event within `years`, at a constant `yearly_rate`."""
    return float(1 - (1 - yearly_rate) ** years)


def minimum_enrichment(
    n_predictions: int,
    base_rate: float,
    *,
    design_effect: float = 1.0,
    alpha: float = 0.05,
    power: float = 0.8,
) -> Power:
    """Return the smallest true enrichment over `base_rate` that a tier shows with `power`.

    `base_rate` is the share of pairs expected to be hits over the horizon if the ranking has no
    information. `design_effect` = 1 + (pairs per disease - 1) x intra-disease correlation (Kish
    1965) divides the predictions. Hits are binomial at the mean rate: where rates differ between
    pairs, hits vary less, and the answer errs on the side of caution. P(at least c of n) = 1 -
    alpha's complement is solved exactly, by the beta quantile. ValueError unless 0 < base_rate < 1
    and design_effect >= 1.
    """
    if not 0 < base_rate < 1 or design_effect < 1:
        raise ValueError("base_rate must be between 0 and 1, design_effect 1 or more")
    n = floor(n_predictions / design_effect)
    method = "exact binomial, one-sided"
    needed = int(scipy.stats.binom.isf(alpha, n, base_rate)) + 1 if n > 0 else 1
    if needed > n:
        reason = "too few predictions: even hits in all of them could be chance"
        return Power(None, None, base_rate, n, alpha, power, method, reason)
    rate = float(scipy.stats.beta.ppf(power, needed, n - needed + 1))
    return Power(rate / base_rate, needed, base_rate, n, alpha, power, method)


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
