"""Stores whose heads others witness: a second, hidden history of one is evident."""

import shutil
from pathlib import Path

import duckdb
import pytest
from bench import Bench
from forging import HALVED, made_anew
from teams import LOG, WITNESS, Teams, coded, made

from tracker import store
from tracker.log import checkpoints, merkle, sealing
from tracker.log.signed_notes import Note


@pytest.fixture
def teams(tmp_path: Path) -> Teams:
    return made(tmp_path)


@pytest.mark.slow
def test_two_teams_witness_each_other(followed_store: Path, bench: Bench, tmp_path: Path) -> None:
    """Each has a store, and what is in it is what was signed."""
    other = Bench(Path(shutil.copy(followed_store, tmp_path / "other.duckdb")))
    teams = {"a": bench, "b": other}
    keys = {name: tmp_path / f"{name}.key" for name in teams}
    vkeys = {}
    for name, one in teams.items():
        vkeys[name] = one.accept("log", "key", f"{name}.example", "-o", keys[name]).strip()
    for name, one in teams.items():
        partner = "b" if name == "a" else "a"
        paths = [tmp_path / f"{name}-{number}.txt" for number in (1, 2)]
        one.accept("log", "checkpoint", "--key", keys[name], "-o", paths[0])
        words = ("--vkey", vkeys[name], "--key", keys[partner])
        teams[partner].accept("log", "witness", paths[0], *words, "-o", paths[0])
        one.accept("slate", "freeze", "--candidates", "base")
        made = ("log", "checkpoint", "--key", keys[name], "--from", paths[0])
        one.accept(*made, "-o", paths[1])
        teams[partner].accept("log", "witness", paths[1], *words, "-o", paths[1])
        for path, n_later in zip(paths, (1, 0), strict=True):
            said = one.accept("verify", path, "--vkey", vkeys[name], "--vkey", vkeys[partner])
            assert "the log of this store begins with these entries; " in said
            assert ("; 0 entries are later" in said) is (n_later == 0)
        # The other team's store is none of this log.
        teams[partner].refuse(
            "verify",
            paths[1],
            "--vkey",
            vkeys[name],
            message=[f"{paths[1].name}: has ", "this store"],
            code=4,
        )


@pytest.mark.slow
def test_a_hidden_history_is_refused_by_the_witness_who_saw_the_first(
    bench: Bench, teams: Teams
) -> None:
    """The store is copied, its rows are changed, its log is made anew, and both grow."""
    first, key = teams.folder / "first.txt", teams.folder / "a.key"
    bench.accept("log", "checkpoint", "--key", key, "-o", first)
    teams.bench.accept(*_of(first, teams), "-o", first)
    hidden = Bench(teams.folder / "hidden.duckdb")
    shutil.copy(bench.db, hidden.db)
    made_anew(hidden, HALVED)
    for one in (bench, hidden, hidden, hidden, hidden):
        one.accept("slate", "freeze", "--candidates", "base")
    hidden.accept("check")
    second = teams.folder / "second.txt"
    words = ("log", "checkpoint", "--key", key)
    # The owner's own tracker makes no proof, and the file says whose fault it is.
    hidden.refuse(
        *words,
        "--from",
        first,
        "-o",
        second,
        message=["first.txt: has another root than the first ", "by that checkpoint was rewritten"],
        code=4,
    )
    hidden.refuse("verify", first, "--vkey", teams.log.verifier, message=["was rewritten"], code=4)
    hidden.accept(*words, "-o", second)
    teams.bench.refuse(
        *_of(second, teams), message=["does not prove that the log only grew since"], code=3
    )
    # Nor does a proof of the first history help.
    proved = teams.folder / "proved.txt"
    bench.accept(*words, "--from", first, "-o", proved)
    proof = proved.read_text().split("\n\n")[0]
    second.write_text(f"{proof}\n\n{second.read_text()}")
    teams.bench.refuse(*_of(second, teams), message=["its proof does not hold"], code=4)
    teams.bench.accept(*_of(proved, teams))
    # As large as the first: both checkpoints together are the evidence.
    n_entries = checkpoints.read(proved).n_entries
    with store.reader(hidden.db) as connection:
        stored = sealing.stored_leaves(connection, 0, n_entries)
    text = f"{LOG}\n{n_entries}\n{coded(merkle.root(stored))}\n"
    second.write_text(str(Note(text, (teams.log.sign(text),))))
    complaint = teams.bench.refuse(
        *_of(second, teams), message=["the log has two histories; keep it and "], code=4
    )
    assert str(teams.seen) in complaint


def _of(path: Path, teams: Teams) -> list[object]:
    return [path if one == teams.folder / "checkpoint.txt" else one for one in teams.words()]


@pytest.mark.slow
def test_a_log_that_is_not_as_sealed_is_not_signed(bench: Bench, teams: Teams) -> None:
    key = teams.folder / "a.key"
    first = teams.folder / "first.txt"
    bench.accept("log", "checkpoint", "--key", key, "-o", first)
    foreign = teams.checkpoint(3, key="witness")
    words = ("log", "checkpoint", "--key", key, "--from")
    bench.refuse(*words, foreign, message=[f"is of the log {WITNESS}"], code=4)
    bench.refuse(*words, bench.write("none.txt", "text\n"), message=["is not a signed note"])
    absent = Bench(bench.folder / "absent.duckdb")
    absent.refuse(*words[:-1], message=["absent.duckdb"], code=3)
    with duckdb.connect(str(bench.db)) as connection:
        connection.execute("update log_entry set leaf_sha256 = repeat('0', 64) where entry_id = 3")
    bench.refuse(*words[:-1], message=["the log is not as it was sealed"], code=4)
