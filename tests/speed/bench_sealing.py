"""Speed of the log: what sealing adds to a load, a freeze and a refresh, and what a check takes.

    .venv/bin/python tests/speed/bench_sealing.py [--diseases 2200] [--drugs 3000] [--events N]

With `--diseases 22000` it is a whole-matrix model: 66 million candidates and 1.1 million
predictions, which needs about 8 GB of disk for temporary files. Each step is run in a store that
is sealed and in one that is not; the seconds of its processor time and their ratio are printed,
which other programs on the machine hardly change, then the time that passed, and the peak memory.
"""

import argparse
import resource
import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from unittest import mock

import duckdb
from sqlalchemy import Connection, text

from tracker import store
from tracker.extras import refresh
from tracker.log import sealing, tampering
from tracker.slates import freezing, loads

WORLD = Path(__file__).parents[2] / "fixtures" / "world"
_EVENTS = """
insert into event by name
select
    made.n as event_id,
    1 as disease_id,
    1 + made.n % 1000 as drug_id,
    'trial_started' as event_type,
    1.0 as phase,
    date '2020-01-01' + cast(made.n % 2000 as integer) as event_date,
    date '2020-01-01' as public_after,
    date '2026-01-01' as public_by,
    'ctgov' as source,
    printf('NCT%08d', made.n) as record,
    'drug ' || made.n as drug_alias,
    'disease ' || made.n as disease_alias,
    to_json({'phase': 'PHASE1', 'start_date': '2020-01-01'}) as detail,
    :now as observed_at,
    :now as recorded_at,
    'detected' as event_origin,
    'name' as match_kind
from range(1, :n + 1) as made (n)
"""


def main() -> None:
    """Make the files, run each step with and without sealing, print the ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--diseases", type=int, default=2_200)
    parser.add_argument("--drugs", type=int, default=3_000)
    parser.add_argument("--events", type=int, default=1_000_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="tracker-benchmark-") as name:
        folder = Path(name)
        _make_candidates(folder / "candidates.parquet", options.diseases, options.drugs)
        _run(folder, options.events)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2
    _print(f"peak memory {peak:.1f} GB")


def _run(folder: Path, n_events: int) -> None:
    config = folder / "tracker.toml"
    config.write_text(
        f'settle_seconds = 0\n[[source]]\nkind = "chembl"\npath = "{WORLD}/chembl_91.db"\n'
        f'[[source]]\nkind = "trials"\npath = "{WORLD}/trials-2025-02-20.json"\n',
        encoding="utf-8",
    )

    def load(path: Path) -> None:
        with store.writer(path) as connection:
            loads.load_candidates(connection, folder / "candidates.parquet", "whole", "v1")

    def freeze(path: Path) -> None:
        with store.writer(path) as connection:
            freezing.freeze(connection, candidates="whole", labels=None, min_score=0)

    def refreshed(path: Path) -> None:
        refresh.run(config, db=path)

    for name, step in (("load", load), ("freeze", freeze), ("refresh", refreshed)):
        bare = _unsealed(folder / "bare.duckdb", step)
        spent = _seconds(lambda: step(folder / "store.duckdb"))  # noqa: B023 (called at once)
        _print(
            f"{name:8s} {spent[0]:8.2f} s = {spent[0] / bare[0]:5.2f} x without sealing "
            f"({bare[0]:.2f} s); passed {spent[1]:.2f} s, {bare[1]:.2f} s"
        )
    path = folder / "events.duckdb"
    shutil.move(folder / "store.duckdb", path)
    with store.writer(path, run_checks=False) as connection:
        connection.execute(text(_EVENTS), {"n": n_events, "now": store.now(connection)})
    with store.reader(path) as connection:
        spent = _seconds(lambda: _verify(connection))
        n_rows = sum(sealing.row_counts(connection).values())
    _print(
        f"verify   {spent[0]:8.2f} s for {n_rows:,} rows, {n_events:,} of them events; "
        f"passed {spent[1]:.2f} s"
    )


def _verify(connection: Connection) -> None:
    found = tampering.verify(connection)
    if found:
        raise SystemExit("\n".join(found))


def _unsealed(path: Path, step: Callable[[Path], None]) -> tuple[float, float]:
    """Time a step without the log, which no option can switch off."""
    with (
        mock.patch.object(sealing, "seal"),
        mock.patch.object(sealing, "require_counts"),
    ):
        return _seconds(lambda: step(path))


def _make_candidates(path: Path, n_diseases: int, n_drugs: int) -> None:
    with duckdb.connect(config={"memory_limit": "4GB"}) as maker:
        maker.execute("select setseed(0.5)")
        maker.execute("create table a as from range(?) a (d)", [n_diseases])
        maker.execute("create table b as from range(?) b (g)", [n_drugs])
        maker.sql(
            "select 'disease ' || d as disease_name, 'drug ' || g as drug_name, "
            "random() as score from a, b"
        ).to_parquet(str(path))


def _seconds(step: Callable[[], None]) -> tuple[float, float]:
    """Return the processor time that a step took, of all threads, and the time that passed."""
    begun, started = time.process_time(), time.perf_counter()
    step()
    return time.process_time() - begun, time.perf_counter() - started


def _print(line: str) -> None:
    print(line, flush=True)  # noqa: T201 - prints what it measures


if __name__ == "__main__":
    main()
