"""How fast benchmarks are scored, against the usual tools, in one run on one machine.

    python tests/speed/bench_benchmarks.py [auroc] [multilabel] [gdpa1] [gate]

prints seconds, seconds of CPU, ratios and the peak of memory. Rows are put into the store's tables
directly; what is timed are the views, and for multi-label also what `benchmark score` does, which
makes what the views share once. `gate` times the way of a file of 10 million scores through the
gate. ranx and pytrec_eval are used if installed (pip install ranx pytrec-eval-terrier).
"""

import functools
import gc
import importlib.util
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
from measuring import say
from scipy.stats import spearmanr
from sklearn.metrics import roc_auc_score  # type: ignore[import-untyped]

sys.path.insert(0, str(Path(__file__).parent))

import plain_loop_multilabel as plain

from tracker import store
from tracker.extras.benchmarks import definitions, scoring, submitting
from tracker.extras.benchmarks.options import Definition
from tracker.reports.records import Section
from tracker.rows import Rows

N_SCORES = 10_000_000
N_INSTANCES = 200_000
N_PREDICTIONS = 100
N_LABELS = 5_000
N_SUBMISSIONS = 1_000
MULTILABEL_VIEWS = (
    "precision_at_k",
    "ndcg_at_k_multilabel",
    "precision_at_k_by_decile",
    "ndcg_at_k_by_decile",
    "k_for_recall_by_decile",
    "prediction_proportion_at_k",
    "positive_coverage_at_k",
)


def timed(what: str, action: Callable[[], Any]) -> tuple[float, Any]:
    gc.collect()
    start, start_of_cpu = time.perf_counter(), time.process_time()
    result = action()
    seconds = time.perf_counter() - start
    # Of all threads: on a machine with other work, the fairer figure.
    cpu = time.process_time() - start_of_cpu
    say(f"  {what:<52} {seconds:8.2f} s {cpu:8.2f} s of CPU")
    return seconds, result


def best_of(what: str, action: Callable[[], Any], repeats: int = 3) -> tuple[float, Any]:
    """The quickest of some runs: the first pays for imports and cold memory on either side."""
    runs = [timed(what, action) for _ in range(repeats)]
    return min(runs, key=lambda run: run[0])


def ratio(what: str, slow: float, fast: float, wanted: float) -> None:
    verdict = "ok" if slow / fast >= wanted else "MISSED"
    say(f"  -> {what}: {slow / fast:.2f}x (wanted {wanted:g}x) {verdict}")


def filled(path: Path) -> duckdb.DuckDBPyConnection:
    """Open the store at `path` to put rows into it."""
    return duckdb.connect(str(path), config={"memory_limit": "4GB"})


def benchmark(connection: duckdb.DuckDBPyConnection, kind: str, n_items: int) -> None:
    connection.execute(
        "insert into benchmark values (1, ?, ?, null, 'item', 'fold', 2, ?, '{}', now())",
        [kind, kind, n_items],
    )


def submission(connection: duckdb.DuckDBPyConnection, n: int, track: str) -> None:
    connection.execute(
        "insert into submission select 1 + i, 1, now(), 's' || i, ?, null, 'f', '-', '-', false, "
        "1, '-', null from range(?) as numbers (i)",
        [track, n],
    )


def bench_auroc(path: Path) -> None:
    say(f"AUROC over {N_SCORES:,} scores, one positive in ten")
    generator = np.random.default_rng(1)
    truth = (generator.random(N_SCORES) < 0.1).astype(float)
    frame = pd.DataFrame({"truth": truth, "score": truth * 0.5 + generator.random(N_SCORES)})
    frame["row_id"] = np.arange(N_SCORES)
    connection = filled(path)
    benchmark(connection, "binary", N_SCORES)
    connection.execute("insert into benchmark_target values (1, 1, 'task', false)")
    submission(connection, 1, "test")
    connection.execute("insert into submission_target values (1, 1)")
    connection.register("frame", frame)
    connection.execute("insert into truth select 1, row_id, truth from frame")
    connection.execute("insert into submission_value select 1, 1, row_id, score, 0 from frame")
    connection.unregister("frame")
    connection.execute("insert into truth_set values (1, '-', '-', ?, now())", [N_SCORES])
    query = "select auroc, auroc_trapezoid from auroc where submission_id = 1"
    ours, row = best_of(
        "view auroc, both definitions", lambda: connection.execute(query).fetchone()
    )
    arrays = (frame["truth"].to_numpy(), frame["score"].to_numpy())
    theirs, expected = best_of("scikit-learn, arrays in memory", lambda: roc_auc_score(*arrays))
    assert max(abs(value - expected) for value in row) < 1e-12

    def from_store() -> float:
        columns = connection.execute(
            "select truth.value as truth, submission_value.value as score "
            "from submission_value inner join truth using (target_id, item_id)"
        ).fetchnumpy()
        return float(roc_auc_score(columns["truth"], columns["score"]))

    fetched, _ = best_of("scikit-learn, arrays joined and fetched", from_store)
    ratio("auroc from the store, against scikit-learn from the store", fetched, ours, 3)
    ratio("auroc from the store, against scikit-learn on arrays", theirs, ours, 3)
    connection.execute("delete from truth_set")
    best_of("view auroc, as if classes were missing", lambda: connection.execute(query).fetchone())
    connection.close()


def bench_multilabel(path: Path) -> None:
    say(f"Multi-label, {N_INSTANCES:,} instances x {N_PREDICTIONS} predictions")
    generator = np.random.default_rng(2)
    # Few labels are frequent; an instance has one to eight true ones.
    weight = 1 / np.arange(1, N_LABELS + 1)
    n_true = generator.integers(1, 9, N_INSTANCES)
    drawn = generator.choice(N_LABELS, size=int(n_true.sum()), p=weight / weight.sum())
    true = pd.DataFrame({"item": np.repeat(np.arange(N_INSTANCES), n_true), "label": drawn})
    true = true.drop_duplicates()
    # The first label at random, the others in steps: a list of different labels.
    start = generator.integers(0, N_LABELS, N_INSTANCES)
    guesses = (start[:, None] + np.arange(N_PREDICTIONS) ** 2) % N_LABELS
    first = np.searchsorted(true["item"].to_numpy(), np.arange(N_INSTANCES))
    guesses[:, 2] = true["label"].to_numpy()[first]
    ranked = pd.DataFrame(
        {
            "item": np.repeat(np.arange(N_INSTANCES), N_PREDICTIONS),
            "label": guesses.ravel(),
            "position": np.tile(np.arange(1, N_PREDICTIONS + 1), N_INSTANCES),
        }
    ).drop_duplicates(["item", "label"])
    ranked["position"] = ranked.groupby("item").cumcount() + 1
    connection = filled(path)
    benchmark(connection, "multilabel", N_INSTANCES)
    submission(connection, 1, "test")
    connection.execute("insert into truth_set values (1, '-', '-', 1, now())")
    connection.execute(
        "insert into benchmark_label select i, 1, 'l' || i, 5000 - i, "
        "ntile(10) over (order by i desc) from range(?) as numbers (i)",
        [N_LABELS],
    )
    for name, frame in (("true", true), ("ranked", ranked)):
        connection.register(f"{name}_frame", frame)
    connection.execute("insert into truth_label select 1, item, label from true_frame")
    connection.execute(
        "insert into ranked_prediction select 1, item, position, label, null, 0 from ranked_frame"
    )
    for name in ("true", "ranked"):
        connection.unregister(f"{name}_frame")
    rows = connection.execute("select label_id, decile from benchmark_label").fetchall()
    deciles = dict(rows)
    seconds = {}
    for view in MULTILABEL_VIEWS:
        query = f"select * from {view} where submission_id = 1"  # noqa: S608 - names of the test's own
        seconds[view], _ = timed(
            f"view {view}", functools.partial(lambda q: connection.execute(q).fetchall(), query)
        )
    connection.close()
    ours, sections = timed("benchmark score: every view, shared parts once", lambda: scored(path))
    results = {section.view: by_key(section.rows) for section in sections}
    lists: Any = ranked.groupby("item")["label"].agg(list).to_dict()
    truths: Any = true.groupby("item")["label"].agg(set).to_dict()
    theirs, expected = timed(
        "plain Python loop, dictionaries in memory",
        lambda: plain.all_metrics(lists, truths, deciles),
    )
    for (view, *key), value in expected.items():
        assert abs(results[view][tuple(key)] - value) < 1e-9, (view, key)
    ratio("all views, as scored, against the loop", theirs, ours, 3)
    ratio("all views, each on its own, against the loop", theirs, sum(seconds.values()), 3)
    pair = seconds["precision_at_k"] + seconds["ndcg_at_k_multilabel"]
    for name, other in (("pytrec_eval", with_pytrec_eval), ("ranx", with_ranx)):
        if importlib.util.find_spec(name):
            theirs, _ = timed(
                f"{name}, inputs made from frames", functools.partial(other, ranked, true)
            )
            ratio(f"P@k and nDCG@k against {name}", theirs, pair, 2)


def scored(path: Path) -> list[Section]:
    """Score submission 1 as the command does, from opening the store."""
    with store.reader(path) as connection:
        return scoring.score(connection, 1)


def by_key(rows: Rows) -> dict[tuple[Any, ...], Any]:
    """The value of each row under its keys."""
    names = rows.columns
    keys = [names.index(name) for name in ("k", "recall_target", "decile") if name in names]
    values = ("precision_at_k", "ndcg_at_k", "mean_k", "prediction_proportion", "positive_coverage")
    value = next(names.index(name) for name in values if name in names)
    return {tuple(row[i] for i in keys): row[value] for row in rows.values}


def with_pytrec_eval(ranked: pd.DataFrame, true: pd.DataFrame) -> Any:
    import pytrec_eval

    run: dict[str, dict[str, float]] = {}
    for item, label, position in zip(
        ranked["item"].tolist(), ranked["label"].tolist(), ranked["position"].tolist(), strict=True
    ):
        run.setdefault(str(item), {})[str(label)] = float(-position)
    judged: dict[str, dict[str, int]] = {}
    for item, label in zip(true["item"].tolist(), true["label"].tolist(), strict=True):
        judged.setdefault(str(item), {})[str(label)] = 1
    measures = {"P.1,5,10,20,50,100", "ndcg_cut.1,5,10,20,50,100"}
    scores = pytrec_eval.RelevanceEvaluator(judged, measures).evaluate(run)
    return np.mean([row["P_10"] for row in scores.values()])


def with_ranx(ranked: pd.DataFrame, true: pd.DataFrame) -> Any:
    from ranx import Qrels, Run, evaluate

    run = Run.from_df(
        pd.DataFrame(
            {
                "q_id": ranked["item"].astype(str).astype(object),
                "doc_id": ranked["label"].astype(str).astype(object),
                "score": -ranked["position"].astype(float),
            }
        )
    )
    judged = Qrels.from_df(
        pd.DataFrame(
            {
                "q_id": true["item"].astype(str).astype(object),
                "doc_id": true["label"].astype(str).astype(object),
                "score": np.ones(len(true), dtype=np.int64),
            }
        )
    )
    metrics = [f"{name}@{k}" for name in ("precision", "ndcg") for k in (1, 5, 10, 20, 50, 100)]
    return evaluate(judged, run, metrics, make_comparable=True)


def bench_gdpa1(path: Path) -> None:
    say(f"{N_SUBMISSIONS:,} submissions like GDPa1's: 246 items, 5 targets, 5 folds")
    generator = np.random.default_rng(3)
    connection = filled(path)
    benchmark(connection, "regression", 246)
    connection.execute(
        "insert into benchmark_target select 1 + i, 1, 't' || i, i < 3 from range(5) as n (i)"
    )
    connection.execute(
        "insert into benchmark_item select 1, i, 'i' || i, i % 5 from range(246) n(i)"
    )
    submission(connection, N_SUBMISSIONS, "cv")
    connection.execute(
        "insert into submission_target select s + 1, t + 1 from range(?) a (s), range(5) b (t)",
        [N_SUBMISSIONS],
    )
    truth = generator.normal(size=(5, 246)).round(2)
    predicted = generator.normal(size=(N_SUBMISSIONS, 5, 246)).round(3)
    true_frame = pd.DataFrame({"value": truth.ravel()}).reset_index(names="row_id")
    frame = pd.DataFrame({"value": predicted.ravel()}).reset_index(names="row_id")
    connection.register("true_frame", true_frame)
    connection.register("frame", frame)
    connection.execute(
        "insert into truth select 1 + row_id // 246, row_id % 246, value from true_frame"
    )
    connection.execute(
        "insert into submission_value select 1 + row_id // 1230, 1 + row_id // 246 % 5, "
        "row_id % 246, value, 0 from frame"
    )
    query = "select submission_id, target, fold, spearman from spearman"
    ours, rows = timed("view spearman", lambda: connection.execute(query).fetchall())
    folds = {"aggregated": np.arange(246)} | {
        str(fold): np.arange(fold, 246, 5) for fold in range(5)
    }

    def by_scipy() -> dict[tuple[int, str, str], float]:
        return {
            (s + 1, f"t{t}", fold): float(
                spearmanr(truth[t][members], predicted[s, t][members]).statistic
            )
            for s in range(N_SUBMISSIONS)
            for t in range(5)
            for fold, members in folds.items()
        }

    theirs, expected = timed("scipy.spearmanr per submission, target and fold", by_scipy)
    for submission_id, target, fold, value in rows:
        if fold != "average":
            assert abs(expected[submission_id, target, fold] - value) < 1e-12
    assert len(rows) == N_SUBMISSIONS * 5 * 7
    ratio("spearman against scipy", theirs, ours, 5)
    timed(
        "view leaderboard (Spearman and recall)",
        lambda: connection.execute("from leaderboard where kind = 'regression'").fetchall(),
    )
    connection.close()


def bench_gate(path: Path) -> None:
    say(f"A file of {N_SCORES:,} scores through the gate, Parquet")
    files = {name: path.with_name(f"{name}.parquet") for name in ("truth", "scores")}
    with duckdb.connect() as connection:
        connection.execute("select setseed(0.4)")
        for name, value in (("truth", "i % 10 = 0"), ("scores", "random()")):
            connection.execute(
                f"copy (select concat('item-', i) as item, cast({value} as double) as task "  # noqa: S608 - names of the test's own
                f"from range({N_SCORES}) as numbers (i)) to '{files[name]}' (format parquet)"
            )

    def define() -> None:
        with store.writer(path) as connection:
            definitions.define(connection, Definition("big", kind="binary", truth=files["truth"]))

    def submit() -> None:
        with store.writer(path) as connection:
            submitting.submit(connection, "big", files["scores"], submitter="me", track="test")

    for what, action in (("benchmark define", define), ("benchmark submit", submit)):
        seconds, _ = timed(f"{what}, checks and hash included", action)
        say(f"  -> {what}: {N_SCORES / seconds:,.0f} rows a second")


def main() -> None:
    """Run the benchmarks named on the command line, or all."""
    benches = {
        "auroc": bench_auroc,
        "multilabel": bench_multilabel,
        "gdpa1": bench_gdpa1,
        "gate": bench_gate,
    }
    for name in sys.argv[1:] or benches:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "store.duckdb"
            with store.writer(path):
                pass
            benches[name](path)
        # Of everything so far, the yardsticks included.
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2
        say(f"  peak of memory {peak:.1f} GB")


if __name__ == "__main__":
    main()
