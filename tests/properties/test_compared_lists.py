"""The intervals of two compared lists, in worlds whose truth is known and against definitions."""

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from compared_worlds import Setting, Trial, trials
from scipy.stats import binom

from tracker.uncertainty.stats import paired
from tracker.uncertainty.stats.intervals import Interval
from tracker.uncertainty.stats.paired import Lists
from tracker.uncertainty.stats.pooling import Influence, Part

N_TRIALS = 200


def _lists(seed: int = 3, base_rate: float = 0.3) -> Lists:
    """Two lists of 60 pairs, 20 of them common, of 12 diseases and 30 drugs."""
    chance = np.random.default_rng(seed)
    own, other = np.zeros(100), np.zeros(100)
    own[:60], other[40:] = 1, 1
    hit = chance.random(100) < base_rate
    drug, disease = chance.integers(0, 30, 100), chance.integers(0, 12, 100)
    return Lists.of(hit, own, other, drug, disease)


def _limits(compared: Interval) -> tuple[float, float, float]:
    """Return both limits and p, which must be there."""
    low, high, p = compared.low, compared.high, compared.p_value
    assert low is not None
    assert high is not None
    assert p is not None
    return low, high, p


def _turned(lists: Lists) -> Lists:
    return Lists.of(
        lists.is_hit,
        lists.other,
        lists.own,
        lists.drug,
        lists.disease,
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("setting", "is_null"),
    [
        (Setting(20), True),
        (Setting(20, favourites=True, momentum=1.0), True),
        (Setting(50, in_common=0.0, favourites=True), True),
        (Setting(50, in_common=0.9), True),
        (Setting(50, lift=(2.0, 1.0)), False),
    ],
    ids=["equal", "favourites", "nothing in common", "nearly copies", "lift"],
)
def test_the_truth_is_within_the_interval(setting: Setting, is_null: bool) -> None:
    """Of 200 worlds 90 % at least: seven standard errors from 95 % are further than chance goes."""
    found = list(trials(setting, N_TRIALS, seed=5))
    for figure in ("difference", "ratio"):
        inside = [_is_inside(trial, figure) for trial in found]
        assert np.mean(inside) >= 0.9
        p_values = [getattr(trial, figure).p_value for trial in found]
        if is_null and figure == "ratio":
            assert np.mean([p is not None and p < 0.05 for p in p_values]) <= 0.1
    if not is_null:
        assert np.mean([_limits(trial.ratio)[2] < 0.05 for trial in found]) > 0.6


def _is_inside(trial: Trial, figure: str) -> bool:
    interval = getattr(trial, figure)
    return bool(interval.low <= getattr(trial, f"true_{figure}") <= interval.high)


def test_independent_pairs_have_the_variance_of_independent_pairs() -> None:
    """With each drug and disease once, nothing is shared, and the textbook's variance stands."""
    n = 400
    chance = np.random.default_rng(1)
    hit = chance.random(2 * n) < np.repeat([0.3, 0.2], n)
    own = np.repeat([1.0, 0.0], n)
    lists = Lists.of(hit, own, 1 - own, np.arange(2 * n), np.arange(2 * n))
    rates = hit[:n].mean(), hit[n:].mean()
    error = math.sqrt(sum(rate * (1 - rate) / n for rate in rates))
    found = rates[0] - rates[1]
    assert paired.difference(lists).estimate == pytest.approx(found)
    low, high, _ = _limits(paired.difference(lists))
    assert low == pytest.approx(found - 1.959964 * error)
    assert high == pytest.approx(found + 1.959964 * error)


def test_few_hits_have_mcnemars_p_by_mid_p() -> None:
    """Five hits of one list alone against one: at least 2 (1/64 + half of 6/64) = 1/8."""
    lists = _sparse(5, 1)
    assert lists.discordant == (5, 1)
    mid_p = 2 * (Fraction(1, 64) + Fraction(6, 64) / 2)
    low, high, p = _limits(paired.difference(lists))
    assert p == pytest.approx(float(mid_p))
    assert low < 0 < high


def _sparse(n_own: int, n_other: int) -> Lists:
    """Lists of 50 pairs each, of different drugs and diseases, with so many hits."""
    own = np.repeat([1.0, 0.0], 50)
    hit = np.concatenate([np.arange(50) < n_own, np.arange(50) < n_other])
    return Lists.of(hit, own, 1 - own, np.arange(100), np.arange(100))


def test_the_limits_of_few_hits_count_those_that_both_lists_have() -> None:
    """Two hits of both lists, five of one alone and one of the other.

    At the lower limit a share of the six hits is of the first list, at which five or more, five by
    half, have a chance of 2.5 %: it gives (2 + 6 x share) / (2 + 6 x (1 - share)) hits.
    """
    own = np.repeat([1.0, 1.0, 0.0], [2, 50, 50])
    other = np.repeat([1.0, 0.0, 1.0], [2, 50, 50])
    hit = np.concatenate([np.ones(2), np.arange(50) < 5, np.arange(50) < 1])
    lists = Lists.of(hit, own, other, np.arange(102), np.arange(102))
    assert lists.discordant == (5, 1)
    low, _, _ = _limits(paired.ratio(lists, _enriched(7, 4.0, 1), _enriched(3, 4.0, 2)))
    share = (8 * low - 2) / (6 + 6 * low)
    assert binom.sf(5, 6, share) + binom.pmf(5, 6, share) / 2 == pytest.approx(0.025)


def test_the_other_way_round_is_the_mirror() -> None:
    lists = _lists()
    low, high, p = _limits(paired.difference(lists))
    assert _limits(paired.difference(_turned(lists))) == pytest.approx((-high, -low, p))
    own, other = _enriched(30, 12.0, 1), _enriched(24, 11.0, 2)
    low, high, p = _limits(paired.ratio(lists, own, other))
    turned = paired.ratio(_turned(lists), other, own)
    assert _limits(turned) == pytest.approx((1 / high, 1 / low, p))


def _enriched(n_hits: int, expected: float, seed: int) -> Part:
    """An enrichment of so many hits, of 20 drugs and 8 diseases."""
    chance = np.random.default_rng(seed)
    influence = Influence(
        np.arange(20),
        chance.normal(0, 0.05, 20),
        chance.uniform(0.5, 1.5, 20),
        np.arange(8),
        chance.normal(0, 0.05, 8),
        chance.integers(0, 20, n_hits),
        chance.integers(0, 8, n_hits),
        np.full(n_hits, ""),
        chance.normal(0, 0.03, n_hits),
    )
    return Part(n_hits, n_hits, expected, 0.06, 12.0, influence)


def test_p_is_below_a_twentieth_where_the_interval_leaves_out_no_effect() -> None:
    for seed in range(60):
        low, high, p = _limits(paired.difference(_lists(seed)))
        assert (p < 0.05) == (not low <= 0 <= high)


def test_what_cannot_be_told_has_a_reason() -> None:
    alike = _lists()
    same = Lists.of(
        alike.is_hit,
        alike.own,
        alike.own,
        alike.drug,
        alike.disease,
    )
    assert paired.difference(same).reason == "no hit that only one of the lists has"
    nothing = Lists.of(*[np.zeros(0)] * 5)
    assert paired.difference(nothing).reason == "the lists are empty"
    all_hits = paired.difference(Lists.of([1, 1, 1], [1, 1, 0], [1, 0, 1], [1, 2, 3], [1, 1, 1]))
    assert (all_hits.estimate, all_hits.reason) == (0, "the pairs do not vary")
    own, few = _enriched(5, 3.0, 1), _enriched(2, 3.0, 2)
    assert paired.ratio(nothing, None, None).reason == "nothing is expected"
    assert paired.ratio(_sparse(5, 2), own, few).reason == "fewer than 3 hits of a list"
    baseline = replace(own, variance=None, influence=None)
    found = paired.ratio(_sparse(5, 4), own, baseline)
    assert found.reason == "the enrichment of one of the lists has no interval"


def test_lists_of_other_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match="the lists differ in length"):
        Lists.of([1, 0], [1, 1], [1, 0], [1, 2], [1, 2])
    with pytest.raises(ValueError, match="the arrays differ in shape"):
        Lists.of([1], [1, 1], [1, 1], [1, 2], [1, 2])
