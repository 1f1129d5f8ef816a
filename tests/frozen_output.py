"""Shows what a change of the code changes in what tracker writes: reports, pages, files, hashes.

    python tests/frozen_output.py                     the demo's stores; against the last commit
    python tests/frozen_output.py --base main~5       against another revision
    python tests/frozen_output.py --store a.duckdb    a store of one's own instead, also several

Both versions write all they can of copies of the same stores: every report in every format, the
overviews, each slate as a folder with its hash, and the whole site. Files that differ are named
with their first line that does, and the exit code is 1. What follows from the moment or the folder
of a run is the same for both.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
FORMATS = ("table", "json", "csv", "markdown", "html")
# Of the whole store, in each format that the command has.
OVERVIEWS = (
    ["assess"],
    ["leaderboard"],
    ["scoreboard"],
    ["due"],
    ["slate", "list"],
    ["release", "list"],
    ["candidate", "list"],
    ["log", "list"],
    ["view"],
)
# Of a slate.
OF_SLATE = (
    ["report"],
    ["report", "--full"],
    ["assess"],
    ["slate", "show"],
    ["coverage"],
    ["outcome", "list"],
)
# Runs commands in one process, which starts and imports once.
_COMMANDS = """
import json, sys
from click.testing import CliRunner
from tracker.cli import main
printed = {}
for name, words in json.load(sys.stdin):
    done = CliRunner().invoke(main, ["--db", "store.duckdb", *words], prog_name="tracker")
    printed[name] = f"{done.output}exit code {done.exit_code}\\n"
with open("printed.json", "w", encoding="utf-8") as file:
    json.dump(printed, file)
"""


def commands(slates: list[str]) -> Iterator[tuple[str, list[str]]]:
    """Yield what is run on a store: the name of a file for what it prints, and the words."""
    for words in OVERVIEWS:
        yield "-".join(words), list(words)
        yield "-".join([*words, "json"]), [*words, "--format", "json"]
    for number, slate in enumerate(slates):
        for words in OF_SLATE:
            yield "-".join([str(number), *words]), [*words, slate]
        for form in FORMATS:
            yield f"{number}-report-{form}", ["report", slate, "--format", form]
        for other in slates[number + 1 :]:
            yield f"{number}-{slates.index(other)}-compare", ["compare", slate, other]


def write_all(checkout: Path, store: Path, folder: Path) -> None:
    """Write what the version in a checkout makes of a store, whose copy it may upgrade."""
    folder.mkdir(parents=True)
    copy = folder / "store.duckdb"
    shutil.copyfile(store, copy)
    opening = [("init", ["init"]), ("slates", ["slate", "list", "--format", "json"])]
    listed = json.loads(_run(checkout, folder, opening)["slates"].rpartition("exit code")[0])
    slates = [str(one["slate_id"]) for one in listed]
    last = [
        *(
            (f"{number}-export", ["slate", "export", slate, f"{number}-export"])
            for number, slate in enumerate(slates)
        ),
        # By the option that earlier versions have as well.
        ("publish", ["publish", "-o", "site"]),
    ]
    for name, text in _run(checkout, folder, [*commands(slates), *last]).items():
        (folder / f"{name}.txt").write_text(text, encoding="utf-8")
    for path in folder.glob("store.duckdb*"):
        path.unlink()


def _run(checkout: Path, folder: Path, named: list[tuple[str, list[str]]]) -> dict[str, str]:
    """Run commands of a version on the store in a folder, and return what each printed."""
    subprocess.run(
        [sys.executable, "-c", _COMMANDS],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(checkout), "COLUMNS": "80"},
        input=json.dumps(named),
        # Started so, DuckDB takes itself for interactive and draws its progress there.
        stdout=subprocess.DEVNULL,
        text=True,
        check=True,
    )
    written = folder / "printed.json"
    printed: dict[str, str] = json.loads(written.read_text("utf-8"))
    written.unlink()
    return printed


def differences(before: Path, after: Path) -> Iterator[str]:
    """Yield, of each file that differs, its name and its first line that does."""
    names = {
        path.relative_to(folder)
        for folder in (before, after)
        for path in folder.rglob("*")
        if path.is_file()
    }
    for name in sorted(names):
        texts = [
            (folder / name).read_bytes() if (folder / name).exists() else None
            for folder in (before, after)
        ]
        if texts[0] is None or texts[1] is None:
            yield f"{name}: only {'after' if texts[0] is None else 'before'}"
        elif texts[0] != texts[1]:
            lines = [text.decode("utf-8", "replace").splitlines() for text in texts if text]
            first = next(
                (pair for pair in zip(*lines, strict=False) if pair[0] != pair[1]), ("", "")
            )
            yield f"{name}:\n  - {first[0].strip()[:300]}\n  + {first[1].strip()[:300]}"


def main() -> int:
    """Compare two versions; return 1 if they differ."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--base", default="HEAD", help="the revision to compare with")
    parser.add_argument("--store", type=Path, action="append", help="instead of the demo's stores")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        base = folder / "checkout"
        git = ["git", "worktree"]
        subprocess.run([*git, "add", "-q", "--detach", str(base), given.base], cwd=ROOT, check=True)
        try:
            stores = given.store or _demo(base, folder / "demo")
            for store in stores:
                for version, checkout in (("before", base), ("after", ROOT)):
                    write_all(checkout, store, folder / version / store.stem)
        finally:
            subprocess.run([*git, "remove", "--force", str(base)], cwd=ROOT, check=True)
        found = list(differences(folder / "before", folder / "after"))
        n_files = sum(path.is_file() for path in (folder / "after").rglob("*"))
    sys.stdout.writelines(f"{one}\n" for one in found)
    sys.stdout.write(f"{len(found)} of {n_files} files differ\n")
    return 1 if found else 0


def _demo(checkout: Path, folder: Path) -> list[Path]:
    """Make the demo's stores by the earlier version, from which the later one upgrades them."""
    subprocess.run(
        [
            sys.executable,
            "-c",
            "from tracker.cli import main; main()",
            "demo",
            "-o",
            str(folder),
        ],
        cwd=checkout,
        env={**os.environ, "PYTHONPATH": str(checkout)},
        stdout=subprocess.DEVNULL,
        check=True,
    )
    return sorted(folder.glob("*.duckdb"))


if __name__ == "__main__":
    sys.exit(main())
