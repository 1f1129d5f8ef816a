"""Speed of a backtest: four rankers over ten origins, on a simulated registry of 600,000 trials.

    .venv/bin/python tests/speed/bench_backtest.py [--trials 600000] [--drugs 1500] [--diseases 400]

Trials are posted from 2000 on, one drug for one disease each, drugs and diseases by heavy-tailed
popularity, in one snapshot of today. Prints how long the backtest takes, as a multiple of one
detection in the same store, and the peak of memory of the process.
"""

import argparse
import resource
import tempfile
import time
from datetime import date
from pathlib import Path

import numpy as np
import pandas as pd
from sqlalchemy import Connection, text

from tracker import schema, store, temp_tables
from tracker.evidence import detection
from tracker.extras.retrospective import backtests
from tracker.extras.retrospective.backtest_recipe import Recipe
from tracker.slates import loads

_SNAPSHOT = date(2025, 1, 1)
_FIRST_POSTED = date(2000, 1, 1)
_RECIPE = Recipe(
    rankers=("popularity", "degree_product", "random", "cf"),
    first=date(2013, 1, 1),
    last=date(2022, 1, 1),
    every_months=12,
    horizons=(24,),
)


def main() -> None:
    """Make the store, run the backtest, print what it took."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=600_000)
    parser.add_argument("--drugs", type=int, default=1_500)
    parser.add_argument("--diseases", type=int, default=400)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="tracker-benchmark-") as name:
        path = Path(name) / "store.duckdb"
        _make_store(path, options.trials, options.drugs, options.diseases)
        started = time.perf_counter()
        with store.writer(path, run_checks=False) as connection:
            detection.detect(connection, [])
        detected = time.perf_counter() - started
        started = time.perf_counter()
        _, n_runs = backtests.run(path, _RECIPE)
        spent = time.perf_counter() - started
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2
    print(  # noqa: T201 - prints what it measures
        f"backtest of {n_runs} runs {spent:.1f} s = {spent / detected:.1f} x one detection "
        f"({detected:.1f} s); peak memory {peak:.1f} GB"
    )


def _make_store(path: Path, n_trials: int, n_drugs: int, n_diseases: int) -> None:
    chance = np.random.default_rng(7)
    drugs = [f"drug {number}" for number in range(n_drugs)]
    diseases = [f"disease {number}" for number in range(n_diseases)]
    pairs = pd.DataFrame(
        {
            "disease_name": np.resize(diseases, max(n_drugs, n_diseases)),
            "drug_name": np.resize(drugs, max(n_drugs, n_diseases)),
            "score": 0.5,
        }
    ).drop_duplicates(["disease_name", "drug_name"])
    file = path.with_name("names.csv")
    pairs.to_csv(file, index=False)
    with store.writer(path, run_checks=False) as connection:
        loads.load_candidates(connection, file, "names", "none")
        _add_trials(connection, n_trials, n_drugs, n_diseases, chance)


def _add_trials(
    connection: Connection, n: int, n_drugs: int, n_diseases: int, chance: np.random.Generator
) -> None:
    connection.execute(
        text(
            "insert into release by name select 1 as release_id, 'ctgov' as source, 'all' as "
            "version, cast(:day as date) as released_on, now() as ingested_at, 'x' as sha256, "
            "'benchmark' as origin, :n as n_rows"
        ),
        {"day": _SNAPSHOT, "n": n},
    )
    drug, disease = (
        chance.choice(size, n, p=_heavy_tailed(size, chance)) for size in (n_drugs, n_diseases)
    )
    posted = pd.Timestamp(_FIRST_POSTED) + pd.to_timedelta(
        chance.integers(0, (_SNAPSHOT - _FIRST_POSTED).days, n), unit="D"
    )
    start = posted + pd.to_timedelta(chance.integers(-30, 200, n), unit="D")
    number = np.arange(1, n + 1)
    temp_tables.insert_frame(
        connection,
        schema.trial,
        pd.DataFrame(
            {
                "trial_id": number,
                "release_id": 1,
                "nct_id": [f"NCT{one:08d}" for one in number],
                "source_key": "",
                "study_type": "INTERVENTIONAL",
                "reached_phase": chance.choice([1.0, 2.0, 3.0, 4.0], n),
                "overall_status": chance.choice(["RECRUITING", "COMPLETED", "TERMINATED"], n),
                "start_date": start.date,
                "start_precision": "day",
                "first_posted_on": posted.date,
                "content_sha256": [str(one) for one in number],
            }
        ),
    )
    for table, column, entity, name in (
        (schema.trial_condition, "is_mesh_term", disease, "disease"),
        (schema.trial_intervention, "is_mesh_term", drug, "drug"),
    ):
        names = [f"{name} {one}" for one in entity]
        frame = pd.DataFrame(
            {"trial_id": number, "position": 1, "name": names, "folded_name": names, column: False}
        )
        if name == "drug":
            frame["is_other_name"] = False
        temp_tables.insert_frame(connection, table, frame)


def _heavy_tailed(size: int, chance: np.random.Generator) -> np.ndarray:
    share = chance.lognormal(0, 1.5, size)
    found: np.ndarray = share / share.sum()
    return found


if __name__ == "__main__":
    main()
