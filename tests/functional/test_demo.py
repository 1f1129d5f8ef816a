"""The demo's registry: four slates, a verdict for each, and figures recomputed from its files."""

import csv
import json
from datetime import date, timedelta
from fractions import Fraction
from pathlib import Path
from typing import Any
from uuid import UUID

import duckdb
import pytest
import reference
from click.testing import CliRunner
from support import ROOT
from worlds import Row, World, complete

from tracker.cli import main

REGISTRY = ROOT / "fixtures" / "registry"
VERDICTS = {
    "lodestar_2024_09": "works",
    "mirage_2024_09": "does not work",
    "almanac_2024_09": "explained by popularity",
    "lodestar_2025_02": "too early",
}


@pytest.fixture(scope="module")
def overview(demo_registry: Path) -> dict[str, Any]:
    """The rows of `tracker assess` by slate."""
    return {row["slate_id"]: row for row in json.loads(_assess(demo_registry, "--format", "json"))}


def _assess(store: Path, *words: str) -> str:
    done = CliRunner().invoke(main, ["--db", str(store), "assess", *words])
    assert done.exit_code == 0, done.output
    return done.stdout


def _manifest(folder: str) -> dict[str, Any]:
    text = (REGISTRY / folder / "manifest.json").read_text(encoding="utf-8")
    header: dict[str, Any] = json.loads(text)["header"]
    return header


def _table(path: Path) -> list[Row]:
    result = duckdb.sql(f"from '{path}'")
    return [dict(zip(result.columns, row, strict=True)) for row in result.fetchall()]


def _world(folder: str) -> World:
    """The slate's world, from its files alone: no store, and no detection of outcomes."""
    header = _manifest(folder)
    candidates = _table(REGISTRY / f"{header['parameters']['candidates']}.parquet")
    numbers: dict[str, int] = {}

    def pair(row: Row) -> Row:
        names = {"disease_id": row["disease_name"], "drug_id": row["drug_name"]}
        return {key: numbers.setdefault(name, len(numbers) + 1) for key, name in names.items()}

    with (REGISTRY / "labels.csv").open(encoding="utf-8") as handle:
        labels = list(csv.DictReader(handle))
    slate = {"slate_id": UUID(header["slate_id"])}
    frozen_on = date.fromisoformat(header["frozen_on"])
    copied = ("score", "rank", "tier", "known_label", "known_max_phase")
    return complete(
        {
            "slate": [
                slate
                | {"frozen_on": frozen_on, "plan": header["plan"]}
                | {"candidate_set_id": 1, "label_set_id": 1}
            ],
            "candidate": [
                pair(row) | {"candidate_set_id": 1, "score": row["score"]} for row in candidates
            ],
            "labeled_pair": [
                pair(row) | {"label_set_id": 1, "label": int(row["label"])} for row in labels
            ],
            "prediction": [
                slate | pair(row) | {name: row[name] for name in copied}
                for row in _table(REGISTRY / folder / "predictions.parquet")
            ],
            "outcome": [slate | pair(trial) | trial["event"] for trial in _trials()],
        }
    )


def _trials() -> list[Row]:
    """The trials of the last snapshot, each the first of its pair, as events."""
    trials = []
    for line in (REGISTRY / "trials-2025-09-15.jsonl").read_text(encoding="utf-8").splitlines():
        study = json.loads(line)["protocolSection"]
        posted = date.fromisoformat(study["statusModule"]["studyFirstPostDateStruct"]["date"])
        trials.append(
            {
                "disease_name": study["conditionsModule"]["conditions"][0],
                "drug_name": study["armsInterventionsModule"]["interventions"][0]["name"].lower(),
                "event": {
                    "outcome_type": "first_trial_seen",
                    "event_date": date.fromisoformat(
                        study["statusModule"]["startDateStruct"]["date"]
                    ),
                    "public_after": posted - timedelta(days=1),
                    "public_by": posted,
                    "source": "ctgov",
                },
            }
        )
    return trials


@pytest.mark.parametrize("folder", VERDICTS)
def test_each_slate_has_its_verdict(folder: str, overview: dict[str, Any]) -> None:
    header = _manifest(folder)
    row = overview[header["slate_id"]]
    assert row["verdict"] == VERDICTS[folder]
    # Frozen before every event that counts, with the plan it is judged by.
    assert header["frozen_on"] < "2025-03-10"
    assert header["plan"]["primary_endpoint"] == row["primary_endpoint"] == "enrichment_vs_matched"
    assert (row["tier"], row["evidence_window"], row["population"]) == (
        *("high", "prospective", "novel"),
    )


def _rounded(activity: dict[int, Fraction]) -> dict[int, Fraction]:
    return {disease: Fraction(float(value)) for disease, value in activity.items()}


@pytest.mark.parametrize("folder", VERDICTS)
def test_the_figure_follows_from_the_files(folder: str, overview: dict[str, Any]) -> None:
    """The enrichment of novel high-tier predictions, pair by pair by the reference."""
    world = _world(folder)
    (slate,) = world["slate"]
    compared = reference.Matched(world, slate, "prospective", "novel")
    ours = compared.tier("high")
    n_hits = sum(row["is_hit"] for row in ours.values())
    own_share = compared.own_share("high")
    assert own_share is not None
    assert (own_share > 0.75) == (VERDICTS[folder] == "explained by popularity")
    if own_share > 0.75:
        expected = [compared.expected(pair) for pair in ours]
        value = float(n_hits / sum(one for one in expected if one is not None))
    else:
        # Doubles, since sums of exact fractions of so many strata have endless denominators.
        compared.activity = _rounded(compared.activity)
        activity = compared.adjusted_activity("high")
        assert activity is not None
        found = compared.mantel_haenszel("high", _rounded(activity))
        assert found is not None
        value = float(found)
    row = overview[str(slate["slate_id"])]
    assert row["value"] == pytest.approx(value, rel=1e-12)
    if row["verdict"] != "too early":
        assert row["why"].startswith(f"{n_hits} of {len(ours)} novel predictions of the high tier")
        assert f"where {n_hits / value:.1f} were expected" in row["why"]


def test_why_names_what_decides(overview: dict[str, Any]) -> None:
    why = {VERDICTS[name]: overview[_manifest(name)["slate_id"]]["why"] for name in VERDICTS}
    assert "it fails by enrichment_vs_matched below 1" in why["does not work"]
    assert "the predictions are their own baseline" in why["explained by popularity"]
    assert why["too early"] == (
        "Too early: the horizon ended on 2026-02-03, and the newest ClinicalTrials.gov release is "
        "of 2025-09-15."
    )


def test_the_demo_prints_the_overview(demo_registry: Path, demo_output: str) -> None:
    printed = _assess(demo_registry)
    assert f"$ tracker assess\n{printed}\nTry next:" in demo_output
    assert max(map(len, printed.splitlines())) <= 80
    shown = _assess(demo_registry, "--format", "markdown")
    assert "| d58f3a16 | almanac-1 | explained by popularity | 0.97 | \N{EN DASH} |" in shown


def test_an_overview_of_a_day_leaves_later_slates_out(demo_registry: Path) -> None:
    """Nothing was known on that day, and the slate of February 2025 was not frozen."""
    rows = json.loads(_assess(demo_registry, "--as-of", "2024-12-31", "--format", "json"))
    assert [row["slate_id"][:4] for row in rows] == ["4be1", "9c27", "d58f"]
    assert {row["verdict"] for row in rows} == {"too early"}
    assert {row["why"] for row in rows} == {
        "Too early: the horizon of 12 months ends on 2025-09-02."
    }
