"""Survival curves agree with scipy and lifelines; more events do resolve an interval."""

from math import inf

import duckdb
import numpy as np
import pytest
from lifelines import KaplanMeierFitter  # type: ignore[import-untyped]
from numpy.typing import NDArray
from scipy import stats as scipy_stats

from tracker.store import catalog
from tracker.uncertainty import stats
from tracker.uncertainty.stats import clustered

Times = NDArray[np.float64]


def observed(seed: int, n: int = 80, days: int = 40) -> tuple[Times, NDArray[np.int64]]:
    """Return whole days, so that events tie with events and with censoring, and causes."""
    rng = np.random.default_rng(seed)
    event, other, end = rng.exponential(days, (3, n))
    first = np.minimum(np.minimum(event, other), end)
    return np.ceil(first), np.where(first == end, 0, np.where(first == event, 1, 2))


@pytest.mark.parametrize("seed", range(6))
def test_kaplan_meier_agrees_with_lifelines_and_scipy(seed: int) -> None:
    times, cause = observed(seed)
    curve = stats.kaplan_meier(times, cause == 1, *[np.arange(len(times))] * 2)
    theirs = KaplanMeierFitter().fit(times, cause == 1)
    assert curve.probability == pytest.approx(theirs.predict(curve.time).to_numpy(), abs=1e-12)
    censored = scipy_stats.CensoredData.right_censored(times, cause != 1)
    assert curve.probability == pytest.approx(
        scipy_stats.ecdf(censored).sf.evaluate(curve.time), abs=1e-12
    )


@pytest.mark.parametrize("seed", range(6))
def test_the_view_agrees_with_lifelines(seed: int) -> None:
    """On each side of the freeze; on the left nobody is censored before day 0."""
    times, cause = observed(seed, n=200)
    days, is_event = times.astype(int) - 12, cause == 1
    rows = [{"day": int(day), "event": bool(one)} for day, one in zip(days, is_event, strict=True)]
    select = next(view.select for view in catalog.read_views() if view.name == "survival_curve")
    with duckdb.connect() as connection:
        connection.execute(
            "create table follow_up_pair (slate_id bigint, tier varchar, follow_up_days bigint,"
            " is_event boolean)"
        )
        connection.executemany("insert into follow_up_pair values (1, 'all', $day, $event)", rows)
        curve = connection.sql(select).order("day")
        found = curve.select("day", "n_at_risk", "share_with_event").fetchnumpy()
    before = KaplanMeierFitter().fit(np.minimum(days, 0) + 12, is_event & (days <= 0))
    after = KaplanMeierFitter().fit(days[days > 0], is_event[days > 0])
    assert found["day"].tolist() == np.unique(days).tolist()
    for day, n_at_risk, share in zip(*found.values(), strict=True):
        theirs = after.predict(day) if day > 0 else before.predict(day + 12)
        assert share == pytest.approx(1 - theirs, abs=1e-12)
        assert n_at_risk == (days >= day).sum()


def test_kaplan_meier_by_hand() -> None:
    """Six pairs: S(3) = 5/6 x 3/4, since the pair censored at 2 is at risk at 2 and not at 3."""
    days, has_event = [1, 2, 3, 3, 4, 5], [True, False, True, False, True, False]
    curve = stats.kaplan_meier(days, has_event, range(6), [1] * 6)
    assert curve.time.tolist() == [1, 3, 4]
    assert curve.probability == pytest.approx([5 / 6, 5 / 6 * 3 / 4, 5 / 6 * 3 / 4 / 2])
    assert curve.reason == ("fewer than 6 diseases",) * 3
    assert np.isnan(curve.low).all()


@pytest.mark.parametrize("block", [4_000_000, 60])
def test_influences_are_those_of_leaving_pairs_out(
    block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every pair's by the curve of lifelines with a little less weight on it, censored or not."""
    monkeypatch.setattr("tracker.uncertainty.stats.curve_bands._BLOCK_CELLS", block)
    times, cause = observed(8, n=120)
    drug, disease = np.random.default_rng(8).integers(0, (9, 11), (120, 2)).T
    found = stats.kaplan_meier(times, cause == 1, drug, disease)
    step = np.searchsorted(found.time, 20, side="right") - 1

    def share(weight: NDArray[np.int64]) -> float:
        fitted = KaplanMeierFitter().fit(times, cause == 1, weights=weight)
        return 1 - float(fitted.predict(20))

    # lifelines takes whole weights.
    often = 100_000
    changes = [share(often + (np.arange(120) == pair)) for pair in range(120)]
    influence = (np.array(changes) - share(np.full(120, often))) * often
    drugs, diseases = clustered.pairs(drug, disease)
    spread = clustered.two_way(influence, drugs, diseases, np.ones(120))
    limits = map(float, clustered.rate_limits(1 - found.probability[step], 120, spread))
    assert (1 - found.high[step], 1 - found.low[step]) == pytest.approx(tuple(limits), abs=1e-6)


@pytest.mark.parametrize("seed", range(4))
def test_without_censoring_limits_are_those_of_a_rate(seed: int) -> None:
    rng = np.random.default_rng(seed)
    drug, disease = rng.integers(0, 15, 200), rng.integers(0, 8, 200)
    days = np.ceil(rng.exponential(50 * rng.lognormal(0, 1, 15)[drug]))
    found = stats.kaplan_meier(np.minimum(days, 60), days <= 60, drug, disease)
    for time, low, high in zip(found.time, 1 - found.high, 1 - found.low, strict=True):
        if not np.isnan(low):
            rate = clustered.hit_rate(days <= time, drug, disease)
            assert (low, high) == pytest.approx((rate.low, rate.high), rel=1e-9)
    assert not np.isnan(found.low[-1])


def test_pairs_of_few_drugs_have_wider_limits() -> None:
    """The same events in the same diseases, of four drugs that differ, or of a drug each."""
    disease = np.repeat(np.arange(12), 20)
    days = np.where(np.arange(240) % 4 == 0, 5.0, 30.0)
    few, apart = (
        stats.kaplan_meier(days, days < 30, drug, disease)
        for drug in (np.arange(240) % 4, np.arange(240))
    )
    assert few.high[0] - few.low[0] > 3 * (apart.high[0] - apart.low[0])


@pytest.mark.parametrize(
    ("n_diseases", "n_with_event", "reason"),
    [
        (5, 5, "fewer than 6 diseases"),
        (9, 2, "events in fewer than 3 diseases by then"),
        (9, 8, None),
    ],
)
def test_too_few_diseases_give_no_band(
    n_diseases: int, n_with_event: int, reason: str | None
) -> None:
    disease = np.repeat(np.arange(n_diseases), 10)
    times = np.tile(np.arange(1.0, 11.0), n_diseases)
    has_event = (disease < n_with_event) & (times < 8)
    found = stats.kaplan_meier(times, has_event, np.arange(len(times)), disease)
    assert found.reason[-1] == reason
    assert np.isnan(found.low[-1]) == np.isnan(found.high[-1]) == (reason is not None)


def test_a_share_of_every_pair_has_no_band() -> None:
    disease = np.arange(8)
    times = np.array([1.0, 1, 1, 2, 2, 2, 2, 3])
    found = stats.kaplan_meier(times, np.ones(8, dtype=bool), disease, disease)
    assert found.reason == (None, None, "every pair followed so long has had its event")
    assert 0 <= found.low[1] < found.probability[1] < found.high[1] <= 1


def test_no_pairs_and_no_events_have_an_empty_curve() -> None:
    for times, events in (([], []), ([3.0, 4.0], [False, False])):
        curve = stats.kaplan_meier(times, events, times, times)
        assert len(curve.time) == len(curve.low) == len(curve.reason) == 0


@pytest.mark.parametrize("times", [[-1.0, 2.0], [np.nan, 2.0], [inf, 2.0]])
def test_times_before_the_freeze_or_missing_are_refused(times: list[float]) -> None:
    with pytest.raises(ValueError, match="time"):
        stats.kaplan_meier(times, [True, False], [1, 2], [1, 2])


def test_a_pair_without_a_time_or_a_drug_is_refused() -> None:
    for times, drugs in (([1.0], [1, 2]), ([1.0, 2.0], [1])):
        with pytest.raises(ValueError, match="the arrays differ in shape"):
            stats.kaplan_meier(times, [True, False], drugs, [1, 2])


def interval(estimate: float, factor: float) -> stats.Interval:
    return stats.Interval("-", "disease", 70, 7, estimate, estimate / factor, estimate * factor)


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
    before = clustered.ratio(hit, expected, drug, disease)
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
    )
    assert stats.further_events(after, 1.3, int(hit.sum()) * copies) == 0


def test_no_interval_has_no_further_events() -> None:
    assert stats.further_events(stats.hit_rate([1], [10], seed=1), 1.3, 1) is None
