"""Slates that declare probabilities: what is refused, what reports, estimates and pages show."""

import csv
import functools
import io
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from click.testing import CliRunner, Result
from sqlalchemy import text
from support import Outline, Tracker, exited, ok, sampled, tracker_on

from tracker import slates, store
from tracker.cli import main
from tracker.reports.pages import probabilities
from tracker.slates import frozen, plans
from tracker.store.state import scope
from tracker.uncertainty import estimates, stats

VIEWS = ("brier_score", "log_score", "reliability_bin")
DECLARED = "horizon_months = 10\n[scores]\nare = 'probabilities'\n"

Run = Callable[..., Result]


@pytest.fixture(scope="module")
def declared(demo_store: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo's store with replays: followed to its horizon of 10 months, and one of 24 not."""
    folder = tmp_path_factory.mktemp("declared")
    path = Path(shutil.copy(demo_store, folder / "store.duckdb"))
    for months in (10, 24):
        plan = folder / f"plan{months}.toml"
        plan.write_text(DECLARED.replace("10", str(months)), encoding="utf-8")
        _run(path, *_freeze(plan), "--description", f"{months} months")
    _run(path, "refresh", "detect")
    return path


def _freeze(plan: Path) -> tuple[object, ...]:
    own = ("--min-score", "0", "--plan", plan, "--replay-as-of", "2025-03-03")
    return ("slate", "freeze", "--candidates", "world", "--labels", "known", *own)


def _run(path: Path, *words: object) -> Result:
    return ok(tracker_on(path)(*words))


@functools.cache
def _slate(path: Path, months: int) -> str:
    listed = json.loads(_run(path, "slate", "list", "--format", "json").stdout)
    return str(next(one["slate_id"] for one in listed if one["description"] == f"{months} months"))


@functools.cache
def _report(path: Path, months: int) -> dict[str, Any]:
    printed = _run(path, "report", _slate(path, months), "--format", "json")
    loaded: dict[str, Any] = json.loads(printed.stdout)
    return loaded


@functools.cache
def _printed(path: Path, months: int) -> str:
    return _run(path, "report", _slate(path, months), "--full").stdout


def _loaded(tracker: Tracker, folder: Path, *scores: float) -> Path:
    """Load candidates with these scores, and return a plan that declares probabilities."""
    lines = [f"Gout,drug {number},{score!r}" for number, score in enumerate(scores, start=1)]
    path = folder / "scores.csv"
    path.write_text("\n".join(["disease_name,drug_name,score", *lines]), encoding="utf-8")
    ok(tracker("load", "candidates", path, "--set", "s", "--model", "m"))
    plan = folder / "plan.toml"
    plan.write_text(DECLARED, encoding="utf-8")
    return plan


@pytest.mark.slow
@pytest.mark.parametrize(
    ("scores", "message"),
    sampled(
        [
            ((0.5, 1.25), "drug 'drug 2' for disease 'Gout' is 1.25, not between 0 and 1\n"),
            (
                (0, 1.0000000000000002),
                "drug 'drug 2' for disease 'Gout' is 1.0000000000000002, not between 0 and 1\n",
            ),
            ((-0.001, 0.5), "drug 'drug 1' for disease 'Gout' is -0.001, not between 0 and 1\n"),
            (
                (2, 3, -1),
                "drug 'drug 1' for disease 'Gout' is 2, not between 0 and 1, and 2 more\n",
            ),
        ],
        3,
    ),
)
def test_a_score_that_is_no_probability_is_refused_with_its_pair(
    tracker: Tracker, tmp_path: Path, scores: tuple[float, ...], message: str
) -> None:
    plan = _loaded(tracker, tmp_path, *scores)
    freeze = ("slate", "freeze", "--candidates", "s", "--min-score", "-9")
    refused = exited(3, tracker(*freeze, "--plan", plan))
    assert refused.stderr == (
        "error: the plan declares that scores are probabilities, but the score of " + message
    )
    assert tracker("slate", "list", "--format", "csv").stdout.count("\n") == 1
    # Scores that only order are not asked to be probabilities.
    ok(tracker(*freeze))


@pytest.mark.slow
def test_0_and_1_are_probabilities(tracker: Tracker, tmp_path: Path, db: Path) -> None:
    plan = _loaded(tracker, tmp_path, 0, 1)
    done = tracker("slate", "freeze", "--candidates", "s", "--min-score", "0", "--plan", plan)
    assert done.exit_code == 0
    with store.reader(db) as connection:
        (slate,) = slates.all_slates(connection)
        assert slate.plan["scores"] == {"are": "probabilities"}
        assert slates.verify(connection)[0].problem is None


@pytest.mark.slow
def test_an_import_with_other_scores_is_refused_and_stores_nothing(
    tracker: Tracker, tmp_path: Path, empty_store: Path
) -> None:
    """Such an export is made by a tracker that did not check."""
    plan = _loaded(tracker, tmp_path, 0.5, 1.5)
    freeze = ("slate", "freeze", "--candidates", "s", "--min-score", "0", "--plan", plan)
    with mock.patch.object(frozen, "_refuse_other_than_probabilities"):
        ok(tracker(*freeze))
    slate_id = tracker("slate", "list", "--format", "json").stdout.split('"slate_id": "')[1][:36]
    ok(tracker("slate", "export", slate_id, tmp_path / "exported"))
    other = Path(shutil.copy(empty_store, tmp_path / "other.duckdb"))
    words = ["--db", str(other), "slate", "import", str(tmp_path / "exported")]
    refused = exited(3, CliRunner().invoke(main, words))
    assert "drug 'drug 2' for disease 'Gout' is 1.5, not between 0 and 1" in refused.stderr
    with store.reader(other) as connection:
        counts = connection.execute(
            text("select (select count(*) from slate), (select count(*) from drug)")
        ).one()
    assert tuple(counts) == (0, 0)


@pytest.mark.parametrize(
    ("plan", "is_declared"),
    [
        (None, False),
        ({}, False),
        ({"scores": "probabilities"}, False),
        ({"scores": {"are": "ordinal"}}, False),
        ({"scores": {"are": ["probabilities"]}}, False),
        ({"scores": {"are": "probabilities"}}, True),
        ({"scores": {"are": "probabilities"}, "unknown": 1}, True),
    ],
)
def test_python_and_the_views_read_a_declaration_alike(
    plan: dict[str, Any] | None, is_declared: bool, db: Path
) -> None:
    assert plans.are_probabilities(plan) == is_declared
    with store.reader(db) as connection:
        found = connection.execute(
            text("select (cast(:plan as json) ->> '$.scores.are') = 'probabilities'"),
            {"plan": None if plan is None else json.dumps(plan)},
        ).scalar_one()
    assert bool(found) == is_declared


@pytest.mark.slow
def test_only_a_slate_that_declares_probabilities_has_their_sections(declared: Path) -> None:
    own = list(_report(declared, 10)["sections"])
    other = list(
        json.loads(_run(declared, "report", "5c9f", "--format", "json").stdout)["sections"]
    )
    assert [name for name in own if name not in VIEWS] == other
    assert own[own.index("score_decile_hit_rate") + 1 :][:3] == list(VIEWS)
    every = _run(declared, "report", _slate(declared, 10), "--window", "all", "--format", "json")
    assert not set(VIEWS) & set(json.loads(every.stdout)["sections"])


@pytest.mark.slow
def test_the_report_has_the_rows_of_the_views_with_intervals(declared: Path) -> None:
    sections = _report(declared, 10)["sections"]
    with store.reader(declared) as connection:
        for view in VIEWS:
            order = "population, probability_bin" if view == "reliability_bin" else "population"
            rows = connection.execute(
                text(f"from {view} where slate_id = :slate_id order by {order}"),
                {"slate_id": _slate(declared, 10)},
            ).mappings()
            shown = [
                {name: value for name, value in row.items() if name not in ("slate_id", "reason")}
                for row in rows
            ]
            assert [dict(row) | own for row, own in zip(sections[view], shown, strict=True)] == (
                sections[view]
            )
    for row in (*sections["brier_score"], *sections["log_score"]):
        assert row["low"] < row[next(name for name in VIEWS if name in row)] < row["high"]
        assert row["n_hits"] >= 3
    assert sections["brier_score"][0]["low_brier_skill_score"] < 0
    for row in sections["reliability_bin"]:
        assert row["low"] <= row["observed_rate"] <= row["high"]
        exact = stats.clopper_pearson(row["n_hits"], row["n_predictions"])
        assert exact.low is not None
        assert exact.high is not None
        assert row["low"] <= exact.low + 1e-12
        assert row["high"] >= exact.high - 1e-12


@pytest.mark.slow
def test_texts_have_the_scores_in_80_columns_with_their_parts(declared: Path) -> None:
    printed = _printed(declared, 10)
    text_of_scores = printed.split("Brier score (brier_score)")[1].split("\nMedian time")[0]
    assert max(map(len, text_of_scores.splitlines())) <= 80
    row = _report(declared, 10)["sections"]["brier_score"][0]
    words = " ".join(text_of_scores.split())
    assert (
        f"- all: {row['brier_score']:.3g} = {row['reliability']:.3g} reliability - "
        f"{row['resolution']:.3g} resolution + {row['uncertainty']:.3g} uncertainty" in words
    )
    # The demo's scores are far from probabilities, so that no word on what would be is due.
    assert row["low_brier_skill_score"] < row["high_brier_skill_score"] < 0
    assert "would have been" not in words


def test_a_skill_that_is_not_told_from_0_has_the_skills_that_would_be() -> None:
    # (1.96 + 0.84) / 1.96 half widths, so that 0.8 of the intervals there leave out 0.
    assert "one above 0.286 or below -0.286 would have been" in probabilities.not_seen(-0.1, 0.3)


@pytest.mark.parametrize(("low", "high"), [(0.1, 0.4), (-0.6, -0.1)])
def test_a_skill_that_is_told_from_0_needs_no_word_on_what_would_be(
    low: float, high: float
) -> None:
    assert probabilities.not_seen(low, high) == ""
    assert probabilities.not_seen(low - 1, high + 1) != ""


@pytest.mark.slow
def test_before_the_end_of_the_horizon_the_scores_are_not_known(declared: Path) -> None:
    sections = _report(declared, 24)["sections"]
    for view, figure in (("brier_score", "brier_score"), ("reliability_bin", "observed_rate")):
        assert {row[figure] for row in sections[view]} == {None}
        assert {row["reason"] for row in sections[view]} == {"not followed up to the horizon"}
    # Hits are known, and the other pairs are censored, not misses.
    row = sections["brier_score"][0]
    assert 0 < row["n_hits"] < row["n_predictions"] == row["n_hits"] + row["n_censored"]
    printed = _printed(declared, 24)
    assert "- all: not followed up to the horizon" in printed


@pytest.mark.slow
def test_csv_has_a_line_for_each_bin(declared: Path) -> None:
    printed = _run(declared, "report", _slate(declared, 10), "--format", "csv").stdout
    lines = [
        row
        for row in csv.DictReader(io.StringIO(printed))
        if (row["view"], row["metric"]) == ("reliability_bin", "observed_rate")
    ]
    assert [row["probability_bin"] for row in lines] == [str(n) for n in range(1, 11)] * 2


@pytest.mark.slow
def test_stored_estimates_are_used_until_a_score_changes(declared: Path, tmp_path: Path) -> None:
    path = Path(shutil.copy(declared, tmp_path / "store.duckdb"))
    slate_id = _slate(declared, 10)
    before = _report(declared, 10)
    _run(path, "report", "estimate", slate_id)
    words = ("report", slate_id, "--format", "json")
    after = json.loads(_run(path, *words).stdout)
    assert after["slate"]["intervals"].endswith("and stored")
    assert {view: after["sections"][view] for view in VIEWS} == {
        view: before["sections"][view] for view in VIEWS
    }
    with store.reader(path) as connection:
        slate, other = (slates.find(connection, one) for one in (slate_id, "5c9f"))
        stored, _ = estimates.newest(connection, "slate_id", slate.slate_id)
        own = [one for one in stored if one.view_name in VIEWS]
        assert len(own) == 2 * 2 + 2 + 2 * 10
        with scope.of_slates(connection, slate, other):
            assert estimates.slates.are_of(connection, slate, stored)
            for missing in own:
                rest = [one for one in stored if one is not missing]
                assert not estimates.slates.are_of(connection, slate, rest)
            undeclared = estimates.estimate_slate(connection, other)
            assert not [one for one in undeclared if one.view_name in VIEWS]
            assert estimates.slates.are_of(connection, other, undeclared)
            assert not estimates.slates.are_of(connection, other, [*undeclared, own[0]])


@pytest.mark.slow
def test_the_page_draws_the_reliability_curve(declared: Path, tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    _run(declared, "report", _slate(declared, 10), "--format", "html", "-o", path)
    page = Outline(path.read_text(encoding="utf-8"))
    words = " ".join(page.texts)
    assert "Are the probabilities right?" in words
    row = next(
        one
        for one in _report(declared, 10)["sections"]["brier_score"]
        if one["population"] == "novel"
    )
    finding = f"The Brier score is {row['brier_score']:.3g} (95% interval {row['low']:.3g} to"
    assert finding in " ".join(words.split())
    low, high = (row[f"{limit}_brier_skill_score"] for limit in ("low", "high"))
    unseen = "The skill is not told from 0; with this spread" in " ".join(words.split())
    assert unseen == (low <= 0 <= high)
    charts = [attributes["aria-label"] or "" for tag, attributes in page.tags if tag == "svg"]
    (chart,) = [one for one in charts if "with bands, beside a diagonal line" in one]
    assert chart.count("predicted ") == 10
    early = tmp_path / "early.html"
    _run(declared, "report", _slate(declared, 24), "--format", "html", "-o", early)
    words = " ".join(" ".join(Outline(early.read_text(encoding="utf-8")).texts).split())
    assert "Whether the probabilities hold is not known: not followed up to the horizon." in words
