"""A refresh that fetches, killed at any moment: the next run completes with the same ledger."""

import random
import shutil
import subprocess
import sys
import time
from datetime import date
from pathlib import Path
from typing import Any

import pytest
import servers
from servers import World, serving
from sqlalchemy import text

from tracker import store
from tracker.slates import freezing, loads

CANDIDATES = """disease_name,drug_name,score,disease_id,chembl_id
Asthma,Aspirin,0.9,EFO:0000270,CHEMBL25
Gout,Aspirin,0.8,,CHEMBL25
"""
# Of the world's files and pages each takes so long that any moment is a likely one.
SECONDS_PER_ANSWER = 0.3
LEDGER = {
    "release": "select source, version, released_on, sha256, n_rows from release",
    "release_fetch": "select url, sha256, n_bytes, etag from release_fetch",
    "event": "select event_type, source, event_date, disease_id, drug_id from event",
    "outcome": "select outcome_type, event_date, disease_id, drug_id from outcome",
}


def refresh(folder: Path, seconds: float | None = None) -> int | None:
    """Run a refresh; its exit code, None if it was killed after `seconds`."""
    process = subprocess.Popen(
        [Path(sys.executable).parent / "tracker", "refresh"],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    try:
        process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return None
    return process.returncode


def state(folder: Path) -> dict[str, Any]:
    """The ledger, and the files that were fetched."""
    with store.reader(folder / "store.duckdb") as connection:
        rows = {
            name: sorted(map(str, connection.execute(text(query))))
            for name, query in LEDGER.items()
        }
    # Not the notes, which have the time of the fetch.
    files = {path.name: path.read_bytes() for path in (folder / "fetched").glob("[!.]*")}
    return {**rows, "files": files}


@pytest.fixture
def slow_world(tmp_path: Path) -> World:
    (tmp_path / "sources").mkdir()
    world = World.of(servers.sources(tmp_path / "sources"))
    for path in ("/chembl", "/api", "/fda", "/doid"):
        world.faults[path] = servers.always(servers.dripping(SECONDS_PER_ANSWER))
    return world


@pytest.mark.parametrize(
    "n_kills",
    [pytest.param(5, marks=pytest.mark.slow), pytest.param(50, marks=pytest.mark.exhaustive)],
)
def test_a_killed_refresh_is_completed_by_the_next(
    n_kills: int, slow_world: World, empty_store: Path, tmp_path: Path
) -> None:
    start = tmp_path / "start"
    start.mkdir()
    shutil.copy(empty_store, start / "store.duckdb")
    (start / "candidates.csv").write_text(CANDIDATES)
    with store.writer(start / "store.duckdb") as connection:
        loads.load_candidates(connection, start / "candidates.csv", "base", "m")
        freezing.freeze(connection, candidates="base", labels=None, replay_as_of=date(2024, 1, 1))
    with serving(slow_world) as world:
        configuration = world.configuration("chembl", "clinicaltrials", "drugsfda", "doid")
        (start / "tracker.toml").write_text(configuration)
        whole = Path(shutil.copytree(start, tmp_path / "whole"))
        began = time.monotonic()
        assert refresh(whole) == 0
        duration = time.monotonic() - began
        expected = state(whole)
        assert [len(expected[name]) for name in LEDGER] == [4, 4, 7_501, 3]
        chance = random.Random(n_kills)  # noqa: S311 - chance, not secrecy
        for number in range(n_kills):
            folder = Path(shutil.copytree(start, tmp_path / f"killed-{number}"))
            refresh(folder, chance.uniform(0.05, 1.0) * duration)
            assert refresh(folder) == 0, number
            assert state(folder) == expected, number
            left = [path.name for path in (folder / "fetched").glob(".*")]
            assert [name for name in left if not name.endswith(".fetched.json")] == [], number
            shutil.rmtree(folder)
