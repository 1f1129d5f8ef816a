"""How well scores separate two classes: intervals of AUC and of average precision."""

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tracker.uncertainty.stats.intervals import LEVEL, LOGIT, Floats, Interval, around
from tracker.uncertainty.stats.resampling import (
    DISEASE_BOOTSTRAP,
    N_REPLICATES,
    Statistic,
    draw_counts,
    replicate_interval,
    shortage,
)

# With fewer of either class, intervals of AUC cover less than 93 % (tests/speed/coverage.py).
MIN_PER_CLASS = 5

# Up to this number every pair of diseases is compared in every replicate; above, AUC is taken as
# linear in how often diseases are drawn, which moves the limits by less than 1 % of their distance.
_MAX_CROSSED = 1_000


def delong(scores: ArrayLike, is_positive: ArrayLike, *, level: float = LEVEL) -> Interval:
    """Return the AUC of independent items with the interval of DeLong et al. (1988), by logit.

    Both arrays have shape (n,); ties count one half. Each class is counted among the sorted other
    one, in n log n steps; the quantile is Student's with the degrees of freedom of Welch, which a
    small class needs. A single class has no AUC.
    """
    scored, positive = _classes(scores, is_positive)
    stated = Interval(
        None, None, None, level, "DeLong, t on logit scale", "item", len(scored), len(scored)
    )
    if positive.all() or not positive.any():
        return replace(stated, reason="one class only")
    beaten, beating = _placements(scored, positive)
    estimate = float(beaten.mean())
    stated = replace(stated, estimate=estimate)
    short = too_few_of_a_class(len(beaten), len(beating))
    if short:
        return replace(stated, reason=short)
    parts = [(float(x.var(ddof=1)) / len(x), len(x) - 1) for x in (beaten, beating)]
    variance = sum(part for part, _ in parts)
    if variance == 0:
        return replace(stated, reason="all pairs separated or tied: no error can be estimated")
    df = variance**2 / sum(part**2 / part_df for part, part_df in parts)
    error = variance**0.5 / (estimate * (1 - estimate))
    low, high = around(estimate, error, LOGIT, level, df)
    return replace(stated, low=low, high=high)


def auc_over_diseases(
    scores: ArrayLike,
    is_positive: ArrayLike,
    disease: ArrayLike,
    *,
    seed: int,
    n_replicates: int = N_REPLICATES,
    level: float = LEVEL,
) -> Interval:
    """Return the AUC of all pairs together with its disease bootstrap interval, by logit.

    The arrays have shape (n,); `disease` determines which pairs are drawn together. A drawn disease
    meets every other drawn disease, and itself, as often as both were drawn.
    """
    scored, positive = _classes(scores, is_positive)
    units, unit = np.unique(np.asarray(disease), return_inverse=True)
    n_units = len(units)
    stated = Interval(
        None,
        None,
        None,
        level,
        DISEASE_BOOTSTRAP,
        "disease",
        len(scored),
        n_units,
        n_replicates,
        seed,
    )
    n_positive = np.bincount(unit[positive], minlength=n_units).astype(np.float64)
    n_negative = np.bincount(unit[~positive], minlength=n_units).astype(np.float64)
    n_pairs = n_positive.sum() * n_negative.sum()
    if n_pairs == 0:
        return replace(stated, reason="one class only")
    beaten, beating = _placements(scored, positive)
    won_by = np.bincount(unit[positive], beaten, n_units) * n_negative.sum()
    lost_by = np.bincount(unit[~positive], beating, n_units) * n_positive.sum()
    stated = replace(stated, estimate=float(won_by.sum() / n_pairs))
    short = shortage("disease", n_units, {"positive": n_positive, "negative": n_negative})
    short = short or too_few_of_a_class(int(n_positive.sum()), int(n_negative.sum()))
    if short:
        return replace(stated, reason=short)
    crossed = _wins(scored, positive, unit, n_units) if n_units <= _MAX_CROSSED else None
    replicates = []
    for times in draw_counts([n_units], n_replicates, seed):
        if crossed is None:
            won = times @ (won_by + lost_by) - won_by.sum()
        else:
            won = ((times @ crossed) * times).sum(axis=1)
        with np.errstate(all="ignore"):
            replicates.append(won / ((times @ n_positive) * (times @ n_negative)))
    return replicate_interval(stated, np.concatenate(replicates), LOGIT)


def auprc(
    scores: ArrayLike,
    is_positive: ArrayLike,
    *,
    seed: int,
    n_replicates: int = N_REPLICATES,
    level: float = LEVEL,
) -> Interval:
    """Return step-wise average precision with its stratified bootstrap interval, by logit.

    Both arrays have shape (n,). Positives and negatives are drawn separately, so that every
    replicate has the prevalence of the data; the positives, being the scarce class, set the degrees
    of freedom.
    """
    scored, positive = _classes(scores, is_positive)
    n_positive, n_negative = int(positive.sum()), int((~positive).sum())
    method = "stratified item bootstrap, t on logit scale"
    stated = Interval(
        None, None, None, level, method, "positive", len(scored), n_positive, n_replicates, seed
    )
    if n_positive == 0 or n_negative == 0:
        return replace(stated, reason="one class only")
    # Columns of the draws: positives, then negatives.
    by_class = np.concatenate([scored[positive], scored[~positive]])
    average_precision = average_precision_of(by_class, np.arange(len(by_class)) < n_positive)
    stated = replace(stated, estimate=float(average_precision(np.ones((1, len(by_class))))[0]))
    short = too_few_of_a_class(n_positive, n_negative)
    if short:
        return replace(stated, reason=short)
    blocks = draw_counts([n_positive, n_negative], n_replicates, seed)
    replicates = np.concatenate([average_precision(times) for times in blocks])
    return replicate_interval(stated, replicates, LOGIT)


def average_precision_of(scores: Floats, is_positive: NDArray[np.bool_]) -> Statistic:
    """Return step-wise average precision as a function of the draws of each item.

    Draws have shape (n_replicates, n_items), the figures (n_replicates,).
    """
    listed, ends = _listed(scores)
    is_found = is_positive[listed]

    def average_precision(times: Floats) -> Floats:
        ordered = times[:, listed]
        n_found = np.cumsum(ordered * is_found, axis=1)[:, ends]
        n_listed = np.cumsum(ordered, axis=1)[:, ends]
        steps = np.diff(n_found, prepend=0, axis=1)
        area: Floats = (steps * n_found / np.maximum(n_listed, 1)).sum(axis=1) / n_found[:, -1]
        return area

    return average_precision


def auroc_of(scores: Floats, is_positive: NDArray[np.bool_]) -> Statistic:
    """Return the AUC, ties one half, as a function of the draws of each item.

    Draws have shape (n_replicates, n_items), the figures (n_replicates,).
    """
    listed, ends = _listed(scores)
    is_found = is_positive[listed]

    def auroc(times: Floats) -> Floats:
        ordered = times[:, listed]
        n_found = np.cumsum(ordered * is_found, axis=1)[:, ends]
        n_missed = np.cumsum(ordered * ~is_found, axis=1)[:, ends]
        beaten = n_missed[:, -1:] - n_missed + np.diff(n_missed, prepend=0, axis=1) / 2
        won = (np.diff(n_found, prepend=0, axis=1) * beaten).sum(axis=1)
        area: Floats = won / (n_found[:, -1] * n_missed[:, -1])
        return area

    return auroc


def _listed(scores: Floats) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the items from the best score down, and where in that list each tie ends."""
    listed = np.argsort(-scores, kind="stable")
    return listed, np.append(np.flatnonzero(np.diff(scores[listed])), len(listed) - 1)


def _classes(scores: ArrayLike, is_positive: ArrayLike) -> tuple[Floats, NDArray[np.bool_]]:
    """Return scores and classes as arrays of one length; ValueError if theirs differ."""
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
    """Return each positive's share of negatives beaten, each negative's of positives beating it."""
    positives, negatives = scored[positive], scored[~positive]
    return _share_below(positives, negatives), 1 - _share_below(negatives, positives)


def _share_below(scored: Floats, others: Floats) -> Floats:
    """Return for each score the share of the others below it, ties one half."""
    ordered = np.sort(others)
    below = np.searchsorted(ordered, scored, side="left")
    up_to = np.searchsorted(ordered, scored, side="right")
    shares: Floats = (below + up_to) / (2 * len(others))
    return shares


def _wins(
    scored: Floats, positive: NDArray[np.bool_], unit: NDArray[np.intp], n_units: int
) -> Floats:
    """Return how many negatives of unit j the positives of unit i beat, ties one half: [i, j]."""
    wins = np.zeros((n_units, n_units))
    positives, owner = scored[positive], unit[positive]
    order = np.lexsort((scored[~positive], unit[~positive]))
    negatives, ends = (
        scored[~positive][order],
        np.cumsum(np.bincount(unit[~positive], minlength=n_units)),
    )
    for other, sorted_scores in enumerate(np.split(negatives, ends[:-1])):
        below = np.searchsorted(sorted_scores, positives, side="left")
        up_to = np.searchsorted(sorted_scores, positives, side="right")
        wins[:, other] = np.bincount(owner, (below + up_to) / 2, n_units)
    return wins
