"""The interval of enrichment_vs_matched agrees with a recount of every candidate, and its p value.

The slow reference lists all candidates. It is equal to the limits only where every drug of a
breadth has the same candidate diseases, since the function takes a drug's other candidates to be
those of the mean drug of its breadth.
"""

from collections import defaultdict
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats as scipy_stats

from tracker.uncertainty import stats
from tracker.uncertainty.stats import matched
from tracker.uncertainty.stats.clustered import Compared

Array = NDArray[Any]


class Everything(NamedTuple):
    """All drugs are candidates of all diseases; tables have shape (n_drugs, n_diseases)."""

    breadth: Array
    degree_class: Array
    predicted: Array
    hit: Array
    activity: Array


def drawn(
    seed: int, *, n_drugs: int = 24, n_diseases: int = 7, likely: float = 0.25, lift: float = 2.0
) -> Everything:
    rng = np.random.default_rng(seed)
    breadth = rng.integers(0, 4, n_drugs)
    activity = rng.uniform(0.5, 2, n_diseases)
    predicted = rng.random((n_drugs, n_diseases)) < 0.05 + 0.1 * breadth[:, None]
    momentum = rng.lognormal(0, 0.4, n_drugs)[:, None]
    chance = likely / 4 * (1 + breadth[:, None]) * momentum * activity
    hit = rng.random(predicted.shape) < np.minimum(chance * np.where(predicted, lift, 1), 0.9)
    return Everything(breadth, rng.integers(1, 3, n_diseases), predicted, hit, activity)


def counted(everything: Everything) -> matched.World:
    """Return the counts of which the function makes the interval."""
    breadth, degree_class, predicted, hit, activity = everything
    n_drugs, n_diseases = predicted.shape
    strata = sorted(set(product(set(breadth.tolist()), set(degree_class.tolist()))))
    breadths = sorted(set(breadth.tolist()))
    of_pair = np.array(
        [[strata.index((b, c)) for c in degree_class.tolist()] for b in breadth.tolist()]
    )
    cells = sorted({(d, int(of_pair[g, d])) for g, d in product(range(n_drugs), range(n_diseases))})

    def per_cell(table: Array) -> Array:
        return np.array([float((table[:, d] & (of_pair[:, d] == s)).sum()) for d, s in cells])

    def pairs(table: Array) -> matched.Pairs:
        drug, disease = np.nonzero(table)
        is_hit = hit[drug, disease].astype(float)
        return matched.Pairs(drug + 100, disease, of_pair[drug, disease], is_hit)

    return matched.World(
        matched.Cells(
            np.array([d for d, _ in cells]),
            np.array([s for _, s in cells]),
            per_cell(np.ones_like(hit)),
            per_cell(predicted),
        ),
        pairs(predicted),
        pairs(hit & ~predicted),
        activity,
        np.array([float((hit & (of_pair == s)).sum()) for s in range(len(strata))]),
        np.array([breadths.index(b) for b, _ in strata]),
        np.array([float((breadth == b).sum()) for b in breadths]),
        np.arange(n_diseases),
    )


def recounted(everything: Everything, ratio: float) -> tuple[float, float, float]:
    """Return the variance of log(ratio), degrees of freedom and effective number of drugs."""
    breadth, degree_class, predicted, hit, activity = everything
    pairs = list(product(range(len(breadth)), range(len(activity))))
    stratum = {(g, d): (int(breadth[g]), int(degree_class[d])) for g, d in pairs}
    factor = {(g, d): ratio if predicted[g, d] else 1.0 for g, d in pairs}
    hits, exposure = defaultdict[Any, float](float), defaultdict[Any, float](float)
    for g, d in pairs:
        hits[stratum[g, d]] += hit[g, d]
        exposure[stratum[g, d]] += activity[d] * factor[g, d]
    mean = {
        (g, d): hits[stratum[g, d]] / exposure[stratum[g, d]] * activity[d] * factor[g, d]
        for g, d in pairs
    }

    def explained(key: Any, offset: Any) -> dict[Any, float]:
        """Regress being predicted, less what is explained, on the groups of `key`."""
        above, below = defaultdict[Any, float](float), defaultdict[Any, float](float)
        for g, d in pairs:
            above[key(g, d)] += mean[g, d] * (predicted[g, d] - offset(g, d))
            below[key(g, d)] += mean[g, d]
        return {group: above[group] / below[group] if below[group] else 0.0 for group in below}

    def of_stratum(g: int, d: int) -> tuple[int, int]:
        return stratum[g, d]

    def of_disease(_g: int, d: int) -> int:
        return d

    first = explained(of_stratum, lambda _g, _d: 0.0)
    gamma = explained(of_disease, lambda g, d: first[stratum[g, d]])
    alpha = explained(of_stratum, lambda _g, d: gamma[d])
    rest = {(g, d): predicted[g, d] - alpha[stratum[g, d]] - gamma[d] for g, d in pairs}
    information = sum(predicted[pair] * mean[pair] * rest[pair] for pair in pairs)
    binomial = sum(mean[pair] * rest[pair] ** 2 * max(1 - mean[pair], 0) for pair in pairs)
    influence = {pair: rest[pair] * (hit[pair] - mean[pair]) for pair in pairs}
    alone = sum(value**2 for value in influence.values())
    variance, below, numbers = binomial, 0.0, []
    for place in (0, 1):
        total, weight = defaultdict[int, float](float), defaultdict[int, float](float)
        for pair in pairs:
            total[pair[place]] += influence[pair]
            weight[pair[place]] += predicted[pair] * mean[pair] * rest[pair]
        part = sum(value**2 for value in total.values())
        squares = sum(value**2 for value in weight.values())
        numbers.append(squares**2 / sum(value**4 for value in weight.values()))
        if part > alone:
            variance += part - alone
            below += part**2 / max(numbers[-1] - 1, 0.5)
    df = max(1.0, variance**2 / below) if below else np.inf
    return float(variance / information**2), float(df), float(numbers[0])


def limits(compared: Compared) -> tuple[float, float]:
    interval = compared.interval
    assert interval.low is not None
    assert interval.high is not None
    return interval.low, interval.high


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("ratio", [0.6, 1.0, 2.4])
def test_the_interval_recounts_every_candidate(seed: int, ratio: float) -> None:
    everything = drawn(seed)
    assert (everything.hit & everything.predicted).sum() >= 10
    variance, df, _ = recounted(everything, ratio)
    error = variance**0.5
    half = scipy_stats.t.ppf(0.975, df) * error
    found = matched.rate_ratio(ratio, counted(everything))
    assert limits(found) == pytest.approx((ratio * np.exp(-half), ratio * np.exp(half)))
    assert found.p_value == pytest.approx(2 * scipy_stats.t.sf(abs(np.log(ratio)) / error, df))
    assert found.interval.n == everything.predicted.sum()
    assert found.interval.n_units == everything.predicted.any(axis=1).sum()


@pytest.mark.parametrize("seed", range(12))
def test_few_hits_have_no_narrower_limits_than_poissons(seed: int) -> None:
    everything = drawn(seed, likely=0.05)
    n_hits = int((everything.hit & everything.predicted).sum())
    assert 0 < n_hits < 10
    ratio = 1.3
    found = matched.rate_ratio(ratio, counted(everything))
    variance, df, n_drugs = recounted(everything, ratio)
    if n_drugs < 2:
        assert found.interval.low is None
        return
    half = scipy_stats.t.ppf(0.975, df) * variance**0.5
    expected = n_hits / ratio
    exact = [scipy_stats.chi2.ppf(0.025, 2 * n_hits), scipy_stats.chi2.ppf(0.975, 2 * n_hits + 2)]
    low, high = limits(found)
    assert low == pytest.approx(min(ratio * np.exp(-half), exact[0] / 2 / expected))
    assert high == pytest.approx(max(ratio * np.exp(half), exact[1] / 2 / expected))
    tails = (
        scipy_stats.poisson.sf(n_hits - 1, expected),
        scipy_stats.poisson.cdf(n_hits, expected),
    )
    assert found.p_value is not None
    assert found.p_value >= min(1, 2 * min(tails))
    assert found.p_value >= 2 * scipy_stats.t.sf(np.log(ratio) / variance**0.5, df) * (1 - 1e-9)


def test_no_hit_has_the_exact_poisson_limit() -> None:
    """Garwood's upper limit of no event is -ln(0.025) = 3.689, over what was expected."""
    everything = drawn(3)
    none = everything._replace(hit=everything.hit & ~everything.predicted)
    found = matched.rate_ratio(0.0, counted(none))
    expected = 0.0
    for b, c in set(product(everything.breadth.tolist(), everything.degree_class.tolist())):
        at = (everything.breadth[:, None] == b) & (everything.degree_class == c)
        activity = np.broadcast_to(everything.activity, at.shape)
        rate = none.hit[at].sum() / activity[at].sum()
        expected += rate * activity[at & everything.predicted].sum()
    assert expected > 1
    assert limits(found) == pytest.approx((0.0, 3.688879 / expected))
    assert found.p_value == pytest.approx(2 * np.exp(-expected))
    assert (found.interval.method, found.interval.estimate) == ("exact Poisson", 0.0)


def test_little_expected_and_no_hit_says_nothing() -> None:
    everything = drawn(3, likely=0.01)
    none = everything._replace(hit=everything.hit & ~everything.predicted)
    assert none.hit.any()
    found = matched.rate_ratio(0.0, counted(none))
    assert limits(found)[1] > 1
    assert found.p_value == 1


def test_one_drug_has_no_interval() -> None:
    everything = drawn(4, n_diseases=20)
    alone = np.zeros_like(everything.predicted)
    alone[int(np.argmax(everything.breadth))] = True
    one = everything._replace(predicted=alone, hit=everything.hit | (alone & (np.arange(20) < 12)))
    found = matched.rate_ratio(2.0, counted(one))
    assert (found.interval.low, found.interval.high, found.p_value) == (None, None, None)
    assert found.interval.reason == "too few drugs: in effect fewer than two carry the ratio"
    assert found.interval.estimate == 2.0


def test_predictions_of_all_candidates_have_no_interval() -> None:
    """Nothing is left to compare with: no information on the ratio."""
    everything = drawn(5)
    found = matched.rate_ratio(
        1.0, counted(everything._replace(predicted=np.ones_like(everything.predicted)))
    )
    assert found.interval.low is None
    assert found.p_value is None


def test_drugs_that_differ_widen_the_interval() -> None:
    """The same hits, once all of two favourite drugs and once spread over all of them."""
    rng = np.random.default_rng(8)
    breadth, diseases = np.zeros(60, dtype=np.int64), 24
    predicted = np.zeros((60, diseases), dtype=np.bool_)
    predicted[:12] = True
    others = rng.random(predicted.shape) < 0.08
    widths = []
    for of_drug in (np.repeat([12, 0], [2, 10]), np.repeat(2, 12)):
        hit = others.copy()
        hit[:12] = [rng.permutation(diseases) < n for n in of_drug]
        world = Everything(breadth, np.ones(diseases, dtype=np.int64), predicted, hit, np.ones(24))
        low, high = limits(matched.rate_ratio(1.1, counted(world)))
        widths.append(np.log(high / low))
    assert widths[0] > 2 * widths[1]


@given(
    seed=st.integers(0, 100_000),
    likely=st.sampled_from([0.03, 0.1, 0.3]),
    log_ratio=st.floats(-2, 2),
    level=st.sampled_from([0.8, 0.95, 0.99]),
)
def test_p_is_small_exactly_where_the_interval_leaves_out_1(
    seed: int, likely: float, log_ratio: float, level: float
) -> None:
    everything = drawn(seed, likely=likely)
    world = counted(everything)
    cells = world.cells
    # Else the view has no ratio: nothing is expected of the predictions.
    assume((world.hits[cells.stratum] * cells.n_predictions).any())
    has_hit = bool((everything.hit & everything.predicted).any())
    ratio = float(np.exp(log_ratio)) if has_hit else 0.0
    found = matched.rate_ratio(ratio, world, level=level)
    if found.interval.low is None:
        assert found.p_value is None
        assert found.interval.reason is not None
        return
    low, high = limits(found)
    assert low <= ratio <= high
    assert found.p_value is not None
    assert 0 < found.p_value <= 1
    assert (found.p_value < 1 - level) == (not low <= 1 <= high)


def test_levels_are_stated() -> None:
    found = matched.rate_ratio(1.5, counted(drawn(2)), level=0.8).interval
    assert isinstance(found, stats.Interval)
    assert (found.level, found.unit) == (0.8, "drug and disease")
