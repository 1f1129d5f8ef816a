"""How well two rankings of the same items agree: intervals of Spearman and of top-k recall."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tracker.uncertainty.stats.intervals import FISHER_Z, LOGIT, Floats, Interval, Scale
from tracker.uncertainty.stats.resampling import N_REPLICATES, Statistic, drawn_from, of_draws

# The interval covers 99 % with 10 items, 97 % with 20 (tests/speed/coverage.py).
MIN_ITEMS = 20


def spearman(
    predicted: ArrayLike, truth: ArrayLike, *, seed: int, n_replicates: int = N_REPLICATES
) -> Interval:
    """Return Spearman's correlation on mid-ranks with its item bootstrap interval.

    Both arrays have shape (n_items,), ValueError if not. Limits are computed on Fisher's z scale.
    There is no estimate if an array is constant.
    """
    first, second = _pair(predicted, truth)
    return _over_items(correlation_of(first, second), len(first), FISHER_Z, seed, n_replicates)


def top_recall(
    predicted: ArrayLike,
    truth: ArrayLike,
    share: float,
    *,
    seed: int,
    n_replicates: int = N_REPLICATES,
) -> Interval:
    """Return |top k predicted and top k true| / k, k = floor(share x n), with its interval.

    Both arrays have shape (n_items,), ValueError if not; the top has the highest values. The recall
    is the mean over all ways of breaking ties, as in the view top_decile_recall. The interval is by
    item bootstrap.
    """
    first, second = _pair(predicted, truth)
    k = int(share * len(first))
    found = _over_items(recall_of(first, second, k), len(first), LOGIT, seed, n_replicates)
    return found if k else found.without("fewer than one item in the top")


def correlation_of(predicted: Floats, truth: Floats) -> Statistic:
    """Return Spearman's correlation as a function of how often each item is drawn."""
    rank_first, rank_second = _weighted_ranks(predicted), _weighted_ranks(truth)

    def correlation(times: Floats) -> Floats:
        n = times.sum(axis=1, keepdims=True)
        left, right = rank_first(times) - (n + 1) / 2, rank_second(times) - (n + 1) / 2
        covariance = (times * left * right).sum(axis=1)
        scales = (times * left**2).sum(axis=1) * (times * right**2).sum(axis=1)
        return np.asarray(covariance / np.sqrt(scales))

    return correlation


def recall_of(predicted: Floats, truth: Floats, k: int) -> Statistic:
    """Return the recall of the k highest values as a function of how often each item is drawn.

    The recall is the mean over all ways of breaking ties between items, and between their copies in
    a draw, independently in the two lists. Copies of an item that ties with no other in either list
    are kept in one order: where the cut falls among them, both lists take the same ones.
    """
    tops = [_expected_top(values, k) for values in (predicted, truth)]
    alone = ~(_is_tied(predicted) | _is_tied(truth))

    def recall(times: Floats) -> Floats:
        first, second = (top(times) for top in tops)
        with np.errstate(invalid="ignore"):
            both = np.where(times > 0, first * second / times, 0)
        both[:, alone] = np.minimum(first[:, alone], second[:, alone])
        return np.asarray(both.sum(axis=1) / k)

    return recall


def _expected_top(values: Floats, k: int) -> Callable[[Floats], Floats]:
    """Return a function from draws to how many copies of each item are expected in the top k."""
    tied = _ties(-values)

    def in_top(times: Floats) -> Floats:
        before, in_group, group = tied(times)
        places = np.clip(k - before, 0, in_group)
        with np.errstate(invalid="ignore"):
            share = np.where(in_group > 0, places / in_group, 0)
        return np.asarray(times * share[:, group])

    return in_top


def _is_tied(values: Floats) -> NDArray[np.bool_]:
    _, group, size = np.unique(values, return_inverse=True, return_counts=True)
    return np.asarray(size[group] > 1)


def _pair(first: ArrayLike, second: ArrayLike) -> tuple[Floats, Floats]:
    left, right = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    if left.shape != right.shape or left.ndim != 1:
        raise ValueError("the two rankings differ in shape")
    return left, right


def _over_items(
    statistic: Statistic, n: int, scale: Scale, seed: int, n_replicates: int
) -> Interval:
    """Return the item bootstrap interval of a statistic."""
    short = None if n >= MIN_ITEMS else f"too few items: {n}, at least {MIN_ITEMS} needed"
    stated = drawn_from("item bootstrap", scale, "item", n, n, seed, n_replicates)
    stated = replace(stated, reason=short)
    undefined = "no order to compare: too few items or a constant"
    return of_draws([statistic], [n], stated, scale, undefined=undefined)[0]


def _weighted_ranks(values: Floats) -> Callable[[Floats], Floats]:
    """Return a function from draws to the mid-rank of each item's copies."""
    tied = _ties(values)

    def ranks(times: Floats) -> Floats:
        before, in_group, group = tied(times)
        return np.asarray((before + (in_group + 1) / 2)[:, group])

    return ranks


def _ties(values: Floats) -> Callable[[Floats], tuple[Floats, Floats, NDArray[np.intp]]]:
    """Return a function from draws to the copies before each group of equal values, and in it.

    Both have shape (n_replicates, n_groups), groups ascending. The function also returns the number
    of each item's group, of shape (n_items,).
    """
    order = np.argsort(values, kind="stable")
    is_last = np.append(np.diff(values[order]) != 0, True)
    group = np.empty(len(values), dtype=np.intp)
    group[order] = np.cumsum(is_last) - is_last

    def tied(times: Floats) -> tuple[Floats, Floats, NDArray[np.intp]]:
        up_to = np.cumsum(times[:, order], axis=1)[:, is_last]
        in_group = np.diff(up_to, prepend=0, axis=1)
        return up_to - in_group, in_group, group

    return tied
