"""Speed of evaluations of a whole-matrix model, as it grows and among other sets.

    .venv/bin/python tests/speed/bench_retrospective.py [--diseases 22000] [--drugs 3000]

Makes stores of random, all distinct scores with one positive in 500 pairs, and prints times and
ratios: a whole evaluation against one avg(score), its growth from 1 to 66 million pairs, its cost
among ten candidate sets, and leave-one-out with collaborative filtering. Needs 3 GB of disk. Next
to the wall clock are the seconds of CPU of all threads, fairer on a busy machine. Single figures
are compared with those of other tools in table.py.
"""

import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from measuring import peak_memory, read_options, say
from sqlalchemy import Connection, TextClause, text

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


def main() -> None:
    """Run every part and print its table."""
    options = read_options(__doc__, diseases=22_000, drugs=3_000)
    with tempfile.TemporaryDirectory(prefix="tracker-benchmark-") as name:
        folder = Path(name)
        _growth(folder, options.diseases, options.drugs)
        _ten_sets(folder, options.diseases // 10, options.drugs)
        _leave_one_out(folder)
    say(peak_memory())


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


if __name__ == "__main__":
    main()
