"""Freezes and evaluations on Spark beside DuckDB, by kinds of Spark.

    PYTHONPATH=tests/speed .venv/bin/python tests/speed/bench_spark.py [--diseases 700]
        [--drugs 3000] [--masters local[1],local[2],local-cluster[2,1,1024]]

Evaluates a sealed matrix of diseases x drugs with each master, then freezes it, each in a process
of its own, and prints the seconds that passed: those of a local Spark include its start. A matrix
of one disease comes first: what that takes is the start and the planning, whatever the size.
"""

import subprocess
import sys
import tempfile
import time
from datetime import timedelta
from pathlib import Path

from measuring import read_options, say
from whole_matrix import make_files

from tracker import slates, store
from tracker.slates import freezing, loads, outcomes

_MASTERS = "local[1],local[2],local-cluster[1,1,1024],local-cluster[2,1,1024]"


def main() -> None:
    """Make the matrices, evaluate and freeze them with each master."""
    options = read_options(__doc__, diseases=700, drugs=3_000, masters=_MASTERS)
    # A comma stands between masters and in the name of a simulated cluster.
    masters = options.masters.replace("],", "]\n").splitlines()
    with tempfile.TemporaryDirectory(prefix="tracker-benchmark-") as name:
        for n_diseases in (1, options.diseases):
            folder = Path(name, str(n_diseases))
            folder.mkdir()
            made = _make(folder, n_diseases, options.drugs)
            for master in (*masters, None):
                for what in ("evaluate", "freeze"):
                    seconds = _seconds(made, what, master)
                    engine = master or "DuckDB"
                    say(f"{n_diseases:4d} diseases, {what:8s} {engine:26s} {seconds:8.1f} s")


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
    return path


def _seconds(path: Path, what: str, master: str | None) -> float:
    """Return the seconds of a command in its own process, with a master of Spark or not."""
    group = {"evaluate": "retrospective", "freeze": "slate"}[what] if master is None else "spark"
    words = [group, what, "--candidates", "whole", "--labels", "known"]
    chosen = [] if master is None else ["--master", master]
    run = "from tracker.cli import main; main()"
    command = [sys.executable, "-c", run, "--db", str(path), *words, *chosen]
    started = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - started


if __name__ == "__main__":
    main()
