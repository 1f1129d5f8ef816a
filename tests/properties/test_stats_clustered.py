"""Clustered intervals agree with a recount pair by pair, and with their p values."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats as scipy_stats
from test_stats_intervals import limits

from tracker.uncertainty import stats
from tracker.uncertainty.stats import clustered

Array = NDArray[Any]


def recounted(
    influence: Array, drug: Array, disease: Array, weight: Array
) -> tuple[float, float, list[float]]:
    """Return variance, degrees of freedom and effective numbers, from every two pairs in turn."""
    parts, numbers, own = [], [], 0.0
    pairs = range(len(influence))
    for cluster in (drug, disease):
        alike = [(i, j) for i in pairs for j in pairs if cluster[i] == cluster[j]]
        squares = sum(weight[i] * weight[j] for i, j in alike)
        n = max(float(sum(weight)) ** 2 / squares, 1.5)
        parts.append(n / (n - 1) * sum(influence[i] * influence[j] for i, j in alike))
        numbers.append(n)
    own = sum(influence[i] ** 2 for i in pairs)
    variance = max(parts[0], parts[1], own, parts[0] + parts[1] - own)
    below = sum(part**2 / (n - 1) for part, n in zip(parts, numbers, strict=True))
    return variance, max(1.0, variance**2 / below), numbers


def drawn(seed: int, n: int = 40) -> tuple[Array, Array, Array, Array]:
    """Return hits, drugs, diseases and scores of pairs with clusters of unlike size."""
    rng = np.random.default_rng(seed)
    drug = np.minimum(rng.geometric(0.2, n), rng.integers(2, 12))
    disease = np.minimum(rng.geometric(0.3, n), rng.integers(2, 8))
    chance = rng.uniform(0.1, 0.9) * rng.random(13)[drug]
    hit = rng.random(n) < chance
    return hit, drug, disease, rng.normal(size=13)[drug] + rng.normal(size=n) + rng.normal() * hit


@pytest.mark.parametrize("seed", range(8))
def test_two_way_adds_up_every_two_pairs(seed: int) -> None:
    hit, drug, disease, score = drawn(seed)
    influence = score - score.mean()
    weight = np.ones(len(hit)) if seed % 2 else hit + 0.5
    found = clustered.two_way(influence, drug, disease, weight)
    variance, df, numbers = recounted(influence, drug, disease, weight)
    assert found.variance == pytest.approx(variance)
    assert found.df == pytest.approx(df)
    for cluster, number in zip((drug, disease), numbers, strict=True):
        n = clustered.effective_number(np.bincount(cluster, weight).astype(np.float64))
        assert max(n, 1.5) == pytest.approx(number)


def test_pairs_that_share_nothing_have_the_variance_of_a_mean() -> None:
    values = np.random.default_rng(1).normal(size=50)
    influence = (values - values.mean()) / 50
    found = clustered.two_way(influence, np.arange(50), np.arange(50), np.ones(50))
    # Each of the two clustered parts is n / (n - 1) x the pairs'.
    classical = values.var(ddof=1) / 50
    assert found.variance == pytest.approx(classical * (1 + 1 / 50))
    # As many as there are of either.
    assert clustered.effective_number(np.ones(50)) == pytest.approx(50)


@pytest.mark.parametrize("seed", range(8))
def test_intervals_recount_their_influences(seed: int) -> None:
    """Each figure's influence by hand: what leaving a pair out changes, to first order."""
    hit, drug, disease, score = drawn(seed, n=120)
    n, n_hits = len(hit), hit.sum()
    expected = 0.2 + 0.1 * (drug % 3)
    rate, estimate = n_hits / n, n_hits / expected.sum()
    gap = score[hit].mean() - score[~hit].mean()
    ours = (
        clustered.hit_rate(hit, drug, disease),
        clustered.ratio(hit, expected, drug, disease),
        clustered.score_gap(score, hit, drug, disease),
    )
    theirs = (
        ((hit - rate) / n, np.ones(n), np.log(rate / (1 - rate)), 1 / rate / (1 - rate)),
        ((hit - estimate * expected) / n_hits, hit, np.log(estimate), 1),
        (
            np.where(
                hit,
                (score - score[hit].mean()) / n_hits,
                -(score - score[~hit].mean()) / (n - n_hits),
            ),
            hit,
            gap,
            1,
        ),
    )
    backs: tuple[Callable[[Array], Array], ...] = (lambda x: 1 / (1 + np.exp(-x)), np.exp, np.array)
    for interval, (influence, weight, point, slope), back in zip(ours, theirs, backs, strict=True):
        variance, df, _ = recounted(influence, drug, disease, weight.astype(float))
        if interval is ours[0]:
            # Exact limits of the effective number of pairs, by the quantiles of beta.
            factor = scipy_stats.norm.ppf(0.975) / scipy_stats.t.ppf(0.975, df)
            fewer = min(n, rate * (1 - rate) / variance * factor**2)
            hits = rate * fewer
            assert limits(interval) == pytest.approx(
                (
                    scipy_stats.beta.ppf(0.025, hits, fewer - hits + 1),
                    scipy_stats.beta.ppf(0.975, hits + 1, fewer - hits),
                )
            )
            continue
        half = scipy_stats.t.ppf(0.975, df) * slope * variance**0.5
        assert min(n_hits, n - n_hits) >= 10
        assert limits(interval) == pytest.approx(tuple(back(point + np.array([-half, half]))))
        assert (interval.unit, interval.n) == ("drug and disease", 120)
        assert interval.n_units == len(set(drug.tolist()))


def test_a_rate_without_pairs_is_unknown() -> None:
    found = clustered.hit_rate([], [], [])
    assert (found.estimate, found.low, found.high) == (None, None, None)
    assert found.reason == "no observations"


@pytest.mark.parametrize("value", [False, True])
def test_a_rate_of_no_hit_or_hits_alone_has_exact_limits(value: bool) -> None:
    found = clustered.hit_rate([value] * 30, range(30), [0] * 30)
    exact = stats.clopper_pearson(30 * value, 30)
    assert (found.estimate, *limits(found)) == (float(value), *limits(exact))


@pytest.mark.parametrize("one", ["drug", "disease"])
def test_one_cluster_says_nothing_of_others(one: str) -> None:
    """How drugs differ cannot be told from one: the interval is that of its independent pairs."""
    hit = np.random.default_rng(3).random(60) < 0.4
    drug = np.zeros(60) if one == "drug" else np.arange(60)
    disease = np.zeros(60) if one == "disease" else np.arange(60)
    apart = np.arange(60)
    expected = np.full(60, 0.3)
    assert limits(clustered.hit_rate(hit, drug, disease)) == pytest.approx(
        limits(clustered.hit_rate(hit, apart, apart)), rel=0.03
    )
    assert limits(clustered.ratio(hit, expected, drug, disease)) == pytest.approx(
        limits(clustered.ratio(hit, expected, apart, apart)), rel=0.03
    )


@pytest.mark.parametrize("one", ["drug", "disease"])
def test_two_clusters_of_unlike_rates_give_wide_limits(one: str) -> None:
    hit = np.array([True] * 24 + [False] * 6 + [True] * 6 + [False] * 24)
    halves, apart = np.repeat([0, 1], 30), np.arange(60)
    drug, disease = (halves, apart) if one == "drug" else (apart, halves)
    low, high = limits(clustered.hit_rate(hit, drug, disease))
    assert 0 <= low < 0.02
    assert 0.98 < high <= 1


@given(st.integers(0, 10_000), st.integers(0, 60), st.booleans())
def test_rates_are_never_narrower_than_clopper_and_pearson(
    seed: int, n_hits: int, is_miss: bool
) -> None:
    rng = np.random.default_rng(seed)
    hit = (rng.permutation(60) < n_hits) != is_miss
    found = clustered.hit_rate(hit, rng.integers(rng.integers(1, 50), size=60), np.arange(60) // 6)
    low, high = limits(found)
    exact = limits(stats.clopper_pearson(int(hit.sum()), 60))
    assert low <= exact[0] < exact[1] <= high
    assert 0 <= low <= hit.mean() <= high <= 1


@pytest.mark.parametrize(
    ("found", "estimate", "reason"),
    [
        (clustered.ratio([], [], [], []), None, "nothing is expected"),
        (clustered.ratio([1, 0], [0, 0], [1, 2], [1, 2]), None, "nothing is expected"),
        (
            clustered.ratio([1, 1, 0], [0.5, 0.5, 1], [1, 2, 3], [1, 2, 3]),
            1.0,
            "fewer than 3 hits or misses",
        ),
        (clustered.ratio([0, 0], [1, 1], [1, 2], [1, 2]), 0.0, "fewer than 3 hits or misses"),
        (clustered.ratio([1] * 5, [0.5] * 5, range(5), range(5)), 2.0, "the pairs do not vary"),
        (clustered.score_gap([], [], [], []), None, "no hit or no miss"),
        (clustered.score_gap([1, 2], [True] * 2, [1, 2], [1, 2]), None, "no hit or no miss"),
        (clustered.score_gap([1, 2], [False] * 2, [1, 2], [1, 2]), None, "no hit or no miss"),
        (
            clustered.score_gap([3, 2, 1, 1], [True, True, False, False], [1] * 4, range(4)),
            1.5,
            "fewer than 3 hits or misses",
        ),
        (
            clustered.score_gap([2] * 3 + [1] * 3, [True] * 3 + [False] * 3, range(6), range(6)),
            1.0,
            "the pairs do not vary",
        ),
        # The gap is rounding, and so is its error.
        (
            clustered.score_gap([0.3] * 200, np.arange(200) % 7 < 3, range(200), range(200)),
            0.0,
            "the pairs do not vary",
        ),
    ],
)
def test_too_little_data_has_a_reason(
    found: stats.Interval, estimate: float | None, reason: str
) -> None:
    expected = None if estimate is None else pytest.approx(estimate, abs=1e-12)
    assert found.estimate == expected
    assert (found.low, found.high, found.reason) == (None, None, reason)
    assert found.p_value is None


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: clustered.hit_rate([1, 0], [1], [1, 2]),
        lambda: clustered.hit_rate([[1, 0]], [[1, 2]], [[1, 2]]),
        lambda: clustered.ratio([1, 0], [1], [1, 2], [1, 2]),
        lambda: clustered.ratio([1, 0], [1, 1], [1, 2], [1]),
        lambda: clustered.score_gap([1], [True, False], [1, 2], [1, 2]),
    ],
)
def test_arrays_of_unlike_shape_are_refused(wrong: Callable[[], object]) -> None:
    with pytest.raises(ValueError, match="shape"):
        wrong()


@given(seed=st.integers(0, 100_000), expected=st.floats(0.02, 0.9))
def test_p_is_small_exactly_where_the_interval_leaves_out_no_effect(
    seed: int, expected: float
) -> None:
    hit, drug, disease, score = drawn(seed, n=60)
    for found, no_effect in (
        (clustered.ratio(hit, np.full(60, expected), drug, disease), 1.0),
        (clustered.score_gap(score, hit, drug, disease), 0.0),
    ):
        if found.p_value is None:
            assert found.reason is not None
            continue
        low, high = limits(found)
        assert 0 < found.p_value <= 1
        assert (found.p_value < 0.05) == (not low <= no_effect <= high)


def test_a_p_value_is_never_0() -> None:
    hit = np.arange(40_000) % 10 > 0
    found = clustered.ratio(hit, np.full(40_000, 1e-9), np.arange(40_000), np.arange(40_000))
    assert found.p_value == 1e-300


def test_order_and_numbers_of_clusters_do_not_matter() -> None:
    hit, drug, disease, score = drawn(5, n=80)
    order = np.random.default_rng(1).permutation(80)
    names = np.array([f"drug {number}" for number in drug])
    first = clustered.score_gap(score, hit, drug, disease)
    again = clustered.score_gap(score[order], hit[order], names[order], -disease[order])
    assert limits(again) == pytest.approx(limits(first))
    assert again.p_value == pytest.approx(first.p_value)
    # Sorted or not, clusters in the same order are numbered alike.
    texts = np.array([f"{number:03d}" for number in disease])
    for drugs in (drug, 1000 * drug, drug - 7, drug.astype(np.int32), drug.astype(np.float64)):
        assert clustered.score_gap(score, hit, drugs, disease) == first
        assert clustered.score_gap(score, hit, drugs, texts) == first
    assert first.n_units == len(np.unique(drug))
