"""Processor time of commands from start to end, on the small stores that `tracker demo` makes.

    .venv/bin/python tests/speed/bench_commands.py [--store FILE --slate UUID] [--runs 5]

prints for each command the seconds of processor time, the interpreter's start included, and its
ratio to `python -c 'import duckdb, pandas, sqlalchemy'`, measured in the same run, which other
programs on the machine change less: the targets are of that ratio. Without `--store` the demo is
run first, for a minute; `--store` names a store to use in its place, which is copied. Each figure
is the least of some runs; a load is of 10,000 rows into a fresh copy.
"""

import argparse
import itertools
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

SLATE = "5c9f4a52"
MAIN = "import sys; from tracker.cli import main; main(sys.argv[1:], 'tracker')"
UNIT = "import duckdb, pandas, sqlalchemy"
# What each command is to take at most, in units; None without a target.
COMMANDS: dict[str, tuple[list[str], float | None]] = {
    "--version": (["--version"], 0.5),
    "slate list": (["slate", "list"], 1.0),
    "sql": (["sql", "select 1"], 1.0),
    "view": (["view"], 1.0),
    "report": (["report", "SLATE"], 2.0),
    "report --full": (["report", "SLATE", "--full"], None),
    "report as html": (["report", "SLATE", "--format", "html", "-o", "page.html"], 3.0),
    "check": (["check"], None),
    "init": (["init"], None),
}
LOAD = ["load", "candidates", "pairs.csv", "--set", "bench", "--model", "1"]
COMPLETED = {
    "_TRACKER_COMPLETE": "bash_complete",
    "COMP_WORDS": "tracker slate ",
    "COMP_CWORD": "2",
}


def main() -> None:
    """Make or copy a store, run each command on it, print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--store", type=Path)
    parser.add_argument("--slate", default=SLATE)
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="tracker-benchmark-") as name:
        folder = Path(name)
        store = folder / "demo" / "demo.duckdb"
        if options.store is None:
            _seconds(folder, [MAIN, "demo", "-o", str(store.parent)])
        else:
            store.parent.mkdir()
            shutil.copy(options.store, store)
        _run(folder, store, options.slate, options.runs)


def _run(folder: Path, store: Path, slate: str, n_runs: int) -> None:
    def least(arguments: list[str], environment: Mapping[str, str] | None = None) -> float:
        return min(_seconds(folder, arguments, environment or {}) for _ in range(n_runs))

    unit = least([UNIT])

    def show(name: str, seconds: float, target: float | None = None) -> None:
        wanted = "" if target is None else f"   at most {target:.2f}"
        print(f"{name:36} {seconds:6.2f} s {seconds / unit:7.2f}{wanted}", flush=True)  # noqa: T201 - prints what it measures

    show("python -c pass", least(["pass"]))
    show(UNIT, unit)
    show("completion", least([MAIN], COMPLETED), 0.5)
    for name, (words, target) in COMMANDS.items():
        given = [slate if word == "SLATE" else word for word in words]
        show(name, least([MAIN, "--db", str(store), *given]), target)
    show("load", min(_load(folder, store) for _ in range(n_runs)), 2.0)


def _load(folder: Path, store: Path) -> float:
    """Return the seconds that a load of 10,000 pairs takes."""
    copied = shutil.copy(store, folder / "loaded.duckdb")
    pairs = itertools.product(range(100), range(100))
    rows = [f"disease {one},drug {other},{(one * 37 + other) % 997 / 997}" for one, other in pairs]
    (folder / "pairs.csv").write_text("\n".join(["disease_name,drug_name,score", *rows]))
    return _seconds(folder, [MAIN, "--db", str(copied), *LOAD])


def _seconds(
    folder: Path, arguments: list[str], environment: Mapping[str, str] | None = None
) -> float:
    """Return the processor time that Python took to run a text with arguments, of all threads."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    # Modules that were changed are compiled by the first run and not by the others.
    inherited = {
        key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"
    }
    subprocess.run(
        [sys.executable, "-c", *arguments],
        check=True,
        capture_output=True,
        cwd=folder,
        env={**inherited, **(environment or {})},
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


if __name__ == "__main__":
    main()
