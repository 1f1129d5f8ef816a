"""The demo's registry: four slates, a verdict for each, and figures recomputed from its files."""

import csv
import json
import re
import shutil
import sys
from datetime import date, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import duckdb
import pytest
import reference
from click.testing import CliRunner
from sqlalchemy import text
from support import ROOT, as_json, exited, ok, printed, ran, tracker_on
from worlds import Row, World, complete

from tracker import slates, store
from tracker.cli import demo, main
from tracker.figures import HAVE_INTERVAL, METRICS, OF_VIEW
from tracker.reports import assessment, build, listing
from tracker.reports.pages import slate_page
from tracker.reports.pages.figures import Columns, Curves, Intervals
from tracker.store.state import scope

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
    return ok(tracker_on(store)("assess", *words)).stdout


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
            # A study that does not count by the plan makes a pair known, and nothing else.
            "outcome": [
                slate | pair(trial) | trial["event"]
                for trial in _trials()
                if trial["purpose"].lower() in header["plan"]["studies"]["uses"]
                or trial["event"]["public_by"] <= frozen_on
            ],
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
                "purpose": study["designModule"]["designInfo"]["primaryPurpose"],
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
        "high",
        "prospective",
        "novel",
    )


@pytest.mark.parametrize("folder", VERDICTS)
def test_the_figure_follows_from_the_files(folder: str, overview: dict[str, Any]) -> None:
    """The enrichment of novel high-tier predictions, pair by pair by the reference."""
    world = _world(folder)
    (slate,) = world["slate"]
    compared = reference.Matched(world, slate, "prospective", "novel")
    ours = compared.tier("high")
    n_hits = sum(row["is_hit"] for row in ours.values())
    found = compared.figures(list(ours))
    assert (found["own_share"] > 0.9) == (VERDICTS[folder] == "explained by popularity")
    row = overview[str(slate["slate_id"])]
    if found["enrichment_vs_matched"] is None:
        assert row["value"] is None
        assert found["observed_vs_expected"] == pytest.approx(0.975)
    else:
        assert row["value"] == pytest.approx(found["enrichment_vs_matched"], rel=1e-12)
    if row["verdict"] != "too early":
        assert row["why"].startswith(f"{n_hits} of {len(ours)} novel predictions of the high tier")
        assert f"where {found['expected_hits']:.1f} were expected" in row["why"]


def test_why_names_what_decides(overview: dict[str, Any]) -> None:
    why = {VERDICTS[name]: overview[_manifest(name)["slate_id"]]["why"] for name in VERDICTS}
    assert "it fails by enrichment_vs_matched below 1" in why["does not work"]
    assert "no fair comparison: almost every" in why["explained by popularity"]
    assert why["too early"] == (
        "Too early: the horizon ended on 2026-02-03, but the newest ClinicalTrials.gov release is "
        "of 2025-09-15."
    )


@pytest.mark.slow
def test_the_demo_prints_the_overview(demo_registry: Path, demo_output: str) -> None:
    overview = _assess(demo_registry)
    assert demo_output.startswith(f"$ tracker assess\n{overview}\nThe stores stay in ")
    assert max(map(len, overview.splitlines())) <= 80
    shown = _assess(demo_registry, "--format", "markdown")
    assert "| d58f3a16 | almanac-1 | explained by popularity | \N{EN DASH} |" in shown


def test_the_demo_is_one_screen_and_ends_with_what_to_do_next(demo_output: str) -> None:
    lines = demo_output.splitlines()
    assert len(lines) <= 24
    assert lines[-4].endswith("report.html in a browser, or try:")
    assert all(line.strip().startswith("tracker ") for line in lines[-3:])
    # The folder of the test has a long name.
    assert max(map(len, lines[:-4])) <= 80


@pytest.mark.slow
def test_the_page_of_the_demo_is_that_of_its_first_slate(demo_registry: Path) -> None:
    """It names what failed, what does not count and what is near."""
    page = (demo_registry.parent / "report.html").read_text(encoding="utf-8")
    assert "<h1><bdi>Slate 4be1d0c2: Lodestar" in page
    assert "Works: it met its plan&#39;s success criteria" in page
    shown = " ".join(re.sub(r"<[^>]+>", " ", page).split())
    assert "; 1 failed since" in shown
    assert (
        "holsetron Quimby arteritis \N{EN DASH} high first trial; trial failed 2025-08-04 for lack "
        "of efficacy ( NCT80000136 )" in shown
    )
    assert (
        "1 study of predicted pairs does not count by what the drug is studied for: 1 diagnostic"
        in shown
    )
    assert "korlukast Winslow fever sibling: Oakhurst fever" in shown


@pytest.mark.slow
def test_the_last_lines_of_the_demo_work_as_printed(
    demo_registry: Path, demo_output: str, tmp_path: Path
) -> None:
    """In a copy, since one of them publishes."""
    shutil.copytree(demo_registry.parent, tmp_path / "demo")
    program = Path(sys.executable).with_name("tracker")
    for line in demo_output.splitlines()[-3:]:
        command = line.strip().replace("tracker", str(program), 1)
        command = command.replace(str(demo_registry.parent), str(tmp_path / "demo"))
        assert len(printed(ran("sh", "-c", command)).splitlines()) >= 3


@pytest.mark.slow
def test_a_second_demo_says_that_the_stores_are_there(
    demo_registry: Path, demo_output: str
) -> None:
    def written() -> dict[Path, int]:
        return {path: path.stat().st_mtime_ns for path in demo_registry.parent.glob("*.duckdb")}

    before = written()
    words = ["demo", "-o", str(demo_registry.parent)]
    done = ok(CliRunner().invoke(main, words))
    assert done.stdout == demo_output.replace("The stores stay in", "The stores are already in")
    assert written() == before
    full = exited(3, CliRunner().invoke(main, [*words, "--full"]))
    assert "has the demo's stores already" in full.stderr


def test_a_demo_that_was_cut_off_is_not_taken_for_a_whole_one(tmp_path: Path) -> None:
    for name in ("demo.duckdb", "registry.duckdb", "unfinished"):
        (tmp_path / name).touch()
    done = exited(3, CliRunner().invoke(main, ["demo", "-o", str(tmp_path)]))
    assert "has a demo that did not come to its end; remove the folder" in done.stderr


@pytest.mark.parametrize(
    ("called", "shown"),
    [
        (".venv/bin/tracker", ".venv/bin/tracker"),
        ("/else where/tracker", "'/else where/tracker'"),
        ("pytest", "tracker"),
    ],
)
def test_a_program_that_is_not_on_the_path_is_called_as_it_was(
    called: str, shown: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", [called])
    monkeypatch.setenv("PATH", "")
    assert demo._program() == shown


def test_a_program_on_the_path_has_its_short_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "tracker"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(sys, "argv", [str(program)])
    assert demo._program() == "tracker"


@pytest.mark.slow
def test_the_whole_demo_shows_every_command(tmp_path: Path) -> None:
    done = ok(CliRunner().invoke(main, ["demo", "-o", str(tmp_path / "demo"), "--full"]))
    commands = [line for line in done.stdout.splitlines() if line.startswith("$ ")]
    assert len(commands) == 29
    assert commands[-1] == "$ tracker assess"
    assert "$ tracker load labels labels.csv --set known\nloaded 200 labeled pairs" in done.stdout
    for name in ("demo.duckdb", "registry.duckdb"):
        (tmp_path / "demo" / name).unlink()
    again = exited(3, CliRunner().invoke(main, ["demo", "-o", str(tmp_path / "demo")]))
    assert "is already there; choose another folder" in again.stderr


@pytest.mark.slow
def test_the_demo_plays_a_round_of_four_teams(demo_registry: Path, tmp_path: Path) -> None:
    for name in ("demo.duckdb", "registry.duckdb"):
        shutil.copyfile(demo_registry.with_name(name), tmp_path / name)
    words = ["demo", "-o", str(tmp_path), "--round"]
    done = ok(CliRunner().invoke(main, words))
    said = " ".join(done.stdout.split())
    assert "error: late: tardy.tsr dates the file of Tardy to 2024-09-05" in said
    assert "Echo: again and Meridian: compass have 100.0% of their predictions in common" in said
    assert "Evergreen: common is in no block: no fair comparison" in said
    assert "lead together" in (tmp_path / "round.html").read_text(encoding="utf-8")
    store = tmp_path / "round.duckdb"
    board = as_json(tracker_on(store), "round", "board", "autumn")
    standing = {one["entry_name"]: one for one in board["sections"]["round_standing"]}
    assert len(standing) == 9
    skilled, copied = standing["Meridian: compass"], standing["Echo: again"]
    assert (skilled["block"], copied["block"]) == (1, 1)
    assert skilled["enrichment"] == copied["enrichment"]
    assert skilled["enrichment_low"] > 1
    assert standing["Evergreen: common"]["block"] is None
    again = ok(CliRunner().invoke(main, words))
    assert "round.html is there already" in " ".join(again.stdout.split())


@pytest.mark.slow
def test_an_overview_of_a_day_leaves_later_slates_out(demo_registry: Path) -> None:
    """Nothing was known on that day, and the slate of February 2025 was not frozen."""
    rows = json.loads(_assess(demo_registry, "--as-of", "2024-12-31", "--format", "json"))
    assert [row["slate_id"][:4] for row in rows] == ["4be1", "9c27", "d58f"]
    assert {row["verdict"] for row in rows} == {"too early"}
    assert {row["why"] for row in rows} == {
        "Too early: the horizon of 12 months ends on 2025-09-02."
    }


@pytest.mark.slow
def test_a_figure_has_one_interval_and_one_p_value_everywhere(demo_registry: Path) -> None:
    """The store, the report, the page, the assessment and the scoreboard say the same."""
    slate_id = "4be1d0c2-6f3a-4c57-9d18-0a7e5b2c9f31"
    with store.reader(demo_registry) as connection:
        slate = slates.find(connection, slate_id)
        key = {"slate_id": slate_id}
        stored = {
            (row.metric, row.evidence_window, row.population, row.tier): row
            for row in connection.execute(
                text(
                    "select * from latest_estimate where slate_id = :slate_id"
                    " and row_key::varchar = '{}'"
                ),
                key,
            )
        }
        published = connection.execute(
            text(
                "select * from scoreboard where slate_id = :slate_id qualify recorded_at ="
                " max(recorded_at) over ()"
            ),
            key,
        ).all()
        with scope.of_slates(connection, slate):
            report = build.build(connection, slate)
            page = slate_page.build(report, listing.read(connection, slate))
            assessed = assessment.assess(connection, slate)
    sections = {section.view: section.rows.records() for section in report.sections}

    # Every figure with an interval, from each of its views.
    n_compared = 0
    for metric, view in ((name, METRICS[name].view) for name in HAVE_INTERVAL):
        for row in sections[view]:
            one = stored.get((metric, row["evidence_window"], row["population"], row["tier"]))
            if one is None or OF_VIEW[view].interval_of != METRICS[metric]:
                continue
            assert (row["low"], row["high"], row["method"]) == (one.low, one.high, one.method)
            assert (row.get("p_value"), row.get("p_adjusted")) == (one.p_value, one.p_adjusted)
            n_compared += one.low is not None
    assert n_compared > 50
    names = ("low", "high", "method", "p_value", "p_adjusted")
    shown = {
        (row["figure"], row["evidence_window"], row["population"], row["tier"]): row
        for row in sections["estimate"]
    }
    assert shown.keys() == stored.keys()
    for figure, one in stored.items():
        assert [shown[figure][name] for name in names] == [getattr(one, name) for name in names]

    figures = {
        (row.metric, row.evidence_window, row.population, row.tier): row for row in published
    }
    # Of figures with a noun; failures, for one, are not on the scoreboard.
    assert {key for key in stored if key[0] in METRICS} < figures.keys()
    for figure, published_row in figures.items():
        one = stored.get(figure)
        expected = (one.low, one.high) if one else (None, None)
        assert (published_row.low, published_row.high) == expected, figure

    criteria = next(s for s in assessed.sections if s.view == "assessment").rows.records()
    n_compared = 0
    for row in criteria:
        figure = (
            row["criterion"].split()[0],
            *(row[name] for name in ("evidence_window", "population", "tier")),
        )
        if figure in stored:
            one = stored[figure]
            assert [row[name] for name in ("low", "high", "p_adjusted")] == [
                getattr(one, name) for name in ("low", "high", "p_adjusted")
            ]
            n_compared += one.low is not None
    assert n_compared >= 3

    # The page draws what the report has, and has no interval of its own.
    panels = {panel.name: panel for panel in page.every_panel}
    for view, metrics in (
        ("tier_hit_rate", {"hit_rate"}),
        ("enrichment_vs_matched", {"enrichment_vs_matched", "enrichment_vs_random"}),
    ):
        drawn = panels[view].figure
        assert isinstance(drawn, Intervals)
        limits = {(e.value, e.low, e.high) for f, e in stored.items() if f[0] in metrics}
        assert {(one.value, one.low, one.high) for one in drawn.estimates} <= limits
    for view in ("survival_curve", "breadth_decile_hit_rate"):
        drawn = panels[view].figure
        assert isinstance(drawn, Curves | Columns)
        points = drawn.points if isinstance(drawn, Curves) else drawn.seen
        banded = {(one.low, one.high) for one in points if one.low is not None}
        assert banded
        assert banded <= {(row["low"], row["high"]) for row in sections[view]}
