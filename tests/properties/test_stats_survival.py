"""Survival curves agree with scipy and lifelines; more events do resolve an interval."""

from math import inf

import numpy as np
import pytest
from lifelines import KaplanMeierFitter  # type: ignore[import-untyped]
from lifelines.utils import median_survival_times  # type: ignore[import-untyped]
from numpy.typing import NDArray
from scipy import stats as scipy_stats

from tracker.uncertainty import stats
from tracker.uncertainty.stats import clustered

Times = NDArray[np.float64]
Flags = NDArray[np.bool_]


def observed(seed: int, n: int = 80, days: int = 40) -> tuple[Times, NDArray[np.int64]]:
    """Return whole days, so that events tie with events and with censoring, and causes."""
    rng = np.random.default_rng(seed)
    event, other, end = rng.exponential(days, (3, n))
    first = np.minimum(np.minimum(event, other), end)
    return np.ceil(first), np.where(first == end, 0, np.where(first == event, 1, 2))


@pytest.mark.parametrize("seed", range(6))
def test_kaplan_meier_agrees_with_lifelines_and_scipy(seed: int) -> None:
    times, cause = observed(seed)
    curve = stats.kaplan_meier(times, cause == 1)
    theirs = KaplanMeierFitter().fit(times, cause == 1)
    table = theirs.event_table.loc[curve.time]
    assert curve.n_at_risk.tolist() == table["at_risk"].tolist()
    assert curve.n_events.tolist() == table["observed"].tolist()
    assert curve.probability == pytest.approx(theirs.predict(curve.time).to_numpy(), abs=1e-12)
    known = np.isfinite(curve.low)
    assert known.tolist() == ((np.cumsum(curve.n_events) >= 3) & (curve.probability > 0)).tolist()
    bounds = theirs.confidence_interval_.loc[curve.time[known]].to_numpy()
    assert curve.low[known] == pytest.approx(bounds[:, 0], abs=1e-9)
    assert curve.high[known] == pytest.approx(bounds[:, 1], abs=1e-9)
    censored = scipy_stats.CensoredData.right_censored(times, cause != 1)
    assert curve.probability == pytest.approx(
        scipy_stats.ecdf(censored).sf.evaluate(curve.time), abs=1e-12
    )


@pytest.mark.parametrize("seed", range(6))
def test_the_median_agrees_with_lifelines(seed: int) -> None:
    times, cause = observed(seed, n=150)
    theirs = KaplanMeierFitter().fit(times, cause > 0)
    limits = median_survival_times(theirs.confidence_interval_).to_numpy()[0]
    found = stats.kaplan_meier(times, cause > 0).median()
    assert found.estimate == theirs.median_survival_time_
    assert (found.low, found.high, found.reason) == (limits[0], limits[1], None)


def test_a_median_that_is_not_reached_is_none() -> None:
    curve = stats.kaplan_meier([5.0] * 4 + [9.0] * 6, [True] * 4 + [False] * 6)
    found = curve.median()
    assert (found.estimate, found.high) == (None, None)
    assert found.reason == "half of the pairs have not had the event"
    wide = stats.kaplan_meier(np.arange(1.0, 13.0), np.arange(12) < 7).median()
    assert (wide.estimate, wide.low, wide.high) == (6.0, 3.0, None)
    assert wide.reason == "a limit is outside the observed time"


def test_kaplan_meier_by_hand() -> None:
    """Six pairs: S(3) = 5/6 x 3/4, since the pair censored at 2 is at risk at 2 and not at 3."""
    curve = stats.kaplan_meier([1, 2, 3, 3, 4, 5], [True, False, True, False, True, False])
    assert curve.time.tolist() == [1, 3, 4]
    assert curve.n_at_risk.tolist() == [6, 4, 2]
    assert curve.probability == pytest.approx([5 / 6, 5 / 6 * 3 / 4, 5 / 6 * 3 / 4 / 2])
    before = curve.at(0.5)
    assert (before.estimate, before.low, before.reason) == (1.0, None, "no event up to then")
    early = curve.at(1)
    assert early.estimate == pytest.approx(5 / 6)
    assert early.low is None
    assert early.reason == "too few events or pairs with one up to then"
    assert curve.at(4.5).estimate == pytest.approx(0.3125)
    late = curve.at(5.1)
    assert (late.estimate, late.reason) == (None, "no observation lasts that long")


@pytest.mark.parametrize("block", [4_000_000, 60])
def test_jackknife_leaves_each_disease_out(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tracker.uncertainty.stats.survival._BLOCK_CELLS", block)
    times, cause = observed(8, n=120)
    disease = np.random.default_rng(8).integers(0, 11, 120)
    found = stats.kaplan_meier(times, cause == 1, disease).at(20)
    left_out = []
    for unit in range(11):
        rest = disease != unit
        fitted = KaplanMeierFitter().fit(times[rest], cause[rest] == 1)
        left_out.append(np.log(-np.log(fitted.predict(20))))
    error = np.sqrt(10 / 11 * ((left_out - np.mean(left_out)) ** 2).sum())
    whole = KaplanMeierFitter().fit(times, cause == 1).predict(20)
    half = scipy_stats.t.ppf(0.975, 10) * error
    assert (found.low, found.high) == pytest.approx(
        (whole ** np.exp(half), whole ** np.exp(-half)), abs=1e-9
    )
    assert (found.unit, found.n, found.n_units) == ("disease", 120, 11)


@pytest.mark.parametrize(("n_diseases", "n_with_event"), [(5, 5), (9, 2)])
def test_too_few_diseases_give_no_band(n_diseases: int, n_with_event: int) -> None:
    disease = np.repeat(np.arange(n_diseases), 10)
    times = np.tile(np.arange(1.0, 11.0), n_diseases)
    has_event = (disease < n_with_event) & (times < 8)
    found = stats.kaplan_meier(times, has_event, disease).at(7)
    assert found.estimate is not None
    assert (found.low, found.reason) == (None, "too few events or diseases with one up to then")


def test_no_pairs_and_no_events_have_an_empty_curve() -> None:
    for times, events in (([], []), ([3.0, 4.0], [False, False])):
        curve = stats.kaplan_meier(times, events)
        assert len(curve.time) == len(curve.low) == 0
        assert curve.at(5).estimate is None
        assert curve.median().estimate is None
        assert len(stats.kaplan_meier(times, events, times).time) == 0
    assert stats.kaplan_meier([3.0, 4.0], [False, False]).at(3.5).estimate == 1.0


@pytest.mark.parametrize("times", [[-1.0, 2.0], [np.nan, 2.0], [inf, 2.0], [1.0]])
def test_times_before_the_freeze_or_missing_are_refused(times: list[float]) -> None:
    with pytest.raises(ValueError, match="time"):
        stats.kaplan_meier(times, [True, False])


def interval(estimate: float, factor: float) -> stats.Interval:
    return stats.Interval(
        estimate, estimate / factor, estimate * factor, 0.95, "-", "disease", 70, 7
    )


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        # Half width ln 3, distance ln 1.5 from 1: 10 x (1.0986 / 0.4055)^2 = 73.4, so 64 more.
        (interval(1.5, 3), 64),
        # Halfway between 1 and the bar, the worst place: distance ln(1.3) / 2 either way.
        (interval(1.3**0.5, 2), 270),
        (interval(3, 2), 0),
        (interval(0.5, 2.2), 0),
    ],
)
def test_further_events_by_hand(found: stats.Interval, expected: int) -> None:
    assert stats.further_events(found, 1.3, 10) == expected


def test_further_events_do_resolve() -> None:
    """Counts grown by the number asked for, spread as they were, give an interval that excludes."""
    rng = np.random.default_rng(4)
    hit, expected = rng.random(300) < 0.3, np.full(300, 0.2)
    drug, disease = rng.integers(60, size=300), np.repeat(np.arange(30), 10)
    before = clustered.ratio(hit, expected, drug, disease).interval
    further = stats.further_events(before, 1.3, int(hit.sum()))
    assert further is not None
    assert further > 0
    copies = -(-(further + int(hit.sum())) // int(hit.sum()))
    shift = np.repeat(np.arange(copies), 300)
    after = clustered.ratio(
        np.tile(hit, copies),
        np.tile(expected, copies),
        np.tile(drug, copies) + 60 * shift,
        np.tile(disease, copies) + 30 * shift,
    ).interval
    assert stats.further_events(after, 1.3, int(hit.sum()) * copies) == 0


def test_no_interval_has_no_further_events() -> None:
    assert stats.further_events(stats.hit_rate([1], [10], seed=1), 1.3, 1) is None
