"""Estimates of evaluations and submissions: the views' values, resampled from the right rows."""

import csv
import io
import json
import math
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from sqlalchemy import text
from support import ROOT, WORLD, Tracker

from tracker import store
from tracker.cli import main
from tracker.evaluation import evaluations
from tracker.submissions import lookup
from tracker.uncertainty import estimates, stats
from tracker.uncertainty.estimates import Estimate

pytestmark = pytest.mark.slow

FIXTURES = ROOT / "fixtures" / "benchmarks"
KINDS = {
    "regression": ("--targets targets.csv --fold-column fold", "linear.csv", "cv"),
    "binary": ("--targets targets.csv", "model.csv", "test"),
    "ordinal": ("", "random.csv", "test"),
    "multilabel": ("--labels labels.csv", "model.csv", "test"),
}
# Each resampling function of stats and the views whose figures it serves.
DRAWN = ("spearman", "top_recall", "delong", "auprc", "mean", "hit_rate", "auc_over_diseases")


def _run(path: Path, *words: str) -> None:
    done = CliRunner().invoke(main, ["--db", str(path), *words])
    assert done.exit_code == 0, done.output


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


def _recording(
    function: Callable[..., stats.Interval], seen: list[float | None]
) -> Callable[..., stats.Interval]:
    def recorded(*arguments: Any, **options: Any) -> stats.Interval:
        interval = function(*arguments, **options)
        seen.append(interval.estimate)
        return interval

    return recorded


def _agree(found: list[Estimate], seen: list[float | None]) -> None:
    """Without resampling, the inputs reproduce the views' own values."""
    drawn = [estimate for estimate in found if estimate.method != "Wilson"]
    drawn = [e for e in drawn if not (e.value is None and e.n is None)]
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
        found = list(estimates.estimate_evaluation(connection, evaluation, **options))
        auc = connection.execute(text("select auc from auc")).scalar_one()
    _agree(found, seen)
    by_metric = {
        metric: [e for e in found if e.metric == metric]
        for metric in ("auc", "ndcg_at_k", "hit_at_k", "temporal_auc")
    }
    assert [e.value for e in by_metric["auc"]] == [auc, auc]
    assert [e.unit for e in by_metric["auc"]] == ["pair", "disease"]
    assert len(by_metric["ndcg_at_k"]) == 6
    assert {e.method.split()[0] for e in by_metric["hit_at_k"]} == {"Wilson", "disease"}
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
        options = {"seed": 1, "most_replicates": 500}
        found = list(estimates.estimate_submission(connection, submission, kind, **options))
    _agree(found, seen)
    metrics = {
        "regression": {"spearman", "top_decile_recall"},
        "binary": {"auroc", "average_precision"},
        "ordinal": {"auprc"},
        "multilabel": {"precision_at_k", "nr_at_k", "ndcg_at_k"},
    }
    assert {estimate.metric for estimate in found} == metrics[kind]
    assert any(estimate.low is not None for estimate in found)


def test_stored_intervals_of_an_evaluation_are_reported(
    evaluated: Path, db: Path, tracker: Tracker
) -> None:
    db.write_bytes(evaluated.read_bytes())
    before = json.loads(tracker("retrospective", "report", "1", "--format", "json").output)
    assert before["evaluation"]["intervals"].endswith("not stored")
    stored = tracker("retrospective", "estimate", "1", "--seed", "5")
    assert stored.exit_code == 0, stored.output
    after = json.loads(tracker("retrospective", "report", "1", "--format", "json").output)
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


def test_stored_intervals_of_a_submission_are_shown(
    benchmarked: Path, db: Path, tracker: Tracker
) -> None:
    db.write_bytes(benchmarked.read_bytes())
    stored = tracker("benchmark", "estimate", "2", "--seed", "5")
    assert stored.exit_code == 0, stored.output
    rows = json.loads(tracker("benchmark", "score", "2", "--format", "json").output)["estimate"]
    assert {row["seed"] for row in rows} == {5, None}
    assert all(0 <= row["low"] < row["value"] < row["high"] <= 1 for row in rows)
    assert "and stored (estimate)" in tracker("benchmark", "score", "2").output
    assert "not stored (estimate)" in tracker("benchmark", "score", "1").output
