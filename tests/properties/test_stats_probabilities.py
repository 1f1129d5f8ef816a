"""Intervals of the scores of probabilities agree with a recount and with numerical derivatives."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import special
from scipy import stats as scipy_stats
from test_stats_intervals import limits

from tracker.uncertainty import stats
from tracker.uncertainty.stats import clustered, probabilities
from tracker.uncertainty.stats.probabilities import Forecasts

Array = NDArray[Any]


def drawn(seed: int, n: int = 80, weighted: bool = True) -> Forecasts:
    rng = np.random.default_rng(seed)
    probability = rng.uniform(0.02, 0.98, n)
    hit = rng.random(n) < 0.5 * probability + 0.2
    weight = rng.choice([0, 1, 1.25, 2], n) if weighted else np.ones(n)
    return Forecasts.of(probability, hit, weight, rng.integers(0, 25, n), rng.integers(0, 9, n))


def figure(name: str, one: Forecasts, weight: Array) -> float:
    """Return a figure by its definition, with these weights."""
    share = weight / weight.sum()
    p, y = one.probability, one.is_hit
    score = float(share @ (p - y) ** 2)
    rate = float(share @ y)
    return {
        "brier_score": score,
        "log_score": float(share @ -np.log(np.where(y == 1, p, 1 - p))),
        "brier_skill_score": 1 - score / (rate * (1 - rate)),
        "observed_rate": rate,
    }[name]


def influences(name: str, one: Forecasts) -> Array:
    """Return how much the figure moves with each pair's weight, times the weight."""
    step = 1e-6
    moved = []
    for at in range(len(one.weight)):
        up, down = one.weight.copy(), one.weight.copy()
        up[at] *= 1 + step
        down[at] *= 1 - step
        moved.append((figure(name, one, up) - figure(name, one, down)) / (2 * step))
    return np.array(moved)


def size(name: str, one: Forecasts) -> Array:
    """Return what a pair contributes, for the effective numbers of clusters."""
    p, y = one.probability, one.is_hit
    return {
        "brier_score": one.weight * (p - y) ** 2,
        "log_score": one.weight * -np.log(np.where(y == 1, p, 1 - p)),
        "brier_skill_score": one.weight * y,
        "observed_rate": one.weight,
    }[name]


@pytest.mark.parametrize(
    ("name", "to", "back"),
    [
        ("brier_score", special.logit, special.expit),
        ("log_score", np.log, np.exp),
        ("brier_skill_score", float, float),
        ("observed_rate", None, None),
    ],
)
@given(seed=st.integers(0, 100_000))
def test_limits_are_those_of_numerical_influences(
    name: str,
    to: Callable[[float], float] | None,
    back: Callable[[float], float] | None,
    seed: int,
) -> None:
    one = drawn(seed)
    found = getattr(probabilities, name)(one)
    value = figure(name, one, one.weight)
    spread = clustered.two_way(influences(name, one), one.drug, one.disease, size(name, one))
    if to and back:
        slope = (to(value + 1e-7) - to(value - 1e-7)) / 2e-7
        half = scipy_stats.t.ppf(0.975, spread.df) * spread.variance**0.5 * slope
        expected = back(to(value) - half), back(to(value) + half)
    else:
        n = one.weight.sum() ** 2 / (one.weight @ one.weight)
        low, high = clustered.rate_limits(value, n, spread)
        expected = float(low), float(high)
    assert found.estimate == pytest.approx(value)
    assert limits(found) == pytest.approx(expected, 1e-4)
    assert (found.n, found.n_units) == (len(one.weight), len(set(one.drug)))
    assert (found.p_value is None) == (name != "brier_skill_score")
    if found.p_value is not None:
        low, high = limits(found)
        assert (found.p_value < 0.05) == (not low <= 0 <= high)


@given(st.integers(0, 100_000), st.integers(0, 60))
def test_of_equal_weights_the_rate_is_that_of_hits(seed: int, n_hits: int) -> None:
    rng = np.random.default_rng(seed)
    hit = rng.permutation(60) < n_hits
    drug, disease = rng.integers(0, 20, 60), rng.integers(0, 9, 60)
    one = Forecasts.of(np.full(60, 0.5), hit, np.full(60, 1.5), drug, disease)
    found = probabilities.observed_rate(one)
    expected = clustered.hit_rate(hit, drug, disease)
    assert found.estimate == pytest.approx(expected.estimate)
    assert limits(found) == pytest.approx(limits(expected), rel=1e-9)


@given(st.integers(0, 100_000))
def test_few_hits_have_the_exact_limits_of_fewer_pairs_at_least(seed: int) -> None:
    """Unequal weights count for less pairs, so that limits are wider than with equal ones."""
    rng = np.random.default_rng(seed)
    weight = rng.uniform(1, 4, 40)
    hit = rng.permutation(40) < 5
    one = Forecasts.of(np.full(40, 0.5), hit, weight, np.arange(40), np.arange(40))
    found = probabilities.observed_rate(one)
    rate = float(weight @ hit / weight.sum())
    n = weight.sum() ** 2 / (weight @ weight)
    assert n < 40
    low, high = limits(found)
    # scipy's beta-binomial tail of a real number of hits.
    assert scipy_stats.beta.cdf(low, rate * n, n - rate * n + 1) <= 0.025 + 1e-9
    assert scipy_stats.beta.sf(high, rate * n + 1, n - rate * n) <= 0.025 + 1e-9


def made(probability: list[float], hit: list[int], weight: list[float] | None = None) -> Forecasts:
    n = len(hit)
    return Forecasts.of(probability, hit, weight or [1.0] * n, range(n), range(n))


@pytest.mark.parametrize(
    ("found", "estimate", "reason"),
    [
        (probabilities.brier_score(made([], [])), None, "no observations"),
        (probabilities.log_score(made([0.5], [1], [0])), None, "no observations"),
        (probabilities.observed_rate(made([], [])), None, "no observations"),
        (probabilities.brier_score(made([0.5] * 4, [1] * 4)), 0.25, "fewer than 3 hits or misses"),
        (
            probabilities.brier_score(made([0.5] * 6, [1, 0] * 3)),
            0.25,
            "the pairs do not vary",
        ),
        (probabilities.brier_score(made([1, 0] * 3, [1, 0] * 3)), 0, "the pairs do not vary"),
        (
            probabilities.brier_skill_score(made([0.5] * 3, [1] * 3)),
            None,
            "no hit or no miss",
        ),
        (probabilities.brier_skill_score(made([], [])), None, "no hit or no miss"),
        (
            probabilities.brier_skill_score(made([0.5] * 4, [1, 0, 1, 0])),
            0,
            "fewer than 3 hits or misses",
        ),
        (
            probabilities.brier_skill_score(made([0.5] * 6, [1, 0] * 3)),
            0,
            "the pairs do not vary",
        ),
        # The skill is rounding, and so is its error.
        (
            probabilities.brier_skill_score(made([0.1] * 60, [1] * 6 + [0] * 54)),
            0,
            "the pairs do not vary",
        ),
    ],
)
def test_too_little_data_has_a_reason(
    found: stats.Interval, estimate: float | None, reason: str
) -> None:
    expected = None if estimate is None else pytest.approx(estimate, abs=1e-12)
    assert (found.estimate, found.low, found.high, found.reason) == (expected, None, None, reason)


def test_the_rate_of_no_hit_has_an_exact_limit() -> None:
    found = probabilities.observed_rate(made([0.5] * 30, [0] * 30))
    assert limits(found) == pytest.approx(limits(stats.clopper_pearson(0, 30)))


def test_a_certain_prediction_that_failed_has_no_log_score() -> None:
    with pytest.raises(ValueError, match="infinite"):
        probabilities.log_score(made([0, 0.5], [1, 1]))


@pytest.mark.parametrize(
    "columns",
    [([0.5], [1, 0], [1], [1], [1]), ([[0.5]], [[1]], [[1]], [[1]], [[1]])],
)
def test_arrays_of_unlike_shape_are_refused(columns: tuple[list[Any], ...]) -> None:
    with pytest.raises(ValueError, match="shape"):
        Forecasts.of(*columns)
