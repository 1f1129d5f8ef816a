"""A writer killed at any moment leaves the old store or the new one, and the next one works."""

import multiprocessing
import random
import time
from collections.abc import Callable
from multiprocessing.context import ForkServerProcess
from pathlib import Path

import kept_rows
import pytest
from sqlalchemy import text
from support import sampled

from tracker import schema, slates, store
from tracker.log import tampering
from tracker.slates import freezing, loads, outcomes, seals
from tracker.store import catalog

ROUNDS = 50
N_DISEASES, N_DRUGS = 40, 60
_processes = multiprocessing.get_context("forkserver")
_processes.set_forkserver_preload(["tracker.cli"])


def _load(path: Path, folder: Path, number: int) -> None:
    with store.writer(path) as connection:
        loads.load_candidates(connection, folder / "candidates.csv", f"set {number}", "m")


def _seal(path: Path, folder: Path, number: int) -> None:
    with store.writer(path) as connection:
        name = f"set {number}"
        loads.load_candidates(connection, folder / "candidates.csv", name, "m", sealed=True)


def _move(path: Path, folder: Path, number: int) -> None:
    """Seal a set that was stored before: the pairs stay, wherever they are."""
    name = f"stored {number}"
    with store.writer(path) as connection:
        loads.load_candidates(connection, folder / "candidates.csv", name, "m")
    with store.writer(path) as connection:
        seals.move(connection, loads.find_set(connection, schema.candidate_set, name))


def _freeze(path: Path, _folder: Path, _number: int) -> None:
    with store.writer(path) as connection:
        freezing.freeze(connection, candidates="base", labels=None)


def _outcomes(path: Path, folder: Path, number: int) -> None:
    file = folder / f"outcomes {number}.csv"
    rows = "".join(
        f"disease {d},drug {g},phase_advanced,round {number}\n"
        for d in range(N_DISEASES)
        for g in range(10)
    )
    file.write_text("disease_name,drug_name,outcome_type,source\n" + rows)
    with store.writer(path) as connection:
        outcomes.load(connection, file, slates.all_slates(connection)[0])


# What each writer adds at a time, all of it or nothing: the query counts it.
WRITERS: dict[str, tuple[Callable[[Path, Path, int], None], str, int]] = {
    "load": (_load, "select count(*) from candidate", N_DISEASES * N_DRUGS),
    "seal": (_seal, "select count(*) from candidate", N_DISEASES * N_DRUGS),
    "move": (_move, "select count(*) from candidate", N_DISEASES * N_DRUGS),
    "freeze": (_freeze, "select count(*) from prediction", N_DISEASES * 50),
    "outcomes": (_outcomes, "select count(*) from outcome", N_DISEASES * 10),
}


@pytest.mark.parametrize("name", sampled(sorted(WRITERS), 4, slow=True))
def test_killed_at_random_moments(name: str, tmp_path: Path) -> None:
    write, query, step = WRITERS[name]
    path = tmp_path / "store.duckdb"
    rows = "".join(
        f"disease {d},drug {g},{(d * 31 + g * 17) % 997 / 997 + 0.3}\n"
        for d in range(N_DISEASES)
        for g in range(N_DRUGS)
    )
    (tmp_path / "candidates.csv").write_text("disease_name,drug_name,score\n" + rows)
    with store.writer(path) as connection:
        loads.load_candidates(connection, tmp_path / "candidates.csv", "base", "m")
        freezing.freeze(connection, candidates="base", labels=None)
    started = time.monotonic()
    write(path, tmp_path, 0)
    duration = time.monotonic() - started
    count = _count(path, query)
    chance = random.Random(name)  # noqa: S311 - chance, not secrecy
    n_killed = 0
    for number in range(1, ROUNDS + 1):
        writer = _processes.Process(target=write, args=(path, tmp_path, number))
        writer.start()
        writer.join(chance.uniform(0, 1.3 * duration))
        writer.kill()
        writer.join()
        n_killed += _was_killed(writer)
        after = _count(path, query)
        assert after in (count, count + step)
        assert _was_killed(writer) or after == count + step
        count = after
        if number % 10 == 0:
            assert kept_rows.wrong(path) == [], number
    # Where every writer finished, or none did, the moments were not random enough.
    assert n_killed > 0
    write(path, tmp_path, ROUNDS + 1)
    assert _count(path, query) == count + step
    assert [p.name for p in tmp_path.iterdir() if ".part" in p.name or ".wal" in p.name] == []
    assert [*tmp_path.rglob("unfinished")] == []
    assert kept_rows.wrong(path) == []
    with store.reader(path) as connection:
        sets = connection.execute(text("select count(*) from sealed_set")).scalar_one()
        assert len([*tmp_path.rglob("candidate_set_id=*")]) == sets
        assert [*seals.problems(connection)] == []
        assert tampering.verify(connection) == []
        for check in catalog.read_checks():
            assert store.violations(connection, check, limit=1) == []
        assert {verdict.problem for verdict in slates.verify(connection)} == {None}


def _was_killed(writer: ForkServerProcess) -> bool:
    return writer.exitcode != 0


def _count(path: Path, query: str) -> int:
    with store.reader(path) as connection:
        return int(connection.execute(text(query)).scalar_one())
