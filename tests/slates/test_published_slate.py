"""The slate published in 2026 yields its known figures, each pair counted once."""

import json
from pathlib import Path
from typing import Any

import pytest
from support import ENDPOINT, Tracker, ok

pytestmark = pytest.mark.slow

SLATE = "469bb270"


@pytest.fixture
def report(tracker: Tracker, shared: Path) -> dict[str, Any]:
    imported = ok(tracker("slate", "import", shared / "exmplr_2026q1"))
    assert "346 predictions (4 duplicates set aside)" in imported.output
    printed = ok(tracker("report", SLATE, "--dates", "claimed", "--format", "json"))
    loaded: dict[str, Any] = json.loads(printed.output)
    return loaded


def _row(report: dict[str, Any], view: str, **keys: str) -> dict[str, Any]:
    rows = [r for r in report["sections"][view] if keys.items() <= r.items()]
    assert len(rows) == 1
    found: dict[str, Any] = rows[0]
    return found


def test_figures_with_each_pair_once(report: dict[str, Any]) -> None:
    every = {"evidence_window": "all", "population": "all"}
    tiers = {t: _row(report, "tier_hit_rate", tier=t, **every) for t in ("high", "moderate", "all")}
    counts = {t: (row["n_predictions"], row["n_hits"]) for t, row in tiers.items()}
    assert counts == {"high": (70, 10), "moderate": (276, 23), "all": (346, 33)}
    assert round(tiers["high"]["hit_rate"], 6) == 0.142857
    assert round(tiers["all"]["hit_rate"], 6) == 0.095376
    enrichment = _row(report, "enrichment_vs_random", tier="high", **every)
    assert round(enrichment["enrichment_vs_random"], 6) == 1.497835
    proxy = _row(report, "precision_proxy", tier="all", **every)
    assert (proxy["n_hits"], proxy["n_with_any_outcome"]) == (33, 34)
    assert proxy["precision_proxy"] == 33 / 34
    calibration = _row(report, "score_calibration", tier="all", **every)
    assert round(calibration["mean_score_hits"], 6) == 0.922030
    assert round(calibration["mean_score_misses"], 6) == 0.842677
    time = _row(report, "median_time_to_event", tier="all")
    assert (time["n_events"], time["median_days"]) == (32, -4474)
    assert (time["n_negative"], time["n_zero"], time["n_positive"]) == (31, 0, 1)


def test_nothing_is_prospective_and_popularity_is_unknown(report: dict[str, Any]) -> None:
    prospective = {"evidence_window": "prospective", "population": "all", "tier": "all"}
    assert _row(report, "tier_hit_rate", **prospective)["n_hits"] == 0
    timings = [row for row in report["sections"]["outcome_count"] if row["timing"] == "unverified"]
    assert [row["n_outcomes"] for row in timings] == [1]
    popularity = report["sections"]["enrichment_vs_popularity"]
    assert {row["enrichment_vs_popularity"] for row in popularity} == {None}
    assert all("no candidate set" in row["reason"] for row in popularity)
    words = " ".join(report["warnings"])
    assert "4 duplicate predictions were set aside" in words
    assert "0 of 33 hits are prospective" in words
    assert "1 outcome is dated after the freeze but unverified" in words


def test_the_other_slate(report: dict[str, Any], tracker: Tracker) -> None:
    assert report["slate"]["n_diseases"] == 7
    claimed = ("--dates", "claimed", "--format", "json")
    other = json.loads(tracker("report", "302b34f7", *claimed).output)
    every = {"evidence_window": "all", "population": "all"}
    counts = {
        tier: (row["n_predictions"], row["n_hits"])
        for tier in ("high", "moderate", "all")
        for row in [_row(other, "tier_hit_rate", tier=tier, **every)]
    }
    assert counts == {"high": (10, 5), "moderate": (10, 2), "all": (20, 7)}


def test_importing_again_adds_nothing(tracker: Tracker, shared: Path) -> None:
    for expected in ("imported slate 469bb270", "already stored: slate 469bb270"):
        assert expected in tracker("slate", "import", shared / "exmplr_2026q1").output
    counted = tracker("sql", "select count(*) as n from outcome", "--format", "json")
    assert json.loads(counted.output) == [{"n": 81}]
    ok(tracker("slate", "verify"))
    ok(tracker("check"))


def test_the_high_tier_is_inconclusive(report: dict[str, Any]) -> None:
    """10 hits of 70 against 23 of 276, over 7 diseases: not yet a finding, and reported so."""
    every = {"evidence_window": "all", "population": "all"}
    shown = _row(report, "enrichment_vs_random", tier="high", **every)
    (estimate,) = [
        row
        for row in report["sections"]["estimate"]
        if (row["figure"], row["tier"]) == ("enrichment_vs_random", "high")
        and every.items() <= row.items()
    ]
    assert estimate["value"] == shown["enrichment_vs_random"]
    assert (estimate["low"], estimate["high"]) == (shown["low"], shown["high"])
    assert (estimate["n_units"], estimate["n"]) == (254, 70)
    assert estimate["low"] < 1 < 1.3 < estimate["high"]
    assert estimate["high"] / estimate["low"] > 1.5
    assert estimate["n_events_needed"] > 0
    assert "inconclusive" in estimate["reason"]
    assert 0 < estimate["p_value"] <= estimate["p_adjusted"] <= 1
    assert estimate["standing"] == "exploratory"
    assert report["standing"][ENDPOINT] == "primary endpoint"


def test_it_is_too_early_to_assess(report: dict[str, Any], tracker: Tracker) -> None:
    assert report["slate"]["plan"] == "default plan, not frozen with the slate"
    assessed = json.loads(tracker("assess", SLATE, "--format", "json").output)
    assert assessed["slate"]["overall"] == "too early"
    words = " ".join(assessed["warnings"])
    assert "the plan requires 2 refreshes, none so far" in words
    assert "no candidate set" in words
    states = {
        (row["role"], row["criterion"]): row["state"] for row in assessed["sections"]["assessment"]
    }
    assert len(states) == 4
    assert states["success", f"{ENDPOINT} at least 1.3"] == "too early"
    for form in ("table", "markdown", "csv"):
        printed = tracker("assess", SLATE, "--format", form)
        assert printed.exit_code == 0
        assert "too early" in printed.output
