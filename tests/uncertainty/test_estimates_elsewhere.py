"""Estimates of evaluations and submissions: the views' values, resampled from the right rows."""

import csv
import io
import math
import re
import shutil
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, text
from support import ROOT, WORLD, Tracker, as_json, exited, ok, tracker_on

from tracker import store
from tracker.extras.benchmarks import (
    benchmark_page,
    definitions,
    lookup,
    scoring,
    submission_estimates,
)
from tracker.extras.retrospective import (
    evaluation_estimates,
    evaluation_page,
    evaluation_tables,
    evaluations,
)
from tracker.extras.retrospective import evaluation_report as report
from tracker.reports.pages.figures import Curves, Intervals
from tracker.reports.pages.page import Page
from tracker.reports.records import Section
from tracker.reports.render import render_section
from tracker.reports.words import NOTHING, ratio, with_limits
from tracker.rows import Rows
from tracker.store.state import scope
from tracker.uncertainty import estimates, stats
from tracker.uncertainty.estimates import Estimate
from tracker.uncertainty.stats.resampling import DISEASE_BOOTSTRAP

pytestmark = pytest.mark.slow

FIXTURES = ROOT / "fixtures" / "benchmarks"
KINDS = {
    "regression": ("--targets targets.csv --fold-column fold", "linear.csv", "cv"),
    "binary": ("--targets targets.csv", "model.csv", "test"),
    "ordinal": ("", "random.csv", "test"),
    "multilabel": ("--labels labels.csv", "model.csv", "test"),
}
# The figures whose limits have their name, since another figure of their view has limits first.
SECOND = {"nr_at_k", "ndcg_at_k_full_ideal", "mean_top_decile_recall"}
# Figures that are the area below a curve.
OF_CURVES = {"auroc", "average_precision", "auprc", "ordinal_threshold"}
# Each resampling function of stats and the views whose figures it serves.
DRAWN = (
    "spearman",
    "top_recall",
    "delong",
    "auprc",
    "means",
    "hit_rate",
    "auc_over_diseases",
    "of_draws",
)


def _run(path: Path, *words: str) -> None:
    ok(tracker_on(path)(*words))


@pytest.fixture(scope="module")
def evaluated(empty_store: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with one evaluation, with a leave-one-out and a temporal run."""
    path = Path(shutil.copy(empty_store, tmp_path_factory.mktemp("evaluated") / "store.duckdb"))
    sets = ("--candidates", "world", "--labels", "known", "--workers", "1")
    _run(
        path, "load", "candidates", str(WORLD / "candidates.csv"), "--set", "world", "--model", "m"
    )
    _run(path, "load", "labels", str(WORLD / "labels.csv"), "--set", "known")
    _run(path, "retrospective", "loo", "--ranker", "cf", *sets)
    years = ("--cutoff", "2000", "--from", "2001", "--to", "2024")
    _run(path, "retrospective", "temporal", "--ranker", "cf", *sets, *years)
    return path


@pytest.fixture(scope="module")
def benchmarked(empty_store: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with a benchmark of each kind and submission 1 to 4, in the order of KINDS."""
    path = Path(shutil.copy(empty_store, tmp_path_factory.mktemp("benchmarked") / "store.duckdb"))
    for kind, (options, submission, track) in KINDS.items():
        folder = FIXTURES / kind
        words = [f"{folder}/{w}" if w.endswith(".csv") else w for w in options.split()]
        truth = ("--truth", str(folder / "truth.csv"))
        _run(path, "benchmark", "define", kind, "--kind", kind, *truth, *words)
        chosen = ("--submitter", "lab", "--track", track)
        _run(path, "benchmark", "submit", kind, str(folder / submission), *chosen)
    return path


def _recording(function: Callable[..., Any], seen: list[float | None]) -> Callable[..., Any]:
    def recorded(*arguments: Any, **options: Any) -> Any:
        found = function(*arguments, **options)
        seen.extend(one.estimate for one in (found if isinstance(found, list) else [found]))
        return found

    return recorded


def _agree(found: list[Estimate], seen: list[float | None]) -> None:
    """Without resampling, the inputs reproduce the views' own values."""
    drawn = [e for e in found if not (e.value is None and e.n is None)]
    assert len(drawn) == len(seen)
    n_values = 0
    for estimate, undrawn in zip(drawn, seen, strict=True):
        assert (estimate.value is None) == (undrawn is None), estimate
        if estimate.value is not None and undrawn is not None:
            assert math.isclose(estimate.value, undrawn, rel_tol=1e-9, abs_tol=1e-12), estimate
            n_values += 1
        if estimate.low is None:
            assert estimate.reason, estimate
        else:
            assert estimate.high is not None
            assert estimate.value is not None
            assert estimate.low <= estimate.value <= estimate.high
    assert n_values


def _recorded(
    monkeypatch: pytest.MonkeyPatch, names: tuple[str, ...] = DRAWN
) -> list[float | None]:
    seen: list[float | None] = []
    for name in names:
        monkeypatch.setattr(stats, name, _recording(getattr(stats, name), seen))
    return seen


def test_an_evaluation_is_resampled_from_its_own_pairs(
    evaluated: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = _recorded(monkeypatch)
    with store.reader(evaluated) as connection:
        evaluation = evaluations.find(connection, 1)
        options = {"seed": 1, "most_replicates": 500}
        found = list(evaluation_estimates.estimate_evaluation(connection, evaluation, **options))
        auc = connection.execute(text("select auc from auc")).scalar_one()
    _agree(found, seen)
    by_metric = {
        metric: [e for e in found if e.metric == metric]
        for metric in ("auc", "ndcg_at_k", "hit_at_k", "temporal_auc")
    }
    assert [e.value for e in by_metric["auc"]] == [auc]
    assert len(by_metric["ndcg_at_k"]) == 6
    assert len(by_metric["hit_at_k"]) == 6
    assert len({e.key for e in found}) == len(found)
    assert {(e.method, e.unit) for e in found} == {(DISEASE_BOOTSTRAP, "disease")}
    assert {e.p_value for e in found} == {None}
    years = {e.row_key["approval_year"] for e in by_metric["temporal_auc"]}
    assert {"all", "2001", "2024"} <= years
    every = [e for e in by_metric["temporal_auc"] if e.row_key["approval_year"] == "all"]
    assert any(e.low is not None for e in every)


@pytest.mark.parametrize(("number", "kind"), list(enumerate(KINDS, start=1)))
def test_a_submission_is_resampled_from_its_own_items(
    benchmarked: Path, monkeypatch: pytest.MonkeyPatch, number: int, kind: str
) -> None:
    seen = _recorded(monkeypatch)
    with store.reader(benchmarked) as connection:
        submission = lookup.find(connection, number)
        benchmark = lookup.benchmark_of(connection, submission)
        found = list(
            submission_estimates.estimate_submission(
                connection, submission, benchmark, seed=1, most_replicates=500
            )
        )
    _agree(found, seen)
    metrics = {
        "regression": {
            "spearman",
            "top_decile_recall",
            "mean_spearman",
            "mean_top_decile_recall",
        },
        "binary": {"auroc", "average_precision", "mean_auroc", "mean_average_precision"},
        "ordinal": {"auprc", "ordinal_auprc", "ordinal_nap", "severity_ordering_ap"},
        "multilabel": {"precision_at_k", "nr_at_k", "ndcg_at_k", "ndcg_at_k_full_ideal"},
    }
    assert {estimate.metric for estimate in found} == metrics[kind]
    assert any(estimate.low is not None for estimate in found)


def _drawn(page: Page) -> set[tuple[float, float | None, float | None]]:
    """Return the values that charts of a page draw with an interval, and its ends."""
    figures = [panel.figure for panel in page.every_panel]
    drawn = [one for figure in figures if isinstance(figure, Intervals) for one in figure.estimates]
    points = [one for figure in figures if isinstance(figure, Curves) for one in figure.points]
    return {(one.value, one.low, one.high) for one in drawn if one.low is not None} | {
        (one.y, one.low, one.high) for one in points if one.low is not None
    }


@pytest.mark.parametrize(("number", "kind"), list(enumerate(KINDS, start=1)))
def test_charts_of_a_benchmark_draw_the_stored_intervals(
    benchmarked: Path, db: Path, tracker: Tracker, number: int, kind: str
) -> None:
    db.write_bytes(benchmarked.read_bytes())
    with store.reader(db) as connection:
        before = _drawn(_page_of_submission(connection, number))
    # Another seed, and more replicates, than a report has that computes its own.
    ok(tracker("benchmark", "estimate", str(number), "--seed", "5"))
    with store.reader(db) as connection:
        query = "select * from latest_estimate where low is not null"
        rows = connection.execute(text(query)).all()
        page = _page_of_submission(connection, number)
        entries = scoring.leaderboard(connection, definitions.find(connection, kind))
    stored = {(one.value, one.low, one.high) for one in rows}
    ranked = _drawn(benchmark_page.leaderboard(kind, entries))
    # The truth of the ordinal benchmark has one item of the highest class, too few to resample.
    assert bool(ranked) == (kind != "ordinal")
    assert ranked <= stored
    assert _drawn(page) <= stored
    # Curves have no room for the interval of their area, which stands beside them in words.
    of_curves = [row for row in rows if row.metric in OF_CURVES and row.view_name in OF_CURVES]
    words = " ".join(f"{panel.finding} {panel.alternative}" for panel in page.every_panel)
    for row in of_curves:
        assert with_limits(row.value, row.low, row.high, of=ratio) in words
    assert bool(_drawn(page)) == (kind in ("regression", "multilabel"))
    assert bool(of_curves) == (kind in ("binary", "ordinal"))
    # DeLong's interval of an AUROC, for one, is not drawn at random.
    assert kind in ("binary", "ordinal") or _drawn(page) != before


def _page_of_submission(connection: Connection, number: int) -> Page:
    found = lookup.find(connection, number)
    sections = scoring.score(connection, number, curves=True)
    sections = scoring.with_intervals(connection, number, sections)
    of = lookup.benchmark_of(connection, found)
    return benchmark_page.score(found, of, sections, [], None)


def test_stored_intervals_of_an_evaluation_are_reported(
    evaluated: Path, db: Path, tracker: Tracker
) -> None:
    db.write_bytes(evaluated.read_bytes())
    before = as_json(tracker, "retrospective", "report", "1")
    assert before["evaluation"]["intervals"].endswith("not stored")
    ok(tracker("retrospective", "estimate", "1", "--seed", "5"))
    after = as_json(tracker, "retrospective", "report", "1")
    assert after["evaluation"]["intervals"].endswith("and stored")
    rows = after["sections"]["estimate"]
    assert {row["seed"] for row in rows} == {5, None}
    values = [row["value"] for row in rows]
    assert values == [row["value"] for row in before["sections"]["estimate"]]
    printed = tracker("retrospective", "report", "1", "--format", "csv").output
    keys = [
        tuple(row[name] for name in row if name not in ("value", "reason"))
        for row in csv.DictReader(io.StringIO(printed))
        if row["view"] == "estimate"
    ]
    assert len(keys) == len(set(keys)) > 50


def test_a_figure_of_an_evaluation_has_one_interval_and_one_p_value_everywhere(
    evaluated: Path, db: Path, tracker: Tracker
) -> None:
    """The store, the report in every format and the page say the same."""
    db.write_bytes(evaluated.read_bytes())
    ok(tracker("retrospective", "estimate", "1", "--seed", "5"))
    with store.reader(db) as connection:
        rows = connection.execute(text("select * from latest_estimate")).all()
        evaluation = evaluations.find(connection, 1)
        with scope.of_evaluation(connection, evaluation, report.SECTIONS):
            page = evaluation_page.build(report.build(connection, evaluation))
    stored = {(row.metric, *_row(row.row_key)): row for row in rows}
    assert len(stored) == len(rows) > 30
    assert {row.method for row in rows} == {DISEASE_BOOTSTRAP}
    assert {(row.p_value, row.p_adjusted, row.test) for row in rows} == {(None, None, None)}
    n_bounded = sum(row.low is not None for row in rows)
    assert 10 < n_bounded < len(rows)

    # json: the rows of each view, and the section of estimates.
    shown = as_json(tracker, "retrospective", "report", "1")
    sections = shown["sections"]
    of_views = {
        (view, *_row(row)): row
        for view in evaluation_estimates.EVALUATION_KEYS
        for row in sections[view]
    }
    listed = {(row["figure"], *_row(row)): row for row in sections["estimate"]}
    assert len(listed) == len(sections["estimate"])
    assert of_views.keys() == listed.keys() == stored.keys()
    for key, one in stored.items():
        limits = (one.value, one.low, one.high, one.method)
        of_view = of_views[key]
        assert tuple(of_view[name] for name in (key[0], "low", "high", "method")) == limits
        assert tuple(listed[key][name] for name in ("value", "low", "high", "method")) == limits

    # csv: a row per value.
    printed = tracker("retrospective", "report", "1", "--format", "csv").output
    named = [
        ((row["view"], *_row(row)), row["metric"], row["value"])
        for row in csv.DictReader(io.StringIO(printed))
        if row["view"] in evaluation_estimates.EVALUATION_KEYS and row["metric"] in ("low", "high")
    ]
    assert len(named) == 2 * len(stored)
    texts = {(tuple(map(str, key)), name): value for key, name, value in named}
    for key, one in stored.items():
        for name in ("low", "high"):
            value = getattr(one, name)
            assert texts[tuple(map(str, key)), name] == ("" if value is None else str(value))

    # Text and Markdown: a figure's interval is in its section and among the estimates.
    bounded = [row for row in rows if row.low is not None]
    printed = tracker("retrospective", "report", "1", "--format", "table").output
    found = re.findall(rf"[\d.]+ \([\d.]+{NOTHING}[\d.]+\)", printed)
    words = [f"{row.value:.3f} ({row.low:.3f}{NOTHING}{row.high:.3f})" for row in bounded]
    assert Counter(found) == Counter(words * 2)
    assert max(map(len, printed.splitlines())) <= 80
    printed = tracker("retrospective", "report", "1", "--format", "markdown").output
    found = re.findall(r"\| ([\d.]+ \| [\d.]+) \| (?:0\.950 \| )?disease bootstrap", printed)
    assert Counter(found) == Counter([f"{row.low:.3f} | {row.high:.3f}" for row in bounded] * 2)

    # The page has no interval of its own.
    panels = {panel.name: panel for panel in page.every_panel}
    for view in ("ndcg_at_k", "hit_at_k", "temporal_auc"):
        drawn = panels[view].figure
        assert isinstance(drawn, Curves | Intervals)
        points = (
            [(one.y, one.low, one.high) for one in drawn.points]
            if isinstance(drawn, Curves)
            else [(one.value, one.low, one.high) for one in drawn.estimates]
        )
        limits_of_view = [
            (row.value, row.low, row.high)
            for row in rows
            if row.metric == view and row.value is not None
        ]
        assert sorted(map(str, points)) == sorted(map(str, limits_of_view))
    auc = stored["auc", None, None, None, None]
    assert page.verdict is not None
    assert f"95% interval {auc.low:.2f} to {auc.high:.2f}" in page.verdict.certainty
    html = tracker("retrospective", "report", "1", "--format", "html").output
    assert f"95% interval {auc.low:.2f} to {auc.high:.2f}" in html


def _row(keys: Mapping[str, Any]) -> tuple[str | None, ...]:
    """Return the names of an evaluation's row as texts."""
    names = ("ranker", "cutoff_year", "approval_year", "k")
    return tuple(None if keys.get(name) in (None, "") else str(keys[name]) for name in names)


def test_tables_of_long_names_and_large_counts_fit_a_terminal() -> None:
    """Names are cut where a row would be wider than 80 columns; a reason names the figures."""
    ranker, disease = "gradient_boosting_of_many_features", "a disease with " + "a long name " * 9
    limits = {"low": 0.1, "high": 0.9, "method": DISEASE_BOOTSTRAP}
    names = {"figure": "temporal_auc", "ranker": ranker, "cutoff_year": 2000, "k": None}
    unbounded = {"low": None, "high": None, "reason": "too few of one class: 3"}
    of_view: dict[str, dict[str, Any]] = {
        "hit_at_k": {
            "ranker": ranker,
            "k": 100,
            "n_trials": 123_456,
            "hits": 12_345.25,
            "hit_at_k": 0.1,
            "hit_at_k_macro": 0.1,
            "hit_at_k_filtered": None,
            **limits,
            "hit_at_k_optimistic": 0.2,
            "hit_at_k_pessimistic": 0.1,
        },
        "temporal_auc": {
            "ranker": ranker,
            "cutoff_year": 2000,
            "approval_year": "all",
            "n_positive": 123_456,
            "n_negative": 12_345_678,
            "temporal_auc": 0.5,
            **limits,
        },
        "ndcg_by_disease": {
            "disease_name": disease,
            "k": 100,
            "n_relevant": 12_345,
            "ndcg": None,
            "relevant_in_first_k": 100.0,
            "ndcg_optimistic": 0.5,
            "ndcg_pessimistic": None,
        },
        "loo_disease": {
            "disease_name": disease,
            "n_labeled": 12_345,
            "reason": "no positive drug is a candidate",
        },
        "estimate": {**names, "approval_year": "2001", "value": 0.5, "n_units": 999, **unbounded},
    }
    for view, row in of_view.items():
        section = Section(view, "", "", "", Rows(list(row), [tuple(row.values())]))
        printed = render_section(evaluation_tables.text_table(section), "table")
        assert max(map(len, printed.splitlines())) <= 80, view
        if view == "hit_at_k":
            tied = "- gradient_boos…, equal scores in the worst and in the best order: k = 100:"
            assert " ".join(printed.split()).endswith(f"{tied} 0.100 to 0.200")
    assert "- temporal_auc, gradient_boos…, 2000 to 2001: too few of one class: 3\n" in printed


def test_two_intervals_stored_by_an_earlier_version_are_one(
    evaluated: Path, db: Path, tracker: Tracker
) -> None:
    """Of the two that a figure had, that by disease stays, until others are stored."""
    db.write_bytes(evaluated.read_bytes())
    with store.writer(db) as connection:
        evaluation = evaluations.find(connection, 1)
        now = list(evaluation_estimates.estimate_evaluation(connection, evaluation, seed=1))
        then = []
        for one in now:
            if one.metric != "ndcg_at_k":
                then.append(replace(one, method="DeLong", unit="pair", low=None, high=None))
            if one.value is not None:
                then.append(one)
        estimates.append(connection, "evaluation_id", 1, then, store.now(connection))
    with store.reader(db) as connection:
        methods = connection.execute(
            text("select metric, row_key::varchar, method from latest_estimate where value >= 0")
        ).all()
    assert len(methods) == len(set(methods)) == sum(one.value is not None for one in now)
    assert {row.method for row in methods} == {DISEASE_BOOTSTRAP}

    before = as_json(tracker, "retrospective", "report", "1")
    assert before["evaluation"]["intervals"].endswith("those stored are out of date")
    assert {row["method"] for row in before["sections"]["estimate"]} == {DISEASE_BOOTSTRAP}
    assert len(before["sections"]["estimate"]) == len(now)
    ok(tracker("retrospective", "estimate", "1"))
    after = as_json(tracker, "retrospective", "report", "1")
    assert after["evaluation"]["intervals"].endswith("and stored")


def test_intervals_stored_before_a_further_run_are_out_of_date(
    evaluated: Path, db: Path, tracker: Tracker
) -> None:
    db.write_bytes(evaluated.read_bytes())
    ok(tracker("retrospective", "estimate", "1"))
    sets = ("--candidates", "world", "--labels", "known", "--workers", "1")
    ok(tracker("retrospective", "loo", "--ranker", "popularity", *sets))
    shown = as_json(tracker, "retrospective", "report", "1")
    assert shown["evaluation"]["intervals"].endswith("those stored are out of date")
    rows = [row for row in shown["sections"]["hit_at_k"] if row["ranker"] == "popularity"]
    assert len(rows) == 6
    assert any(row["low"] is not None for row in rows)


@pytest.mark.parametrize(("number", "kind"), list(enumerate(KINDS, start=1)))
def test_a_figure_of_a_submission_has_one_interval_everywhere(
    benchmarked: Path, db: Path, tracker: Tracker, number: int, kind: str
) -> None:
    """The store says what the score says in each view and among the estimates.

    Means over targets that no view of the score has are on the leaderboard.
    """
    db.write_bytes(benchmarked.read_bytes())
    ok(tracker("benchmark", "estimate", str(number)))
    with store.reader(db) as connection:
        rows = connection.execute(
            text("select * from latest_estimate where submission_id = :number"), {"number": number}
        ).all()
    figures = {(row.metric, *sorted(map(str, row.row_key.values()))) for row in rows}
    assert len(figures) == len(rows)
    sections = as_json(tracker, "benchmark", "score", str(number))
    listed = [
        (row["figure"], row["low"], row["high"], row["method"]) for row in sections["estimate"]
    ]
    assert listed == [(row.metric, row.low, row.high, row.method) for row in rows]
    board = as_json(tracker, "benchmark", "leaderboard", kind)
    n_bounded = 0
    for one in rows:
        of_row = [
            row for row in sections.get(one.view_name, board) if one.row_key.items() <= row.items()
        ]
        assert len(of_row) == 1
        (row,) = of_row
        if one.view_name in sections:
            suffix = f"_{one.metric}" if one.metric in SECOND else ""
            names = (one.metric, f"low{suffix}", f"high{suffix}")
        else:
            names = (one.metric, f"{one.metric}_low", f"{one.metric}_high")
        assert tuple(row[name] for name in names) == (one.value, one.low, one.high)
        n_bounded += one.low is not None
    assert n_bounded, kind


def test_stored_intervals_of_a_submission_are_shown(
    benchmarked: Path, db: Path, tracker: Tracker
) -> None:
    db.write_bytes(benchmarked.read_bytes())
    ok(tracker("benchmark", "estimate", "2", "--seed", "5"))
    rows = as_json(tracker, "benchmark", "score", "2")["estimate"]
    assert {row["seed"] for row in rows} == {5, None}
    assert all(0 <= row["low"] < row["value"] < row["high"] <= 1 for row in rows)
    for submission, origin in (("2", "and stored"), ("1", "not stored")):
        printed = " ".join(tracker("benchmark", "score", submission).output.split())
        assert f"{origin} (estimate)" in printed


def test_all_evaluations_are_estimated_at_once(evaluated: Path, db: Path, tracker: Tracker) -> None:
    db.write_bytes(evaluated.read_bytes())
    second = ("--candidates", "world", "--labels", "known", "--positive-min-label", "3")
    ok(tracker("retrospective", "evaluate", *second))
    done = ok(tracker("report", "estimate", "--all"))
    assert re.findall(r"stored [1-9]\d* estimates of evaluation (\d)", done.output) == ["1", "2"]
    for number in ("1", "2"):
        printed = " ".join(tracker("retrospective", "report", number).output.split())
        assert re.search(r"intervals computed on [0-9-]+ and stored", printed)


def test_all_submissions_are_estimated_at_once(
    benchmarked: Path, db: Path, tracker: Tracker
) -> None:
    db.write_bytes(benchmarked.read_bytes())
    done = ok(tracker("report", "estimate", "--all"))
    numbers = re.findall(r"stored [1-9]\d* estimates of submission (\d)", done.output)
    assert numbers == ["1", "2", "3", "4"]
    for number in numbers:
        printed = " ".join(tracker("benchmark", "score", number).output.split())
        assert "and stored (estimate)" in printed
    refused = exited(2, tracker("report", "estimate", "--all", "469b"))
    assert "--all goes without a slate" in refused.output
