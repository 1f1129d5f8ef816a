"""How well two rankings of the same items agree: intervals of Spearman and of top-k recall."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from tracker.uncertainty.stats.intervals import FISHER_Z, LEVEL, LOGIT, Floats, Interval, Scale
from tracker.uncertainty.stats.resampling import (
    N_REPLICATES,
    Statistic,
    draw_counts,
    replicate_interval,
)

# Of 10 items the interval covers 99 %, of 20 it covers 97 % (tests/speed/coverage.py).
MIN_ITEMS = 20


def spearman(
    predicted: ArrayLike,
    truth: ArrayLike,
    *,
    seed: int,
    n_replicates: int = N_REPLICATES,
    level: float = LEVEL,
) -> Interval:
    """Return Spearman's correlation on mid-ranks with its item bootstrap interval.

    Both arrays have shape (n_items,), ValueError if not. Limits are computed on Fisher's z scale. A
    constant array has no correlation.
    """
    first, second = _pair(predicted, truth)
    stated = _stated(len(first), FISHER_Z, seed, n_replicates, level)
    return _over_items(correlation_of(first, second), FISHER_Z, stated)


def top_recall(
    predicted_place: ArrayLike,
    true_place: ArrayLike,
    share: float,
    *,
    seed: int,
    n_replicates: int = N_REPLICATES,
    level: float = LEVEL,
) -> Interval:
    """Return |top k predicted and top k true| / k, k = floor(share x n), with its interval.

    Both arrays have shape (n_items,), ValueError if not, and contain each item's place in a total
    order, smallest first. Items are drawn with replacement; copies of one item share its places,
    and a cut that falls among copies takes the same ones in both lists.
    """
    first, second = _pair(predicted_place, true_place)
    stated = _stated(len(first), LOGIT, seed, n_replicates, level)
    k = int(share * len(first))
    if k == 0:
        return replace(stated, reason="fewer than one item in the top")
    return _over_items(recall_of(first, second, k), LOGIT, stated)


def correlation_of(predicted: Floats, truth: Floats) -> Statistic:
    """Return Spearman's correlation as a function of the draws of each item.

    Draws have shape (n_replicates, n_items), the correlations (n_replicates,).
    """
    rank_first, rank_second = _weighted_ranks(predicted), _weighted_ranks(truth)

    def correlation(times: Floats) -> Floats:
        n = times.sum(axis=1, keepdims=True)
        left, right = rank_first(times) - (n + 1) / 2, rank_second(times) - (n + 1) / 2
        covariance = (times * left * right).sum(axis=1)
        scales = (times * left**2).sum(axis=1) * (times * right**2).sum(axis=1)
        value: Floats = covariance / np.sqrt(scales)
        return value

    return correlation


def recall_of(predicted_place: Floats, true_place: Floats, k: int) -> Statistic:
    """Return the recall of the first k places as a function of the draws of each item.

    Draws have shape (n_replicates, n_items), the recalls (n_replicates,).
    """
    orders = [np.argsort(places, kind="stable") for places in (predicted_place, true_place)]

    def recall(times: Floats) -> Floats:
        taken = []
        for order in orders:
            ordered = times[:, order]
            before = np.cumsum(ordered, axis=1) - ordered
            in_top = np.empty_like(times)
            in_top[:, order] = np.clip(k - before, 0, ordered)
            taken.append(in_top)
        share_found: Floats = np.minimum(*taken).sum(axis=1) / k
        return share_found

    return recall


def _pair(first: ArrayLike, second: ArrayLike) -> tuple[Floats, Floats]:
    left, right = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    if left.shape != right.shape or left.ndim != 1:
        raise ValueError("the two rankings differ in shape")
    return left, right


def _stated(n: int, scale: Scale, seed: int, n_replicates: int, level: float) -> Interval:
    method = f"item bootstrap, t on {scale.name} scale"
    return Interval(None, None, None, level, method, "item", n, n, n_replicates, seed)


def _over_items(statistic: Statistic, scale: Scale, stated: Interval) -> Interval:
    """Return the interval of a statistic of the draws of each item, (replicates, items)."""
    with np.errstate(all="ignore"):
        estimate = float(statistic(np.ones((1, stated.n)))[0]) if stated.n else np.nan
    if not np.isfinite(estimate):
        return replace(stated, reason="no order to compare: too few items or a constant")
    stated = replace(stated, estimate=estimate)
    if stated.n < MIN_ITEMS:
        reason = f"too few items: {stated.n}, at least {MIN_ITEMS} needed"
        return replace(stated, reason=reason)
    with np.errstate(all="ignore"):
        blocks = draw_counts([stated.n], stated.n_replicates or 0, stated.seed or 0)
        replicates = np.concatenate([statistic(times) for times in blocks])
    return replicate_interval(stated, replicates, scale)


def _weighted_ranks(values: Floats) -> Callable[[Floats], Floats]:
    """Return a function from the draws of each item to the mid-rank of its copies."""
    order = np.argsort(values, kind="stable")
    is_last = np.append(np.diff(values[order]) != 0, True)
    group = np.empty(len(values), dtype=np.intp)
    group[order] = np.cumsum(is_last) - is_last

    def ranks(times: Floats) -> Floats:
        up_to = np.cumsum(times[:, order], axis=1)[:, is_last]
        in_group = np.diff(up_to, prepend=0, axis=1)
        placed: Floats = (up_to - in_group + (in_group + 1) / 2)[:, group]
        return placed

    return ranks
