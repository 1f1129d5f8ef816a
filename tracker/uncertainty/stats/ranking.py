"""How well two rankings of the same items agree: intervals of Spearman and of top-k recall."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

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
    predicted: ArrayLike,
    truth: ArrayLike,
    share: float,
    *,
    seed: int,
    n_replicates: int = N_REPLICATES,
    level: float = LEVEL,
) -> Interval:
    """Return |top k predicted and top k true| / k, k = floor(share x n), with its interval.

    Both arrays have shape (n_items,), ValueError if not, and the highest values are the top. It is
    the mean over all ways of breaking ties, as in the view top_decile_recall. Items are drawn with
    replacement.
    """
    first, second = _pair(predicted, truth)
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


def recall_of(predicted: Floats, truth: Floats, k: int) -> Statistic:
    """Return the recall of the k highest values as a function of the draws of each item.

    Draws have shape (n_replicates, n_items), the recalls (n_replicates,). Ties between items, and
    what is drawn of them, are broken in all ways in the mean, independently in the two lists.
    Copies of an item that no other equals have no order to break: a cut that falls among them takes
    the same ones in both lists.
    """
    tops = [_expected_top(values, k) for values in (predicted, truth)]
    alone = ~(_is_tied(predicted) | _is_tied(truth))

    def recall(times: Floats) -> Floats:
        first, second = (top(times) for top in tops)
        with np.errstate(invalid="ignore"):
            both = np.where(times > 0, first * second / times, 0)
        both[:, alone] = np.minimum(first[:, alone], second[:, alone])
        found: Floats = both.sum(axis=1) / k
        return found

    return recall


def _expected_top(values: Floats, k: int) -> Callable[[Floats], Floats]:
    """Return a function from the draws of each item to how many of its copies are in the top k."""
    order, is_last, group = _groups(-values)

    def in_top(times: Floats) -> Floats:
        up_to = np.cumsum(times[:, order], axis=1)[:, is_last]
        in_group = np.diff(up_to, prepend=0, axis=1)
        places = np.clip(k - (up_to - in_group), 0, in_group)
        with np.errstate(invalid="ignore"):
            share = np.where(in_group > 0, places / in_group, 0)
        taken: Floats = times * share[:, group]
        return taken

    return in_top


def _is_tied(values: Floats) -> NDArray[np.bool_]:
    _, group, size = np.unique(values, return_inverse=True, return_counts=True)
    tied: NDArray[np.bool_] = size[group] > 1
    return tied


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
    order, is_last, group = _groups(values)

    def ranks(times: Floats) -> Floats:
        up_to = np.cumsum(times[:, order], axis=1)[:, is_last]
        in_group = np.diff(up_to, prepend=0, axis=1)
        placed: Floats = (up_to - in_group + (in_group + 1) / 2)[:, group]
        return placed

    return ranks


def _groups(values: Floats) -> tuple[NDArray[np.intp], NDArray[np.bool_], NDArray[np.intp]]:
    """Return the ascending order, where each group of equal values ends in it, and the groups."""
    order = np.argsort(values, kind="stable")
    is_last = np.append(np.diff(values[order]) != 0, True)
    group = np.empty(len(values), dtype=np.intp)
    group[order] = np.cumsum(is_last) - is_last
    return order, is_last, group
