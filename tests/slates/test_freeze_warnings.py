"""What a freeze warns of before it is too late, and how it asks: labels, directions, extents."""

import os
import pty
import subprocess
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from support import Tracker

import tracker as package
from tracker.errors import InputRefused, NotConfirmed
from tracker.slates.freeze_warnings import is_reversed, null_error

N_DRUGS = 20
DISEASES = ("Ostrava fever", "Marlow syndrome", "Sable lung")


def _candidates(name: str = "drug {}", *, reverse: bool = False) -> pd.DataFrame:
    """Return candidates of three diseases whose scores fall with the number of the drug."""
    rows = [
        (disease, name.format(at), (at + 1 if reverse else N_DRUGS - at) / 10 + 0.05)
        for disease in DISEASES
        for at in range(N_DRUGS)
    ]
    return pd.DataFrame(rows, columns=["disease_name", "drug_name", "score"])


def _labels(name: str = "drug {}", n_drugs: int = 5) -> pd.DataFrame:
    """Label the first drugs in every disease."""
    rows = [(disease, name.format(at), 4) for disease in DISEASES for at in range(n_drugs)]
    return pd.DataFrame(rows, columns=["disease_name", "drug_name", "label"])


def _doubts(db: Path, candidates: Any, labels: Any, top_k: int = 3, **how: Any) -> list[str]:
    with package.open(db, write=True) as opened:
        opened.load.candidates(candidates, "c", "m", **how)
        opened.load.labels(labels, "l")
        frozen = opened.freeze(candidates="c", labels="l", top_k=top_k)
        return frozen.freeze_warnings.doubts


def test_a_sound_freeze_is_not_doubted(db: Path) -> None:
    assert _doubts(db, _candidates(), _labels()) == []


@pytest.mark.parametrize(
    ("named", "labeled", "cause"),
    [
        (
            "50{}.0",
            "50{}",
            "drug '500' of the labels is '500.0' in the candidates, for one; write both alike",
        ),
        (
            "Drug-{}x",
            "drug {}x",
            "drug 'drug 0x' of the labels is 'Drug-0x' in the candidates, for one; write both",
        ),
        ("alpha{}", "omega{}", "the two may name their drugs or diseases differently"),
    ],
)
def test_labels_that_fit_no_candidate_are_doubted(
    named: str, labeled: str, cause: str, db: Path
) -> None:
    [doubt] = _doubts(db, _candidates(named), _labels(labeled))
    head = "no label is of a candidate, so that nothing counts as known and no drug as popular"
    assert doubt.startswith(f"{head}: {cause}")


def test_few_labels_are_doubted_below_a_tenth_of_the_drugs(db: Path) -> None:
    expected = "few labels: 1 of 20 candidate drugs have one, so that popular drugs can hardly be"
    [doubt] = _doubts(db, _candidates(), _labels(n_drugs=1))
    assert doubt.startswith(expected)


def test_two_of_twenty_drugs_are_labels_enough(db: Path) -> None:
    assert _doubts(db, _candidates(), _labels(n_drugs=2)) == []


def test_a_list_as_long_as_the_candidates_is_doubted(db: Path) -> None:
    [doubt] = _doubts(db, _candidates(), _labels(), top_k=N_DRUGS)
    assert doubt.startswith("every candidate is predicted, so that little is left to compare")
    with package.open(db, write=True) as opened:
        novel = opened.freeze(candidates="c", labels="l", top_k=N_DRUGS, novel_only=True)
        [doubt] = novel.freeze_warnings.doubts
    assert doubt.startswith("every candidate that was not known is predicted, so that")


def test_known_pairs_at_the_bottom_are_doubted_until_lower_is_better(db: Path) -> None:
    distances = _candidates(reverse=True)
    [doubt] = _doubts(db, distances, _labels())
    assert doubt.startswith("known pairs are at the bottom of the ranking: one outscores another ")
    assert "in 0% of comparisons; is lower better?" in doubt
    with package.open(db, write=True) as opened:
        warned = opened.retrospective.evaluate(candidates="c", labels="l").text("table")
        assert "is lower better?" in warned
        opened.load.candidates(distances, "turned", "m", lower_is_better=True)
        turned = opened.freeze(candidates="turned", labels="l", top_k=3)
        assert turned.freeze_warnings.doubts == []
        assert set(turned.frozen["drug_name"]) == {"drug 0", "drug 1", "drug 2"}
        assert list(turned.frozen["score"][:2]) == [-(1 / 10 + 0.05), -0.25]
        report = opened.retrospective.evaluate(candidates="turned", labels="l").text("table")
        assert "is lower better?" not in report


def test_scores_from_1_to_n_are_asked_about_unless_labels_answer(db: Path) -> None:
    ranks = _candidates()
    ranks["score"] = ranks.groupby("disease_name")["score"].rank(ascending=False)
    unknown = pd.DataFrame({"disease_name": DISEASES, "drug_name": "drug 9", "label": 4})
    unknown = pd.concat([unknown, unknown.assign(drug_name="drug 10")])
    [doubt] = _doubts(db, ranks, unknown)
    assert doubt.startswith("scores are the numbers from 1 in each disease, the highest predicted")
    with package.open(db, write=True) as opened:
        points = ranks.assign(score=N_DRUGS + 1 - ranks["score"])
        opened.load.candidates(points, "points", "m")
        opened.load.labels(_labels(), "top")
        assert opened.freeze(candidates="points", labels="top").freeze_warnings.doubts[1:] == []
        asked = opened.freeze(candidates="points", top_k=3).freeze_warnings.doubts
        assert [one.split(",")[0] for one in asked] == [
            "scores are the numbers from 1 in each disease"
        ]


@pytest.mark.parametrize(
    ("auc", "n_positive", "expected"),
    [(0.29, 100, True), (0.31, 1000, False), (0.0, 3, False), (0.0, 4, True), (None, 9, False)],
)
def test_a_few_labels_do_not_reverse_a_ranking(
    auc: float | None, n_positive: int, expected: bool
) -> None:
    """Three known pairs among very many have a standard error of 1/6, and 0.5 is three of them."""
    assert is_reversed(auc, null_error(n_positive, 1_000_000)) is expected


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
@pytest.mark.parametrize("sealed", [False, True])
def test_lower_is_better_stores_minus_the_scores_of_a_file(
    suffix: str, sealed: bool, db: Path
) -> None:
    path = db.with_name(f"ranks.{suffix}")
    frame = pd.DataFrame({"disease_name": "gout", "drug_name": ["a", "b"], "score": [0.0, 2.5]})
    frame.to_csv(path, index=False) if suffix == "csv" else frame.to_parquet(path)
    with package.open(db, write=True) as opened:
        opened.load.candidates(path, "as given", "m", sealed=sealed)
        opened.load.candidates(path, "turned", "m", sealed=sealed, lower_is_better=True)
        again = opened.load.candidates(path, "turned", "m", sealed=sealed, lower_is_better=True)
        assert again.n_added == 0
        for name, given, word in (("turned", False, "with"), ("as given", True, "without")):
            with pytest.raises(InputRefused, match=f"from this file {word} --lower-is-better"):
                opened.load.candidates(path, name, "m", sealed=sealed, lower_is_better=given)
        scores = opened.sql(
            "select name, list(score order by score) as scores from candidate "
            "join candidate_set using (candidate_set_id) group by name order by name"
        )
        assert [list(one) for one in scores["scores"]] == [[0.0, 2.5], [-2.5, 0.0]]
        assert opened.candidate_sets["sha256"].nunique() == 2


def test_what_is_not_confirmed_is_not_stored(db: Path) -> None:
    seen = []

    def is_wanted(slate: Any) -> bool:
        seen.append((slate.facts["n_predictions"], slate.list_sizes, slate.ties["n_drawn"]))
        return not slate.freeze_warnings.doubts

    with package.open(db, write=True) as opened:
        opened.load.candidates(_candidates("other {}"), "c", "m")
        opened.load.labels(_labels(), "l")
        with pytest.raises(NotConfirmed):
            opened.freeze(candidates="c", labels="l", top_k=3, confirm=is_wanted)
        assert len(opened.slates) == 0
        opened.load.labels(_labels("other {}"), "fit")
        opened.freeze(candidates="c", labels="fit", top_k=3, confirm=is_wanted)
        assert len(opened.slates) == 1
    assert seen == [(9, [3, 3, 3], 0)] * 2


def _loaded(tracker: Tracker, db: Path) -> None:
    for name, frame in (("c", _candidates("x{}")), ("l", _labels("y{}"))):
        frame.to_csv(db.with_name(f"{name}.csv"), index=False)
    tracker("load", "candidates", db.with_name("c.csv"), "--set", "c", "--model", "m")
    tracker("load", "labels", db.with_name("l.csv"), "--set", "l")


FREEZE = ("slate", "freeze", "--candidates", "c", "--labels", "l", "--top-k", "2")


def test_a_dry_run_says_what_would_be_frozen_and_stores_nothing(tracker: Tracker, db: Path) -> None:
    _loaded(tracker, db)
    done = tracker(*FREEZE, "--dry-run")
    assert done.exit_code == 0
    assert done.stdout.startswith("would freeze 6 predictions: 3 diseases, 2 each\n54 of 60 ")
    assert "novel predictions: the power over 12 months is unknown" in done.stdout
    assert done.stdout.endswith("nothing was stored\n")
    assert "SHA-256" not in done.stdout
    assert done.stderr.startswith("no label is of a candidate")
    with package.open(db) as opened:
        assert len(opened.slates) == 0
    frozen = tracker(*FREEZE)
    assert (frozen.exit_code, frozen.stdout[:12]) == (0, "froze slate ")
    assert frozen.stderr == done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("more", "answer", "n_slates"), [((), "n\n", 0), ((), "y\n", 1), (("--yes",), "", 1)]
)
def test_a_terminal_asks_about_doubts(
    more: tuple[str, ...], answer: str, n_slates: int, tracker: Tracker, db: Path
) -> None:
    _loaded(tracker, db)
    outer, inner = pty.openpty()
    words = [str(Path(sys.executable).with_name("tracker")), "--db", str(db), *FREEZE, *more]
    process = subprocess.Popen(words, stdin=inner, stdout=inner, stderr=inner)
    os.close(inner)
    shown = b""
    while True:
        try:
            part = os.read(outer, 1024)
        except OSError:
            break
        shown += part
        if answer and b"[y/N]" in shown:
            os.write(outer, answer.encode())
            answer = ""
        if not part:
            break
    assert process.wait() == (0 if n_slates else 1), shown
    assert (b"Freeze it? [y/N]" in shown) == (not more)
    with package.open(db) as opened:
        assert len(opened.slates) == n_slates
