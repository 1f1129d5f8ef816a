"""The scores of probabilities agree with scikit-learn, lifelines and a count pair by pair."""

import math
from itertools import pairwise
from typing import Any

import forecast_world
import numpy as np
import pytest
from forecast_world import HORIZON, Forecast, Setting, draw, rows, viewed
from hypothesis import given, settings
from hypothesis import strategies as st
from lifelines import KaplanMeierFitter  # type: ignore[import-untyped]
from sklearn import metrics  # type: ignore[import-untyped]
from support import n_examples

N_TRIALS = 200
FEWER = settings(max_examples=n_examples(40))


def drawn(seed: int, censored: bool = True) -> Forecast:
    """Return a small world with ties in probability and day, and certain predictions."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 40))
    cell = rng.permutation(12 * 8)[:n]
    probability = rng.choice([0, 0.1, 0.25, 0.5, 0.9, 1, *rng.random(5)], n)
    hit_day = np.where(rng.random(n) < rng.random(), rng.integers(1, 8, n) * 50, 2 * HORIZON)
    last_day = np.full(n, HORIZON)
    if censored:
        leaves = rng.random(n) < rng.random()
        last_day[leaves] = rng.integers(0, 8, int(leaves.sum())) * 50
    return Forecast(probability, cell % 12, cell // 12, hit_day, last_day)


def weights(world: Forecast) -> list[float] | None:
    """Return the weights of Graf et al. by definition, None where G reaches 0 by the horizon."""
    states, days = list(world.state), list(world.follow_up_days)
    survival = {}
    g = 1.0
    for day in range(HORIZON + 1):
        survival[day] = g
        followed = [
            one
            for one, last in zip(states, days, strict=True)
            if last > day or (last == day and one != "hit")
        ]
        lost = sum(
            one == "censored" and last == day for one, last in zip(states, days, strict=True)
        )
        if lost:
            g *= 1 - lost / len(followed)
    if g == 0:
        return None
    return [
        0.0 if state == "censored" else 1 / survival[int(day)]
        for state, day in zip(states, days, strict=True)
    ]


def score_row(world: Forecast, view: str) -> Any:
    with viewed([world]) as connection:
        (row,) = rows(connection, view)
    return row


def ordered(world: Forecast) -> list[int]:
    """Return the positions of the pairs in the order of the views."""
    return sorted(
        range(len(world.drug)), key=lambda at: (int(world.disease[at]), int(world.drug[at]))
    )


@pytest.mark.slow
@FEWER
@given(st.integers(0, 1_000_000))
def test_weights_are_those_of_the_definition(seed: int) -> None:
    world = drawn(seed)
    with viewed([world]) as connection:
        found = rows(connection, "probability_pair")
    expected = weights(world)
    if expected is None:
        assert {row.ipc_weight for row in found} == {None}
        return
    order = ordered(world)
    assert [row.ipc_weight for row in found] == pytest.approx([expected[at] for at in order])
    assert sum(row.ipc_weight for row in found) == pytest.approx(len(order))


@pytest.mark.slow
@FEWER
@given(st.integers(0, 1_000_000))
def test_weights_are_those_of_the_kaplan_meier_curve_of_lifelines(seed: int) -> None:
    """Censorings are moved by half a day, so that lifelines has the hits of a day before them."""
    world = drawn(seed)
    is_censored = world.state == "censored"
    curve = KaplanMeierFitter().fit(world.follow_up_days + 0.5 * is_censored, is_censored)
    with viewed([world]) as connection:
        found = rows(connection, "probability_pair")
    if found[0].ipc_weight is None:
        assert float(curve.predict(HORIZON)) == 0
        return
    for row in found:
        if row.state != "censored":
            g = float(curve.predict(row.follow_up_days))
            assert row.ipc_weight == pytest.approx(1 / g)


@pytest.mark.slow
@FEWER
@given(st.integers(0, 1_000_000))
def test_scores_and_bins_are_those_of_the_definition(seed: int) -> None:
    world = drawn(seed)
    weight = weights(world)
    with viewed([world]) as connection:
        (brier,) = rows(connection, "brier_score")
        (log,) = rows(connection, "log_score")
        bins = rows(connection, "reliability_bin")
        pairs = rows(connection, "probability_pair")
    n = len(world.drug)
    assert brier.n_predictions == log.n_predictions == sum(one.n_predictions for one in bins) == n
    assert brier.n_hits == log.n_hits == sum(world.state == "hit")
    assert brier.n_censored == log.n_censored == sum(world.state == "censored")
    # The bin of a pair follows from the pairs below and beside it alone.
    for row in pairs:
        below = sum(world.probability < row.probability)
        beside = sum(world.probability == row.probability)
        assert row.probability_bin == 1 + (10 * (2 * below + beside)) // (2 * n)
    if weight is None:
        assert (brier.brier_score, brier.reliability, brier.brier_skill_score) == (None,) * 3
        assert (log.log_score, log.log_skill_score) == (None, None)
        assert {one.reason for one in (brier, log, *bins)} == {"not followed up to the horizon"}
        return
    hit = [float(state == "hit") for state in world.state]
    known = [(w, p, y) for w, p, y in zip(weight, world.probability, hit, strict=True) if w > 0]
    total = math.fsum(w for w, _, _ in known)
    score = math.fsum(w * (p - y) ** 2 for w, p, y in known) / total
    assert brier.brier_score == pytest.approx(score, abs=1e-12)
    parts = (
        brier.reliability
        - brier.resolution
        + brier.uncertainty
        + brier.within_bin_variance
        - brier.within_bin_covariance
    )
    assert parts == pytest.approx(score, abs=1e-12)
    rate = math.fsum(w * y for w, _, y in known) / total
    assert brier.observed_rate == pytest.approx(rate, abs=1e-12)
    assert brier.uncertainty == pytest.approx(rate * (1 - rate), abs=1e-12)
    of_bins: dict[int, list[Any]] = {row.probability_bin: [] for row in pairs}
    position = ordered(world)
    for row, at in zip(pairs, position, strict=True):
        of_bins[row.probability_bin].append((weight[at], world.probability[at], hit[at]))
    resolution = reliability = 0.0
    for one in bins:
        inside = of_bins[one.probability_bin]
        own = math.fsum(w for w, _, _ in inside)
        assert one.total_weight == pytest.approx(own)
        if own == 0:
            assert one.reason == "every pair of the bin is censored"
            assert (one.mean_probability, one.observed_rate, one.effective_n) == (None,) * 3
            continue
        mean = math.fsum(w * p for w, p, _ in inside) / own
        seen = math.fsum(w * y for w, _, y in inside) / own
        assert one.mean_probability == pytest.approx(mean, abs=1e-12)
        assert one.observed_rate == pytest.approx(seen, abs=1e-12)
        assert one.effective_n == pytest.approx(own**2 / math.fsum(w * w for w, _, _ in inside))
        reliability += own * (mean - seen) ** 2 / total
        resolution += own * (seen - rate) ** 2 / total
    assert brier.reliability == pytest.approx(reliability, abs=1e-12)
    assert brier.resolution == pytest.approx(resolution, abs=1e-12)
    wrong = sum(p == 1 - y for _, p, y in known)
    assert log.n_impossible == wrong
    if wrong:
        assert (log.log_score, log.reason[:17]) == (None, "a prediction of 0")
        return
    surprise = math.fsum(-w * math.log(p if y else 1 - p) for w, p, y in known) / total
    assert log.log_score == pytest.approx(surprise, abs=1e-12)


@pytest.mark.slow
@FEWER
@given(st.integers(0, 1_000_000))
def test_without_censoring_the_scores_are_those_of_scikit_learn(seed: int) -> None:
    world = drawn(seed, censored=False)
    brier = score_row(world, "brier_score")
    hit = world.is_hit
    expected = metrics.brier_score_loss(hit, world.probability, labels=[False, True])
    assert brier.brier_score == pytest.approx(expected, abs=1e-12)
    # scikit-learn cuts certain predictions off.
    inside = world.probability.clip(0.01, 0.99)
    log = score_row(
        Forecast(inside, world.drug, world.disease, world.hit_day, world.last_day), "log_score"
    )
    expected = metrics.log_loss(hit, inside, labels=[False, True])
    assert log.log_score == pytest.approx(expected, abs=1e-12)
    if 0 < hit.mean() < 1:
        rate = np.full(len(hit), hit.mean())
        climatology = metrics.brier_score_loss(hit, rate)
        skill = 1 - brier.brier_score / climatology
        assert brier.brier_skill_score == pytest.approx(skill, abs=1e-10)
        entropy = metrics.log_loss(hit, rate)
        assert log.log_skill_score == pytest.approx(1 - log.log_score / entropy, abs=1e-10)


@pytest.mark.slow
@FEWER
@given(st.integers(0, 1_000_000))
def test_bins_are_tenths_that_ties_alone_make_uneven(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(10, 200))
    world = Forecast(
        rng.permutation(n) / n, np.arange(n), np.zeros(n), np.full(n, 9), np.full(n, 365)
    )
    with viewed([world]) as connection:
        bins = rows(connection, "reliability_bin")
    assert [one.probability_bin for one in bins] == list(range(1, 11))
    sizes = [one.n_predictions for one in bins]
    assert max(sizes) - min(sizes) <= 1
    assert all(a.highest_probability < b.lowest_probability for a, b in pairwise(bins))


@pytest.mark.slow
@pytest.mark.parametrize("censored", [0.3, 0.7])
def test_the_weighted_score_is_unbiased_and_a_score_without_weights_is_not(
    censored: float,
) -> None:
    """Means of 200 worlds; the weighted one is within four standard errors of the uncensored."""
    rng = np.random.default_rng(7)
    setting = Setting(12, rate=0.3, censored=censored)
    worlds = [draw(setting, rng) for _ in range(N_TRIALS)]
    with viewed([*worlds, *[one.followed() for one in worlds]]) as connection:
        scores = [
            rows(connection, "brier_score", number)[0].brier_score
            for number in range(1, 2 * N_TRIALS + 1)
        ]
    weighted, whole = np.array(scores[:N_TRIALS]), np.array(scores[N_TRIALS:])
    as_misses = np.array([np.mean((one.probability - (one.state == "hit")) ** 2) for one in worlds])
    left_out = np.array(
        [np.mean(((one.probability - one.is_hit) ** 2)[one.state != "censored"]) for one in worlds]
    )
    difference = weighted - whole
    error = difference.std() / N_TRIALS**0.5
    assert abs(difference.mean()) < 4 * error
    assert (whole - as_misses).mean() > 10 * error
    assert abs((left_out - whole).mean()) > 4 * (left_out - whole).std() / N_TRIALS**0.5


@pytest.mark.slow
def test_calibrated_probabilities_come_true_as_often_as_they_say() -> None:
    rng = np.random.default_rng(11)
    worlds = [draw(Setting(12, rate=0.3, censored=0.5), rng) for _ in range(N_TRIALS)]
    with viewed(worlds) as connection:
        gaps = np.array(
            [
                [one.observed_rate - one.mean_probability for one in found]
                for number in range(1, N_TRIALS + 1)
                if len(found := rows(connection, "reliability_bin", number)) == 10
            ]
        )
    assert gaps.shape == (N_TRIALS, 10)
    assert (np.abs(gaps.mean(axis=0)) < 4 * gaps.std(axis=0) / N_TRIALS**0.5).all()


@pytest.mark.slow
def test_intervals_contain_the_mean_over_worlds() -> None:
    """Of 200 worlds 90 % at least, as for other intervals; tests/speed has the table."""
    rng = np.random.default_rng(5)
    setting = Setting(20, rate=0.2, censored=0.4, stretch=1.5)
    worlds = [draw(setting, rng) for _ in range(N_TRIALS)]
    with viewed([*worlds, *[one.followed() for one in worlds]]) as connection:
        found = [forecast_world.estimates(connection, n) for n in range(1, N_TRIALS + 1)]
        whole = [rows(connection, "brier_score", N_TRIALS + n)[0] for n in range(1, N_TRIALS + 1)]
    for metric in ("brier_score", "brier_skill_score"):
        truth = np.mean([getattr(row, metric) for row in whole])
        intervals = [one for each in found for one in each if one.metric == metric]
        assert len(intervals) == N_TRIALS
        inside = [one.low is not None and one.low <= truth <= one.high for one in intervals]
        assert 0.9 <= np.mean(inside) <= 1
