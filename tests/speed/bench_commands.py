"""Processor time of commands from start to end, on the small stores that `tracker demo` makes.

    .venv/bin/python tests/speed/bench_commands.py [--store FILE --slate UUID] [--runs 5]

prints for each command the seconds of processor time, the interpreter's start included, and its
ratio to `python -c pass` and to `python -c 'import duckdb, pandas'`, which other programs on the
machine change less. Without `--store` the demo is run first, for a minute; `--store` names a store
to use in its place, which is copied. Each figure is the least of some runs.
"""

import argparse
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
# What each command is to take at most, in seconds; None without a target.
COMMANDS: dict[str, tuple[list[str], float | None]] = {
    "--version": (["--version"], 0.25),
    "slate list": (["slate", "list"], 0.5),
    "report": (["report", "SLATE"], 1.0),
    "report as html": (["report", "SLATE", "--format", "html", "-o", "page.html"], 2.0),
    "check": (["check"], None),
    "init": (["init"], None),
}
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

    start, libraries = least(["pass"]), least(["import duckdb, pandas"])

    def show(name: str, seconds: float, target: float | None = None) -> None:
        ratios = f"{seconds / start:8.1f} x {seconds / libraries:7.2f} x"
        wanted = "" if target is None else f"   at most {target:.2f} s"
        print(f"{name:24} {seconds:6.2f} s {ratios}{wanted}", flush=True)  # noqa: T201 - prints what it measures

    show("python -c pass", start)
    show("import duckdb, pandas", libraries)
    show("completion", least([MAIN], COMPLETED), 0.25)
    for name, (words, target) in COMMANDS.items():
        given = [slate if word == "SLATE" else word for word in words]
        show(name, least([MAIN, "--db", str(store), *given]), target)


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
