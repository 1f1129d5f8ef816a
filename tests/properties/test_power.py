"""The power stated at a freeze: the closed form by hand, against simulated lists, and the truth."""

from dataclasses import replace
from math import log
from typing import Any

import numpy as np
import pytest
from null_world import MODELS, Setting, breadth_class
from numpy.random import Generator
from numpy.typing import NDArray
from past_world import draw, draw_past, realised, stated
from scipy import stats as scipy_stats
from stratified_reference import figures, parts

from tracker.uncertainty.stats import power, stratified
from tracker.uncertainty.stats.power import Design

Array = NDArray[Any]

# By the hits expected without skill, those seen now and then and mostly.
ENRICHMENTS = {6: (2.2, 3.5), 12: (1.8, 2.6), 30: (1.5, 2.0)}


def lists_of_ten(n_diseases: int = 20, rate: float = 0.02, spread: float = 0.0) -> Design:
    """Return 10 predictions of 100 candidates in each disease, each of a drug of its own."""
    n = 10 * n_diseases
    disease = np.arange(n) // 10
    zeros = np.zeros(n, dtype=np.intp)
    return Design(
        np.full(n, rate), np.full(n, 100.0), np.full(n, 0.1), disease, np.arange(n), zeros, spread
    )


def test_power_by_hand() -> None:
    """400 diseases, 4,000 predictions: 80 hits without skill, and 40 in a stratum's others."""
    design = lists_of_ten(400)
    hit = 1 - 0.98**1.5
    r, s = 4000 * hit * 0.9, 4000 * 0.02 * 0.9
    own = 4000 * hit * (1 - hit) * 0.9**2 / r**2
    other = 400 * 90 * 0.02 * 0.98 * 0.1**2 / s**2
    chance = own + other
    estimated = chance + chance**2 + chance / (400 * np.pi) ** 0.5
    slope = 1 + 1.959964 * (own**2 - other**2) / (2 * chance**1.5)
    z = (log(r / s) - 1.959964 * estimated**0.5) / chance**0.5 / slope
    assert power.power(design, 1.5, 12) == pytest.approx(scipy_stats.norm.cdf(z))


def test_momentum_adds_what_drugs_have_at_stake() -> None:
    """Two drugs in every stratum, of which one is predicted: all of the ratio is at stake."""
    n = 300
    zeros = np.zeros(n, dtype=np.intp)
    rate, two, half = np.full(n, 1e-4), np.full(n, 2.0), np.full(n, 0.5)
    one = Design(rate, two, half, np.arange(n), zeros, zeros, 0.5)
    assert power._squares(one, rate * half / 0.015, rate / 0.015) == pytest.approx([1, 1])
    # Never more than two drugs: no interval.
    assert power.power(one, 100, 12) == 0
    many = replace(one, drug=np.arange(n), breadth_class=np.arange(n))
    assert power._squares(many, rate * half / 0.015, rate / 0.015).sum() == pytest.approx(2 / n)


def test_momentum_takes_power() -> None:
    slate = lists_of_ten()
    shared = replace(slate, drug=np.arange(200) % 10, drug_spread=0.5)
    assert power.power(shared, 3, 12) < power.power(slate, 3, 12)


def test_with_few_hits_power_is_that_of_the_exact_limits() -> None:
    """Two hits are expected without skill; 6 make Garwood's lower limit 2.202, 5 only 1.623."""
    slate = lists_of_ten(10)
    n_hits = 100 * (1 - 0.98**2.5)
    expected = n_hits / ((1 - 0.98**2.5) / 0.02)
    assert expected == pytest.approx(2)
    assert power.power(slate, 2.5, 12) <= scipy_stats.poisson.sf(5, n_hits)


def test_power_of_one_is_the_error_rate_and_grows_with_enrichment_and_time() -> None:
    slate = lists_of_ten(200)
    assert power.power(slate, 1.0, 12) <= 0.05
    rising = [power.power(slate, size, 12) for size in (1.2, 1.6, 2.4)]
    assert rising == sorted(rising)
    assert power.power(slate, 1.6, 36) > power.power(slate, 1.6, 12)


def test_the_smallest_enrichment_has_the_power_it_should() -> None:
    slate = lists_of_ten(200)
    smallest = power.smallest_enrichment(slate, 12)
    assert smallest is not None
    assert power.power(slate, smallest, 12) == pytest.approx(0.8, abs=0.02)


def test_what_a_bar_needs() -> None:
    slate = lists_of_ten(200)
    months = power.months_needed(slate, 1.3, 240)
    assert months is not None
    assert months > 12
    assert power.power(slate, 1.3, months) == pytest.approx(0.8, abs=0.02)
    n = power.predictions_needed(slate, 1.3, 12, 100_000)
    assert n is not None
    # Twice the predictions do about what twice the months do.
    assert n / 2000 == pytest.approx(months / 12, rel=0.2)
    assert power.months_needed(slate, 1.3, 13) is None
    assert power.predictions_needed(slate, 1.3, 12, 2100) is None
    assert power.predictions_needed(slate, 1.3, 12, 100) is None
    assert power.months_needed(slate, 50.0, 240) == 1.0


@pytest.mark.parametrize("times", [2, 3])
def test_more_predictions_are_those_of_further_drugs_and_diseases(times: int) -> None:
    slate = replace(lists_of_ten(), drug=np.arange(200) % 50, drug_spread=0.5)
    copy = np.repeat(np.arange(times), 200)
    rate, n, share = (
        np.tile(each, times) for each in (slate.rate, slate.n_candidates, slate.share)
    )
    disease, drug, level = (
        np.tile(each, times) + copy * (each.max() + 1)
        for each in (slate.disease, slate.drug, slate.breadth_class)
    )
    repeated = Design(rate, n, share, disease, drug, level, 0.5)
    assert power.power(slate, 2, 12, times) == pytest.approx(power.power(repeated, 2, 12))


def test_nothing_expected_shows_nothing() -> None:
    nothing = replace(lists_of_ten(), rate=np.zeros(200))
    assert power.power(nothing, 100.0, 12) == 0
    assert power.smallest_enrichment(nothing, 12) is None
    assert power.smallest_enrichment(lists_of_ten(1, 1e-4), 12) is None
    none = replace(lists_of_ten(0), n_candidates=np.zeros(0))
    assert power.smallest_enrichment(none, 12) is None
    assert power.predictions_needed(none, 1.3, 12, 100) is None


# Against lists drawn with momentum, and judged as a report judges them


class Drawn:
    """600 drugs, lists of 20 for each disease, with `n_expected` hits in a year without skill."""

    def __init__(self, n_diseases: int, pool: int, n_expected: float, rng: Generator) -> None:
        breadth = np.minimum(rng.pareto(1.1, 600) * 2, 200).astype(int)
        self.level = breadth_class(breadth)
        self.predicted = np.zeros((n_diseases, 600), dtype=np.bool_)
        drugs = rng.permutation(600)[:pool]
        for own in self.predicted:
            own[rng.choice(drugs, 20, replace=False)] = True
        rate = np.outer(rng.lognormal(0, 0.6, n_diseases), 1.0 + breadth)
        self.rate = np.minimum(rate * n_expected / rate[self.predicted].sum(), 0.5)

    def design(self, spread: float) -> Design:
        disease, drug = np.nonzero(self.predicted)
        place = np.unique(self.level, return_inverse=True)[1]
        of_class = (place == np.arange(place.max() + 1)[:, None]).astype(float)
        n = of_class.sum(axis=1)[place[drug]]
        own = (self.predicted @ of_class.T)[disease, place[drug]]
        mean = (self.rate @ of_class.T)[disease, place[drug]] / n
        return Design(mean, n, own / n, disease, drug, place[drug], spread)

    def is_seen(self, enrichment: float, spread: float, rng: Generator) -> bool:
        """Draw hits, drugs' momentum being gamma, and say if the interval lies above 1."""
        momentum = rng.gamma(1 / spread, spread, 600) if spread else np.ones(600)
        # Of the mean over momentum the rate is what it should be.
        hazard = ((1 - self.rate) ** -spread - 1) / spread if spread else -np.log1p(-self.rate)
        lift = np.where(self.predicted, enrichment, 1.0)
        hit = rng.random(self.rate.shape) < -np.expm1(-hazard * lift * momentum)
        disease, drug = (place.ravel() for place in np.indices(hit.shape))
        table = {
            "disease": disease,
            "drug": drug,
            "level": self.level[drug],
            "hit": hit.ravel().astype(float),
            "predicted": self.predicted.ravel(),
        }
        found = figures(table)
        if not found.get("ratio"):
            return False
        ratio = stratified.Ratio(
            found["ratio"], found["hits"], found["s"], chance=found["chance"], **parts(table, found)
        )
        return (stratified.interval(ratio, disease.size).low or 0) > 1


@pytest.mark.exhaustive
@pytest.mark.parametrize("n_expected", [6, 12, 30])
@pytest.mark.parametrize("spread", [0.0, 0.5, 1.0])
@pytest.mark.parametrize(("n_diseases", "pool"), [(12, 600), (12, 50), (50, 600), (50, 50)])
def test_lists_are_seen_as_often_as_stated(
    n_diseases: int, pool: int, spread: float, n_expected: int
) -> None:
    """The mean of 3 worlds of 60 draws, whose standard error is at most 0.037.

    Where so few drugs carry the ratio that no power is stated, there is nothing to compare.
    """
    rng = np.random.default_rng([n_diseases, pool, int(2 * spread), n_expected])
    said, seen = [], []
    for _ in range(3):
        drawn = Drawn(n_diseases, pool, n_expected, rng)
        design = drawn.design(spread)
        for enrichment in ENRICHMENTS[n_expected]:
            probability = power.power(design, enrichment, 12)
            share = np.mean([drawn.is_seen(enrichment, spread, rng) for _ in range(60)])
            if probability > 0:
                said.append(probability)
                seen.append(share)
    assert len(said) >= 3
    assert np.mean(said) == pytest.approx(np.mean(seen), abs=0.12)


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
