"""How well scores separate two classes: intervals of AUC and of average precision."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tracker.uncertainty.stats.intervals import LOGIT, Floats, Interval, t_interval
from tracker.uncertainty.stats.resampling import (
    N_REPLICATES,
    Statistic,
    drawn_from,
    of_draws,
    shortage,
)

# With fewer items of either class, intervals of AUC cover below 93 % (tests/speed/coverage.py).
MIN_PER_CLASS = 5

# With more diseases, AUC is taken as linear in how often each is drawn, rather than computed from
# every pair of diseases; that moves the limits by less than 1 % of their distance.
_MAX_CROSSED = 1_000

_ONE_CLASS = "one class only"


def delong(scores: ArrayLike, is_positive: ArrayLike) -> Interval:
    """Return the AUC of independent items with the interval of DeLong et al. (1988), by logit.

    Both arrays have shape (n,), ValueError if not; ties count one half. The quantile is Student's
    with Welch's degrees of freedom, which small classes need. With one class there is no estimate.
    """
    scored, positive = _classes(scores, is_positive)
    stated = Interval("DeLong, t on logit scale", "item", len(scored), len(scored))
    if positive.all() or not positive.any():
        return stated.without(_ONE_CLASS)
    beaten, beating = _placements(scored, positive)
    estimate = float(beaten.mean())
    stated = replace(stated, estimate=estimate)
    short = too_few_of_a_class(len(beaten), len(beating))
    if short:
        return stated.without(short)
    parts = [(float(x.var(ddof=1)) / len(x), len(x) - 1) for x in (beaten, beating)]
    variance = sum(part for part, _ in parts)
    if variance == 0:
        return stated.without("all pairs separated or tied: no error can be estimated")
    df = variance**2 / sum(part**2 / part_df for part, part_df in parts)
    return t_interval(stated, variance**0.5 / (estimate * (1 - estimate)), LOGIT, df)


def auc_over_diseases(
    scores: ArrayLike,
    is_positive: ArrayLike,
    disease: ArrayLike,
    *,
    seed: int,
    n_replicates: int = N_REPLICATES,
) -> Interval:
    """Return the AUC over the pairs of all diseases, with its disease bootstrap interval, by logit.

    The arrays have shape (n,). Positives of each drawn disease are compared with negatives of every
    drawn disease, its own included.
    """
    scored, positive = _classes(scores, is_positive)
    units, unit = np.unique(np.asarray(disease), return_inverse=True)
    n_units = len(units)
    stated = drawn_from(
        "disease bootstrap", LOGIT, "disease", len(scored), n_units, seed, n_replicates
    )
    n_positive = np.bincount(unit[positive], minlength=n_units).astype(np.float64)
    n_negative = np.bincount(unit[~positive], minlength=n_units).astype(np.float64)
    n_pairs = n_positive.sum() * n_negative.sum()
    if n_pairs == 0:
        return stated.without(_ONE_CLASS)
    beaten, beating = _placements(scored, positive)
    won_by = np.bincount(unit[positive], beaten, n_units) * n_negative.sum()
    lost_by = np.bincount(unit[~positive], beating, n_units) * n_positive.sum()
    short = shortage("disease", n_units, {"positive": n_positive, "negative": n_negative})
    short = short or too_few_of_a_class(int(n_positive.sum()), int(n_negative.sum()))
    crossed = None
    if short is None and n_units <= _MAX_CROSSED:
        crossed = _wins(scored, positive, unit, n_units)

    def auc(times: Floats) -> Floats:
        if crossed is None:
            won = times @ (won_by + lost_by) - won_by.sum()
        else:
            won = ((times @ crossed) * times).sum(axis=1)
        return np.asarray(won / ((times @ n_positive) * (times @ n_negative)))

    value = float(won_by.sum() / n_pairs)
    return of_draws([auc], [n_units], replace(stated, reason=short), LOGIT, value=value)[0]


def auprc(
    scores: ArrayLike, is_positive: ArrayLike, *, seed: int, n_replicates: int = N_REPLICATES
) -> Interval:
    """Return step-wise average precision with its stratified bootstrap interval, by logit.

    Both arrays have shape (n,), ValueError if not. Positives and negatives are drawn separately, so
    that every replicate has the prevalence of the data; the degrees of freedom are the number of
    positives, usually the scarcer class, less 1.
    """
    scored, positive = _classes(scores, is_positive)
    n, n_positive = len(scored), int(positive.sum())
    stated = drawn_from(
        "stratified item bootstrap", LOGIT, "positive", n, n_positive, seed, n_replicates
    )
    if n_positive in (0, n):
        return stated.without(_ONE_CLASS)
    # Columns of the draws: positives, then negatives.
    by_class = np.concatenate([scored[positive], scored[~positive]])
    average_precision = average_precision_of(by_class, np.arange(n) < n_positive)
    strata = [n_positive, n - n_positive]
    stated = replace(stated, reason=too_few_of_a_class(*strata))
    return of_draws([average_precision], strata, stated, LOGIT)[0]


def average_precision_of(scores: Floats, is_positive: NDArray[np.bool_]) -> Statistic:
    """Return step-wise average precision as a function of how often each item is drawn."""
    upto = _upto(scores, is_positive)

    def average_precision(times: Floats) -> Floats:
        n_found, n_missed = upto(times)
        steps = np.diff(n_found, prepend=0, axis=1)
        n_listed = np.maximum(n_found + n_missed, 1)
        return np.asarray((steps * n_found / n_listed).sum(axis=1) / n_found[:, -1])

    return average_precision


def auroc_of(scores: Floats, is_positive: NDArray[np.bool_]) -> Statistic:
    """Return the AUC, ties one half, as a function of how often each item is drawn."""
    upto = _upto(scores, is_positive)

    def auroc(times: Floats) -> Floats:
        n_found, n_missed = upto(times)
        beaten = n_missed[:, -1:] - n_missed + np.diff(n_missed, prepend=0, axis=1) / 2
        won = (np.diff(n_found, prepend=0, axis=1) * beaten).sum(axis=1)
        return np.asarray(won / (n_found[:, -1] * n_missed[:, -1]))

    return auroc


def _upto(
    scores: Floats, is_positive: NDArray[np.bool_]
) -> Callable[[Floats], tuple[Floats, Floats]]:
    """Return a function from draws to the numbers of positives and negatives from each score up.

    Both have shape (n_replicates, n_scores), by distinct score from the highest.
    """
    listed = np.argsort(-scores, kind="stable")
    ends = np.append(np.flatnonzero(np.diff(scores[listed])), len(listed) - 1)
    is_found = is_positive[listed]

    def upto(times: Floats) -> tuple[Floats, Floats]:
        ordered = times[:, listed]
        n_found, n_missed = (
            np.cumsum(ordered * is_class, axis=1)[:, ends] for is_class in (is_found, ~is_found)
        )
        return n_found, n_missed

    return upto


def _classes(scores: ArrayLike, is_positive: ArrayLike) -> tuple[Floats, NDArray[np.bool_]]:
    """Return scores and classes as arrays of shape (n,); ValueError if they differ in shape."""
    scored = np.asarray(scores, dtype=np.float64)
    positive = np.asarray(is_positive, dtype=np.bool_)
    if scored.shape != positive.shape or scored.ndim != 1:
        raise ValueError("scores and classes differ in shape")
    return scored, positive


def too_few_of_a_class(n_positive: int, n_negative: int) -> str | None:
    """Return why the classes are too small for an interval, None if they are not."""
    n_least = min(n_positive, n_negative)
    if n_least >= MIN_PER_CLASS:
        return None
    return f"too few of one class: {n_least}, at least {MIN_PER_CLASS} needed"


def _placements(scored: Floats, positive: NDArray[np.bool_]) -> tuple[Floats, Floats]:
    """Return the share of negatives below each positive, and of positives above each negative."""
    positives, negatives = np.sort(scored[positive]), np.sort(scored[~positive])
    beaten = _n_below(scored[positive], negatives) / len(negatives)
    return beaten, 1 - _n_below(scored[~positive], positives) / len(positives)


def _n_below(scored: Floats, ordered: Floats) -> Floats:
    """Return for each score how many of the sorted others are below it, ties one half."""
    below, up_to = (np.searchsorted(ordered, scored, side=side) for side in ("left", "right"))
    return np.asarray((below + up_to) / 2)


def _wins(
    scored: Floats, positive: NDArray[np.bool_], unit: NDArray[np.intp], n_units: int
) -> Floats:
    """Return at [i, j] how often a positive of unit i beats a negative of unit j, ties one half."""
    wins = np.zeros((n_units, n_units))
    owner, negatives = unit[positive], unit[~positive]
    order = np.lexsort((scored[~positive], negatives))
    ends = np.cumsum(np.bincount(negatives, minlength=n_units))
    for other, ordered in enumerate(np.split(scored[~positive][order], ends[:-1])):
        wins[:, other] = np.bincount(owner, _n_below(scored[positive], ordered), n_units)
    return wins
