"""Rankers, leave-one-out and temporal runs, and the commands around them, on small real stores."""

import csv
import json
import math
import random
from collections.abc import Iterable
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
import sqlalchemy as sa
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import text
from support import Tracker, as_json, exited, ok, sampled

from tracker import plugins, rankers, schema, store
from tracker.extras.retrospective import evaluations
from tracker.rankers import Ids, LabeledPairs, Scores, ScoresWithout

CUTOFFS = (1, 5, 10, 20, 50, 100)
BASELINES = sorted(rankers.available())


class Plain:
    """Popularity without score_without: every trial is a new fit."""

    def __init__(self, seed: int) -> None:
        self._popularity = rankers.Popularity(seed)

    def fit(self, training: LabeledPairs) -> None:
        self._popularity.fit(training)

    def score(self, disease_id: int, drug_ids: Ids) -> Scores:
        return self._popularity.score(disease_id, drug_ids)


class NotANumber(Plain):
    def score(self, disease_id: int, drug_ids: Ids) -> Scores:
        scores = super().score(disease_id, drug_ids)
        scores[0] = math.nan
        return scores


class OneShort(Plain):
    def score(self, disease_id: int, drug_ids: Ids) -> Scores:
        return super().score(disease_id, drug_ids)[1:]


class Words(Plain):
    def score(self, disease_id: int, drug_ids: Ids) -> Scores:
        words: Scores = np.array(["high"] * len(super().score(disease_id, drug_ids)))
        return words


class Huge(Plain):
    """Scores with whole numbers that are greater than any float."""

    def score(self, disease_id: int, drug_ids: Ids) -> Scores:
        scores: Any = [10**400] * len(super().score(disease_id, drug_ids))
        return cast("Scores", scores)


class Stops(Plain):
    """Fails at the second disease, as an interruption would."""

    def score(self, disease_id: int, drug_ids: Ids) -> Scores:
        if disease_id == Stops.at:
            raise KeyboardInterrupt
        return super().score(disease_id, drug_ids)

    at = -1


@pytest.fixture(autouse=True)
def installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Register the rankers of this module by name, as entry points would."""
    known = rankers.available()
    for kind in (Plain, NotANumber, OneShort, Words, Huge, Stops):
        name = kind.__name__
        known[name] = EntryPoint(name, f"{__name__}:{name}", rankers.GROUP)
    monkeypatch.setattr(rankers, "available", lambda: known)


def write_csv(path: Path, header: str, lines: Iterable[Iterable[object]]) -> Path:
    with path.open("w", newline="", encoding="utf-8") as handle:
        writer = csv.writer(handle)
        writer.writerow(header.split(","))
        writer.writerows(lines)
    return path


def small_labels(seed: int = 1) -> list[tuple[str, str, int, int | str]]:
    """Return labels of five diseases over 16 drugs; the last disease has fewer than ten."""
    rng = random.Random(seed)  # noqa: S311 - a test's data
    labels: list[tuple[str, str, int, int | str]] = []
    for disease in range(1, 6):
        n_labeled = 5 if disease == 5 else rng.randint(10, 14)
        for drug in rng.sample(range(1, 17), n_labeled):
            label = rng.choice((0, 1, 2, 4, 4))
            labels.append((f"d{disease}", f"g{drug}", label, rng.randint(2008, 2014)))
    return labels


@pytest.fixture
def labels(tmp_path: Path, tracker: Tracker) -> list[tuple[str, str, int, int | str]]:
    rows = small_labels()
    path = write_csv(tmp_path / "labels.csv", "disease_name,drug_name,label,approval_year", rows)
    ok(tracker("load", "labels", path, "--set", "known"))
    return rows


@pytest.fixture
def scores(tmp_path: Path, tracker: Tracker) -> Path:
    path = write_csv(
        tmp_path / "scores.csv",
        "disease_name,drug_name,score",
        [(f"d{d}", f"g{g}", (d * g) % 7 / 7) for d in range(1, 6) for g in range(1, 15)],
    )
    ok(tracker("load", "candidates", path, "--set", "whole", "--model", "v1"))
    return path


def trials(db: Path, ranker: str) -> dict[tuple[str, str], dict[str, float]]:
    """Return the trials of a ranker by disease and drug name."""
    statement = text(
        "select disease.name as disease_name, drug.name as drug_name, loo_trial.* from loo_trial "
        "join disease using (disease_id) join drug using (drug_id) where ranker = :ranker"
    )
    with store.reader(db) as connection:
        rows = connection.execute(statement, {"ranker": ranker}).mappings()
        return {(row["disease_name"], row["drug_name"]): dict(row) for row in rows}


# Rankers


@st.composite
def trainings(draw: st.DrawFn) -> LabeledPairs:
    n_diseases, n_drugs = draw(st.integers(1, 6)), draw(st.integers(1, 8))
    every = [(d, g) for d in range(1, n_diseases + 1) for g in range(1, n_drugs + 1)]
    kept = sorted(draw(st.sets(st.sampled_from(every), min_size=1)))
    labels = draw(st.lists(st.integers(0, 4), min_size=len(kept), max_size=len(kept)))
    return LabeledPairs(
        np.array([d for d, _ in kept], dtype=np.int32),
        np.array([g for _, g in kept], dtype=np.int32),
        np.array(labels, dtype=np.int8),
        {d: f"d{d}" for d in range(1, n_diseases + 1)},
        {g: f"g{g}" for g in range(1, n_drugs + 1)},
    )


@pytest.mark.parametrize("name", BASELINES)
@settings(max_examples=40)
@given(training=trainings())
def test_scores_without_a_pair_are_those_of_a_new_fit(name: str, training: LabeledPairs) -> None:
    factory, _ = rankers.find(name)
    ranker = factory(3)
    ranker.fit(training)
    assert isinstance(ranker, ScoresWithout)
    drug_ids = np.array(sorted(training.drugs), dtype=np.int32)
    for disease, drug in zip(training.disease_id.tolist(), training.drug_id.tolist(), strict=True):
        again = factory(3)
        again.fit(training.without(disease, drug))
        # To the last bit: a tie must stay a tie.
        assert (
            ranker.score_without(disease, drug_ids, drug).tolist()
            == again.score(disease, drug_ids).tolist()
        )


def test_a_hidden_pair_takes_one_from_the_breadth_of_its_own_drug_only() -> None:
    training = LabeledPairs(
        np.array([1, 1, 2, 2], dtype=np.int32),
        np.array([1, 2, 1, 3], dtype=np.int32),
        np.array([4, 1, 2, 0], dtype=np.int8),
        {1: "a", 2: "b"},
        {1: "x", 2: "y", 3: "z"},
    )
    ranker = rankers.Popularity()
    ranker.fit(training)
    every = np.array([3, 1, 2], dtype=np.int32)
    assert ranker.score(1, every).tolist() == [0, 2, 1]
    assert ranker.score_without(1, every, 1).tolist() == [0, 1, 1]
    assert ranker.score_without(2, every, 3).tolist() == [0, 2, 1]


def test_collaborative_filtering_by_hand() -> None:
    """Disease a {x, y}; b {x, z}; c {y}: cosines of a are 1/2 and 1/sqrt(2)."""
    training = LabeledPairs(
        np.array([1, 1, 2, 2, 3], dtype=np.int32),
        np.array([1, 2, 1, 3, 2], dtype=np.int32),
        np.array([4, 4, 4, 4, 4], dtype=np.int8),
        {1: "a", 2: "b", 3: "c", 4: "d"},
        {1: "x", 2: "y", 3: "z"},
    )
    ranker = rankers.CollaborativeFiltering()
    ranker.fit(training)
    every = np.array([1, 2, 3], dtype=np.int32)
    total = 1 / 2 + 1 / math.sqrt(2)
    assert ranker.score(1, every) == pytest.approx(
        [1 / 2 / total, 1 / math.sqrt(2) / total, 1 / 2 / total]
    )
    # Without y, disease a resembles only b.
    assert ranker.score_without(1, every, 2).tolist() == [1, 0, 1]
    assert ranker.score(4, every).tolist() == [0, 0, 0]


def named_pairs(diseases: list[int], drugs: list[int]) -> LabeledPairs:
    """Return one label and the names of the numbers: drug 7 of disease 5 are g7 and d5."""
    return LabeledPairs(
        np.array(diseases[:1], dtype=np.int32),
        np.array(drugs[:1], dtype=np.int32),
        np.array([4], dtype=np.int8),
        {key: f"d{key % 1000}" for key in diseases},
        {key: f"g{key % 10_000}" for key in drugs},
    )


def test_random_scores_depend_only_on_the_names_and_the_seed() -> None:
    drugs = np.arange(1, 2001, dtype=np.int32)
    first, second, other, renumbered = (rankers.RandomScores(seed) for seed in (1, 1, 2, 1))
    for ranker in (first, second, other):
        ranker.fit(named_pairs([5, 6], drugs.tolist()))
    # The same names under other numbers, as another order of loading gives them.
    renumbered.fit(named_pairs([1005, 1006], (drugs + 10_000).tolist()))
    scores = first.score(5, drugs)
    assert scores[::-1].tolist() == second.score(5, drugs[::-1]).tolist()
    assert scores.tolist() == renumbered.score(1005, drugs + 10_000).tolist()
    assert not np.intersect1d(scores, other.score(5, drugs)).size
    assert not np.intersect1d(scores, first.score(6, drugs)).size
    # The mean of 2,000 uniform numbers has a standard error of 0.0065.
    assert abs(scores.mean() - 0.5) < 4 * 0.0065


@settings(max_examples=40)
@given(training=trainings(), shift=st.integers(1, 5), is_reversed=st.booleans())
@pytest.mark.parametrize("name", BASELINES)
def test_scores_do_not_follow_the_numbers_of_drugs_and_diseases(
    name: str, training: LabeledPairs, shift: int, is_reversed: bool
) -> None:
    """To the last bit: the order in which a store met the names makes and breaks no tie."""

    def renumber(keys: Ids, n: int) -> Ids:
        turned = (keys + shift) % (n + shift + 1) + 1
        return np.asarray(200 - turned if is_reversed else turned, dtype=np.int32)

    diseases = np.array(sorted(training.diseases), dtype=np.int32)
    drugs = np.array(sorted(training.drugs), dtype=np.int32)
    new_disease = dict(zip(diseases.tolist(), renumber(diseases, len(diseases)), strict=True))
    new_drug = dict(zip(drugs.tolist(), renumber(drugs, len(drugs)), strict=True))
    moved = (
        np.array([new_disease[d] for d in training.disease_id.tolist()], dtype=np.int32),
        np.array([new_drug[g] for g in training.drug_id.tolist()], dtype=np.int32),
    )
    order = np.lexsort((moved[1], moved[0]))
    again = LabeledPairs(
        moved[0][order],
        moved[1][order],
        training.label[order],
        {int(new_disease[d]): name for d, name in training.diseases.items()},
        {int(new_drug[g]): name for g, name in training.drugs.items()},
    )
    factory, _ = rankers.find(name)
    one, other = factory(3), factory(3)
    one.fit(training)
    other.fit(again)
    for disease in diseases.tolist():
        moved_drugs = np.array([new_drug[g] for g in drugs.tolist()], dtype=np.int32)
        found = other.score(int(new_disease[disease]), moved_drugs)
        assert one.score(disease, drugs).tolist() == found.tolist()


# Leave-one-out


@pytest.mark.slow
@pytest.mark.usefixtures("scores")
@pytest.mark.parametrize("name", sampled([*BASELINES, "Plain"], 3))
@pytest.mark.parametrize("with_candidates", sampled([True, False], 2))
def test_leave_one_out_is_the_brute_force_loop(
    name: str,
    with_candidates: bool,
    labels: list[tuple[str, str, int, int | str]],
    tracker: Tracker,
    db: Path,
) -> None:
    where = ["--candidates", "whole"] if with_candidates else []
    ok(tracker("retrospective", "loo", "--ranker", name, "--labels", "known", *where))
    with store.reader(db) as connection:
        keys = {row.name: row.drug_id for row in connection.execute(sa.select(schema.drug))}
        diseases = {
            row.name: row.disease_id for row in connection.execute(sa.select(schema.disease))
        }
        left_out = connection.execute(text("select distinct n_diseases_left_out from hit_at_k"))
        assert left_out.scalars().all() == [1]
    by_disease = {
        disease: {drug: label for d, drug, label, _ in labels if d == disease}
        for disease in diseases
    }
    candidates = (
        {f"g{g}" for g in range(1, 15)} if with_candidates else {drug for _, drug, *_ in labels}
    )
    factory, _ = rankers.find(name)
    found = trials(db, name)
    expected = {}
    for disease, known in by_disease.items():
        if len(known) < 10:
            continue
        positives = {drug for drug, label in known.items() if label >= 4}
        for hidden in positives & candidates:
            rest = sorted(
                (diseases[d], keys[g], label)
                for d, g, label, _ in labels
                if (d, g) != (disease, hidden)
            )
            ranker = factory(0)
            ranker.fit(
                LabeledPairs(
                    np.array([d for d, *_ in rest], dtype=np.int32),
                    np.array([g for _, g, _ in rest], dtype=np.int32),
                    np.array([label for *_, label in rest], dtype=np.int8),
                    {key: name for name, key in diseases.items()},
                    {key: name for name, key in keys.items()},
                )
            )
            score = {
                drug: float(
                    ranker.score(diseases[disease], np.array([keys[drug]], dtype=np.int32))[0]
                )
                for drug in candidates
            }
            ranks = []
            for others in (candidates - {hidden}, candidates - positives):
                better = sum(score[drug] > score[hidden] for drug in others)
                ties = sum(score[drug] == score[hidden] for drug in others)
                ranks += [1 + better, 1 + better + ties / 2, 1 + better + ties]
            expected[disease, hidden] = ranks

    columns = [
        f"{prefix}rank{suffix}"
        for prefix in ("", "filtered_")
        for suffix in ("_optimistic", "", "_pessimistic")
    ]
    assert {pair: [row[c] for c in columns] for pair, row in found.items()} == expected


@pytest.mark.slow
@pytest.mark.usefixtures("labels")
def test_a_plain_ranker_agrees_with_its_efficient_twin(tracker: Tracker, db: Path) -> None:
    for name in ("popularity", "Plain"):
        tracker("retrospective", "loo", "--ranker", name, "--labels", "known")
    ranks = [
        {pair: row["rank"] for pair, row in trials(db, name).items()}
        for name in ("popularity", "Plain")
    ]
    assert ranks[0] == ranks[1] != {}


@pytest.mark.slow
@pytest.mark.usefixtures("labels")
def test_an_interrupted_run_goes_on(
    tracker: Tracker, db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = ("retrospective", "loo", "--ranker", "Stops", "--labels", "known", "--workers", 1)
    with store.reader(db) as connection:
        keys = connection.execute(text("select disease_id from disease order by 1")).scalars().all()
    monkeypatch.setattr(Stops, "at", keys[2])
    assert tracker(*run).exit_code != 0
    begun = trials(db, "Stops")
    assert {disease for disease, _ in begun}
    monkeypatch.setattr(Stops, "at", -1)
    ok(tracker(*run))
    assert {pair: begun[pair] for pair in begun} == {
        pair: row for pair, row in trials(db, "Stops").items() if pair in begun
    }
    tracker("retrospective", "loo", "--ranker", "Plain", "--labels", "known")
    assert trials(db, "Stops").keys() == trials(db, "Plain").keys() > begun.keys()
    again = tracker(*run)
    assert "0 new trials" in again.stderr


@pytest.mark.slow
@pytest.mark.usefixtures("labels")
def test_ranks_computed_elsewhere(tracker: Tracker, db: Path, tmp_path: Path) -> None:
    tracker("retrospective", "loo", "--ranker", "popularity", "--labels", "known")
    own = trials(db, "popularity")
    header = "disease_name,drug_name,rank,n_candidates"
    lines = [(*pair, row["rank"], row["n_candidates"]) for pair, row in own.items()]
    path = write_csv(tmp_path / "mine.csv", header, lines)
    command = ("retrospective", "loo", "--trials", path, "--labels", "known")
    ok(tracker(*command))
    assert "0 new trials" in tracker(*command).stderr
    assert {pair: row["rank"] for pair, row in trials(db, "mine").items()} == {
        pair: row["rank"] for pair, row in own.items()
    }
    report = as_json(tracker, "retrospective", "report", 1)
    by_run = {(row["ranker"], row["k"]): row for row in report["sections"]["hit_at_k"]}
    # The middle rank of a tie does not tell its size.
    reached = [row["rank"] <= 5 for row in own.values()]
    assert by_run["mine", 5]["hit_at_k"] == sum(reached) / len(reached)
    for column in ("hit_at_k_optimistic", "hit_at_k_pessimistic", "hit_at_k_filtered"):
        assert by_run["mine", 5][column] is None
    bad = write_csv(
        tmp_path / "bad.csv",
        header,
        [lines[0], lines[0], ("d5", "g1", 1, 5), (*lines[1][:2], 9, 3)],
    )
    refused = exited(3, tracker("retrospective", "loo", "--trials", bad, "--labels", "known"))
    assert "bad.csv, row 3, column drug_name: the pair repeats row 2" in refused.stderr
    assert "bad.csv, row 4, column drug_name" in refused.stderr
    assert "bad.csv, row 5, column rank: 9 is beyond the 3 candidates" in refused.stderr
    other = write_csv(tmp_path / "mine2.csv", header, lines[:1])
    refused = exited(
        3, tracker("retrospective", "loo", "--trials", other, "--labels", "known", "--name", "mine")
    )
    assert "--name" in refused.stderr


# Bad input


@pytest.mark.slow
@pytest.mark.usefixtures("labels", "scores")
@pytest.mark.parametrize(
    ("ranker", "message"),
    sampled(
        [
            ("NotANumber", "a score that is not a finite number"),
            ("OneShort", "the shape must be (14,)"),
            ("Words", "something other than numbers"),
            ("Huge", "a score that is greater than any float"),
            ("nobody", "no ranker is named 'nobody'; known: "),
        ],
        5,
    ),
)
def test_a_bad_ranker_is_named(ranker: str, message: str, tracker: Tracker, db: Path) -> None:
    sets = ("--candidates", "whole", "--labels", "known")
    years = ("--cutoff", 2010, "--from", 2011, "--to", 2013)
    for command in (
        ("retrospective", "loo", "--ranker", ranker, *sets),
        ("retrospective", "temporal", "--ranker", ranker, *sets, *years),
        ("slate", "freeze", "--ranker", ranker, *sets),
    ):
        refused = exited(3, tracker(*command))
        assert message in refused.stderr
        assert f"'{ranker}'" in refused.stderr
    with store.reader(db) as connection:
        assert connection.execute(text("select count(*) from loo_trial")).scalar() == 0
        assert connection.execute(text("select count(*) from temporal_score")).scalar() == 0
        assert connection.execute(text("select count(*) from slate")).scalar() == 0


@pytest.mark.usefixtures("labels", "scores")
def test_a_ranker_of_another_release_makes_another_set(
    db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another release may score otherwise: its set has a name of its own, and neither is lost."""

    def scored() -> str:
        return evaluations.score_candidates(
            connection, "popularity", candidates_of="whole", labels="known"
        )

    with store.writer(db) as connection:
        first = scored()
        monkeypatch.setattr(plugins, "origin", lambda _: "another release")
        second, again = scored(), scored()
    assert first == "whole by popularity on known"
    assert second == again != first
    assert second.startswith(f"{first}, ")


@pytest.mark.slow
@pytest.mark.usefixtures("scores")
def test_sets_without_a_common_pair_are_refused(tracker: Tracker, tmp_path: Path) -> None:
    path = write_csv(tmp_path / "l.csv", "disease_name,drug_name,label", [("D one", "g1", 4)])
    tracker("load", "labels", path, "--set", "elsewhere")
    refused = exited(
        3, tracker("retrospective", "evaluate", "--candidates", "whole", "--labels", "elsewhere")
    )
    assert "no pair of label set 'elsewhere' is in candidate set 'whole'" in refused.stderr


@pytest.mark.slow
def test_figures_that_are_not_known_have_a_reason(tracker: Tracker, tmp_path: Path) -> None:
    """Constant scores, one candidate, equal labels: half, NULL with reason, a warning."""
    header = "disease_name,drug_name,score"
    pairs = [("a", "x", 1), ("a", "y", 1), ("b", "x", 1)]
    path = write_csv(tmp_path / "c.csv", header, pairs)
    tracker("load", "candidates", path, "--set", "flat", "--model", "1")
    for name, labeled in (
        ("some", [("a", "y", 4)]),
        ("low", [("a", "y", 1)]),
        ("all", [(d, g, 4) for d, g, _ in pairs]),
    ):
        path = write_csv(tmp_path / f"{name}.csv", "disease_name,drug_name,label", labeled)
        tracker("load", "labels", path, "--set", name)
    evaluate = ("retrospective", "evaluate", "--format", "json", "--candidates", "flat", "--labels")
    reports = {name: json.loads(tracker(*evaluate, name).stdout) for name in ("some", "low", "all")}
    auc = {name: report["sections"]["auc"][0] for name, report in reports.items()}
    assert auc["some"]["auc"] == 0.5
    assert auc["low"]["auc"] is None
    assert auc["low"]["reason"] == "no candidate has a label as high as positive_min_label"
    assert auc["all"]["reason"] == "every candidate is positive"
    assert any("single candidate" in warning for warning in reports["some"]["warnings"])
    flat = (
        "Every candidate has the same score: AUC, where there are both classes, is 0.5, and NDCG "
        "is the mean over all orders of the candidates."
    )
    assert flat in reports["some"]["warnings"]
    # Disease a has one label among two candidates, at rank 1 or 2.
    ndcg = reports["some"]["sections"]["ndcg_at_k"]
    assert {row["k"]: row["ndcg_at_k"] for row in ndcg}[5] == pytest.approx(
        (1 + 1 / np.log2(3)) / 2, abs=1e-15
    )


# Slates of baselines


@pytest.mark.slow
@pytest.mark.usefixtures("labels", "scores")
def test_a_baseline_is_frozen_alongside_a_slate_and_compared(tracker: Tracker, db: Path) -> None:
    sets = ("--candidates", "whole", "--labels", "known")
    frozen = ("slate", "freeze", *sets, "--top-k", 3)
    ok(tracker(*frozen, "--min-score", 0, "--description", "model"))
    for _ in range(2):
        ok(tracker(*frozen, "--ranker", "popularity", "--description", "baseline"))
    with store.reader(db) as connection:
        slates = connection.execute(sa.select(schema.slate).order_by(schema.slate.c.recorded_at))
        model, baseline, again = slates.all()
        n_sets = connection.execute(text("select count(*) from candidate_set")).scalar()
    assert n_sets == 2
    assert baseline.candidate_set_id == again.candidate_set_id != model.candidate_set_id
    assert model.n_predictions == baseline.n_predictions == 15
    ok(tracker("slate", "verify"))
    ok(tracker("check"))
    shown = tracker("report", model.slate_id, "--versus", baseline.slate_id, "--format", "json")
    report = json.loads(shown.stdout)
    (compared,) = report["sections"]["comparison"]
    assert compared["versus_slate_id"] == str(baseline.slate_id)
    assert 0 < compared["n_diseases"] == len(report["sections"]["comparison_disease"]) <= 5
    assert "comparison" not in as_json(tracker, "report", model.slate_id)["sections"]
    exited(2, tracker("slate", "freeze", "--candidates", "whole", "--ranker", "cf"))


@pytest.mark.slow
@pytest.mark.usefixtures("labels", "scores")
def test_the_same_evaluation_twice_is_one(tracker: Tracker) -> None:
    command = ("retrospective", "evaluate", "--candidates", "whole", "--labels", "known")
    first, second = tracker(*command, "--format", "csv"), tracker(*command, "--format", "csv")
    assert first.exit_code == 0, first.stderr
    assert first.stdout == second.stdout
    other = as_json(tracker, *command, "--positive-min-label", 1)
    assert other["evaluation"]["evaluation_id"] == 2
    for form in ("table", "markdown"):
        assert "ndcg_at_k" in tracker("retrospective", "report", 1, "--format", form).stdout


# Real data


@pytest.mark.exhaustive
def test_baselines_on_real_indications(shared: Path, tracker: Tracker, tmp_path: Path) -> None:
    """Labels of the drugs with a known approval year: random scores as expected."""
    chembl = shared / "chembl"
    with (chembl / "approval_years_2026.csv").open(encoding="utf-8") as handle:
        years = {row["drug_id"]: row["first_approval"] for row in csv.DictReader(handle)}
    highest: dict[tuple[str, str], int] = {}
    with (chembl / "indications_2026.csv").open(encoding="utf-8") as handle:
        for row in csv.DictReader(handle):
            pair = (row["efo_id"], row["molecule_chembl_id"])
            if row["efo_id"] and pair[1] in years:
                phase = max(0, int(float(row["max_phase_for_ind"] or 0)))
                highest[pair] = max(phase, highest.get(pair, 0))
    path = write_csv(
        tmp_path / "labels.csv",
        "disease_name,drug_name,label,approval_year",
        [(*pair, label, years[pair[1]] if label == 4 else "") for pair, label in highest.items()],
    )
    ok(tracker("load", "labels", path, "--set", "real"))
    years_given = ("--cutoff", 2015, "--from", 2016, "--to", 2024)
    for ranker in ("popularity", "cf", "random"):
        command = ("--ranker", ranker, "--labels", "real", "--format", "json")
        for procedure, more in (("loo", ()), ("temporal", years_given)):
            done = ok(tracker("retrospective", procedure, *command, *more))
    sections = json.loads(done.stdout)["sections"]
    n_drugs = len({drug for _, drug in highest})
    hits = {(row["ranker"], row["k"]): row for row in sections["hit_at_k"]}
    for k in CUTOFFS:
        # The rank of a random score is uniform over the candidates.
        expected = k / n_drugs
        n_trials = hits["random", k]["n_trials"]
        error = math.sqrt(expected * (1 - expected) / n_trials)
        assert abs(hits["random", k]["hit_at_k"] - expected) < 4 * error
    assert hits["cf", 50]["hit_at_k"] > hits["random", 50]["hit_at_k"]
    (random_auc,) = [
        row
        for row in sections["temporal_auc"]
        if (row["ranker"], row["approval_year"]) == ("random", "all")
    ]
    # The variance of a Mann-Whitney AUC without an effect is (m + n + 1) / (12 m n).
    error = math.sqrt(1 / 12 / random_auc["n_positive"])
    assert abs(random_auc["temporal_auc"] - 0.5) < 4 * error
