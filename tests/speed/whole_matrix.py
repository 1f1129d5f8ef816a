"""Speed on a whole-matrix model: 66 million candidates, slates of 50 per disease.

    .venv/bin/python tests/speed/whole_matrix.py [--diseases 22000] [--drugs 3000]

Prints each step as a ratio to a plain DuckDB statement timed in the same run, in time that passed
and in processor time, which other programs on the machine hardly change, and the peak memory of the
process. Needs about 4 GB of disk in the folder for temporary files.
"""

import argparse
import resource
import tempfile
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import NamedTuple

import duckdb
from sqlalchemy import text

from tracker import slates, store
from tracker.reports import build
from tracker.reports.render import render_report
from tracker.slates import freezing, loads, outcomes, plans
from tracker.store import scope
from tracker.uncertainty import estimates
from tracker.uncertainty.estimates import endpoint

MEMORY_LIMIT = "4GB"


def main() -> None:
    """Make the files, run each step and its yardstick, print the ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--diseases", type=int, default=22_000)
    parser.add_argument("--drugs", type=int, default=3_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="tracker-benchmark-") as name:
        folder = Path(name)
        make_files(folder, options.diseases, options.drugs)
        _run(folder)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2
    print(f"peak memory {peak:.1f} GB")  # noqa: T201 - prints what it measures


def _run(folder: Path) -> None:
    path = folder / "store.duckdb"

    def load() -> None:
        with store.writer(path) as connection:
            loads.load_candidates(connection, folder / "candidates.parquet", "whole", "v1")

    def plain_load() -> None:
        with duckdb.connect(
            str(folder / "plain.duckdb"), config={"memory_limit": MEMORY_LIMIT}
        ) as plain:
            plain.execute(
                "create or replace table plain as select * from read_parquet(?)",
                [str(folder / "candidates.parquet")],
            )

    def freeze() -> None:
        with store.writer(path) as connection:
            # Outcomes are of the past, so the slate is of 500 days ago.
            frozen_on = store.now(connection).date() - timedelta(days=500)
            freezing.freeze(connection, candidates="whole", labels="known", replay_as_of=frozen_on)

    def power() -> None:
        with store.writer(path) as connection:
            slate = slates.all_slates(connection)[0]
            estimates.record_power(connection, slate, store.now(connection))

    def primary() -> None:
        with store.reader(path) as connection:
            slate = slates.all_slates(connection)[0]
            wanted = plans.of_slate(slate).plan.primary
            named = {
                "window": wanted.evidence_window,
                "population": wanted.population,
                "tier": wanted.tier,
            }
            with endpoint.computed_once(connection, slate, **named):
                endpoint.of_slate(connection, slate, **named)

    def report() -> None:
        with store.reader(path) as connection:
            slate = slates.all_slates(connection)[0]
            with scope.of_slates(connection, slate, asked=build.ASKED):
                built = build.build(connection, slate)
            render_report(built, "table")

    _compare("load", load, "create table as select", plain_load)
    with store.writer(path) as connection:
        loads.load_labels(connection, folder / "labels.parquet", "known")
    _compare(
        "freeze",
        freeze,
        "max_by(drug_id, score, 50) by disease",
        lambda: _query(
            path,
            "select sum(len(best)) from (select disease_id, max_by(drug_id, score, 50) as best "
            "from candidate group by disease_id)",
        ),
    )
    scan = ("avg(score)", lambda: _query(path, "select avg(score) from candidate"))
    _compare("power", power, *scan)
    with store.writer(path) as connection:
        slate = slates.all_slates(connection)[0]
        outcomes.load(connection, folder / "outcomes.parquet", slate)
    _compare("endpoint", primary, *scan)
    _compare("report", report, *scan)


class Seconds(NamedTuple):
    """What a step took: the time that passed, and that of all threads on a processor."""

    clock: float
    processor: float


def _compare(
    name: str, step: Callable[[], None], yardstick_name: str, yardstick: Callable[[], None]
) -> None:
    """Time the yardstick before and after the step; its best run is the reference for the step."""
    runs = [_seconds(yardstick) for _ in range(2)]
    spent = _seconds(step)
    runs.append(_seconds(yardstick))
    best = Seconds(min(run.clock for run in runs), min(run.processor for run in runs))
    print(  # noqa: T201 - prints what it measures
        f"{name:8s} {spent.clock:8.2f} s = {spent.clock / best.clock:6.2f} x {yardstick_name} "
        f"({best.clock:.2f} s); processor {spent.processor:8.2f} s = "
        f"{spent.processor / best.processor:6.2f} x ({best.processor:.2f} s)",
        flush=True,
    )


def _seconds(step: Callable[[], None]) -> Seconds:
    started, begun = time.perf_counter(), time.process_time()
    step()
    return Seconds(time.perf_counter() - started, time.process_time() - begun)


def _query(path: Path, query: str) -> None:
    with store.reader(path) as connection:
        connection.execute(text(query)).all()


def make_files(folder: Path, n_diseases: int, n_drugs: int) -> None:
    """Write candidates, labels and outcomes of a whole matrix as Parquet files."""
    with duckdb.connect(config={"memory_limit": MEMORY_LIMIT}) as maker:
        maker.execute("select setseed(0.5)")
        maker.execute("create table a as from range(?) a (d)", [n_diseases])
        maker.execute("create table b as from range(?) b (g)", [n_drugs])
        maker.execute(
            "create view pair as select 'disease ' || d as disease_name, "
            "'drug ' || g as drug_name, d, g from a, b"
        )
        files = {
            "candidates": "select disease_name, drug_name, random() as score from pair",
            "labels": "select disease_name, drug_name, hash(d, g) % 5 as label from pair "
            "where hash(g, d) % 500 < 1 or g < 3 and hash(g, d) % 100 < 5",
            "outcomes": "select disease_name, drug_name, 'chembl' as source, "
            "if(hash(d, g) % 4 < 3, 'phase_advanced', 'status_transition') as outcome_type, "
            "current_date - cast(hash(d) % 600 as integer) as event_date, "
            "current_date - cast(hash(g) % 500 as integer) as first_public_on "
            "from pair where hash(g, d, 1) % 700 < 1",
        }
        for name, query in files.items():
            maker.sql(query).to_parquet(str(folder / f"{name}.parquet"))


if __name__ == "__main__":
    main()
