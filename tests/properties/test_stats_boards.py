"""Figures of items drawn again equal a recount of the copies; submissions are told apart fairly."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats as scipy_stats
from sklearn.metrics import (  # type: ignore[import-untyped]
    average_precision_score,
    roc_auc_score,
)

from tracker.uncertainty.estimates import duels
from tracker.uncertainty.stats import discrimination, ranking, resampling
from tracker.uncertainty.stats.intervals import PLAIN, Interval

Floats = NDArray[np.float64]


def stated(estimate: float, n: int) -> Interval:
    return Interval("item bootstrap", "item", n, n, estimate)


@pytest.mark.parametrize("seed", range(6))
def test_a_figure_of_draws_is_that_of_the_copies(seed: int) -> None:
    """Every item is written down as often as it was drawn, and a library computes the figure."""
    rng = np.random.default_rng(seed)
    n = 30
    scores = rng.integers(0, 8, n) / 4 if seed % 2 else rng.normal(size=n)
    truth = np.round(scores + rng.normal(size=n), 1)
    positive = truth > np.median(truth)
    times = rng.integers(0, 4, (5, n)).astype(np.float64)
    correlation = ranking.correlation_of(scores, truth)(times)
    area = discrimination.auroc_of(scores, positive)(times)
    precision = discrimination.average_precision_of(scores, positive)(times)
    for row, counts in enumerate(times.astype(int)):
        copies, of_truth, of_class = (
            np.repeat(values, counts).tolist() for values in (scores, truth, positive)
        )
        expected = scipy_stats.spearmanr(copies, of_truth).statistic
        assert correlation[row] == pytest.approx(expected)
        assert area[row] == pytest.approx(roc_auc_score(of_class, copies))
        by_steps = average_precision_score(of_class, copies)
        assert precision[row] == pytest.approx(by_steps)


def worlds(n_worlds: int, n: int, *, skill: float) -> list[Interval]:
    """Compare two submissions that share half of their error; the first has `skill` more."""
    found = []
    for seed in range(n_worlds):
        rng = np.random.default_rng(seed)
        truth, shared, first, second = rng.normal(size=(4, n))
        predicted = [
            (0.7 + skill) * truth + 0.7 * shared + 0.7 * first,
            0.7 * truth + 0.7 * shared + 0.7 * second,
        ]
        figures = [ranking.correlation_of(one, truth) for one in predicted]
        values = [float(of(np.ones((1, n)))[0]) for of in figures]
        drawn = resampling.replicates(figures, [n], seed=seed, n_replicates=300)
        found.append(resampling.difference(stated(values[0] - values[1], n), *drawn.T))
    return found


def test_equal_submissions_are_rarely_told_apart_and_unequal_ones_often() -> None:
    """Of 150 worlds without a difference 5 % may have one; the interval then leaves out 0."""
    equal = worlds(150, 80, skill=0.0)
    told = [(one.p_value or 1.0) < duels.SIGNIFICANT for one in equal]
    assert 0.0 < np.mean(told) < 0.1
    for one, is_told in zip(equal, told, strict=True):
        assert one.low is not None
        assert one.high is not None
        assert is_told == (not one.low <= 0 <= one.high)
    better = worlds(40, 80, skill=0.6)
    assert np.mean([(one.p_value or 1.0) < duels.SIGNIFICANT for one in better]) > 0.8


def test_what_both_find_hard_cancels_out() -> None:
    """The interval of the difference is narrower than that of independent submissions."""
    rng = np.random.default_rng(3)
    truth, shared = rng.normal(size=(2, 200))
    predicted = [truth + 2 * shared + 0.1 * rng.normal(size=200) for _ in range(2)]
    figures = [ranking.correlation_of(one, truth) for one in predicted]
    drawn = resampling.replicates(figures, [200], seed=1, n_replicates=500)
    paired = np.std(drawn[:, 0] - drawn[:, 1])
    assert paired < 0.2 * np.hypot(*drawn.std(axis=0))


def test_a_difference_that_no_draw_changes_is_told_and_none_is_not() -> None:
    """Perfect and inverted scores differ by 1 in every draw, equal ones by 0."""
    positive = np.arange(40) < 20
    scores = np.where(positive, 2.0, 1.0)
    figures = [discrimination.auroc_of(one, positive) for one in (scores, -scores, scores)]
    drawn = resampling.replicates(figures, [20, 20], seed=1, n_replicates=99)
    perfect = resampling.difference(stated(1.0, 40), drawn[:, 0], drawn[:, 1])
    assert perfect.p_value == pytest.approx(1 / 100)
    assert perfect.low is None
    assert perfect.reason
    same = resampling.difference(stated(0.0, 40), drawn[:, 0], drawn[:, 2])
    assert same.p_value is None


def test_two_equal_items_share_the_last_place_of_both_lists() -> None:
    """Of the best two each list has the first item, and each other half of the time: 1 + 1/4."""
    recall = ranking.recall_of(np.array([3.0, 2.0, 2.0, 1.0]), np.array([3.0, 2.0, 1.0, 2.0]), 2)
    assert recall(np.ones((1, 4))).tolist() == [1.25 / 2]


def test_the_noise_of_rounding_is_no_spread() -> None:
    """What differs in the last digits of a large figure alone is the same in every draw."""
    drawn = 1e6 + 1e-9 * np.arange(200, dtype=np.float64)
    assert len(set(drawn.tolist())) > 100
    found = resampling.replicate_interval(stated(1e6, 40), drawn, PLAIN)
    assert found.low is None
    assert found.reason == "the same whichever items are drawn"


def test_part_of_the_items_gives_the_error_of_all() -> None:
    """A quarter of 4,000 items, scaled, against the error of all of them."""
    rng = np.random.default_rng(5)
    truth = rng.normal(size=4_000)
    predicted = truth + rng.normal(size=4_000)
    spread = []
    for n, share in ((4_000, 1.0), (1_000, 0.25)):
        figure = ranking.correlation_of(predicted[:n], truth[:n])
        drawn = resampling.replicates([figure], [n], share=share, seed=2, n_replicates=400)
        spread.append(drawn.std())
    assert spread[1] == pytest.approx(spread[0], rel=0.15)


def _told(pairs: set[tuple[str, str]]) -> Callable[[str, str], Interval]:
    return lambda first, versus: replace(
        stated(0.1, 40), p_value=1e-6 if (first, versus) in pairs else 0.9
    )


def test_a_rank_counts_who_is_told_to_be_better() -> None:
    """B is told neither from A nor from C, which are told apart: 1, 1 and 2."""
    found = duels.of_pairs(["a", "b", "c"], _told({("a", "c")}))
    assert [duels.rank(name, found) for name in "abc"] == [1, 1, 2]
    assert [one.is_told for one in found] == [False, True, False]
    every = duels.of_pairs(["a", "b", "c"], _told({("a", "b"), ("a", "c"), ("b", "c")}))
    assert [duels.rank(name, every) for name in "abc"] == [1, 2, 3]


def test_ranks_are_adjusted_over_the_pairs_of_a_board() -> None:
    """p 0.02 sets a pair apart on its own, not among the three of a board: 3 x 0.02 > 0.05."""

    def compare(first: str, versus: str) -> Interval:
        p_value = 0.02 if (first, versus) == ("a", "c") else 0.9
        return replace(stated(0.1, 40), p_value=p_value)

    alone = duels.of_pairs(["a", "c"], compare)
    assert duels.rank("c", alone) == 2
    among = duels.of_pairs(["a", "b", "c"], compare)
    assert duels.rank("c", among) == 1
