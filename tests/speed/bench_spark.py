"""The views on Spark beside DuckDB: every view compared, then one evaluation by kinds of Spark.

    PYTHONPATH=tests/speed .venv/bin/python tests/speed/bench_spark.py [--diseases 700]
        [--drugs 3000] [--store STORE]... [--masters local[1],local[2],local-cluster[2,1,1024]]
        [--evaluation]

Compares all views of each STORE, such as those that `tracker demo -o` leaves behind, and of a
matrix of diseases x drugs, row for row; prints the seconds of both engines, the views that took
Spark longest, and any difference. Then it evaluates the matrix, sealed, with each master, each in
a process of its own, and prints the seconds that passed: those of a local Spark include its start.
With `--evaluation`, views are not compared, but a matrix of one disease is evaluated before: what
that takes is the start and the planning, whatever the size.
"""

import argparse
import subprocess
import sys
import tempfile
import time
from datetime import timedelta
from pathlib import Path

from whole_matrix import make_files

from tracker import slates, store
from tracker.extras.spark import comparing, opening, sessions
from tracker.slates import freezing, loads, outcomes

_MASTERS = "local[1],local[2],local-cluster[1,1,1024],local-cluster[2,1,1024]"
_N_SLOWEST = 5


def main() -> None:
    """Make the matrix, compare the stores, evaluate it with each master."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--diseases", type=int, default=700)
    parser.add_argument("--drugs", type=int, default=3_000)
    parser.add_argument("--store", type=Path, action="append", default=[])
    parser.add_argument("--masters", default=_MASTERS)
    parser.add_argument("--evaluation", action="store_true", help="do not compare views")
    options = parser.parse_args()
    # A comma stands between masters and in the name of a simulated cluster.
    masters = options.masters.replace("],", "]\n").splitlines()
    with tempfile.TemporaryDirectory(prefix="tracker-benchmark-") as name:
        folder = Path(name)
        made = _make(folder, options.diseases, options.drugs)
        if options.evaluation:
            small = folder / "small"
            small.mkdir()
            little = _make(small, 1, options.drugs)
            for master in masters:
                _print(f"one disease, {master:25s} {_evaluated(little, master):8.1f} s")
        else:
            for path in (*options.store, made):
                _compare(path)
        for master in masters:
            _print(f"evaluation, {master:26s} {_evaluated(made, master):8.1f} s")
        _print(f"evaluation, {'DuckDB':26s} {_evaluated(made, None):8.1f} s")


def _make(folder: Path, n_diseases: int, n_drugs: int) -> Path:
    """Return a store with a sealed matrix, a slate of it with outcomes, and an evaluation."""
    make_files(folder, n_diseases, n_drugs)
    path = folder / "store.duckdb"
    with store.writer(path) as connection:
        loads.load_candidates(connection, folder / "candidates.parquet", "whole", "v1", sealed=True)
        loads.load_labels(connection, folder / "labels.parquet", "known")
    with store.writer(path) as connection:
        frozen_on = store.now(connection).date() - timedelta(days=500)
        freezing.freeze(connection, candidates="whole", labels="known", replay_as_of=frozen_on)
    with store.writer(path) as connection:
        (slate,) = slates.all_slates(connection)
        outcomes.load(connection, folder / "outcomes.parquet", slate)
    _evaluated(path, None)
    return path


def _compare(path: Path) -> None:
    with opening.reading(path, sessions.LOCAL) as (connection, views):
        found = list(comparing.compare(connection, views, ()))
    n_equal = sum(one.is_equal for one in found)
    on_duckdb = sum(one.duckdb_seconds for one in found)
    on_spark = sum(one.spark_seconds for one in found)
    _print(
        f"{path.name}: {n_equal} of {len(found)} views equal; DuckDB {on_duckdb:.1f} s, "
        f"Spark {on_spark:.1f} s = {on_spark / on_duckdb:.1f} x"
    )
    slowest = sorted(found, key=lambda one: one.spark_seconds, reverse=True)[:_N_SLOWEST]
    for one in slowest:
        _print(f"  {one.view:26s} {one.duckdb_seconds:6.2f} s {one.spark_seconds:7.2f} s on Spark")
    for one in found:
        for line in one.differences:
            _print(f"  {one.view}: {line}")


def _evaluated(path: Path, master: str | None) -> float:
    """Return the seconds of an evaluation in its own process, with a master of Spark or not."""
    words = ["retrospective", "evaluate"] if master is None else ["spark", "evaluate"]
    given = ["--candidates", "whole", "--labels", "known", "--format", "json"]
    chosen = [] if master is None else ["--master", master]
    run = "from tracker.cli import main; main()"
    command = [sys.executable, "-c", run, "--db", str(path), *words, *given, *chosen]
    started = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - started


def _print(line: str) -> None:
    print(line, flush=True)  # noqa: T201 - prints what it measures


if __name__ == "__main__":
    main()
