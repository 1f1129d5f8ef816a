"""Alters the code in one place at a time and says which run of the tests finds it.

    python tests/mutants.py sql/prospective --sample 20      20 of the mutants of these views
    python tests/mutants.py sql/statements/freeze tracker/uncertainty/stats/intervals.py
    python tests/mutants.py sql --list                       what would be altered
    python tests/mutants.py sql/prospective/comparison_hit.sql --line 34

A mutant is one operator, bound, join or literal of a view, a statement or a function that is
another. The tests are collected once; a process forked for each mutant has it in its memory, runs
the golden cases that read it, then what tests/reach.py selects, then, with --default, the default
run. The first that fails has found it; a survivor is a case to be written, unless it changes
nothing, for which equivalent_mutants.csv has the reason: file, text of the line, the change, why.
Tests that start a process of their own do not see a mutant.
"""

import argparse
import ast
import csv
import functools
import gc
import importlib
import os
import random
import re
import signal
import sys
import time
import types
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import reach

from tracker.store import catalog, statements

ROOT = Path(__file__).parents[1]
EQUIVALENT = Path(__file__).with_name("equivalent_mutants.csv")
# Beyond what the tests are expected to take: a mutant may never end.
_GRACE = 60.0
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


def put(mutant: Mutant) -> None:
    """Have a mutant in the memory of this process, instead of what its file has."""
    path = ROOT / mutant.path
    altered = mutant.text(path.read_text("utf-8"))
    if path.suffix == ".py":
        _put_python(path, altered)
        return
    read_text = Path.read_text

    def reading(self: Path, *words: str | None, **named: str | None) -> str:
        return altered if self.resolve() == path else read_text(self, *words, **named)

    Path.read_text = reading  # type: ignore[method-assign]
    # What was read before: by tests for their parameters, and behind caches.
    _, select = catalog.split_header(altered)
    for one in gc.get_objects():
        if isinstance(one, catalog.View | statements.Statement) and one.name == path.stem:
            object.__setattr__(one, "select", select)
            one.__dict__.pop("clause", None)
        elif isinstance(one, functools._lru_cache_wrapper) and one.__module__.startswith("tracker"):
            one.cache_clear()


def _put_python(path: Path, altered: str) -> None:
    """Give the functions of a module the code of its altered text, and its names their values."""
    module = importlib.import_module(reach.module_of(path.relative_to(ROOT)))
    existing = [
        one
        for one in gc.get_objects()
        if isinstance(one, types.FunctionType) and one.__globals__ is vars(module)
    ]
    code = compile(altered, str(path), "exec")
    by_name = {one.co_qualname: one for one in _codes(code)}
    exec(code, vars(module))  # noqa: S102 - its own text
    # Others have imported the functions that were there before.
    for function in existing:
        new = by_name.get(function.__qualname__)
        if new is not None and len(new.co_freevars) == len(function.__code__.co_freevars):
            function.__code__ = new


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    for one in code.co_consts:
        if isinstance(one, types.CodeType):
            yield one
            yield from _codes(one)


class Trying:
    """Runs, in place of pytest's loop over what it has collected, some of it for each mutant."""

    def __init__(self, tried: list[Mutant], seconds: float, default: bool) -> None:
        self.tried = tried
        self.seconds = seconds
        self.default = default
        self.results: Counter[str] = Counter()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Say of each mutant which run finds it."""
        costs = reach.costs_of(session.items)
        sound: dict[tuple[str, str], bool] = {}
        for mutant in self.tried:
            begun = time.monotonic()
            verdict = None
            for name, items, expected in self._runs(mutant, session.items, costs):
                seconds = expected + _GRACE
                if passes(session, items, mutant, seconds):
                    continue
                run = (name, mutant.path)
                if run not in sound:
                    sound[run] = passes(session, items, None, seconds)
                verdict = f"found by {name}" if sound[run] else f"{name} fails without it"
                break
            self.results[verdict or "SURVIVES"] += 1
            took = time.monotonic() - begun
            print(f"{mutant}: {verdict or 'SURVIVES'} ({took:.0f} s)", flush=True)  # noqa: T201
        return True

    def _runs(
        self, mutant: Mutant, items: list[pytest.Item], costs: dict[str, tuple[float, float]]
    ) -> Iterator[tuple[str, list[pytest.Item], float]]:
        """Yield the runs that are tried, each with its tests and the seconds they should take."""
        tests = reach.selected(reach.reached([mutant.path]))
        slow = {item.nodeid for item in items if item.get_closest_marker("slow")}
        # The nearest alone: the cases of the view or statement, or the module's own tests.
        near = {name: steps for name, steps in tests.items() if steps <= 0}
        for name, reached in (("the nearest", near), ("reach", tests)):
            kept = set(reach.kept(costs, reached, self.seconds, slow)[0])
            yield name, [item for item in items if item.nodeid in kept], self.seconds
        if self.default:
            quick = [item for item in items if item.nodeid not in slow]
            yield "default", quick, sum(sum(costs[item.nodeid]) for item in quick)


def passes(
    session: pytest.Session, items: list[pytest.Item], mutant: Mutant | None, seconds: float
) -> bool:
    """Whether tests pass in a process with a mutant; one that takes too long has failed."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            os.setsid()
            silent = os.open(os.devnull, os.O_WRONLY)
            os.dup2(silent, 1)
            os.dup2(silent, 2)
            if mutant is not None:
                put(mutant)
            code = _run(session, items)
        finally:
            os._exit(code)
    ends = time.monotonic() + seconds
    while time.monotonic() < ends:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return status == 0
        time.sleep(0.05)
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return False


def _run(session: pytest.Session, items: list[pytest.Item]) -> int:
    """Run tests until one fails; return 1 then, else 0."""
    session.items = items
    for item, following in zip(items, [*items[1:], None], strict=True):
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        if session.testsfailed:
            return 1
    return 0


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
    if not tried:
        sys.stdout.write("no mutants\n")
        return 0
    trying = Trying(tried, given.seconds, given.default)
    words = [
        "-qq",
        "-n",
        "0",
        "-s",
        "-m",
        "not exhaustive",
        f"--rootdir={ROOT}",
        str(ROOT / "tests"),
    ]
    code = pytest.main(words, plugins=[trying])
    if not trying.results:
        return int(code)
    counted = ", ".join(f"{n} {verdict}" for verdict, n in trying.results.most_common())
    sys.stdout.write(f"{len(tried)} of {len(all_of_them)} mutants: {counted}\n")
    return min(trying.results["SURVIVES"], 99)


if __name__ == "__main__":
    sys.exit(main())
