"""Evaluations of plain files with many equal scores, loaded in several orders.

No figure follows the order, and what a temporal run is trained on is what pandas takes from the
files. Nothing is read from the views but the figures to compare.
"""

import itertools
import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from support import ok, tracker_on

# Its world is made and evaluated first.
pytestmark = pytest.mark.slow

CUTOFF_YEAR, FIRST_YEAR, LAST_YEAR = 2012, 2013, 2016
Report = dict[str, Any]


def run(db: Path, *words: object) -> str:
    return ok(tracker_on(db)(*words)).stdout


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder of candidates with many ties, labels, and another set of the same names."""
    folder = tmp_path_factory.mktemp("plain")
    rng = np.random.default_rng(38)
    diseases, drugs = (
        [f"{kind} {n:02}" for n in range(size)] for kind, size in (("d", 8), ("g", 45))
    )
    pairs = pd.DataFrame(
        list(itertools.product(diseases, drugs)), columns=["disease_name", "drug_name"]
    )
    n = len(pairs)
    pairs["score"] = np.round(rng.normal(size=n), 0)
    # The scores of one disease are constant.
    pairs.loc[pairs.disease_name == "d 00", "score"] = 1.0
    pairs["label"] = rng.choice([0, 1, 2, 3, 4, 4], size=n)
    pairs["approval_year"] = [
        str(year) if label == 4 else ""
        for year, label in zip(rng.integers(2009, 2018, size=n), pairs.label, strict=True)
    ]
    columns = ["disease_name", "drug_name"]
    shuffled = pairs.sample(frac=1, random_state=1)
    shuffled[[*columns, "score"]].to_csv(folder / "candidates.csv", index=False)
    labeled = pairs.sample(frac=0.5, random_state=2)
    labeled[[*columns, "label", "approval_year"]].to_csv(folder / "labels.csv", index=False)
    other = pairs.iloc[::-7][columns].assign(disease_name="elsewhere", score=0.5)
    other.drop_duplicates().to_csv(folder / "other.csv", index=False)
    return folder


LOAD = {
    "candidates": ("load", "candidates", "candidates.csv", "--set", "whole", "--model", "m"),
    "labels": ("load", "labels", "labels.csv", "--set", "known"),
    "other": ("load", "candidates", "other.csv", "--set", "other", "--model", "m"),
}
RANKERS = ("popularity", "cf", "random")


def evaluated(files: Path, db: Path, *order: str) -> Report:
    """Return the report of the evaluation in a store that loaded the files in this order."""
    for name in order:
        verb, what, file, *options = LOAD[name]
        run(db, verb, what, files / file, *options)
    sets = ("--candidates", "whole", "--labels", "known")
    years = ("--cutoff", CUTOFF_YEAR, "--from", FIRST_YEAR, "--to", LAST_YEAR)
    for ranker in RANKERS:
        run(db, "retrospective", "loo", "--ranker", ranker, *sets)
        run(db, "retrospective", "temporal", "--ranker", ranker, *sets, *years)
    report: Report = json.loads(run(db, "retrospective", "report", 1, "--format", "json"))
    return report


@pytest.fixture(scope="module")
def sections(files: Path, tmp_path_factory: pytest.TempPathFactory) -> Report:
    db = tmp_path_factory.mktemp("plain_store") / "tracker.duckdb"
    found: Report = evaluated(files, db, "candidates", "labels")["sections"]
    assert {"auc", "ndcg_at_k", "ndcg_by_disease", "hit_at_k", "temporal_auc"} < set(found)
    return found


def test_no_figure_follows_the_order_of_loading(
    files: Path, sections: Report, tmp_path: Path
) -> None:
    """To the last bit, but for the order of the rows."""
    other = evaluated(files, tmp_path / "db", "other", "labels", "candidates")["sections"]
    assert sections.keys() == other.keys()
    for name, rows in sections.items():
        first, second = [sorted(json.dumps(row) for row in given) for given in (rows, other[name])]
        assert first == second, name


@pytest.fixture(scope="module")
def table(files: Path) -> pd.DataFrame:
    """Return the candidates, each with its label, 0 without one, and its year of approval."""
    candidates = pd.read_csv(files / "candidates.csv")
    labels = pd.read_csv(files / "labels.csv")
    joined = candidates.merge(labels, how="left", on=["disease_name", "drug_name"])
    return joined.assign(is_labeled=joined.label.notna(), label=joined.label.fillna(0).astype(int))


def chance_of_a_win(positive: pd.Series, negative: pd.Series) -> float:
    wins = [(a > b) + (a == b) / 2 for a in positive for b in negative]
    return float(np.mean(wins))


def breadths(labels: pd.DataFrame) -> "pd.Series[int]":
    """Return how many diseases have a label above 0 for each drug: the ranker popularity."""
    return labels[labels.label > 0].groupby("drug_name").size()


def test_temporal_auc(sections: Report, table: pd.DataFrame) -> None:
    labels = table[table.is_labeled & (table.label >= 4)]
    known = labels[labels.approval_year <= CUTOFF_YEAR]
    score = table.drug_name.map(breadths(known)).fillna(0)
    is_negative = table.label < 4
    rows = [r for r in sections["temporal_auc"] if r["ranker"] == "popularity"]
    assert {row["approval_year"] for row in rows} == {"2013", "2014", "2015", "2016", "all"}
    for row in rows:
        years = (
            (FIRST_YEAR, LAST_YEAR)
            if row["approval_year"] == "all"
            else (int(row["approval_year"]),) * 2
        )
        is_later = (table.label >= 4) & table.approval_year.between(*years)
        expected = chance_of_a_win(score[is_later], score[is_negative])
        assert row["n_positive"] == is_later.sum()
        assert row["temporal_auc"] == pytest.approx(expected, abs=1e-12)
