"""Intervals agree with other implementations, and give a reason where data cannot support one."""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.typing import ArrayLike, NDArray
from scipy import stats as scipy_stats
from sklearn.metrics import (  # type: ignore[import-untyped]
    average_precision_score,
    roc_auc_score,
)
from statsmodels.stats.proportion import proportion_confint  # type: ignore[import-untyped]

from tracker.uncertainty import stats
from tracker.uncertainty.stats.intervals import PLAIN
from tracker.uncertainty.stats.resampling import draw_counts, drawn_from, ratio_of

N_REPLICATES = 200
Array = NDArray[np.float64]


def limits(interval: stats.Interval) -> tuple[float, float]:
    assert interval.reason is None
    assert interval.low is not None
    assert interval.high is not None
    return interval.low, interval.high


def logit(rate: Array) -> Array:
    return np.log(rate / (1 - rate))


def expit(odds: Array) -> Array:
    return 1 / (1 + np.exp(-odds))


def limits_from(
    estimate: float,
    replicates: Sequence[float],
    n_units: int,
    to: Callable[[Array], Array],
    back: Callable[[Array], Array],
) -> Array:
    """Return the limits that the documented rule makes of replicates computed elsewhere."""
    error = np.std(to(np.array(replicates))) * np.sqrt(n_units / (n_units - 1))
    half = scipy_stats.t.ppf(0.975, n_units - 1) * error
    return back(to(np.array(estimate)) + np.array([-half, half]))


def resamples(strata: Sequence[int], seed: int) -> list[NDArray[np.intp]]:
    """Return each replicate as the indices of the units drawn, repeats included."""
    n = sum(strata)
    return [
        np.repeat(np.arange(n), times.astype(int))
        for block in draw_counts(strata, N_REPLICATES, seed)
        for times in block
    ]


@given(st.integers(1, 400).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_an_exact_interval_agrees_with_statsmodels(counts: tuple[int, int]) -> None:
    expected = proportion_confint(*counts, alpha=0.05, method="beta")
    assert limits(stats.clopper_pearson(*counts)) == pytest.approx(expected, abs=1e-12)


def test_an_exact_interval_of_the_textbook() -> None:
    """Newcombe 1998, table I: 81 of 263 gives 0.2527 to 0.3676."""
    assert limits(stats.clopper_pearson(81, 263)) == pytest.approx((0.2527, 0.3676), abs=5e-5)


def test_no_observations_have_no_rate() -> None:
    interval = stats.clopper_pearson(0, 0)
    assert (interval.estimate, interval.low, interval.high) == (None, None, None)
    assert interval.reason == "no observations"


def test_draws_are_with_replacement_and_within_strata() -> None:
    strata = [3, 5, 2]
    times = np.concatenate(list(draw_counts(strata, 20_000, 5)))
    ends = np.cumsum([0, *strata])
    for size, (begin, end) in zip(strata, pairwise(ends), strict=True):
        part = times[:, begin:end]
        assert (part.sum(axis=1) == size).all()
        assert part.mean(axis=0) == pytest.approx(1, abs=0.05)
        assert part.var(axis=0) == pytest.approx(1 - 1 / size, abs=0.05)


def test_blocks_do_not_change_the_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = np.concatenate(list(draw_counts([4], 100, 7)))
    monkeypatch.setattr("tracker.uncertainty.stats.resampling._BLOCK_CELLS", 12)
    blocks = list(draw_counts([4], 100, 7))
    assert len(blocks) > 30
    assert (np.concatenate(blocks) == whole).all()


def mean(values: ArrayLike, **options: Any) -> stats.Interval:
    (found,) = stats.means([values], **options)
    return found


def test_a_mean_has_the_standard_error_of_scipys_bootstrap() -> None:
    values = np.random.default_rng(3).gamma(2, size=40)
    theirs = scipy_stats.bootstrap(
        (values,), np.mean, n_resamples=20_000, rng=np.random.default_rng(4)
    )
    stated = drawn_from("bootstrap", PLAIN, "disease", 40, 40, 1, 20_000)
    (found,) = stats.of_draws([ratio_of(values, np.ones(40))], [40], stated, PLAIN)
    low, high = limits(found)
    error = (high - low) / 2 / scipy_stats.t.ppf(0.975, 39)
    assert error == pytest.approx(theirs.standard_error * np.sqrt(40 / 39), rel=0.02)
    classical = scipy_stats.ttest_1samp(values, 0).confidence_interval()
    assert (low, high) == pytest.approx((classical.low, classical.high), rel=0.02)


def test_a_mean_of_shares_stays_a_share() -> None:
    values = np.array([1.0, 1.0, 0.7, 1.0, 0.98, 1.0, 1.0, 0.9])
    low, high = limits(mean(values, unit="disease", seed=1))
    assert 0 < low < values.mean() < high < 1


def test_means_of_the_same_units_are_those_of_each_alone() -> None:
    generator = np.random.default_rng(3)
    values = [generator.random(40), generator.random(40) ** 2, np.ones(2), generator.random(25)]
    together = stats.means(values, unit="disease", seed=5)
    assert together == [mean(each, unit="disease", seed=5) for each in values]
    assert len({one.low for one in together}) == len(values)
    assert together[2].reason == "too few diseases: 2, at least 6 needed"


def test_a_rate_recounts_every_resample() -> None:
    """Diseases of unlike size."""
    n_pairs = np.random.default_rng(11).integers(5, 30, 12)
    hits = np.random.default_rng(12).binomial(n_pairs, 0.3)

    def rate(drawn: NDArray[np.intp]) -> float:
        return float(sum(hits[d] for d in drawn) / sum(n_pairs[d] for d in drawn))

    interval = stats.hit_rate(hits, n_pairs, seed=21, n_replicates=N_REPLICATES)
    whole = rate(np.arange(12))
    assert interval.estimate == pytest.approx(whole)
    expected = limits_from(whole, [rate(d) for d in resamples([12], 21)], 12, logit, expit)
    assert limits(interval) == pytest.approx(tuple(expected), rel=1e-9)


@pytest.mark.parametrize(
    ("n_hits", "n_predictions", "estimate", "reason"),
    [
        ([], [], None, "the denominator is 0"),
        ([0] * 8, [0] * 8, None, "the denominator is 0"),
        ([3, 1, 2], [10] * 3, 0.2, "too few diseases: 3, at least 6 needed"),
        ([0] * 8, [10] * 8, 0.0, "too few diseases with a hit: 0, at least 3 needed"),
        ([5, 5] + [0] * 6, [10] * 8, 0.125, "too few diseases with a hit: 2, at least 3 needed"),
        ([10] * 8, [10] * 8, 1.0, "too few diseases with a miss: 0, at least 3 needed"),
        ([2] * 8, [10] * 8, 0.2, "the same whichever diseases are drawn"),
    ],
)
def test_too_little_data_has_a_reason(
    n_hits: list[int], n_predictions: list[int], estimate: float | None, reason: str
) -> None:
    interval = stats.hit_rate(n_hits, n_predictions, seed=1)
    assert (interval.low, interval.high) == (None, None)
    assert interval.estimate == (None if estimate is None else pytest.approx(estimate))
    assert interval.reason == reason


def test_seed_and_sizes_are_stated() -> None:
    interval = stats.hit_rate([1, 2, 0, 3, 1, 0, 2, 1], [10] * 8, seed=17, n_replicates=500)
    stated = (interval.seed, interval.n_replicates, interval.n, interval.n_units, interval.unit)
    assert stated == (17, 500, 80, 8, "disease")
    assert interval == stats.hit_rate([1, 2, 0, 3, 1, 0, 2, 1], [10] * 8, seed=17, n_replicates=500)
    other = stats.hit_rate([1, 2, 0, 3, 1, 0, 2, 1], [10] * 8, seed=18, n_replicates=500)
    assert limits(other) != limits(interval)
    assert limits(other) == pytest.approx(limits(interval), rel=0.3)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: stats.hit_rate([1, 2], [3], seed=1),
        lambda: stats.delong([1.0, 2.0], [True]),
        lambda: stats.spearman([1.0, 2.0], [1.0], seed=1),
    ],
)
def test_arrays_of_unlike_shape_are_refused(wrong: Callable[[], stats.Interval]) -> None:
    with pytest.raises(ValueError, match=r"shape|differ|size"):
        wrong()


def scores_with_ties(seed: int, n: int = 120) -> tuple[Array, NDArray[np.bool_]]:
    rng = np.random.default_rng(seed)
    is_positive = rng.random(n) < 0.3
    return np.round(rng.normal(1.0 * is_positive, 1), 1), is_positive


def brute_force_delong(scores: Array, is_positive: NDArray[np.bool_]) -> tuple[float, float]:
    """Return AUC and its half width by logit from the matrix of all comparisons."""
    difference = scores[is_positive][:, None] - scores[~is_positive]
    wins = (difference > 0) + 0.5 * (difference == 0)
    by_positive, by_negative = wins.mean(axis=1), wins.mean(axis=0)
    auc = float(wins.mean())
    # A contrast of two means with Welch's degrees of freedom, by scipy.
    welch = scipy_stats.ttest_ind(by_positive, by_negative, equal_var=False).confidence_interval()
    return auc, float(welch.high - welch.low) / 2 / (auc * (1 - auc))


@given(st.integers(0, 10_000))
def test_delong_agrees_with_all_comparisons(seed: int) -> None:
    scores, is_positive = scores_with_ties(seed)
    assume(is_positive.sum() >= 10)
    interval = stats.delong(scores, is_positive)
    auc, half = brute_force_delong(scores, is_positive)
    assert interval.estimate == pytest.approx(auc, abs=1e-12)
    assert auc == pytest.approx(roc_auc_score(is_positive, scores), abs=1e-12)
    expected = expit(logit(np.array(auc)) + np.array([-half, half]))
    assert limits(interval) == pytest.approx(tuple(expected), abs=1e-12)


@pytest.mark.parametrize(
    ("scores", "is_positive", "estimate", "reason"),
    [
        ([], [], None, "one class only"),
        ([1, 2, 3], [True] * 3, None, "one class only"),
        ([1, 2, 2], [False, True, False], 0.75, "too few of one class: 1, at least 5 needed"),
        (
            range(20),
            [False] * 10 + [True] * 10,
            1.0,
            "all pairs separated or tied: no error can be estimated",
        ),
        (
            [3] * 20,
            [False] * 10 + [True] * 10,
            0.5,
            "all pairs separated or tied: no error can be estimated",
        ),
    ],
)
def test_delong_at_the_edges(
    scores: Sequence[float], is_positive: Sequence[bool], estimate: float | None, reason: str
) -> None:
    interval = stats.delong(list(scores), is_positive)
    assert (interval.estimate, interval.low, interval.reason) == (estimate, None, reason)


def test_auc_over_diseases_draws_whole_diseases() -> None:
    scores, is_positive = scores_with_ties(6)
    disease = np.random.default_rng(6).integers(0, 9, len(scores))
    pairs = [np.flatnonzero(disease == unit) for unit in range(9)]

    def auc(drawn: NDArray[np.intp]) -> float:
        rows = np.concatenate([pairs[unit] for unit in drawn])
        return float(roc_auc_score(is_positive[rows], scores[rows]))

    interval = stats.auc_over_diseases(
        scores, is_positive, disease, seed=3, n_replicates=N_REPLICATES
    )
    whole = float(roc_auc_score(is_positive, scores))
    assert interval.estimate == pytest.approx(whole)
    expected = limits_from(whole, [auc(d) for d in resamples([9], 3)], 9, logit, expit)
    assert limits(interval) == pytest.approx(tuple(expected), rel=1e-9)


@pytest.mark.parametrize(
    ("n_positive", "reason"),
    [
        (2, "too few diseases with a positive: 2, at least 3 needed"),
        (4, "too few of one class: 4, at least 5 needed"),
        (5, None),
    ],
)
def test_auc_over_diseases_needs_pairs_of_both_classes(n_positive: int, reason: str | None) -> None:
    scores = np.random.default_rng(1).normal(size=80)
    disease = np.arange(80) % 8
    is_positive = np.arange(80) < n_positive
    for one, of_class in ((scores, is_positive), (-scores, ~is_positive)):
        interval = stats.auc_over_diseases(one, of_class, disease, seed=1, n_replicates=200)
        expected = reason and reason.replace(
            "positive", "positive" if of_class is is_positive else "negative"
        )
        assert interval.reason == expected
        assert (interval.low is None) == (reason is not None)


def test_auc_over_many_diseases_by_linear_terms(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leaving out the cross terms moves the limits of 400 diseases by less than 1 %."""
    rng = np.random.default_rng(9)
    disease = np.repeat(np.arange(400), 10)
    is_positive = rng.random(4000) < 0.1
    scores = rng.normal(is_positive, 1) + rng.normal(0, 0.5, 400)[disease]
    exact = stats.auc_over_diseases(scores, is_positive, disease, seed=3)
    monkeypatch.setattr("tracker.uncertainty.stats.discrimination._MAX_CROSSED", 100)
    linear = stats.auc_over_diseases(scores, is_positive, disease, seed=3)
    width = limits(exact)[1] - limits(exact)[0]
    assert np.subtract(limits(linear), limits(exact)) == pytest.approx(0, abs=0.01 * width)


def test_auprc_recomputes_every_resample() -> None:
    scores, is_positive = scores_with_ties(10)
    by_class = np.concatenate([np.flatnonzero(is_positive), np.flatnonzero(~is_positive)])
    n_positive = int(is_positive.sum())

    def precision(drawn: NDArray[np.intp]) -> float:
        rows = by_class[drawn]
        return float(average_precision_score(is_positive[rows], scores[rows]))

    interval = stats.auprc(scores, is_positive, seed=4, n_replicates=N_REPLICATES)
    whole = float(average_precision_score(is_positive, scores))
    assert interval.estimate == pytest.approx(whole, abs=1e-12)
    drawn = resamples([n_positive, len(scores) - n_positive], 4)
    expected = limits_from(whole, [precision(d) for d in drawn], n_positive, logit, expit)
    assert limits(interval) == pytest.approx(tuple(expected), rel=1e-9)


def test_spearman_reranks_every_resample() -> None:
    rng = np.random.default_rng(12)
    truth = np.round(rng.normal(size=50), 1)
    predicted = np.round(truth + rng.normal(size=50), 1)

    def correlation(drawn: NDArray[np.intp]) -> float:
        return float(scipy_stats.spearmanr(predicted[drawn], truth[drawn]).statistic)

    interval = stats.spearman(predicted, truth, seed=6, n_replicates=N_REPLICATES)
    whole = correlation(np.arange(50))
    assert interval.estimate == pytest.approx(whole, abs=1e-12)
    expected = limits_from(
        whole, [correlation(d) for d in resamples([50], 6)], 50, np.arctanh, np.tanh
    )
    assert limits(interval) == pytest.approx(tuple(expected), rel=1e-9)


def expected_top(values: NDArray[np.float64], k: int) -> NDArray[np.float64]:
    """Return the chance of each of some values, ties broken at random, to be among the top k."""
    above = (values[None, :] > values[:, None]).sum(axis=1)
    equal = (values[None, :] == values[:, None]).sum(axis=1)
    chances: NDArray[np.float64] = np.clip((k - above) / equal, 0, 1)
    return chances


@pytest.mark.parametrize("is_tied", [False, True])
def test_top_recall_recounts_every_resample(is_tied: bool) -> None:
    """Copies of an item that no other equals keep their order; all others are broken at random."""
    rng = np.random.default_rng(13)
    truth = rng.normal(size=60)
    predicted = truth + rng.normal(size=60)
    if is_tied:
        truth, predicted = np.round(truth, 1), np.round(predicted, 1)
    is_alone = np.array(
        [
            (truth == a).sum() == 1 and (predicted == b).sum() == 1
            for a, b in zip(truth, predicted, strict=True)
        ]
    )
    assert is_alone.all() != is_tied
    k = 12

    def recall(drawn: NDArray[np.intp]) -> float:
        chances = [expected_top(values[drawn], k) for values in (predicted, truth)]
        found = 0.0
        for item in set(drawn.tolist()):
            first, second = (chance[drawn == item] for chance in chances)
            if is_alone[item]:
                found += min(first.sum(), second.sum())
            else:
                found += float((first * second).sum())
        return found / k

    interval = stats.top_recall(predicted, truth, 0.2, seed=7, n_replicates=N_REPLICATES)
    whole = recall(np.arange(60))
    assert interval.estimate == pytest.approx(whole)
    replicates = [recall(d) for d in resamples([60], 7)]
    inside = [value for value in replicates if 0 < value < 1]
    assert len(inside) > 0.9 * N_REPLICATES
    expected = limits_from(whole, inside, 60, logit, expit)
    assert limits(interval) == pytest.approx(tuple(expected), rel=1e-9)


@pytest.mark.parametrize(
    ("interval", "reason"),
    [
        (stats.spearman([], [], seed=1), "no order to compare: too few items or a constant"),
        (
            stats.spearman([1] * 20, range(20), seed=1),
            "no order to compare: too few items or a constant",
        ),
        (
            stats.spearman([1, 3, 2, 4], [1, 2, 3, 4], seed=1),
            "too few items: 4, at least 20 needed",
        ),
        (stats.spearman(range(20), range(20), seed=1), "the estimate is at the end of its range"),
        (stats.top_recall(range(9), range(9), 0.1, seed=1), "fewer than one item in the top"),
        (
            stats.top_recall(range(30), range(30), 0.1, seed=1),
            "the estimate is at the end of its range",
        ),
        (stats.auprc([1, 2], [True, True], seed=1), "one class only"),
        (
            stats.auprc([1, 2, 3], [True, False, False], seed=1),
            "too few of one class: 1, at least 5 needed",
        ),
        (stats.auc_over_diseases([1, 2], [True, True], [1, 2], seed=1), "one class only"),
        (
            stats.auc_over_diseases([1, 2], [True, False], [1, 2], seed=1),
            "too few diseases: 2, at least 6 needed",
        ),
        (mean([], unit="instance", seed=1), "the denominator is 0"),
        (mean([0.5] * 3, unit="instance", seed=1), "too few instances: 3, at least 6 needed"),
    ],
)
def test_the_reason_is_given(interval: stats.Interval, reason: str) -> None:
    assert (interval.low, interval.high, interval.reason) == (None, None, reason)
