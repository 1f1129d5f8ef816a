"""The power stated at a freeze: the simulation by hand and by reference, and against the truth."""

import numpy as np
import pytest
from null_world import MODELS, Setting
from past_world import draw, draw_past, realised, stated
from scipy import stats as scipy_stats

from tracker.uncertainty.stats import clustered, power
from tracker.uncertainty.stats.power import Design


def design(n: int = 300, mean: float = 0.02, spread: float = 0.0, seed: int = 1) -> Design:
    rng = np.random.default_rng(seed)
    rate = np.minimum(rng.gamma(0.5, mean / 0.5, n), 1.0)
    drug = np.unique(rng.integers(0, n // 8, n), return_inverse=True)[1]
    return Design(rate, drug, np.arange(n) // 10, spread)


def test_rates_grow_with_the_months() -> None:
    rates = power.rate_over(np.array([0.0, 0.1, 1.0]), 24)
    assert rates == pytest.approx([0, 0.19, 1])
    assert power.rate_over(np.array([0.1]), 6) == pytest.approx([1 - 0.9**0.5])


@pytest.mark.parametrize("spread", [0.0, 0.8])
def test_every_world_is_judged_by_the_clustered_interval(spread: float) -> None:
    slate = design(spread=spread)
    expected = power.rate_over(slate.rate, 12)
    hits = power.draw(slate, 2.0, 12)
    reference = []
    for world in range(power.N_WORLDS):
        hit = np.zeros(len(slate.rate))
        hit[hits.prediction[hits.world == world]] = 1
        found = clustered.ratio(hit, expected, slate.drug, slate.disease).low
        if found is not None and hit.sum() < 10:
            exact = scipy_stats.chi2.ppf(0.025, 2 * hit.sum()) / 2 / expected.sum()
            found = min(found, exact)
        reference.append(found is not None and found > 1)
    assert 0.1 < np.mean(reference) < 0.9
    assert power.power(slate, 2.0, 12) == np.mean(reference)


@pytest.mark.parametrize(("spread", "enrichment"), [(0.0, 1.0), (0.0, 2.5), (0.8, 2.5)])
def test_worlds_have_the_hits_and_the_spread_they_should(spread: float, enrichment: float) -> None:
    slate = Design(np.full(2000, 0.02), np.arange(2000) // 20, np.arange(2000) % 100, spread)
    hits = power.draw(slate, enrichment, 12)
    of_drug = np.zeros((power.N_WORLDS, 100))
    np.add.at(of_drug, (hits.world, slate.drug[hits.prediction]), 1)
    hazard = -np.log1p(-0.02) * enrichment

    def mean_survival(times: float) -> float:
        """Return the mean of exp(-times x hazard x momentum), momentum being gamma."""
        if spread == 0:
            return float(np.exp(-times * hazard))
        return float((1 + times * hazard * spread) ** (-1 / spread))

    missed, missed_twice = mean_survival(1), mean_survival(2)
    assert of_drug.mean() == pytest.approx(20 * (1 - missed), rel=0.03)
    variance = 20 * (missed - missed_twice) + 400 * (missed_twice - missed**2)
    assert of_drug.var() == pytest.approx(variance, rel=0.05)


def test_power_of_one_is_the_error_rate_and_grows_with_enrichment_and_time() -> None:
    slate = design(2000)
    assert power.power(slate, 1.0, 12) <= 0.05
    rising = [power.power(slate, size, 12) for size in (1.2, 1.6, 2.4)]
    assert rising == sorted(rising)
    assert power.power(slate, 1.6, 36) > power.power(slate, 1.6, 12)


def test_the_smallest_enrichment_has_the_power_it_should() -> None:
    slate = design(2000)
    smallest = power.smallest_enrichment(slate, 12)
    assert smallest is not None
    assert power.power(slate, smallest, 12) == pytest.approx(0.8, abs=0.04)
    # Many independent hits: log(ratio) has the standard error 1 / sqrt(hits).
    hits = smallest * float(slate.rate.sum())
    normal = np.exp((scipy_stats.norm.ppf(0.975) + scipy_stats.norm.ppf(0.8)) / hits**0.5)
    assert smallest == pytest.approx(normal, rel=0.15)


def test_what_a_bar_needs() -> None:
    slate = design(2000)
    months = power.months_needed(slate, 1.3, 240)
    assert months is not None
    assert months > 12
    assert power.power(slate, 1.3, months) == pytest.approx(0.8, abs=0.04)
    n = power.predictions_needed(slate, 1.3, 12, 100_000)
    assert n is not None
    # Twice the predictions do about what twice the months do.
    assert n / 2000 == pytest.approx(months / 12, rel=0.2)
    assert power.months_needed(slate, 1.3, 13) is None
    assert power.predictions_needed(slate, 1.3, 12, 2100) is None
    assert power.predictions_needed(slate, 1.3, 12, 100) is None
    assert power.months_needed(slate, 50.0, 240) == 1.0


def test_nothing_expected_shows_nothing() -> None:
    nothing = Design(np.zeros(50), np.arange(50), np.arange(50) // 5, 0.0)
    assert power.power(nothing, 100.0, 12) == 0
    assert power.smallest_enrichment(nothing, 12) is None
    few = Design(np.full(2, 1e-4), np.arange(2), np.arange(2), 0.0)
    assert power.smallest_enrichment(few, 12) is None


@pytest.mark.slow
@pytest.mark.parametrize("momentum", [0.0, 0.5])
@pytest.mark.parametrize("model", ["random", "favourites"])
def test_what_is_stated_from_the_past_is_near_the_truth(model: str, momentum: float) -> None:
    """Of 50 diseases; tests/speed/null_worlds.py --power measures more models and sizes."""
    rng = np.random.default_rng(3)
    ratios = []
    for _ in range(5):
        past = draw_past(Setting(50, momentum), rng)
        slate = draw(past, MODELS[model], rng)
        said, truth = stated(past, slate), realised(past, slate)
        assert said.smallest is not None
        assert truth.smallest is not None
        ratios.append((said.expected_hits / truth.expected_hits, said.smallest / truth.smallest))
    assert np.mean(ratios, axis=0) == pytest.approx([1, 1], abs=0.3)
    assert all(1 / 1.5 < ratio < 1.5 for _, ratio in ratios)
