"""What boards and comparisons leave out: replays, and lists that are their own baseline."""

import json
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest
from support import Tracker, complaint

import tracker
from tracker.api.stores import Store
from tracker.errors import InputRefused
from tracker.uncertainty.estimates import models

PAST = "2025-01-01"
DISEASES = ("asthma", "gout", "scurvy")
DRUGS = [f"drug {number:02}" for number in range(30)]
# What came true: of each disease four that the model `ahead` predicts, three that `behind` does.
CAME_TRUE = (0, 1, 2, 3, 12, 13, 14, 25)


def candidates(first: int) -> pd.DataFrame:
    """Pairs of which a model predicts ten drugs of each disease, from the one of this number on."""
    scores = [1 - (number - first) % len(DRUGS) / 100 for number in range(len(DRUGS))]
    parts = [
        pd.DataFrame({"disease_name": disease, "drug_name": DRUGS, "score": scores})
        for disease in DISEASES
    ]
    return pd.concat(parts, ignore_index=True)


@pytest.fixture
def opened(db: Path) -> Iterator[Store]:
    with tracker.open(db, write=True) as found:
        found.load.candidates(candidates(0), "a", "ahead")
        found.load.candidates(candidates(10), "b", "behind")
        known = pd.DataFrame({"disease_name": "other", "drug_name": DRUGS, "label": 4})
        found.load.labels(known, "l")
        yield found


def came_true(opened: Store) -> None:
    pairs = [(disease, DRUGS[number]) for disease in DISEASES for number in CAME_TRUE]
    outcomes = pd.DataFrame(pairs, columns=["disease_name", "drug_name"])
    opened.load.outcomes(
        outcomes.assign(
            outcome_type="first_trial_seen",
            source="manual",
            event_date="2025-06-01",
            first_public_on="2025-06-01",
        )
    )


def warned(opened: Store, *, include_replays: bool = False) -> str:
    return " ".join(opened.leaderboard(include_replays=include_replays).content.warnings)


def test_an_empty_board_says_why_and_computes_nothing(
    opened: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def computed(*_: object, **__: object) -> None:
        pytest.fail("there is nothing to compute")

    monkeypatch.setattr(models, "rank", computed)
    assert warned(opened) == "No slate counts yet: the store has no slate."
    opened.freeze(candidates="a", top_k=10, replay_as_of=PAST)
    assert "its only slate is a replay, made after the fact; --include-replays" in warned(opened)
    assert "no evidence of any pair is on record" in warned(opened, include_replays=True)
    opened.freeze(candidates="b", top_k=10)
    assert "no evidence of any pair is on record" in warned(opened)
    came_true(opened)
    assert "no prediction can be compared: the slate has no labeled pairs" in warned(opened)


@pytest.mark.slow
def test_a_board_marks_the_replays_that_it_is_asked_for(opened: Store, tracker: Tracker) -> None:
    for name in ("a", "b"):
        opened.freeze(candidates=name, labels="l", top_k=10, replay_as_of=PAST)
    opened.freeze(candidates="a", labels="l", top_k=9)
    came_true(opened)
    assert [one["is_replay"] for one in rows(opened, "model_standing", False)] == [False]
    marked = rows(opened, "model_standing", True)
    assert {(one["model_version"], one["is_replay"]) for one in marked} == {
        ("ahead", False),
        ("ahead", True),
        ("behind", True),
    }
    assert [one["is_replay"] for one in rows(opened, "model_slate", True)] == [False, True, True]
    board = opened.leaderboard(include_replays=True)
    verdicts = board.content.facts["verdicts"]
    assert sum("ahead (replay)" in one for one in verdicts) >= 1
    assert "their ranks are no test of foresight" in " ".join(board.content.warnings)
    assert "behind (replay)" in board.text("html")
    opened.close()
    printed = tracker("leaderboard", "--include-replays").stdout
    assert "ahead (replay)" in printed
    assert max(map(len, printed.splitlines())) <= 80
    assert "replay" not in tracker("leaderboard").stdout


@pytest.mark.slow
def test_replays_are_compared_only_if_asked_for(opened: Store, tracker: Tracker) -> None:
    own, other = (
        opened.freeze(candidates=name, labels="l", top_k=10, replay_as_of=PAST).slate_id
        for name in ("a", "b")
    )
    came_true(opened)
    with pytest.raises(InputRefused, match=r"are replays, made after the fact: --include-replays"):
        opened.compare(own, other)
    compared = opened.compare(own, other, include_replays=True)
    (row,) = json.loads(compared.text("json"))["sections"]["comparison"]
    assert (row["is_replay"], row["is_versus_replay"]) == (True, True)
    assert compared.content.facts["verdicts"][0].count(", replay)") == 2
    assert f"{str(own)[:8]} (replay)" in compared.text("html")
    opened.close()
    complaint(3, tracker("compare", str(own), str(other)))
    printed = tracker("compare", str(own), str(other), "--include-replays")
    assert f"{str(own)[:8]}* : {str(other)[:8]}*" in printed.stdout
    assert max(map(len, printed.stdout.splitlines())) <= 80


@pytest.mark.slow
def test_a_list_that_is_its_own_baseline_is_not_ranked(opened: Store) -> None:
    """Of 30 equally popular drugs 29 are predicted: hits over expected hits would be near 1."""
    opened.freeze(candidates="a", labels="l", top_k=29, replay_as_of=PAST, plan={"tier": "all"})
    came_true(opened)
    board = opened.leaderboard(include_replays=True)
    (standing,) = rows(opened, "model_standing", True)
    assert (standing["n_pooled"], standing["n_own_baseline"]) == (0, 1)
    assert (standing["enrichment"], standing["rank"]) == (None, None)
    # 24 hits, and 24 * 29 / 30 expected.
    assert standing["observed_vs_expected"] == pytest.approx(30 / 29)
    (verdict,) = board.content.facts["verdicts"]
    assert verdict.startswith("ahead (replay) has no rank: no fair comparison")
    assert "observed over expected hits is 1.03" in verdict
    for form in ("table", "html"):
        assert "1.03 times" not in board.text(form)


def rows(opened: Store, name: str, include_replays: bool) -> list[dict[str, object]]:
    found = json.loads(opened.leaderboard(include_replays=include_replays).text("json"))
    listed: list[dict[str, object]] = found["sections"][name]
    return listed
