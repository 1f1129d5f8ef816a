"""Estimates compared with the views: the same values, keys and counts, stored and read back."""

import csv
import io
import json
import math
import re
import shutil
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text
from support import ENDPOINT, ROOT, WORLD, Tracker, answer, as_json, ok, tracker_on

from tracker import slates, store
from tracker.figures import METRICS
from tracker.reports import uncertainty
from tracker.reports.words import NOTHING
from tracker.slates import plans
from tracker.store.state import scope
from tracker.uncertainty import estimates, stats
from tracker.uncertainty.estimates import Estimate
from tracker.uncertainty.estimates import slates as of_slates
from tracker.uncertainty.stats import clustered

pytestmark = pytest.mark.slow

SPRING = "5c9f4a52"
REGISTRY = ROOT / "fixtures" / "registry"


@pytest.fixture(scope="module")
def made(empty_store: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with the demo's spring slate, its sets and its outcomes; no estimates."""
    path = Path(shutil.copy(empty_store, tmp_path_factory.mktemp("estimates") / "store.duckdb"))
    for words in (
        f"load candidates {WORLD}/candidates.csv --set world --model fable-1",
        f"load labels {WORLD}/labels.csv --set known",
        f"timestamp trust {WORLD}/authority.pem --name demo",
        f"slate import {WORLD}/spring_slate",
        f"load outcomes {WORLD}/spring_outcomes.csv --slate {SPRING}",
    ):
        ok(tracker_on(path)(*words.split()))
    return path


@pytest.fixture(scope="module")
def computed(made: Path) -> list[Estimate]:
    with store.reader(made) as connection:
        slate = slates.find(connection, SPRING)
        with scope.of_slates(connection, slate):
            return estimates.estimate_slate(connection, slate)


def _one(found: list[Estimate], metric: str, **keys: Any) -> list[Estimate]:
    return [
        estimate
        for estimate in found
        if estimate.metric == metric
        and not estimate.row_key
        and keys.items() <= vars(estimate).items()
    ]


def test_stored_estimates_that_lack_a_figure_are_not_the_slates(
    made: Path, computed: list[Estimate]
) -> None:
    """As in a store of an earlier version: the report would show the figure without limits."""
    figures = sorted({(one.view_name, one.metric) for one in computed})
    assert len(figures) > 10
    with store.reader(made) as connection:
        slate = slates.find(connection, SPRING)
        with scope.of_slates(connection, slate):
            assert of_slates.are_of(connection, slate, computed)
            for left_out in figures:
                others = [one for one in computed if (one.view_name, one.metric) != left_out]
                assert not of_slates.are_of(connection, slate, others), left_out


def test_values_are_the_views(made: Path, computed: list[Estimate]) -> None:
    with store.reader(made) as connection:
        rows = answer(
            connection, "select * from headline_figure where slate_id::varchar like '5c9f%'"
        )
    figures = {(r.metric, r.evidence_window, r.population, r.tier): r.value for r in rows}
    # Of figures with a noun; failures, for one, are no headline.
    keyed = [one for one in computed if not one.row_key and one.metric in METRICS]
    assert len(keyed) > 100
    for estimate in keyed:
        assert estimate.value == figures[estimates.figure_key(estimate)]
        if estimate.low is not None and estimate.high is not None and estimate.value is not None:
            assert estimate.low <= estimate.value <= estimate.high


def test_intervals_start_from_the_views_own_values(made: Path) -> None:
    """What the intervals are computed from reproduces the exact figure of the view."""
    seen: list[float | None] = []
    with store.reader(made) as connection, pytest.MonkeyPatch.context() as patch:
        patch.setattr(clustered, "hit_rate", _recording(clustered.hit_rate, seen))
        for name in ("ratio", "score_gap"):
            patch.setattr(clustered, name, _recording(getattr(clustered, name), seen))
        slate = slates.find(connection, SPRING)
        with scope.of_slates(connection, slate):
            found = estimates.estimate_slate(connection, slate)
    values = [
        e.value
        for e in found
        if e.metric != ENDPOINT and e.method.startswith("two-way clustered, ")
    ]
    assert len(seen) == len(values) > 50
    for estimate, value in zip(seen, values, strict=True):
        assert (estimate is None) == (value is None)
        if estimate is not None and value is not None:
            assert math.isclose(estimate, value, rel_tol=1e-9, abs_tol=1e-12)


def _recording(function: Callable[..., Any], seen: list[float | None]) -> Callable[..., Any]:
    def recorded(*arguments: Any, **options: Any) -> Any:
        found = function(*arguments, **options)
        interval = getattr(found, "interval", found)
        seen.append(interval.estimate)
        return found

    return recorded


def test_each_figure_has_one_interval_and_one_p_value(computed: list[Estimate]) -> None:
    keys = [estimate.key for estimate in computed]
    assert len(keys) == len(set(keys))
    assert {e.unit for e in computed if not e.row_key} == {"drug and disease"}
    for estimate in computed:
        if estimate.p_value is None or estimate.low is None or estimate.high is None:
            continue
        nothing = 0 if estimate.metric == "score_gap" else 1
        outside = not estimate.low <= nothing <= estimate.high
        assert outside == (estimate.p_value < 0.05), estimate


def test_p_values_are_adjusted_over_the_tiers(computed: list[Estimate]) -> None:
    for metric in ("enrichment_vs_random", "enrichment_vs_popularity", "score_gap"):
        for window in ("all", "prospective"):
            tiers = [
                estimate
                for estimate in _one(computed, metric, evidence_window=window, population="all")
                if estimate.tier != "all"
            ]
            assert [e.tier for e in tiers] == ["high", "moderate", "exploratory"]
            p_values = [estimate.p_value for estimate in tiers]
            assert all(p is not None and 0 < p <= 1 for p in p_values)
            assert [e.p_adjusted for e in tiers] == stats.holm(p_values)
            (smallest,) = [e for e in tiers if e.p_value == min(p for p in p_values if p)][:1]
            assert smallest.p_value is not None
            assert smallest.p_adjusted == pytest.approx(min(1, 3 * smallest.p_value))


def test_global_lists_have_an_interval_of_the_rate_and_of_the_enrichment(
    made: Path, computed: list[Estimate]
) -> None:
    with store.reader(made) as connection:
        rows = answer(connection, "from global_list where slate_id::varchar like '5c9f%'")
    found = {
        (e.metric, e.evidence_window, e.population, e.row_key["list_size"]): e
        for e in computed
        if e.view_name == "global_list"
    }
    assert len(found) == 2 * len(rows) == 32
    for row in rows:
        key = row.evidence_window, row.population, row.list_size
        rate, enrichment = found["hit_rate", *key], found[ENDPOINT, *key]
        # The rate is a mean over all predictions that may be the last of the list.
        n_eligible = row.n_predictions - row.n_tied_listed + row.n_tied
        assert (rate.value, rate.n) == (row.hit_rate, n_eligible)
        assert (enrichment.value, enrichment.n) == (getattr(row, ENDPOINT), row.n_predictions)
        # Without a hit, the limits are exact.
        is_open = enrichment.value is None or 0 < row.n_hits < 3
        assert (enrichment.low is None) == is_open
        assert rate.low is not None
        assert rate.low <= row.hit_rate
    sizes = [found[ENDPOINT, "all", "all", size] for size in (20, 50, 100, 500)]
    assert [e.p_adjusted for e in sizes] == stats.holm([e.p_value for e in sizes])


def test_an_interval_with_1_and_the_bar_states_how_many_hits_are_needed(
    computed: list[Estimate],
) -> None:
    n_open = n_closed = 0
    for estimate in computed:
        if not estimate.metric.startswith("enrichment_") or estimate.low is None:
            continue
        assert estimate.high is not None
        contains_both = estimate.low <= 1 and estimate.high >= 1.3
        assert ("inconclusive" in (estimate.reason or "")) == contains_both
        # How many more would do cannot be told from no hit.
        assert (estimate.n_events_needed is not None) == (contains_both and estimate.value != 0)
        n_open += contains_both
        n_closed += not contains_both
    assert n_open
    assert n_closed


def test_estimates_are_the_same_each_time(made: Path, computed: list[Estimate]) -> None:
    with store.reader(made) as connection:
        slate = slates.find(connection, SPRING)
        with scope.of_slates(connection, slate):
            assert estimates.estimate_slate(connection, slate) == computed


@pytest.fixture
def world(made: Path, db: Path, tracker: Tracker) -> Tracker:
    db.write_bytes(made.read_bytes())
    return tracker


def _report(world: Tracker, *words: str) -> dict[str, Any]:
    printed = ok(world("report", SPRING, "--format", "json", *words))
    loaded: dict[str, Any] = json.loads(printed.output)
    return loaded


def test_the_report_has_global_lists_in_80_columns(
    world: Tracker, computed: list[Estimate]
) -> None:
    rows = _report(world)["sections"]["global_list"]
    limits = {
        (e.metric, e.evidence_window, e.population, e.row_key["list_size"]): (e.low, e.high)
        for e in computed
        if e.view_name == "global_list"
    }
    for row in rows:
        key = row["evidence_window"], row["population"], row["list_size"]
        assert limits["hit_rate", *key] == (row["low_hit_rate"], row["high_hit_rate"])
        assert limits[ENDPOINT, *key] == (row["low"], row["high"])
    printed = world("report", SPRING, "--full").stdout.split("Global lists (global_list)")[1]
    lines = printed.split("\n\n")[2].splitlines()
    assert len(lines) == 2 + len(rows) == 18
    assert max(map(len, lines)) <= 80
    few = [f"top {row['list_size']}" for row in rows if row["n_hits"] < 3]
    assert f"{few[0]} (" in printed
    words = " ".join(printed.split())
    assert "no interval: fewer than 3 hits" in words
    assert "of the 3 predictions with its last score are listed" in words
    whole = next(row for row in rows if row["list_size"] == 500)
    rate, low, high = (100 * whole[name] for name in ("hit_rate", "low_hit_rate", "high_hit_rate"))
    shown = f"{whole['n_hits']} {rate:.1f}% ({low:.1f}{NOTHING}{high:.1f})"
    assert shown in " ".join(lines[5].split())


def test_the_report_shows_the_stored_estimates(world: Tracker, db: Path) -> None:
    before = _report(world)
    assert "not stored: none are stored" in before["slate"]["intervals"]
    ok(world("report", "estimate", SPRING))
    after = _report(world)
    assert "and stored" in after["slate"]["intervals"]
    with store.reader(db) as connection:
        slate = slates.find(connection, SPRING)
        stored, _ = estimates.newest(connection, "slate_id", slate.slate_id)
    shown = after["sections"]["estimate"]
    assert len(shown) == len([e for e in stored if not e.row_key])
    assert [row["low"] for row in shown] == [e.low for e in stored if not e.row_key]
    # Only the number of replicates differs: 2,000 if not stored, 10,000 if stored.
    assert [row["value"] for row in shown] == [
        row["value"] for row in before["sections"]["estimate"]
    ]


def test_estimates_of_another_ledger_are_not_shown(world: Tracker, tmp_path: Path) -> None:
    ok(world("report", "estimate", SPRING))
    later = tmp_path / "later.csv"
    later.write_text(
        "disease_name,drug_name,outcome_type,source,event_date\n"
        "Sable lung,belantrine,fda_approved,fda,2026-01-01\n"
    )
    ok(world("load", "outcomes", later, "--slate", SPRING))
    report = _report(world)
    assert "the figures have changed since any were stored" in report["slate"]["intervals"]
    rows = report["sections"]["tier_hit_rate"]
    assert all(row["low"] <= row["hit_rate"] <= row["high"] for row in rows)


def test_an_earlier_day_is_reported_with_the_estimates_stored_then(world: Tracker) -> None:
    day = ("--as-of", "2026-02-28")
    before = _report(world, *day)
    ok(world("report", "estimate", SPRING))
    assert _report(world, *day) == before


@pytest.mark.parametrize("is_clustered", [False, True])
def test_hits_of_few_drugs_are_warned_of(computed: list[Estimate], is_clustered: bool) -> None:
    """An interval twice as wide as of independent pairs: 20 hits of 400 pairs, 3.1% to 7.6%."""
    (rate,) = _one(
        computed, "hit_rate", evidence_window="prospective", population="novel", tier="high"
    )
    low, high = (0.01, 0.15) if is_clustered else (0.025, 0.09)
    shown = replace(rate, value=0.05, n=400, low=low, high=high)
    found = uncertainty.Uncertainty([shown], "here", {})
    said = " ".join(found.warnings(plans.default(), ["prospective"], ["novel"]))
    assert ("Hits cluster: the interval of the hit rate is 3.1 times" in said) == is_clustered
    few = uncertainty.Uncertainty([replace(shown, n=180)], "here", {})
    assert few.warnings(plans.default(), ["prospective"], ["novel"]) == []


def test_every_section_with_a_rate_has_its_interval(world: Tracker) -> None:
    sections = _report(world)["sections"]
    for view in ("tier_hit_rate", "precision_proxy", "score_decile_hit_rate"):
        for row in sections[view]:
            assert row["method"] == clustered.RATE_METHOD
            assert 0 <= row["low"] <= row["high"] <= 1
    for view in ("enrichment_vs_random", "enrichment_vs_popularity", "score_calibration"):
        assert any(row["p_adjusted"] is not None for row in sections[view])


def test_csv_carries_intervals_under_the_figures_own_keys(world: Tracker) -> None:
    printed = world("report", SPRING, "--format", "csv", "--window", "all", "--population", "all")
    rows = list(csv.DictReader(io.StringIO(printed.output)))
    keyed = [
        (r["view"], r["tier"], r["figure"], r["method"], r["score_decile"], r["metric"])
        for r in rows
        if r["view"] in ("estimate", "tier_hit_rate", "score_decile_hit_rate")
    ]
    assert len(keyed) == len(set(keyed)) > 100
    standings = {r["view"]: r["standing"] for r in rows}
    assert standings[ENDPOINT] == "primary endpoint"
    assert standings["enrichment_vs_random"] == "exploratory"
    assert standings["outcome_count"] == ""


def test_missing_estimates_have_a_reason(world: Tracker) -> None:
    """A slate without candidates and with few hits has few intervals."""
    ok(world("slate", "import", WORLD / "autumn_slate"))
    printed = world("report", "a07e", "--format", "json")
    rows = json.loads(printed.output)["sections"]["estimate"]
    without = [row for row in rows if row["low"] is None]
    assert without
    assert all(row["reason"] for row in without)
    assert "fewer than 3 hits or misses" in {row["reason"] for row in without}


def test_estimates_survive_the_store(made: Path, db: Path, computed: list[Estimate]) -> None:
    db.write_bytes(made.read_bytes())
    first = datetime(2026, 3, 1, tzinfo=UTC)
    altered = [replace(estimate, reason="second run") for estimate in computed]
    with store.writer(db) as connection:
        slate_id = slates.find(connection, SPRING).slate_id
        estimates.append(connection, "slate_id", slate_id, computed, first)
        estimates.append(connection, "slate_id", slate_id, altered, first + timedelta(days=1))
    with store.reader(db) as connection:
        assert estimates.newest(connection, "slate_id", slate_id)[0] == altered
    with store.reader(db, as_of=first) as connection:
        assert estimates.newest(connection, "slate_id", slate_id) == (computed, first)


def test_the_plan_determines_the_exploratory_figures(computed: list[Estimate]) -> None:
    plan = plans.parse(
        {"population": "novel", "success": [{"metric": "hit_rate", "above": 0.1}]}, "p"
    )
    found = uncertainty.Uncertainty(computed, "here", {})
    rows = [
        dict(zip(shown.columns, row, strict=True))
        for shown in [found.rows(plan, ("all", "prospective"), ("all", "novel"))]
        for row in shown.values
    ]
    primary = [row for row in rows if row["standing"] == "primary endpoint"]
    assert [(r["figure"], r["population"], r["tier"]) for r in primary] == [
        (ENDPOINT, "novel", "high")
    ]
    planned = {(r["figure"], r["population"]) for r in rows if r["standing"] == "in the plan"}
    assert ("hit_rate", "novel") in planned
    assert ("hit_rate", "all") not in planned


# Power at the freeze


def test_a_freeze_states_the_power_of_the_slate(world: Tracker, db: Path) -> None:
    frozen = ok(world("slate", "freeze", "--candidates", "world", "--labels", "known"))
    lines = frozen.stdout.splitlines()
    at = next(number for number, line in enumerate(lines) if line.startswith("tier high, "))
    slate_id = re.findall(r"slate ([0-9a-f-]{36})", frozen.output)[0]
    with store.reader(db) as connection:
        slate = slates.find(connection, slate_id)
        base = connection.execute(
            text("select * from freeze_base_rate where slate_id = :slate_id and tier = 'high'"),
            {"slate_id": slate_id},
        ).one()
        stored, _ = estimates.newest(connection, "slate_id", slate.slate_id)
        (high,) = [e for e in stored if e.tier == "high"]
        in_words = estimates.stored_power(connection, slate)
    assert (high.n, high.metric) == (base.n_predictions, "minimum_detectable_enrichment")
    assert (base.basis, high.population) == ("events", "novel")
    assert high.row_key["expected_events"] == base.expected_events
    assert high.value is not None
    assert lines[at : at + 2] == [
        f"tier high, {high.n} novel predictions",
        f"  only an enrichment of {high.value:.2f} or more could be detected within 12 months",
    ]
    assert re.fullmatch(
        r"  detecting 1\.3 times would take (over \d+ years|\d+ months), "
        r"or (over )?[\d,]+ predictions",
        lines[at + 2],
    )
    assert lines[at:] == in_words
    assert all(len(line) <= 80 for line in lines[at:])
    report = as_json(world, "report", slate_id)
    assert report["slate"]["power_at_freeze"].startswith(
        f"{lines[at]}; {lines[at + 1].strip()}; detecting 1.3 times would"
    )
    ok(world("slate", "verify"))


def test_power_by_approvals_is_called_a_rough_guess(tracker: Tracker) -> None:
    for words in (
        "init",
        f"load candidates {WORLD}/candidates.csv --set world --model fable-1",
        f"load labels {WORLD}/labels.csv --set known",
    ):
        ok(tracker(*words.split()))
    frozen = tracker("slate", "freeze", "--candidates", "world", "--labels", "known")
    assert frozen.output.splitlines()[-1] == (
        "  estimated from approvals; no dated past events are loaded"
    )


def test_without_labels_power_is_unknown_with_a_reason(world: Tracker) -> None:
    frozen = world("slate", "freeze", "--candidates", "world")
    lines = frozen.output.splitlines()
    at = lines.index("tier high, 0 novel predictions: the power over 12 months is unknown")
    assert lines[at + 1] == "  the slate has no labeled pairs"


def test_the_power_of_a_list_of_popular_drugs_is_not_stated(tracker: Tracker) -> None:
    """Its predictions are their own baseline, so that no number of hits gives an interval."""
    for words in (
        "init",
        f"load candidates {REGISTRY}/almanac.parquet --set popular --model almanac",
        f"load labels {REGISTRY}/labels.csv --set known",
    ):
        ok(tracker(*words.split()))
    frozen = tracker("slate", "freeze", "--candidates", "popular", "--labels", "known")
    lines = frozen.stdout.splitlines()
    at = next(number for number, line in enumerate(lines) if line.startswith("tier high, "))
    assert lines[at].endswith("novel predictions: the power over 12 months is unknown")
    assert re.fullmatch(
        r"  9\d% of the hits expected of them would rest on themselves", lines[at + 1]
    )
    assert [line for line in lines[at : at + 2] if len(line) > 80] == []
