"""Speed of retrospective metrics on a whole-matrix model, against other tools in the same run.

    .venv/bin/pip install -e '.[bench]'
    .venv/bin/python tests/speed/bench_retrospective.py [--diseases 22000] [--drugs 3000]

Makes stores of random, all distinct scores with one positive in 500 pairs, and prints times and
ratios: AUC and NDCG@50 against scikit-learn and polars on arrays in memory and DuckDB's own window
functions, a whole evaluation against one avg(score), its growth from 1 to 66 million pairs, its
cost among ten candidate sets, leave-one-out with collaborative filtering, and the views auc and
ndcg_at_k by plain SQL. Needs 3 GB of disk and, for scikit-learn's dense matrix, 8 GB of memory; the
peak printed for tracker is taken before that. Next to the wall clock are the seconds of CPU of all
threads, fairer on a busy machine.
"""

import resource
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from measuring import read_options, say
from sklearn.metrics import ndcg_score, roc_auc_score  # type: ignore[import-untyped]
from sqlalchemy import Connection, Row, TextClause, text

from tracker import store
from tracker.extras.retrospective import evaluation_report as report
from tracker.extras.retrospective import evaluations, leave_one_out
from tracker.reports.render import render_report
from tracker.store.state import scope

_CANDIDATES = text(
    """
insert into stored_candidate
select :set_id, disease_id, drug_id, random()
from range(1, :n_drugs + 1) as drug_range(drug_id)
cross join range(1, :n_diseases + 1) as disease_range(disease_id)
"""
)
_LABELS = text(
    """
insert into labeled_pair
select 1, disease_id, drug_id, 4, null, null
from candidate
where candidate_set_id = 1 and hash(disease_id, drug_id) % 508 = 0
"""
)
_20_000_LABELS = text(
    """
insert into labeled_pair
select 1, disease_id, drug_id, 4, null, null
from candidate
where candidate_set_id = 1
order by hash(disease_id, drug_id)
limit 20000
"""
)

# What a user of DuckDB alone would write.
_PLAIN_AUC = """
with ranked as (
    select
        labeled_pair.drug_id is not null as is_positive,
        rank() over by_score + (count(*) over (partition by candidate.score) - 1) / 2 as rank
    from candidate
    left join labeled_pair using (disease_id, drug_id)
    where candidate.candidate_set_id = 1
    window by_score as (order by candidate.score)
)

select
    (sum(rank) filter (where is_positive) - n_positive * (n_positive + 1) / 2)
    / (n_positive * (count(*) - n_positive)) as auc
from ranked
cross join (select count(*) as n_positive from labeled_pair) as positive
group by n_positive
"""
_PLAIN_NDCG = """
with top as (
    select
        disease_id,
        drug_id,
        row_number() over by_disease as rank
    from candidate
    where candidate_set_id = 1
    window by_disease as (partition by disease_id order by score desc, drug_id asc)
    qualify rank <= 50
),

gain as (
    select
        labeled_pair.disease_id,
        top.rank,
        row_number() over (partition by labeled_pair.disease_id order by drug_id) as ideal_rank
    from labeled_pair
    left join top using (disease_id, drug_id)
),

ndcg as (
    select
        coalesce(sum(1 / log2(rank + 1)), 0)
        / sum(1 / log2(ideal_rank + 1)) filter (where ideal_rank <= 50) as value
    from gain
    group by disease_id
)

select avg(value) as ndcg from ndcg
"""


def main() -> None:
    """Run every part and print its table."""
    options = read_options(__doc__, diseases=22_000, drugs=3_000)
    with tempfile.TemporaryDirectory(prefix="tracker-benchmark-") as name:
        folder = Path(name)
        _growth(folder, options.diseases, options.drugs)
        _ten_sets(folder, options.diseases // 10, options.drugs)
        _leave_one_out(folder)
        whole = folder / f"{options.diseases}.duckdb"
        own = _own_times(whole)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2
        say(f"peak memory of tracker {peak:.1f} GB")
        _compare(whole, own, options.diseases, options.drugs)


class Seconds(NamedTuple):
    clock: float
    cpu: float

    def __str__(self) -> str:
        return f"{self.clock:.2f} s ({self.cpu:.2f} s of CPU)"


def _timed(action: Callable[[], Any]) -> tuple[Seconds, Any]:
    begun, begun_cpu = time.perf_counter(), time.process_time()
    value = action()
    return Seconds(time.perf_counter() - begun, time.process_time() - begun_cpu), value


def _make_store(
    path: Path, n_diseases: int, n_drugs: int, n_sets: int = 1, labels: TextClause = _LABELS
) -> None:
    """Make a store of `n_sets` candidate sets of every disease with every drug, set 1 evaluated."""
    sizes = {"n_diseases": n_diseases, "n_drugs": n_drugs}
    with store.writer(path, run_checks=False) as connection:
        connection.exec_driver_sql(
            "insert into disease by name select number as disease_id, "
            "concat('disease ', number) as name from range(1, ?) as r(number)",
            (n_diseases + 1,),
        )
        connection.exec_driver_sql(
            "insert into drug by name select number as drug_id, "
            "concat('drug ', number) as name from range(1, ?) as r(number)",
            (n_drugs + 1,),
        )
        connection.exec_driver_sql("insert into label_set values (1, 'known', '-', '-', 0, now())")
        for set_id in range(1, n_sets + 1):
            connection.exec_driver_sql(
                "insert into candidate_set values (?, ?, 'v1', '-', '-', ?, now())",
                (set_id, f"set {set_id}", n_diseases * n_drugs),
            )
            connection.execute(_CANDIDATES, {"set_id": set_id, **sizes})
        connection.execute(labels)
        evaluations.create(connection, "set 1", "known")


def evaluate(path: Path) -> str:
    """Evaluate as a whole, from opening the store to the rendered report."""
    with store.reader(path) as connection:
        evaluation = evaluations.find(connection, 1)
        with scope.of_evaluation(connection, evaluation, report.SECTIONS):
            built = report.build(connection, evaluation)
        return render_report(built, "json")


def _evaluation_seconds(path: Path) -> Seconds:
    return _timed(lambda: evaluate(path))[0]


def _average(connection: Connection) -> Seconds:
    scan = "select avg(score) from candidate where candidate_set_id = 1"
    return min(_timed(lambda: connection.exec_driver_sql(scan).scalar())[0] for _ in range(3))


def _growth(folder: Path, n_diseases: int, n_drugs: int) -> None:
    say("pairs (million)   evaluation s   s per million   x avg(score)   s of CPU   x avg(score)")
    for share in (1 / 66, 1 / 20, 1 / 6, 1 / 2, 1):
        size = max(1, round(n_diseases * share))
        path = folder / f"{size}.duckdb"
        _make_store(path, size, n_drugs)
        with store.reader(path) as connection:
            scan = _average(connection)
        seconds = _evaluation_seconds(path)
        millions = size * n_drugs / 1e6
        say(
            f"{millions:15.1f} {seconds.clock:14.2f} {seconds.clock / millions:15.3f} "
            f"{seconds.clock / scan.clock:14.1f} {seconds.cpu:10.2f} {seconds.cpu / scan.cpu:14.1f}"
        )
        if share < 1:
            path.unlink()


def _ten_sets(folder: Path, n_diseases: int, n_drugs: int) -> None:
    seconds = []
    for n_sets in (1, 10):
        path = folder / f"sets-{n_sets}.duckdb"
        _make_store(path, n_diseases, n_drugs, n_sets)
        seconds.append(min(_evaluation_seconds(path) for _ in range(2)))
        path.unlink()
    one, ten = seconds
    say(f"one set of ten against one of one: {ten} / {one} = {ten.clock / one.clock:.2f}x")


def _leave_one_out(folder: Path) -> None:
    path = folder / "loo.duckdb"
    _make_store(path, 1_000, 3_000, labels=_20_000_LABELS)
    seconds, n_trials = _timed(lambda: leave_one_out.run(path, 1, "cf"))
    say(f"leave-one-out, cf, 1,000 x 3,000 x 20,000: {n_trials:,} trials in {seconds}")


def _own_times(path: Path) -> dict[str, Any]:
    """Return times and values of AUC, and of NDCG with the cut-off 50 alone."""
    with store.reader(path) as connection:
        evaluation = evaluations.find(connection, 1)
        scan = _average(connection)

        seconds_auc, value_auc = _timed(lambda: auc(connection, evaluation))
    with store.reader(path) as connection:
        seconds_ndcg, value_ndcg = _timed(lambda: ndcg_at_50(connection, evaluation))
    say(f"avg(score) {scan}, AUC {seconds_auc}, NDCG@50 {seconds_ndcg}")
    with store.reader(path) as connection:
        say(f"from auc, plain: {_timed(lambda: _rows(connection, 'from auc'))[0]}")
        say(f"from ndcg_at_k, plain: {_timed(lambda: _rows(connection, 'from ndcg_at_k'))[0]}")
    return {"auc": (seconds_auc, value_auc), "ndcg": (seconds_ndcg, value_ndcg)}


def auc(connection: Connection, evaluation: Row[Any]) -> float:
    """Return the AUC of an evaluation, nothing else of it computed."""
    with scope.of_evaluation(connection, evaluation, ["auc"]):
        return float(connection.exec_driver_sql("select auc from auc").scalar_one())


def ndcg_at_50(connection: Connection, evaluation: Row[Any]) -> float:
    """Return the NDCG of an evaluation, no other cut-off computed."""
    connection.exec_driver_sql("create or replace temp table cutoff as select 50 as k")
    with scope.of_evaluation(connection, evaluation, ["ndcg_at_k"]):
        return float(connection.exec_driver_sql("select ndcg_at_k from ndcg_at_k").scalar_one())


def _rows(connection: Connection, statement: str) -> Sequence[Any]:
    return connection.exec_driver_sql(statement).all()


def _compare(path: Path, own: dict[str, Any], n_diseases: int, n_drugs: int) -> None:
    with store.reader(path) as connection:
        cursor: Any = connection.exec_driver_sql(
            "select disease_id, drug_id, score from candidate where candidate_set_id = 1"
        ).cursor
        columns = cursor.fetchnumpy()
        cursor = connection.exec_driver_sql("select disease_id, drug_id from labeled_pair").cursor
        labels = cursor.fetchnumpy()
        for name, query, mine in (
            ("AUC, DuckDB's rank()", _PLAIN_AUC, own["auc"]),
            ("NDCG@50, DuckDB's row_number()", _PLAIN_NDCG, own["ndcg"]),
        ):
            seconds, rows = _timed(lambda: _rows(connection, query))  # noqa: B023 (called at once)
            _verdict(name, seconds, rows[0][0], mine)
    cell = (columns["disease_id"] - 1, columns["drug_id"] - 1)
    score = np.empty((n_diseases, n_drugs))
    score[cell] = columns["score"]
    truth = np.zeros((n_diseases, n_drugs), dtype=np.int8)
    truth[labels["disease_id"] - 1, labels["drug_id"] - 1] = 1
    seconds, value = _timed(lambda: roc_auc_score(truth.ravel(), score.ravel()))
    _verdict("AUC, scikit-learn", seconds, value, own["auc"])

    frames = (pl.DataFrame(columns), pl.DataFrame(labels).with_columns(gain=pl.lit(15.0)))
    seconds, value = _timed(lambda: polars_ndcg(*frames))
    _verdict("NDCG@50, polars", seconds, value, own["ndcg"])

    has_label = truth.any(axis=1)
    gain = 15.0 * truth[has_label]
    dense = score[has_label]
    seconds, value = _timed(lambda: ndcg_score(gain, dense, k=50, ignore_ties=True))
    _verdict("NDCG@50, scikit-learn, ties ignored", seconds, value, own["ndcg"])


def polars_ndcg(candidates: pl.DataFrame, known: pl.DataFrame) -> float:
    """Return the mean NDCG@50 by the plan of the view: the 50th score first, then ranks above."""
    pair = ["disease_id", "drug_id"]
    lowest = (
        candidates.lazy()
        .group_by("disease_id")
        .agg(pl.col("score").top_k(50).min().alias("lowest"))
    )
    rank = pl.col("score").rank("ordinal", descending=True).over("disease_id")
    top = (
        candidates.lazy()
        .join(lowest, on="disease_id")
        .filter(pl.col("score") >= pl.col("lowest"))
        .with_columns(rank=rank)
        .join(known.lazy(), on=pair)
        .with_columns(part=pl.col("gain") / (pl.col("rank") + 1).log(2))
        .group_by("disease_id")
        .agg(dcg=pl.col("part").sum())
    )
    position = pl.col("gain").rank("ordinal", descending=True).over("disease_id")
    ideal = (
        known.lazy()
        .with_columns(rank=position)
        .filter(pl.col("rank") <= 50)
        .with_columns(part=pl.col("gain") / (pl.col("rank") + 1).log(2))
        .group_by("disease_id")
        .agg(ideal=pl.col("part").sum())
    )
    ndcg = ideal.join(top, on="disease_id", how="left").select(
        (pl.col("dcg").fill_null(0.0) / pl.col("ideal")).mean()
    )
    return float(ndcg.collect().item())


def _verdict(what: str, seconds: Seconds, value: float, own: tuple[Seconds, float]) -> None:
    say(
        f"{what}: {seconds}, tracker {own[0]}, {seconds.clock / own[0].clock:.2f}x faster, "
        f"{seconds.cpu / own[0].cpu:.2f}x by CPU; values differ by {abs(value - own[1]):.1e}"
    )


if __name__ == "__main__":
    main()
