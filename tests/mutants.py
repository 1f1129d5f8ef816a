"""Alters the code in one place at a time and says which run of the tests finds it.

    python tests/mutants.py sql/prospective --sample 20      20 of the mutants of these views
    python tests/mutants.py sql/statements/freeze tracker/uncertainty/stats/intervals.py
    python tests/mutants.py sql --list                       what would be altered
    python tests/mutants.py sql/prospective/comparison_hit.sql --line 34

A mutant is one operator, bound, join or literal of a view, a statement or a function that is
another. It is made in a copy of the checkout, where the golden cases run that read it, then what
tests/reach.py selects, then, with --default, the default run. The first that fails has found it;
a survivor is a case to be written, unless it changes nothing, for which equivalent_mutants.csv has
the reason: file, text of the line, the change, why.
"""

import argparse
import ast
import csv
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
EQUIVALENT = Path(__file__).with_name("equivalent_mutants.csv")
COPIED = ("tracker", "sql", "migrations", "fixtures", "tests", "docs", ".ci", ".github")
COPIED_FILES = ("pyproject.toml", "README.md", "CHANGELOG.md", ".mkdocs.yml")
# In SQL: what is looked for, and what it becomes.
_SQL = [
    (r"(?<![<>=!-])>=", ">"),
    (r"<=", "<"),
    (r"(?<![<>=!-])>(?![>=])", ">="),
    (r"<(?![<>=@-])", "<="),
    (r"<>", "="),
    (r"(?<![<>=!:])=(?![>=])", "<>"),
    (r" \+ ", " - "),
    (r" - ", " + "),
    (r" \* ", " / "),
    (r" / ", " * "),
    (r"\bleft join\b", "inner join"),
    (r"\binner join\b", "left join"),
    (r"\banti join\b", "semi join"),
    (r"\bsemi join\b", "anti join"),
    (r"\bunion all\b", "union"),
    (r"\bis not null\b", "is null"),
    (r"\bis null\b", "is not null"),
    (r"\band\b", "or"),
    (r"\bor\b", "and"),
    (r"\bmin\(", "max("),
    (r"\bmax\(", "min("),
    (r"\bdesc\b", "asc"),
    (r"\bdistinct ", ""),
    (r"\btrue\b", "false"),
    (r"\bfalse\b", "true"),
    (r"(?<![\w.'])(\d+)(?![\w.'])", "{next}"),
]
# What a line of SQL has that is no code of its own: a comment, a text.
_NO_CODE = re.compile(r"--.*$|'(?:[^']|'')*'", re.M)
_PYTHON_OPERATORS: dict[type[ast.AST], tuple[str, str]] = {
    ast.Lt: ("<", "<="),
    ast.LtE: ("<=", "<"),
    ast.Gt: (">", ">="),
    ast.GtE: (">=", ">"),
    ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="),
    ast.Add: ("+", "-"),
    ast.Sub: ("-", "+"),
    ast.Mult: ("*", "/"),
    ast.Div: ("/", "*"),
    ast.And: ("and", "or"),
    ast.Or: ("or", "and"),
}


@dataclass(frozen=True)
class Mutant:
    """A file with other text in one place."""

    path: str
    line: int
    before: str
    after: str
    start: int
    end: int

    def text(self, original: str) -> str:
        """Return the altered file."""
        return original[: self.start] + self.after + original[self.end :]

    def __str__(self) -> str:
        return (
            f"{self.path}:{self.line}: {self.before.strip()} -> {self.after.strip() or 'nothing'}"
        )


def mutants(path: Path) -> list[Mutant]:
    """Return the mutants of a file in order."""
    text = path.read_text("utf-8")
    found = _of_sql(text) if path.suffix == ".sql" else _of_python(text)
    name = str(path.resolve().relative_to(ROOT))
    return [
        Mutant(name, text.count("\n", 0, start) + 1, text[start:end], after, start, end)
        for start, end, after in sorted(set(found))
    ]


def _of_sql(text: str) -> Iterator[tuple[int, int, str]]:
    code = _NO_CODE.sub(lambda match: " " * len(match[0]), text)
    for pattern, after in _SQL:
        for match in re.finditer(pattern, code):
            become = str(int(match[0]) + 1) if after == "{next}" else after
            yield match.start(), match.end(), become


def _of_python(text: str) -> Iterator[tuple[int, int, str]]:
    lines = [0, *(match.end() for match in re.finditer("\n", text))]

    def at(line: int, column: int) -> int:
        start = lines[line - 1]
        width = len(text[start:].split("\n", 1)[0].encode()[:column].decode())
        return start + width

    for node in ast.walk(ast.parse(text)):
        triples: list[tuple[ast.expr, ast.AST, ast.expr]] = []
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            triples = list(zip(sides, node.ops, sides[1:], strict=False))
        elif isinstance(node, ast.BinOp):
            triples = [(node.left, node.op, node.right)]
        elif isinstance(node, ast.BoolOp):
            triples = [(a, node.op, b) for a, b in zip(node.values, node.values[1:], strict=False)]
        elif isinstance(node, ast.Constant):
            value = node.value
            if isinstance(value, int | float) and not isinstance(value, bool):
                start = at(node.lineno, node.col_offset)
                yield start, at(node.end_lineno or 0, node.end_col_offset or 0), str(value + 1)
        for left, operator, right in triples:
            if type(operator) not in _PYTHON_OPERATORS:
                continue
            before, after = _PYTHON_OPERATORS[type(operator)]
            start = at(left.end_lineno or 0, left.end_col_offset or 0)
            end = at(right.lineno, right.col_offset)
            place = text.find(before, start, end)
            if place >= 0:
                yield place, place + len(before), after


def equivalent() -> set[tuple[str, str, str]]:
    """Return the mutants that change nothing: file, text of the line, the change."""
    if not EQUIVALENT.exists():
        return set()
    with EQUIVALENT.open(encoding="utf-8", newline="") as handle:
        return {(row["file"], row["line"], row["change"]) for row in csv.DictReader(handle)}


def is_known(mutant: Mutant, original: str) -> bool:
    """Whether a mutant is listed as one that changes nothing."""
    line = original.splitlines()[mutant.line - 1].strip()
    change = f"{mutant.before.strip()} -> {mutant.after.strip()}"
    return (mutant.path, line, change) in equivalent()


def found_by(mutant: Mutant, folder: Path, runs: list[tuple[str, list[str]]]) -> str | None:
    """Return the first run that fails in a copy with the mutant, None if it survives."""
    path = folder / mutant.path
    original = path.read_text("utf-8")
    environment = {**os.environ, "PYTHONPATH": str(folder), "TEST_SEED": "0"}
    try:
        path.write_text(mutant.text(original), "utf-8")
        for name, words in runs:
            command = [sys.executable, *words]
            done = subprocess.run(
                command, cwd=folder, env=environment, capture_output=True, text=True, check=False
            )
            # 5 says that there is no such test.
            if done.returncode not in (0, 5):
                return name
    finally:
        path.write_text(original, "utf-8")
    return None


def fails_unaltered(path: str, folder: Path) -> bool:
    """Whether the nearest tests fail without a mutant, so that they would seem to find any."""
    nothing = Mutant(path, 1, "", "", 0, 0)
    return found_by(nothing, folder, runs_of(nothing, 0, default=False)[:1]) is not None


def runs_of(mutant: Mutant, seconds: float, default: bool) -> list[tuple[str, list[str]]]:
    """Return the runs that are tried, each with its words for python."""
    reach = ["tests/reach.py", "--file", mutant.path, "--seconds"]
    # The nearest alone: the cases of the view or statement itself, or the module's own tests.
    found = [("the nearest", [*reach, "60", "--distance", "0", "--", "-x"])]
    found.append(("reach", [*reach, str(seconds), "--", "-x"]))
    if default:
        found.append(("default", ["-m", "pytest", "-q", "-x"]))
    return found


def main() -> int:
    """Try mutants; return how many survived."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("places", nargs="+", type=Path, help="files or folders")
    parser.add_argument("--sample", type=int, help="so many of them")
    parser.add_argument("--seed", default="0", help="which ones")
    parser.add_argument("--line", type=int, help="those of one line")
    parser.add_argument("--list", action="store_true", help="only say what would be altered")
    parser.add_argument("--seconds", type=float, default=60.0, help="for the tests in reach")
    parser.add_argument("--default", action="store_true", help="also the default run")
    given = parser.parse_args()
    files = [
        path
        for place in given.places
        for path in (sorted(place.rglob("*")) if place.is_dir() else [place])
        if path.suffix in (".sql", ".py")
    ]
    all_of_them = [
        mutant
        for path in files
        for mutant in mutants(path)
        if given.line in (None, mutant.line) and not is_known(mutant, path.read_text("utf-8"))
    ]
    tried = all_of_them
    if given.sample is not None and given.sample < len(tried):
        tried = random.Random(given.seed).sample(tried, given.sample)  # noqa: S311 - no secret
    if given.list:
        sys.stdout.writelines(f"{mutant}\n" for mutant in tried)
        return 0
    results: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / "checkout"
        folder.mkdir()
        for name in COPIED:
            shutil.copytree(
                ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__")
            )
        for name in (*COPIED_FILES, *(path.name for path in ROOT.glob("requirements*.lock"))):
            shutil.copy(ROOT / name, folder / name)
        for path in sorted({mutant.path for mutant in tried}):
            if fails_unaltered(path, folder):
                sys.stdout.write(f"{path}: its tests fail without any mutant\n")
                return 1
        for mutant in tried:
            begun = time.monotonic()
            found = found_by(mutant, folder, runs_of(mutant, given.seconds, given.default))
            results[found or "nothing"] += 1
            verdict = f"found by {found}" if found else "SURVIVES"
            sys.stdout.write(f"{mutant}: {verdict} ({time.monotonic() - begun:.0f} s)\n")
            sys.stdout.flush()
    counted = ", ".join(f"{n} by {name}" for name, n in results.most_common())
    sys.stdout.write(f"{len(tried)} of {len(all_of_them)} mutants: {counted}\n")
    return min(results["nothing"], 99)


if __name__ == "__main__":
    sys.exit(main())
