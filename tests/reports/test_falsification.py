"""The command that lists due dates: the times it accepts, its rows and their order."""

import csv
import io
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click
import pytest
from bench import snapshot
from support import WORLD, Tracker, as_json, exited, query

from tracker import clock
from tracker.cli.options import PeriodType
from tracker.periods import Period

SPRING, AUTUMN = "5c9f4a52", "a07e1f36"


@pytest.fixture
def world(tracker: Tracker) -> Tracker:
    """Commands on a store with the two slates of the demo world, frozen in 2025."""
    for season in ("spring", "autumn"):
        assert tracker("slate", "import", WORLD / f"{season}_slate").exit_code == 0
    return tracker


def _due(world: Tracker, *words: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = as_json(world, "due", *words)
    return rows


@pytest.mark.slow
def test_a_due_date_comes_into_sight(world: Tracker) -> None:
    """Spring froze on 2025-03-03: its three-year criteria are due on 2028-03-03."""
    before = _due(world, "--as-of", "2027-12-03", "--within", "90d")
    on_the_day = _due(world, "--as-of", "2027-12-03", "--within", "91d")
    assert before == []
    assert {(row["due_date"], row["days_to_due"]) for row in on_the_day} == {("2028-03-03", 91)}
    (counted,) = query(
        world,
        "select count(*) as n from prediction where criterion_horizon_years = 3 "
        "and slate_id::varchar like '5c9f%'",
    )
    assert len(on_the_day) == counted["n"] > 100


@pytest.mark.slow
def test_one_slate_is_listed_alone_and_soonest_first(world: Tracker) -> None:
    every = _due(world, "--within", "6y", "--as-of", "2026-01-01")
    autumn = _due(world, AUTUMN, "--within", "6y", "--as-of", "2026-01-01")
    assert autumn == [row for row in every if row["slate_id"].startswith(AUTUMN)]
    assert 0 < len(autumn) < len(every)
    assert [row["due_date"] for row in every] == sorted(row["due_date"] for row in every)
    texts = {row["criterion_text"] for row in every}
    assert {"a trial of phase 2 or later", "any clinical activity"} <= texts


@pytest.mark.slow
def test_a_table_of_many_counts_them(world: Tracker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    period = ("--within", "6y", "--as-of", "2026-01-01")
    rows = _due(world, *period)
    printed = world("due", *period)
    names = ("due_date", "days_to_due", "slate_id", "tier", "criterion_text")
    counted = Counter(tuple(row[name] for name in names) for row in rows)
    lines = [line for line in printed.stdout.splitlines() if line.startswith(" 20")]
    assert [line.split()[:3] for line in lines] == [
        [due, str(days), slate[:8]] for due, days, slate, *_ in counted
    ]
    assert [int(line.split()[-1]) for line in lines] == list(counted.values())
    assert 1 < len(counted) < 30 < len(rows)
    assert f"{len(rows):,} predictions; --format csv lists each" in printed.stderr


@pytest.mark.slow
def test_what_is_past_due_is_not_falsified_by_the_calendar(
    world: Tracker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The store has no release, so that nothing shows what happened until the due date."""
    last = _due(world, SPRING, "--as-of", "2028-03-03", "--within", "0")
    after = _due(world, SPRING, "--as-of", "2028-03-04", "--within", "0")
    assert last
    assert after == []
    monkeypatch.setattr(clock, "read", lambda: datetime(2028, 3, 5, tzinfo=UTC))
    printed = world("report", SPRING, "--as-of", "2028-03-04", "--format", "csv")
    summary = {
        row["metric"]: row["value"]
        for row in csv.DictReader(io.StringIO(printed.output))
        if (row["view"], row["tier"]) == ("falsification_summary", "all")
    }
    assert summary["n_falsified"] == "0"
    assert summary["n_not_yet_known"] == str(len(last))


def test_three_years_are_three_years_on_the_day_of_freezing(world: Tracker) -> None:
    due = _due(world, SPRING, "--as-of", "2025-03-03", "--within", "3y")
    assert {(row["due_date"], row["days_to_due"]) for row in due} == {("2028-03-03", 1096)}


@pytest.mark.parametrize(
    ("word", "period"),
    [
        ("90d", Period(90, 0)),
        ("0", Period(0, 0)),
        (" 12W ", Period(84, 0)),
        ("6m", Period(0, 6)),
        ("2y", Period(0, 24)),
        ("999999y", Period(0, 12_000)),
    ],
)
def test_lengths_of_time(word: str, period: Period) -> None:
    assert PeriodType().convert(word, None, None) == period


@pytest.mark.parametrize("word", ["", "d", "-1", "1.5d", "90 d", "3q", "1e3", "9999999", "٣d"])
def test_invalid_lengths_of_time(word: str) -> None:
    with pytest.raises(click.BadParameter, match="is not a time such as 90d"):
        PeriodType().convert(word, None, None)


def test_a_bad_length_exits_2(tracker: Tracker, tmp_path: Path) -> None:
    before = snapshot(tmp_path)
    refused = exited(2, tracker("due", "--within", "soon"))
    assert "'soon' is not a time" in refused.output
    assert snapshot(tmp_path) == before
