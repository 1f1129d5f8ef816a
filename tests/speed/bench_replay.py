"""Speed of a replay: how long it takes, as a multiple of the refreshes that made the store.

    .venv/bin/python tests/speed/bench_replay.py [--studies 20000] [--snapshots 4]

A registry of studies, one drug for one disease each, grows and changes from snapshot to snapshot;
each is ingested by a refresh with an archive, and the ledger is then replayed from that. Prints the
two times, their ratio and the peak of memory of the process.
"""

import argparse
import json
import resource
import sys
import tempfile
import time
from datetime import date, timedelta
from pathlib import Path

import numpy as np
import pandas as pd

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from evidence import study

from tracker import store
from tracker.extras import refresh, replay
from tracker.slates import freezing, loads

_FIRST = date(2024, 1, 1)
_N_DRUGS, _N_DISEASES = 300, 100
_CONFIGURATION = """
store = "store.duckdb"
settle_seconds = 0
[archive]
[[source]]
kind = "trials"
path = "drop/*.jsonl"
complete = true
"""


def main() -> None:
    """Make the store, replay it, print what either took."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--studies", type=int, default=20_000)
    parser.add_argument("--snapshots", type=int, default=4)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="tracker-benchmark-") as name:
        folder = Path(name)
        (folder / "drop").mkdir()
        (folder / "tracker.toml").write_text(_CONFIGURATION, encoding="utf-8")
        _make_store(folder)
        refreshed = 0.0
        for number in range(options.snapshots):
            _write_snapshot(folder / "drop", number, options.studies, options.snapshots)
            started = time.perf_counter()
            done = refresh.run(folder / "tracker.toml")
            refreshed += time.perf_counter() - started
            if done.exit_code:
                raise SystemExit(done.summary)
        started = time.perf_counter()
        replayed = replay.run(folder / "store.duckdb", [folder / "archive"])
        spent = time.perf_counter() - started
    if replayed.exit_code:
        raise SystemExit(replayed.summary)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2
    print(  # noqa: T201 - prints what it measures
        f"replay of {options.snapshots} snapshots of {options.studies:,} studies {spent:.1f} s = "
        f"{spent / refreshed:.2f} x the refreshes ({refreshed:.1f} s); {replayed.summary}; "
        f"peak memory {peak:.1f} GB"
    )


def _make_store(folder: Path) -> None:
    pairs = pd.DataFrame(
        {
            "disease_name": [f"disease {number % _N_DISEASES}" for number in range(_N_DRUGS)],
            "drug_name": [f"drug {number}" for number in range(_N_DRUGS)],
            "score": np.linspace(1, 0.5, _N_DRUGS),
        }
    )
    path = folder / "candidates.parquet"
    pairs.to_parquet(path)
    with store.writer(folder / "store.duckdb") as connection:
        loads.load_candidates(connection, path, "all", "bench")
        freezing.freeze(connection, candidates="all", labels=None, replay_as_of=_FIRST)


def _write_snapshot(folder: Path, number: int, n_studies: int, n_snapshots: int) -> None:
    """Write a snapshot: half of the studies are there from the start, a tenth change each time."""
    day = _FIRST + timedelta(days=90 * (number + 1))
    n_present = n_studies * (n_snapshots + number + 1) // (2 * n_snapshots)
    chance = np.random.default_rng(number)
    has_changed = chance.random(n_present) < 0.1
    with (folder / f"trials-{day}.jsonl").open("w", encoding="utf-8") as handle:
        for one in range(n_present):
            document = study(
                f"NCT{one:08d}",
                status="COMPLETED" if has_changed[one] else "RECRUITING",
                conditions=[f"disease {one * 7 % _N_DISEASES}"],
                interventions=[{"type": "DRUG", "name": f"drug {one % _N_DRUGS}"}],
                meshes=(),
                start="2023-06",
            )
            handle.write(f"{json.dumps(document)}\n")


if __name__ == "__main__":
    main()
