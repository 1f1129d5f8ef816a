"""The figures of evaluations and benchmarks again from the plain files, by pandas and loops.

Nothing is read from the views but the figures to compare. The files have many equal scores, and are
loaded in several orders, with other sets before them: every figure is the same, with its interval.
"""

import itertools
import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from support import ok, tracker_on

# Its world is made and evaluated first.
pytestmark = pytest.mark.slow

CUTOFFS = (1, 5, 10, 20, 50, 100)
CUTOFF_YEAR, FIRST_YEAR, LAST_YEAR = 2012, 2013, 2016
Report = dict[str, Any]


def run(db: Path, *words: object) -> str:
    done = ok(tracker_on(db)(*words))
    return done.stdout


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


def test_auc(sections: Report, table: pd.DataFrame) -> None:
    (row,) = sections["auc"]
    is_positive = table.label >= 4
    expected = chance_of_a_win(table.score[is_positive], table.score[~is_positive])
    assert row["auc"] == pytest.approx(expected, abs=1e-12)


def graded_ndcg(own: pd.DataFrame, k: int) -> tuple[float, float, float]:
    """Return NDCG@k of a disease in the mean over ties, with the labels of a tie first and last."""
    ideal = dcg(2.0 ** own.label.sort_values(ascending=False) - 1, k)
    gain = 2.0**own.label - 1
    mean_gain = gain.groupby(own.score).transform("mean")
    by_score = own.assign(gain=gain, mean_gain=mean_gain)
    best = by_score.sort_values(["score", "label"], ascending=[False, False])
    worst = by_score.sort_values(["score", "label"], ascending=[False, True])
    return dcg(best.mean_gain, k) / ideal, dcg(best.gain, k) / ideal, dcg(worst.gain, k) / ideal


def dcg(gains: pd.Series, k: int) -> float:
    return math.fsum(g / math.log2(place + 2) for place, g in enumerate(gains.tolist()[:k]))


def test_graded_ndcg(sections: Report, table: pd.DataFrame) -> None:
    names = ("ndcg", "ndcg_optimistic", "ndcg_pessimistic")
    expected = {
        (disease, k): graded_ndcg(own, k)
        for disease, own in table.groupby("disease_name")
        for k in CUTOFFS
    }
    assert len(sections["ndcg_by_disease"]) == len(expected) == 8 * len(CUTOFFS)
    for row in sections["ndcg_by_disease"]:
        found = [row[name] for name in names]
        assert found == pytest.approx(expected[row["disease_name"], row["k"]], abs=1e-12)
    for row in sections["ndcg_at_k"]:
        means = np.mean([value for (_, k), value in expected.items() if k == row["k"]], axis=0)
        found = [row[f"ndcg_at_k{suffix}"] for suffix in ("", "_optimistic", "_pessimistic")]
        assert found == pytest.approx(means.tolist(), abs=1e-12)


def breadths(labels: pd.DataFrame) -> "pd.Series[int]":
    """Return how many diseases have a label above 0 for each drug: the ranker popularity."""
    return labels[labels.label > 0].groupby("drug_name").size()


def trials(table: pd.DataFrame) -> Iterator[tuple[str, int, int, int, int]]:
    """Yield of each hidden pair the drugs above it and equal to it, all and those not positive."""
    labels = table[table.is_labeled]
    for disease, own in table.groupby("disease_name"):
        if own.is_labeled.sum() < 10:
            continue
        for hidden in own[own.label >= 4].drug_name:
            rest = labels[(labels.disease_name != disease) | (labels.drug_name != hidden)]
            score = own.drug_name.map(breadths(rest)).fillna(0)
            mine = score[own.drug_name == hidden].iloc[0]
            kept = (own.label < 4) | (own.drug_name == hidden)
            above, equal = score > mine, score == mine
            yield (
                str(disease),
                int(above.sum()),
                int(equal.sum()),
                int((above & kept).sum()),
                int((equal & kept).sum()),
            )


def test_leave_one_out(sections: Report, table: pd.DataFrame) -> None:
    columns = ["disease", "above", "equal", "above_filtered", "equal_filtered"]
    made = pd.DataFrame(list(trials(table)), columns=columns)
    assert (made.equal > 1).any()
    rows = [r for r in sections["hit_at_k"] if r["ranker"] == "popularity"]
    assert [row["k"] for row in rows] == list(CUTOFFS)
    for row in rows:
        k = row["k"]
        assert row["n_trials"] == len(made)
        for name, of in (("hit_at_k", ""), ("hit_at_k_filtered", "_filtered")):
            above, equal = made[f"above{of}"], made[f"equal{of}"]
            for suffix, hit in (
                ("", ((k - above) / equal).clip(0, 1)),
                ("_optimistic", (above < k).astype(float)),
                ("_pessimistic", (above + equal <= k).astype(float)),
            ):
                assert row[f"{name}{suffix}"] == pytest.approx(hit.mean(), abs=1e-12)
                macro = hit.groupby(made.disease).mean().mean()
                assert row[f"{name}_macro{suffix}"] == pytest.approx(macro, abs=1e-12)


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


def test_recall_of_the_best_tenth(tmp_path: Path) -> None:
    """Two targets, one of which is better if low, in two folds, with ties at every cut."""
    rng = np.random.default_rng(6)
    truth = pd.DataFrame(
        {
            "item": [f"i{n:02}" for n in range(60)],
            "fold": rng.permutation(np.repeat(["a", "b"], 30)),
            "high": np.round(rng.normal(size=60), 0),
            "low": np.round(rng.normal(size=60), 1),
        }
    )
    sent = truth.assign(
        high=np.round(truth.high + rng.normal(size=60), 0), low=rng.choice([1.0, 2.0, 3.0], 60)
    )
    truth.to_csv(tmp_path / "truth.csv", index=False)
    sent.to_csv(tmp_path / "sent.csv", index=False)
    (tmp_path / "targets.csv").write_text("target,direction\nhigh,higher\nlow,lower\n")
    db = tmp_path / "tracker.duckdb"
    define = ("benchmark", "define", "b", "--kind", "regression", "--fold-column", "fold")
    inputs = ("--truth", tmp_path / "truth.csv", "--targets", tmp_path / "targets.csv")
    run(db, *define, *inputs)
    submit = ("benchmark", "submit", "b", tmp_path / "sent.csv", "--submitter", "lab")
    run(db, *submit, "--track", "cv")
    rows = json.loads(run(db, "benchmark", "score", 1, "--format", "json"))
    found = {(r["fold"], r["target"]): r for r in rows["top_decile_recall"]}
    recalls = {}
    for target, sign in (("high", 1), ("low", -1)):
        for fold in ("a", "b", "aggregated"):
            own = slice(None) if fold == "aggregated" else truth.fold == fold
            chances = []
            for of in (sent, truth):
                values = sign * of.loc[own, target].to_numpy()
                above = (values[None, :] > values[:, None]).sum(axis=1)
                equal = (values[None, :] == values[:, None]).sum(axis=1)
                chances.append(np.clip((len(values) // 10 - above) / equal, 0, 1))
            recalls[fold, target] = (chances[0] * chances[1]).sum() / (len(values) // 10)
        recalls["average", target] = (recalls["a", target] + recalls["b", target]) / 2
    assert found.keys() == recalls.keys()
    for key, expected in recalls.items():
        assert found[key]["top_decile_recall"] == pytest.approx(expected, abs=1e-12)
    (mean,) = [r for r in rows["regression_summary"] if r["fold"] == "average"]
    expected = np.mean([recalls["average", target] for target in ("high", "low")])
    assert mean["mean_top_decile_recall"] == pytest.approx(expected, abs=1e-12)


def test_ndcg_of_label_lists(tmp_path: Path) -> None:
    """One instance has more true labels than the largest k, so that no list holds them all."""
    rng = np.random.default_rng(5)
    labels = [f"l{n:03}" for n in range(300)]
    truth = {
        f"i{n}": set(rng.choice(labels, size=size, replace=False).tolist())
        for n, size in enumerate((1, 3, 12, 150))
    }
    lists = {
        item: rng.permutation(rng.choice([*true, *labels[:30]], size=20)).tolist()
        for item, true in truth.items()
    }
    lists = {item: list(dict.fromkeys(ranked)) for item, ranked in lists.items()}
    pairs = [(item, label) for item, true in truth.items() for label in sorted(true)]
    pd.DataFrame(pairs, columns=["instance", "label"]).to_csv(tmp_path / "truth.csv", index=False)
    ranked_rows = [
        (item, label, rank)
        for item, ranked in lists.items()
        for rank, label in enumerate(ranked, start=1)
    ]
    sent = pd.DataFrame(ranked_rows, columns=["instance", "label", "rank"])
    sent.to_csv(tmp_path / "sent.csv", index=False)
    db = tmp_path / "tracker.duckdb"
    truth_file = tmp_path / "truth.csv"
    run(db, "benchmark", "define", "b", "--kind", "multilabel", "--truth", truth_file)
    submit = ("benchmark", "submit", "b", tmp_path / "sent.csv", "--submitter", "lab")
    run(db, *submit, "--track", "test")
    rows = json.loads(run(db, "benchmark", "score", 1, "--format", "json"))
    rows = rows["ndcg_at_k_multilabel"]
    assert [row["k"] for row in rows] == list(CUTOFFS)

    def ideal(n: int) -> float:
        return math.fsum(1 / math.log2(place + 1) for place in range(1, n + 1))

    for row in rows:
        cut, full = [], []
        for item, true in truth.items():
            hits = [float(label in true) for label in lists[item]]
            gain = math.fsum(h / math.log2(p + 2) for p, h in enumerate(hits[: row["k"]]))
            cut.append(gain / ideal(min(len(true), row["k"])))
            full.append(gain / ideal(len(true)))
        assert row["ndcg_at_k"] == pytest.approx(np.mean(cut), abs=1e-12)
        assert row["ndcg_at_k_full_ideal"] == pytest.approx(np.mean(full), abs=1e-12)
        assert row["ndcg_at_k_full_ideal"] < row["ndcg_at_k"]
