"""Runs a part of the tests: those of one of N shards, told apart by a hash of their identifiers.

`pytest -m slow --shard 3/8` runs a test if its hash leaves 3 when divided by 8, so that a test
stays in its shard whatever is added, and every test is in one. `of_commit` says which shard a
commit takes: a run of .ci/run has one, and the commits of a week have all. What decides which
elements `sampled` takes rotates likewise, with TEST_SEED, and is the commit where that is unset.
"""

import argparse
import functools
import hashlib
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
_SEED = "TEST_SEED"
_SHOWN = 20


def number(text: str) -> int:
    """Return a whole number that follows from a text alone, today and on any machine."""
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")


def of_commit(commit: str, n_shards: int) -> int:
    """Return the shard that a commit takes, from 0."""
    return number(commit) % n_shards


@functools.cache
def seed() -> str:
    """Return what samples depend on: TEST_SEED, else the commit, without one (a release) "0"."""
    given = os.environ.get(_SEED)
    if given:
        return given
    try:
        done = subprocess.run(
            ["git", "rev-parse", "--short=12", "HEAD"],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
        )
    except OSError:
        return "0"
    return done.stdout.strip() or "0"


def parsed(text: str) -> tuple[int, int]:
    """Return shard and number of shards of a text such as 3/8."""
    shard, slash, n_shards = text.partition("/")
    if not (slash and shard.isdecimal() and n_shards.isdecimal() and int(shard) < int(n_shards)):
        raise argparse.ArgumentTypeError(f"{text}: is not like 0/8, ..., 7/8")
    return int(shard), int(n_shards)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--shard", type=parsed, metavar="K/N", help="run one of N parts of the selected tests"
    )


def pytest_report_header(config: pytest.Config) -> str:
    shard = config.getoption("--shard")
    part = "" if shard is None else f", shard {shard[0]}/{shard[1]}"
    return f"samples: {_SEED}={seed()}{part}"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    shard = config.getoption("--shard")
    if shard is None:
        return
    kept = [item for item in items if number(item.nodeid) % shard[1] == shard[0]]
    config.hook.pytest_deselected(items=[item for item in items if item not in set(kept)])
    items[:] = kept


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Name the command that repeats what failed: samples differ from commit to commit."""
    reports = [
        report
        for kind in ("failed", "error")
        for report in terminalreporter.stats.get(kind, [])
        if hasattr(report, "nodeid")
    ]
    if not reports:
        return
    terminalreporter.section("to repeat what failed")
    for line in _commands([report.nodeid for report in reports], config):
        terminalreporter.write_line(line)


def _commands(failed: list[str], config: pytest.Config) -> Iterator[str]:
    head = f"{_SEED}={seed()} .venv/bin/pytest"
    shard = config.getoption("--shard")
    if shard is not None:
        yield f"{head} -m {config.getoption('-m')!r} --shard {shard[0]}/{shard[1]}"
    for nodeid in list(dict.fromkeys(failed))[:_SHOWN]:
        yield f"{head} -n 0 -m '' '{nodeid}'"


if __name__ == "__main__":
    commit, n_shards = sys.argv[1:]
    sys.stdout.write(f"{of_commit(commit, int(n_shards))}/{n_shards}\n")
