"""The verdict on a slate: the condition of each criterion, and the resulting word."""

import json
import re
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from evidence import study, write_json
from sqlalchemy import text
from support import WORLD, Tracker, answer, as_json, exited, ok, query, tracker_on

from tracker import clock, slates, store
from tracker.errors import CheckFailed
from tracker.reports import assessment, verdicts
from tracker.slates import plans
from tracker.slates.criteria import Criterion

N_DISEASES = 12
N_DRUGS = 20


def _world(folder: Path, plan: str) -> Path:
    """A slate of twelve diseases, each with its own ranking, replayed as of 2024 under a plan."""
    path = folder / "store.duckdb"
    lines = [
        f"disease {disease},{_drug(disease, rank)},{1 - rank / 100}"
        for disease in range(N_DISEASES)
        for rank in range(1, N_DRUGS + 1)
    ]
    (folder / "candidates.csv").write_text("disease_name,drug_name,score\n" + "\n".join(lines))
    (folder / "labels.csv").write_text("disease_name,drug_name,label\ndisease 0,drug 19,4\n")
    (folder / "plan.toml").write_text(plan)
    for words in (
        f"load candidates {folder}/candidates.csv --set c --model m",
        f"load labels {folder}/labels.csv --set l",
        f"slate freeze --candidates c --labels l --plan {folder}/plan.toml "
        "--replay-as-of 2024-01-01",
    ):
        ok(tracker_on(path)(*words.split()))
    return path


def _drug(disease: int, rank: int) -> str:
    """Return the drug at a rank; no drug is at the top, or popular, everywhere."""
    return f"drug {(rank + 7 * disease) % N_DRUGS:02}"


PLAN = "[tiers]\nhigh = 5\nmoderate = 10\n"


@pytest.fixture(scope="module")
def frozen(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return _world(tmp_path_factory.mktemp("assessed"), PLAN)


@pytest.fixture
def world(frozen: Path, db: Path, tracker: Tracker) -> Tracker:
    shutil.copy(frozen, db)
    return tracker


def _hit(
    world: Tracker, folder: Path, *ranks: int, diseases: int = N_DISEASES, day: str = "2024-06-01"
) -> None:
    """Let the drugs of these ranks enter trials in the first diseases, foreseen."""
    rows = [
        f"disease {disease},{_drug(disease, rank)},first_trial_seen,ctgov,{day},{day}"
        for disease in range(diseases)
        for rank in ranks
    ]
    path = folder / "outcomes.csv"
    header = "disease_name,drug_name,outcome_type,source,event_date,first_public_on\n"
    path.write_text(header + "\n".join(rows))
    ok(world("load", "outcomes", path, "--slate", _slate_id(world)))


def _slate_id(world: Tracker) -> str:
    return str(as_json(world, "slate", "list")[0]["slate_id"])


def _refresh(db: Path, *digests: str | None) -> None:
    for digest in digests:
        with store.writer(db) as connection:
            (slate,) = slates.all_slates(connection)
            now = store.now(connection)
            verdicts.publish(connection, [slate.slate_id], now, refresh_digest=digest)


def _assess(world: Tracker, *words: str) -> dict[str, Any]:
    report: dict[str, Any] = as_json(world, "assess", _slate_id(world), *words)
    return report


def _states(report: dict[str, Any]) -> dict[str, str]:
    return {
        f"{row['role']} {row['criterion']}": row["state"]
        for row in report["sections"]["assessment"]
    }


@pytest.mark.slow
def test_pages_beside_the_slate_mark_a_replay(world: Tracker, tmp_path: Path) -> None:
    _hit(world, tmp_path, 1, diseases=2)
    assert world("publish", "-o", tmp_path / "site").exit_code == 0
    for name in ("feed.xml", "drugs/1.html", "diseases/1.html"):
        told = (tmp_path / "site" / name).read_text()
        assert re.search(r"[Ss]late \w{8} \(a replay\)", told), name
    assert "replays among them" in (tmp_path / "site" / "drugs" / "1.html").read_text()


@pytest.mark.slow
def test_a_slate_works_in_every_output(world: Tracker, db: Path, tmp_path: Path) -> None:
    """Of a slate made with hindsight none says "works" alone; what has come since is no verdict."""
    _hit(world, tmp_path, 1, diseases=11)
    _hit(world, tmp_path, 2, diseases=8)
    _hit(world, tmp_path, 12, diseases=4)
    _refresh(db, "first", "second")

    def stored() -> dict[str, Any]:
        (row,) = query(world, "from verdict")
        return row

    (listed,) = as_json(world, "assess")
    row, report = stored(), _assess(world)
    assert row["verdict"] == listed["verdict"] == report["slate"]["overall"] == "replay: works"
    assert row["sentence"] == listed["why"]
    assert report["slate"]["plan"] == "frozen with the slate"
    assert json.loads(row["reasons"]) == report["warnings"]
    assert report["warnings"] == [
        "Replay: made with hindsight, so not a prospective test.",
        "23 of 23 outcomes were loaded from files rather than detected in evidence; "
        "23 of 23 prospective hits rest on them alone.",
    ]
    states = _states(report)
    assert {state for key, state in states.items() if key.startswith("success")} == {"met"}
    assert {state for key, state in states.items() if key.startswith("failure")} == {"not met"}
    assert row["since"] < row["recorded_at"]
    assert "replay: works" in world("assess", "--format", "csv").output
    for form in ("table", "markdown", "html"):
        assert "Replay: works" in world("report", "@1", "--format", form).output
    _hit(world, tmp_path, 13, diseases=1)
    assert stored()["verdict"] is None
    assert stored()["reason"] == "evidence has come since the scoreboard was last updated"


OPEN_FAILURE = (
    PLAN
    + """
[[failure]]
metric = "score_gap"
tier = "high"
below = 0
by = "interval"
"""
)


@pytest.mark.slow
def test_a_failure_that_the_interval_leaves_open_is_named_and_blocks_nothing(
    tmp_path: Path, tracker: Tracker, db: Path
) -> None:
    """The hits are in the middle of the high tier: its scores say nothing, either way."""
    folder = tmp_path / "open"
    folder.mkdir()
    shutil.copy(_world(folder, OPEN_FAILURE), db)
    _hit(tracker, tmp_path, 2, diseases=9)
    _hit(tracker, tmp_path, 4, diseases=9)
    _hit(tracker, tmp_path, 12, diseases=4)
    _refresh(db, "first", "second")
    report = _assess(tracker)
    assert report["slate"]["overall"] == "replay: works", report["warnings"]
    (note,) = [line for line in report["warnings"] if line.startswith("It works, though")]
    assert "this is not known: score_gap below 0 by its interval; " in note
    assert _states(report)["failure score_gap below 0 by its interval"] == "inconclusive"


@pytest.mark.slow
def test_a_slate_does_not_work(world: Tracker, db: Path, tmp_path: Path) -> None:
    """The hits are at the bottom: hits score below misses, the high tier has few."""
    _hit(world, tmp_path, 18, 19)
    _hit(world, tmp_path, 3, diseases=3)
    _refresh(db, "first", "second")
    report = _assess(world)
    assert report["slate"]["overall"] == "replay: does not work", report
    assert "It does not work: score_gap below 0 by its interval." in report["warnings"]
    assert _states(report)["success enrichment_vs_matched above 1 by its interval"] != "met"


@pytest.mark.slow
def test_two_refreshes_must_have_brought_something(
    world: Tracker, db: Path, tmp_path: Path
) -> None:
    """The same evidence twice, or an update without a refresh, is not a second refresh.

    Outcomes that were loaded after the horizon are one, as the first refresh is.
    """
    _hit(world, tmp_path, 1, 2)
    for digests in ((), ("first", "first", None)):
        _refresh(db, *digests)
        report = _assess(world)
        assert report["slate"]["n_refreshes"] == 1
        assert report["slate"]["overall"] == "replay: too early"
        (asked,) = [line for line in report["warnings"] if line.startswith("Too early: the plan")]
        assert "requires 2 refreshes, 1 so far: a run of `tracker refresh` counts if" in asked
        states = _states(report)
        assert states["success enrichment_vs_matched at least 1.3"] == "too early"
        assert states["failure score_gap below 0 by its interval"] == "too early"


EVERY_OUTCOME = (
    PLAN
    + """
[[success]]
metric = "n_hits"
tier = "high"
evidence_window = "all"
at_least = 10

[[failure]]
metric = "n_hits"
tier = "high"
at_most = 0
"""
)


@pytest.mark.slow
def test_the_horizon_does_not_bind_every_outcome(
    tmp_path: Path, tracker: Tracker, db: Path
) -> None:
    """9 hits by the horizon and 3 after it are 12 of the window 'all', which the verdict says."""
    folder = tmp_path / "every"
    folder.mkdir()
    shutil.copy(_world(folder, EVERY_OUTCOME), db)
    _hit(tracker, tmp_path, 1, diseases=9)
    _hit(tracker, tmp_path, 2, diseases=3, day="2025-06-01")
    _refresh(db, "first", "second")
    report = _assess(tracker)
    (row,) = [row for row in report["sections"]["assessment"] if row["role"] == "success"]
    assert (row["state"], row["value"], row["evidence_window"]) == ("met", 12, "all")
    (warning,) = [line for line in report["warnings"] if line.startswith("Not bound")]
    assert "n_hits at least 10 in the window 'all'" in warning
    assert "can change after 2025-01-01; 3 predictions are hits by later events alone" in warning
    shown = as_json(tracker, "report", _slate_id(tracker))
    (later,) = [line for line in shown["warnings"] if line.startswith("After the horizon")]
    assert "3 predictions were hit only after 2025-01-01; the window 'all' counts" in later
    rates = {
        row["evidence_window"]: (row["n_hits"], row["n_later_hits"])
        for row in shown["sections"]["tier_hit_rate"]
        if (row["population"], row["tier"]) == ("all", "high")
    }
    assert rates == {"all": (12, 3), "prospective": (9, 3)}


@pytest.mark.slow
def test_a_report_before_a_replay_names_the_day_it_was_made(world: Tracker) -> None:
    slate = _slate_id(world)
    today = datetime.now(UTC).date()
    for option in ("--explain", "--as-of"):
        refused = exited(3, world("report", slate, option, "2024-06-01"))
        assert f"is a replay made on {today}, after {option}" in refused.output
        assert "was frozen on" not in refused.output


@pytest.mark.slow
def test_the_horizon_must_be_over(tmp_path: Path, tracker: Tracker, db: Path) -> None:
    today = datetime.now(UTC).date()
    n_months = (today.year - 2024) * 12 + today.month
    folder = tmp_path / "longer"
    folder.mkdir()
    shutil.copy(_world(folder, f"horizon_months = {n_months + 1}\n" + PLAN), db)
    _hit(tracker, tmp_path, 1, 2)
    _refresh(db, "first", "second")
    report = _assess(tracker)
    assert report["slate"]["overall"] == "replay: too early"
    assert report["slate"]["horizon_ends_on"] > today.isoformat()
    assert f"ends on {report['slate']['horizon_ends_on']}" in report["warnings"][1]


@pytest.mark.slow
def test_an_interval_with_1_and_the_bar_decides_nothing(
    world: Tracker, db: Path, tmp_path: Path
) -> None:
    """Hits all over the ranks: enrichment near 1, wide; neither works nor does not."""
    for rank, diseases in ((1, 3), (2, 5), (4, 1), (7, 9), (9, 4), (13, 7), (16, 11)):
        _hit(world, tmp_path, rank, diseases=diseases)
    _refresh(db, "first", "second")
    report = _assess(world)
    row = report["sections"]["assessment"][0]
    assert row["low"] < 1 < 1.3 < row["high"]
    assert row["state"] == "inconclusive"
    assert row["reason"].endswith(", contains 1")
    assert report["slate"]["overall"] == "replay: inconclusive"
    assert "detected" in " ".join(report["warnings"])


@pytest.mark.slow
def test_without_hits_nothing_is_decided(world: Tracker, db: Path) -> None:
    assert set(_states(_assess(world)).values()) == {"too early"}
    _refresh(db, "first", "second")
    report = _assess(world)
    assert report["slate"]["overall"] == "replay: inconclusive"
    # Nothing happened to any candidate, so that nothing can be compared.
    assert set(_states(report).values()) == {"inconclusive"}
    assert "nothing came true among equally popular drugs" in " ".join(report["warnings"])


@pytest.mark.slow
def test_an_earlier_day_is_assessed_as_of_that_day(
    world: Tracker, db: Path, tmp_path: Path
) -> None:
    with store.reader(db) as connection:
        (slate,) = slates.all_slates(connection)
    refused = exited(3, world("assess", str(slate.slate_id), "--as-of", "2024-05-01"))
    assert "after --as-of" in refused.output
    before = _assess(world)
    noted = datetime.now(UTC)
    _hit(world, tmp_path, 1)
    _refresh(db, "first", "second")
    assert _assess(world) != before
    then = _assess(world, "--as-of", (noted - timedelta(microseconds=1)).isoformat())
    assert then["sections"] == before["sections"]
    assert then["slate"]["n_refreshes"] == 0


# The scoreboard


@pytest.mark.slow
@pytest.mark.usefixtures("world")
def test_each_update_is_chained_to_the_one_before(db: Path) -> None:
    _refresh(db, "first", "second")
    with store.reader(db) as connection:
        rows = connection.execute(
            text("select previous_sha256, row_sha256 from scoreboard order by scoreboard_id")
        ).all()
        (figures,) = answer(connection, "select count(*) as n from headline_figure")
    assert len(rows) == 2 * figures.n
    assert rows[0].previous_sha256 == ""
    assert [row.previous_sha256 for row in rows[1:]] == [row.row_sha256 for row in rows[:-1]]
    assert len({row.row_sha256 for row in rows}) == len(rows)


@pytest.mark.slow
@pytest.mark.parametrize(
    "tampering",
    [
        # A figure without a value has nothing to alter.
        "update scoreboard set value = value + 1 where scoreboard_id = "
        "(select min(scoreboard_id) from scoreboard where value is not null)",
        "update scoreboard set value = null, low = null where scoreboard_id = "
        "(select min(scoreboard_id) from scoreboard where value is not null)",
        "update scoreboard set refresh_digest = 'other' where scoreboard_id = 5",
        "update scoreboard set recorded_at = recorded_at + interval 1 microsecond "
        "where scoreboard_id = 5",
        "delete from scoreboard where scoreboard_id = 5",
        "delete from scoreboard where scoreboard_id = 1",
        "update scoreboard set scoreboard_id = 99999 where scoreboard_id = 5",
        "update scoreboard set row_sha256 = sha256('mine') where scoreboard_id = 5",
    ],
)
def test_no_past_row_is_edited_unseen(
    world: Tracker, db: Path, tmp_path: Path, tampering: str
) -> None:
    _hit(world, tmp_path, 1)
    _refresh(db, "first")
    with store.writer(db, run_checks=False) as connection:
        connection.execute(text(tampering))
    checked = exited(4, world("check"))
    assert "scoreboard_chain" in checked.output


@pytest.mark.slow
@pytest.mark.usefixtures("world")
def test_an_edit_of_the_past_stops_the_writer(db: Path) -> None:
    _refresh(db, "first")
    with store.writer(db, run_checks=False) as connection:
        connection.execute(text("update scoreboard set n = n + 1 where scoreboard_id = 2"))
    with pytest.raises(CheckFailed, match="scoreboard_chain"):
        _refresh(db, "second")


@pytest.mark.slow
def test_a_quarter_without_an_update_is_marked(
    world: Tracker, monkeypatch: pytest.MonkeyPatch
) -> None:
    slate = _slate_id(world)
    empty = ok(world("scoreboard", slate, "--format", "json"))
    assert "no update has been published" in empty.output
    rows = as_json(world, "scoreboard", slate, "--record")
    assert {row["metric"] for row in rows} == {"enrichment_vs_matched", "score_gap"}
    later = datetime.now(UTC) + timedelta(days=100)
    with monkeypatch.context() as context:
        context.setattr(clock, "read", lambda: later)
        words = ("--as-of", later.date().isoformat(), "--metric", "n_hits")
        ahead = as_json(world, "scoreboard", slate, *words)
    assert ahead[-1]["reason"] == "no update"
    assert ahead[-1]["value"] is None
    assert {row["tier"] for row in ahead} == {"all", "high", "moderate", "exploratory"}
    only = "--metric n_hits --tier high --window prospective --population novel"
    one = as_json(world, "scoreboard", slate, *only.split())
    assert {(row["tier"], row["population"]) for row in one} == {("high", "novel")}


@pytest.mark.slow
def test_a_refresh_publishes_and_counts(world: Tracker, tmp_path: Path) -> None:
    """A release is a refresh; the same release again, or a run with nothing new, is not."""
    incoming = tmp_path / "incoming"
    incoming.mkdir()
    config = tmp_path / "tracker.toml"
    config.write_text(
        f'settle_seconds = 0\n[[source]]\nkind = "chembl"\npath = "{incoming}/*.db"\n'
    )
    assert _assess(world)["slate"]["n_refreshes"] == 0
    for n_refreshes, release in ((1, "chembl_91.db"), (2, "chembl_92.db"), (2, None)):
        if release:
            shutil.copy(WORLD / release, incoming)
        ok(world("refresh", "--config", config))
        assert _assess(world)["slate"]["n_refreshes"] == n_refreshes
    shown = as_json(world, "scoreboard", _slate_id(world), "--metric", "n_hits", "--tier", "all")
    assert shown[-1]["n_updates"] == 2
    ok(world("check"))


@pytest.mark.parametrize(
    ("value", "state"), [(1.29, assessment.EXPLAINED), (1.3, "inconclusive"), (0.0, "inconclusive")]
)
def test_only_what_is_below_the_bar_is_explained_by_popularity(value: float, state: str) -> None:
    """Predictions that are their own baseline and yet beat it are not told from it."""
    plan = plans.default()
    why = "no fair comparison: almost every"
    (criterion,) = [one for one in plan.success if one.by == "interval"]
    figure = assessment._Figure(None, why, observed=value)
    found, _ = assessment._state(criterion, figure, None, [], plan.success_bar)
    assert found == state
    waiting, _ = assessment._state(criterion, figure, None, ["wait"], plan.success_bar)
    assert waiting == "too early"


@pytest.mark.parametrize(
    ("value", "reason"),
    [(1.2996, "the value is 1.2996, not 1.3"), (1.3, None), (1.4, None), (None, None)],
)
def test_a_value_that_a_table_shows_as_the_bound_is_given_in_full(
    value: float | None, reason: str | None
) -> None:
    criterion = Criterion("enrichment_vs_matched", "at_least", 1.3, "high", "all", "all")
    assert assessment._near_bound(criterion, value, None) == reason


def _register(world: Tracker, folder: Path, *found: tuple[str, range, int]) -> None:
    """Register a trial of the drugs at a rank, in these diseases, in the words of the registry."""
    trials = [
        study(
            f"NCT{disease:04}{rank:04}",
            start="2024-06-01",
            posted="2024-06-01",
            updated="2024-06-01",
            conditions=[f"disease {disease}"],
            interventions=[{"type": "DRUG", "name": words.format(_drug(disease, rank))}],
            meshes=(),
        )
        for words, diseases, rank in found
        for disease in diseases
    ]
    path = write_json(folder / "trials.json", trials)
    for words in (("ingest", "trials", path, "--released", "2025-06-01"), ("refresh", "detect")):
        ok(world(*words))


@pytest.mark.slow
def test_a_verdict_that_rests_on_weak_matches_says_so(
    world: Tracker, db: Path, tmp_path: Path
) -> None:
    _register(
        world,
        tmp_path,
        ("{}", range(3), 1),
        ("{} tablets", range(3, 11), 1),
        ("{} tablets", range(8), 2),
        ("{}", range(4), 12),
    )
    _refresh(db, "first", "second")
    report = _assess(world)
    assert report["slate"]["overall"] == "replay: works", report["warnings"]
    assert [line for line in report["warnings"] if "kinds of match" in line] == [
        "The verdict depends on the kinds of match: it is 'replay: inconclusive' by hits "
        "of the kind 'name' and stronger alone (match_kind_enrichment)."
    ]


@pytest.mark.slow
def test_a_verdict_that_strong_matches_give_too_has_no_such_line(
    world: Tracker, db: Path, tmp_path: Path
) -> None:
    _register(
        world,
        tmp_path,
        ("{}", range(11), 1),
        ("{}", range(8), 2),
        ("{} tablets", range(8, 9), 2),
        ("{}", range(4), 12),
    )
    _refresh(db, "first", "second")
    report = _assess(world)
    assert report["slate"]["overall"] == "replay: works", report["warnings"]
    assert not [line for line in report["warnings"] if "kinds of match" in line]


@pytest.mark.slow
def test_a_report_says_once_that_the_primary_endpoint_is_inconclusive(
    world: Tracker, tmp_path: Path
) -> None:
    _register(
        world,
        tmp_path,
        ("{}", range(4), 1),
        ("{} tablets", range(4, 6), 1),
        ("{}", range(6, 12), 12),
    )
    report = as_json(world, "report", _slate_id(world))
    assert [row["match_kind"] for row in report["sections"]["match_kind_enrichment"]] == [
        "name",
        "whole_word_mention",
        "descendant",
    ]
    said = [line for line in report["warnings"] if line.startswith("The primary endpoint, ")]
    assert len(said) == 1
    assert "inconclusive" in said[0]
