"""Tests agree with enumeration and other implementations; p values are uniform and never 0."""

from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats
from statsmodels.stats.multitest import multipletests  # type: ignore[import-untyped]

from tracker.uncertainty import stats
from tracker.uncertainty.stats.significance import Alternative


@pytest.mark.parametrize("second", [(1, 0, 0, 0), (1, 1, 0, 0, 0)], ids=["unlike", "alike"])
def test_permutation_agrees_with_every_shuffle(second: tuple[int, ...]) -> None:
    """Two diseases of 4 or 5 pairs: the tier's hits are counted in every shuffle of both."""
    is_hit = [(1, 1, 0, 0, 0), second]
    in_tier = [(1, 1, *[0] * (len(hits) - 2)) for hits in is_hit]
    by_disease = [
        [sum(a * b for a, b in zip(tier, shuffled, strict=True)) for shuffled in permutations(hits)]
        for tier, hits in zip(in_tier, is_hit, strict=True)
    ]
    totals = np.array([a + b for a, b in product(*by_disease)])
    counts = ([2, 0], [2, 2], [2, sum(second)], [5, len(second)])
    found = stats.permutation(*counts, seed=1, n_permutations=200_000)
    assert found.statistic == 2
    assert found.expected == pytest.approx(totals.mean())
    assert found.p_value == pytest.approx((totals >= 2).mean(), abs=0.004)
    both = stats.permutation(*counts, seed=1, n_permutations=200_000, alternative="two-sided")
    smaller = min((totals >= 2).mean(), (totals <= 2).mean())
    assert both.p_value == pytest.approx(min(1, 2 * smaller), abs=0.008)


def test_one_stratum_is_fishers_exact_test() -> None:
    table = np.array([[7, 13], [5, 45]])
    exact = scipy_stats.fisher_exact(table, alternative="greater").pvalue
    found = stats.permutation([7], [20], [12], [70], seed=1, n_permutations=200_000)
    assert found.p_value == pytest.approx(exact, rel=0.05)


def test_p_is_never_0_and_counts_the_data_themselves() -> None:
    found = stats.permutation([50], [50], [50], [1000], seed=1, n_permutations=999)
    assert found.p_value == 1 / 1000


@pytest.mark.parametrize(
    ("tier_hits", "tier_pairs", "n_hits", "n_pairs"),
    [
        ([], [], [], []),
        ([0, 0], [5, 5], [0, 0], [20, 20]),
        ([5], [5], [20], [20]),
        ([2], [20], [2], [20]),
        ([0], [0], [2], [20]),
    ],
)
def test_uninformative_strata_give_no_p(
    tier_hits: list[int], tier_pairs: list[int], n_hits: list[int], n_pairs: list[int]
) -> None:
    found = stats.permutation(tier_hits, tier_pairs, n_hits, n_pairs, seed=1)
    assert (found.p_value, found.n_strata) == (None, 0)
    assert found.reason == "no stratum has hits and misses, inside and outside the tier"


def test_uninformative_strata_change_nothing() -> None:
    alone = stats.permutation([3], [10], [5], [50], seed=4)
    among = stats.permutation([3, 0, 4], [10, 10, 4], [5, 0, 4], [50, 40, 4], seed=4)
    assert (among.p_value, among.statistic) == (alone.p_value, alone.statistic)
    assert (among.n_strata, among.n) == (1, 94)


@pytest.mark.slow
@pytest.mark.parametrize("alternative", ["greater", "two-sided"])
def test_p_values_are_uniform_without_an_effect(alternative: Alternative) -> None:
    """Large strata, so that ties are few; where they are many p is too large, never too small."""
    rng = np.random.default_rng(2026)
    hits, pairs, in_tier = np.full(40, 500), np.full(40, 2000), np.full(40, 700)
    p_values = []
    for seed in range(600):
        tier_hits = rng.hypergeometric(hits, pairs - hits, in_tier)
        found = stats.permutation(
            tier_hits,
            in_tier,
            hits,
            pairs,
            seed=seed,
            n_permutations=399,
            alternative=alternative,
        )
        p_values.append(found.p_value or 0.0)
    assert min(p_values) >= 1 / 400
    assert scipy_stats.kstest(p_values, "uniform").pvalue > 0.01


def test_p_values_are_never_too_small_in_a_small_slate() -> None:
    rng = np.random.default_rng(7)
    hits, pairs, in_tier = np.array([3, 0, 2, 16, 9, 2, 1]), np.full(7, 50), np.full(7, 10)
    p_values = np.array(
        [
            stats.permutation(
                rng.hypergeometric(hits, pairs - hits, in_tier),
                in_tier,
                hits,
                pairs,
                seed=seed,
                n_permutations=199,
            ).p_value
            for seed in range(1000)
        ],
        dtype=np.float64,
    )
    assert p_values.min() > 0
    for level in (0.01, 0.05, 0.2, 0.5):
        assert (p_values <= level).mean() <= level + 3 * (level * (1 - level) / 1000) ** 0.5
    assert scipy_stats.kstest(p_values, "uniform", alternative="greater").pvalue > 0.01


scores_of_hits = st.lists(st.tuples(st.integers(0, 6), st.booleans()), min_size=4, max_size=40)


@pytest.mark.parametrize("alternative", ["greater", "two-sided"])
@given(scores_of_hits)
def test_one_stratum_is_mann_and_whitneys_test(
    alternative: Alternative, pairs: list[tuple[int, bool]]
) -> None:
    scores, is_hit = np.array([p[0] for p in pairs]), np.array([p[1] for p in pairs])
    assume(0 < is_hit.sum() < len(is_hit))
    assume(len(set(scores.tolist())) > 1)
    theirs = scipy_stats.mannwhitneyu(
        scores[is_hit],
        scores[~is_hit],
        alternative=alternative,
        method="asymptotic",
        use_continuity=False,
    )
    found = stats.van_elteren(scores, is_hit, np.zeros(len(scores)), alternative=alternative)
    assert found.p_value == pytest.approx(theirs.pvalue, abs=1e-12)


def test_van_elteren_agrees_with_every_shuffle() -> None:
    """The weighted rank sums of all 4! x 5! shuffles have mean 0 and the variance of z's scale."""
    scores = [(1, 2, 2, 5), (3, 1, 1, 1, 4)]
    is_hit = [(False, True, False, True), (False, False, True, False, True)]

    def weighted(hits: tuple[tuple[bool, ...], ...]) -> float:
        total = 0.0
        for values, chosen in zip(scores, hits, strict=True):
            ranks = scipy_stats.rankdata(values)
            n = len(values)
            excess = ranks[np.array(chosen)].sum() - sum(chosen) * (n + 1) / 2
            total += excess / (n + 1)
        return total

    shuffles = np.array([weighted(hits) for hits in product(*map(permutations, is_hit))])
    assert shuffles.mean() == pytest.approx(0, abs=1e-12)
    found = stats.van_elteren(np.concatenate(scores), np.concatenate(is_hit), [0] * 4 + [1] * 5)
    assert found.statistic == pytest.approx(weighted(tuple(is_hit)) / shuffles.std())
    assert found.n_strata == 2


def test_van_elteren_ignores_differences_between_diseases() -> None:
    """A disease that scores high and hits often makes hits score above misses, but not within."""
    rng = np.random.default_rng(5)
    disease = np.repeat([0, 1], 200)
    is_hit = rng.random(400) < np.where(disease == 1, 0.8, 0.1)
    scores = rng.normal(size=400) + 3 * disease
    pooled = stats.van_elteren(scores, is_hit, np.zeros(400))
    within = stats.van_elteren(scores, is_hit, disease)
    assert pooled.p_value is not None
    assert within.p_value is not None
    assert pooled.p_value < 1e-9
    assert within.p_value > 0.05


@pytest.mark.parametrize(
    ("scores", "is_hit"),
    [([], []), ([1, 2], [True, True]), ([3, 3, 3], [True, False, False])],
)
def test_nothing_to_compare_has_no_p(scores: list[float], is_hit: list[bool]) -> None:
    found = stats.van_elteren(scores, is_hit, np.zeros(len(scores)))
    assert found.p_value is None
    assert found.reason == "no stratum has hits and misses of different scores"


# statsmodels takes a quarter of a second each time.
@settings(max_examples=8)
@given(st.lists(st.sampled_from([0.0, 0.001, 0.01, 0.02, 0.04, 0.3, 1.0]), min_size=3, max_size=9))
def test_holm_agrees_with_statsmodels(p_values: list[float]) -> None:
    expected = multipletests(p_values, method="holm")[1]
    assert stats.holm(p_values) == pytest.approx(expected.tolist(), abs=1e-12)


def test_holm_leaves_out_what_was_not_tested() -> None:
    assert stats.holm([None, 0.01, None, 0.04, 0.03]) == [None, 0.03, None, 0.06, 0.06]
    assert stats.holm([None]) == [None]
    assert stats.holm([]) == []
