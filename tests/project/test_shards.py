"""The parts that a run of the slow tests is split into, and the samples that rotate."""

import argparse
import sys
from pathlib import Path

import pytest
import shards
import support
from support import ROOT, ran

# A test that fails in one case of eight.
SUITE = """
import pytest
@pytest.mark.parametrize("case", range(8))
def test_it(case):
    assert case != 5
"""


def run(folder: Path, *words: str) -> str:
    """Run the suite in a folder of its own with the hooks of this one."""
    (folder / "conftest.py").write_text(
        "from shards import pytest_addoption, pytest_collection_modifyitems, "
        "pytest_report_header, pytest_terminal_summary\n"
    )
    (folder / "test_suite.py").write_text(SUITE)
    paths = f"pythonpath={ROOT / 'tests' / 'support'}"
    command = (sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-o", paths)
    done = ran(*command, *words, folder=folder)
    return done.stdout + done.stderr


@pytest.mark.slow
def test_every_test_is_in_one_shard(tmp_path: Path) -> None:
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    ran = [
        line.split()[0]
        for shard in range(3)
        for line in run(tmp_path, "-v", "--shard", f"{shard}/3").splitlines()
        if line.startswith("test_suite.py::") and "%]" in line
    ]
    assert sorted(ran) == [f"test_suite.py::test_it[{case}]" for case in range(8)]


@pytest.mark.slow
def test_a_failing_shard_names_the_command_that_repeats_it(tmp_path: Path) -> None:
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    shard = shards.number("test_suite.py::test_it[5]") % 3
    printed = run(tmp_path, "--shard", f"{shard}/3")
    seed = f"TEST_SEED={shards.seed()}"
    assert f"samples: {seed}, shard {shard}/3\n" in printed
    assert f"{seed} .venv/bin/pytest -m '' --shard {shard}/3\n" in printed
    assert f"{seed} .venv/bin/pytest -n 0 -m '' 'test_suite.py::test_it[5]'\n" in printed


@pytest.mark.parametrize("text", ["8/8", "1", "-1/2", "a/b", "1/0", ""])
def test_what_is_no_shard_is_refused(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match="is not like 0/8"):
        shards.parsed(text)


def test_the_shard_of_a_commit_is_always_the_same() -> None:
    """By hand: the first 8 bytes of the SHA-256 of "a", as `printf a | sha256sum` has them."""
    assert shards.number("a") == 0xCA978112CA1BBDCA
    assert shards.of_commit("a", 7) == 0xCA978112CA1BBDCA % 7
    taken = {shards.of_commit(str(commit), 8) for commit in range(60)}
    assert taken == set(range(8))


def test_samples_rotate_and_leave_nothing_out(monkeypatch: pytest.MonkeyPatch) -> None:
    in_default, in_slow = set(), set()
    for seed in range(40):
        monkeypatch.setattr(shards, "seed", lambda seed=seed: str(seed))
        taken = support.sampled(range(10), 5)
        marks = {one.values[0]: {mark.name for mark in one.marks} for one in taken}
        default = {value for value, names in marks.items() if not names}
        slow = {value for value, names in marks.items() if names == {"slow"}}
        rest = {value for value, names in marks.items() if names == {"exhaustive"}}
        assert (len(default), len(slow), len(rest)) == (2, 2, 6)
        in_default |= default
        in_slow |= slow
    assert in_default == in_slow == set(range(10))
