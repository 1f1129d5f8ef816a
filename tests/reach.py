"""Runs the tests that a change can reach, the nearest first, for about a minute.

    python tests/reach.py                      what changed since the last commit, also unstaged
    python tests/reach.py --base main          what changed since another revision
    python tests/reach.py --list               only says what it would run
    python tests/reach.py --seconds 600        more of it; --all: all of it
    python tests/reach.py -m "" -- -x          with the exhaustive ones; what follows -- is pytest's

A changed module reaches the modules that import it, even indirectly, and the commands that are
imported by name; a changed view the views that read it, as the parser finds; a template, a
stylesheet or a statement the modules that name it. A test module is reached if it imports or runs
one of these, at the distance of the shortest chain; of views, those of its cases and functions
that name one. Nearest of all are the tests that lie where the module does, then those that quote a
text of a changed module, such as its messages, the more the nearer. A change of what tests share
reaches the modules that import it.

It is for use while working: `.ci/run` selects nothing.
"""

import argparse
import ast
import functools
import json
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import grimp
import pytest

from tracker import plugins
from tracker.cli import commands
from tracker.store import catalog

ROOT = Path(__file__).parents[1]
TESTS, SUPPORT = ROOT / "tests", ROOT / "tests" / "support"
_VIEW_CASES = "tests/golden/test_golden.py"
_STATEMENT_CASES = "tests/golden/test_statements.py"
# Seconds for what is made for the first test of a module, and for a test itself, where no run has
# measured them: by folder, of slow tests, and of those that wait for Spark or the demo or run all
# commands of a guide.
_SECONDS = {"golden": (0.5, 0.2), "properties": (1.0, 0.5)}
_OTHERS = (3.0, 0.4)
_SLOW = (8.0, 3.0)
_LONG = (60.0, 60.0)
# A function that reaches its views through tables of them, as property tests do, is far away.
_FAR = 9
# The cases of a changed view or statement and the tests of a module, before what quotes a text.
_OWN = -1_000


@dataclass
class Reached:
    """The distance of each module, view and statement of tracker that a change reaches.

    `tests` has the identifiers, or their beginnings, of tests that are named by files themselves.
    """

    modules: dict[str, int] = field(default_factory=dict)
    views: dict[str, int] = field(default_factory=dict)
    statements: dict[str, int] = field(default_factory=dict)
    tests: dict[str, int] = field(default_factory=dict)


def changed(base: str) -> list[str]:
    """Return the files that differ from a revision, and those that git does not know yet."""
    differing = ["git", "diff", "--name-only", base, "--"]
    unknown = ["git", "ls-files", "--others", "--exclude-standard"]
    found = [
        subprocess.run(words, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True).stdout
        for words in (differing, unknown)
    ]
    return sorted({line for text in found for line in text.splitlines()})


def reached(files: Iterable[str]) -> Reached:
    """Return what a change of these files reaches."""
    found = Reached()
    modules: set[str] = set()
    naming: set[str] = set()
    views: set[str] = set()
    for name in files:
        path = Path(name)
        top, stem = path.parts[0], path.stem
        if top == "tracker" and path.suffix == ".py":
            modules.add(module_of(path))
        elif top in ("tracker", "migrations", "fixtures"):
            naming |= _naming(path.name) or _naming(path.parent.name)
        elif name.startswith("sql/statements/"):
            found.statements[stem] = 0
            naming |= _naming(stem)
        elif name.startswith("sql/checks/"):
            found.tests[f"tests/store/test_catalog.py::[{stem}]"] = 0
        elif top == "sql":
            views.add(stem)
        elif top == "tests":
            found.tests |= dict.fromkeys(_of_test_file(path), 0)
        elif top == "docs" or path.suffix == ".md":
            found.tests["tests/docs/"] = 0
    found.views = _spread(views, _readers())
    found.modules = {
        **{name: distance + 1 for name, distance in _spread(naming, _importers()).items()},
        **_spread(modules, _importers()),
    }
    return found


def module_of(path: Path) -> str:
    return ".".join(path.with_suffix("").parts).removesuffix(".__init__")


def _naming(word: str) -> set[str]:
    """Return the modules of tracker that have a word, such as a template's name, in quotes."""
    quoted = re.compile(rf"""["'/]{re.escape(word)}["']""")
    return {module_of(path.relative_to(ROOT)) for path, text in _sources() if quoted.search(text)}


@functools.cache
def _sources() -> list[tuple[Path, str]]:
    return [(path, path.read_text("utf-8")) for path in sorted((ROOT / "tracker").rglob("*.py"))]


def _of_test_file(path: Path) -> Iterator[str]:
    """Yield the tests of a file below tests/: itself, its case, or those that import it."""
    if path.suffix == ".md" and path.parts[1] == "golden":
        for module in (_VIEW_CASES, _STATEMENT_CASES):
            yield f"{module}::[{path.parts[2]}/{path.stem}]"
    elif path.parts[1] == "support":
        sharing = _spread({path.stem}, _support_importers())
        for test in sorted(TESTS.rglob("test_*.py")):
            if _imported(test) & sharing.keys():
                yield str(test.relative_to(ROOT))
    elif path.name.startswith("test_"):
        yield str(path)


@functools.cache
def _imported(path: Path) -> frozenset[str]:
    """Return the modules that a file names in imports, and what it takes from them."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    return frozenset(found)


def _support_importers() -> dict[str, set[str]]:
    return _reversed(
        {path.stem: set(_imported(path)) for path in [*SUPPORT.glob("*.py"), TESTS / "conftest.py"]}
    )


def _readers() -> dict[str, set[str]]:
    """Return the views that read each view."""
    return _reversed({view: set(names) for view, names in catalog.reads().items()})


@functools.cache
def _importers() -> dict[str, set[str]]:
    """Return the modules that import each module of tracker; a command is imported by its name."""
    graph = grimp.build_graph("tracker", cache_dir=None)
    return {name: graph.find_modules_that_directly_import(name) for name in graph.modules}


def _reversed(graph: Mapping[str, set[str]]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for name, others in graph.items():
        for other in others:
            found.setdefault(other, set()).add(name)
    return found


def _spread(names: Iterable[str], above: Mapping[str, set[str]]) -> dict[str, int]:
    """Return these names and all above them, each with the length of the shortest chain."""
    found: dict[str, int] = dict.fromkeys(names, 0)
    edge = list(found)
    while edge:
        further = {up for name in edge for up in above.get(name, ())} - found.keys()
        found |= dict.fromkeys(further, max(found[name] for name in edge) + 1)
        edge = sorted(further)
    return found


def selected(found: Reached) -> dict[str, int]:
    """Return the tests to run, as identifiers or beginnings of them, with their distances."""
    tests = dict(found.tests)
    for view, distance in found.views.items():
        for module in (_VIEW_CASES, "tests/properties/test_prospective_properties.py"):
            _nearer(tests, f"{module}::[{view}]", distance or _OWN)
        _nearer(tests, f"{_VIEW_CASES}::[{view}/", distance or _OWN)
    for statement in found.statements:
        _nearer(tests, f"{_STATEMENT_CASES}::[{statement}]", _OWN)
        _nearer(tests, f"{_STATEMENT_CASES}::[{statement}/", _OWN)
    for view, distance in found.views.items():
        # Property tests go through tables of views that the references have.
        for support in _naming_support(view):
            for path in sorted((TESTS / "properties").glob("test_*.py")):
                if support in _imported(path):
                    _nearer(tests, str(path.relative_to(ROOT)), distance + 2)
    said_by_changed = _said(found)
    ran = {module for module in _commands().values() if module in found.modules}
    for path in sorted(TESTS.rglob("test_*.py")):
        name = str(path.relative_to(ROOT))
        if "golden" not in path.parts:
            for function, words in _functions(path):
                near = [found.views[word] for word in words & found.views.keys()]
                if near:
                    _nearer(tests, f"{name}::{function}", min(near) + 1)
        distances = [found.modules[one] for one in _imported(path) & found.modules.keys()]
        if ran and "tracker.cli" in _imported(path) | _through_support(path):
            said = _first_words(path)
            distances += [
                found.modules[module] + 1
                for command, module in _commands().items()
                if command in said and module in found.modules
            ]
        if distances:
            _nearer(tests, name, min([*distances, *_likely(path, found)]))
            for function, phrases in _quoted(path):
                if phrases & said_by_changed:
                    _nearer(tests, f"{name}::{function}", -len(phrases & said_by_changed))
    return tests


def _said(found: Reached) -> frozenset[str]:
    """Return the phrases in the texts of the changed modules."""
    places = [
        ROOT / name.replace(".", "/") for name, distance in found.modules.items() if distance == 0
    ]
    files = [file for one in places for file in (one.with_suffix(".py"), one / "__init__.py")]
    return frozenset().union(
        *(_phrases(ast.parse(file.read_text("utf-8"))) for file in files if file.exists())
    )


@functools.cache
def _quoted(path: Path) -> list[tuple[str, frozenset[str]]]:
    """Return the tests of a file, each with the phrases in its texts and those of decorators."""
    return [
        (node.name, _phrases(node))
        for node in ast.parse(path.read_text("utf-8")).body
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    ]


def _phrases(tree: ast.AST) -> frozenset[str]:
    """Return each four words that stand beside each other in a text: a test quotes messages."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            words = re.findall(r"[a-z]+", node.value.casefold())
            found |= {" ".join(words[first : first + 4]) for first in range(len(words) - 3)}
    return frozenset(found)


def _likely(path: Path, found: Reached) -> Iterator[int]:
    """Yield how near a test module is that is of a changed module, or names it or its package."""
    text = path.read_text("utf-8")
    for module in [name for name, distance in found.modules.items() if distance == 0]:
        package, _, word = module.rpartition(".")
        folder = TESTS.joinpath(*package.split(".")[1:])
        if path == folder / f"test_{word}.py":
            yield _OWN
        if re.search(rf"\b{re.escape(word)}\b", text):
            yield 0
        if path.parent.name == package.rpartition(".")[2]:
            yield 1


def _naming_support(word: str) -> list[str]:
    """Return the modules that tests share in which a view is named."""
    return [name for name, texts in _support_texts().items() if word in texts]


@functools.cache
def _support_texts() -> dict[str, frozenset[str]]:
    """Return the quoted words of each module that tests share."""
    return {
        path.stem: frozenset(re.findall(r'"(\w+)"', path.read_text("utf-8")))
        for path in sorted(SUPPORT.glob("*.py"))
    }


def _nearer(tests: dict[str, int], name: str, distance: int) -> None:
    tests[name] = min(distance, tests.get(name, _FAR))


@functools.cache
def _commands() -> dict[str, str]:
    """Return the module of each command."""
    return {name: entry.module for name, entry in plugins.named(commands.GROUP).items()}


def _through_support(path: Path) -> set[str]:
    """Return tracker.cli where a module runs commands through a fixture or a shared class."""
    text = path.read_text("utf-8")
    return {"tracker.cli"} if re.search(r"\b(Tracker|Bench|CliRunner)\b", text) else set()


@functools.cache
def _first_words(path: Path) -> frozenset[str]:
    """Return the first words of all texts of a file: commands are among them."""
    tree = ast.parse(path.read_text("utf-8"))
    texts = (node.value for node in ast.walk(tree) if isinstance(node, ast.Constant))
    return frozenset(text.split()[0] for text in texts if isinstance(text, str) and text.split())


@functools.cache
def _functions(path: Path) -> list[tuple[str, frozenset[str]]]:
    """Return the tests of a file, each with the words in its source and its decorators."""
    text = path.read_text("utf-8")
    lines = text.splitlines()
    found = []
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
            source = "\n".join(lines[first - 1 : node.end_lineno])
            found.append((node.name, frozenset(re.findall(r"\w+", source))))
    return found


def distance_of(nodeid: str, tests: Mapping[str, int]) -> int | None:
    """Return how far from the change a test is, None if it is not reached.

    A selector is the beginning of an identifier, or `file::[id` that of its parameters.
    """
    path, _, rest = nodeid.partition("::")
    function, bracket, parameters = rest.partition("[")
    found = [tests[name] for name in (path, f"{path}::{function}") if name in tests]
    found += [tests[f"{one}/"] for one in map(str, Path(path).parents) if f"{one}/" in tests]
    if bracket:
        words = parameters.removesuffix("]")
        keys = {f"{path}::[{words}]", f"{path}::[{words.partition('/')[0]}/"}
        # A view among several parameters.
        keys |= {f"{path}::[{word}]" for word in words.split("-")}
        found += [tests[key] for key in keys if key in tests]
    return min(found, default=None)


def kept(
    costs: Mapping[str, tuple[float, float]],
    tests: Mapping[str, int],
    seconds: float,
    slow: Container[str] = (),
) -> tuple[list[str], int]:
    """Return the nearest tests that fit into the seconds, in their order, and how many do not.

    `costs` has, of each test, the seconds for what the first test of its module makes, and its own.
    Of equally near ones modules take turns, each with its slow tests last.
    """
    distances = {name: distance_of(name, tests) for name in costs}
    turns: Counter[str] = Counter()
    near: list[tuple[int, int, bool, int, str]] = []
    for name in sorted(costs, key=lambda name: name in slow):
        distance = distances[name]
        if distance is not None:
            turns[_file(name)] += 1
            near.append((distance, turns[_file(name)], name in slow, len(near), name))
    chosen: set[str] = set()
    modules: set[str] = set()
    spent = 0.0
    for *_order, name in sorted(near):
        first, test = costs[name]
        takes = test + first * (_file(name) not in modules)
        if spent + takes <= seconds or not chosen:
            spent += takes
            modules.add(_file(name))
            chosen.add(name)
    return [name for name in distances if name in chosen], len(near) - len(chosen)


def costs_of(items: Sequence[pytest.Item]) -> dict[str, tuple[float, float]]:
    """Return what tests take: as measured, the longest of a module for its first, or guessed."""
    import durations  # on the path only where pytest runs

    known = durations.known(items[0].config) if items else {}
    guesses = {}
    made: dict[str, float] = {}
    for item in items:
        is_long = not durations.LONG_TO_MAKE.isdisjoint(getattr(item, "fixturenames", ()))
        folder = Path(item.nodeid).parts[1]
        is_slow = item.get_closest_marker("slow") is not None
        is_long |= is_slow and folder == "docs"
        guesses[item.nodeid] = (
            _LONG if is_long else _SLOW if is_slow else _SECONDS.get(folder, _OTHERS)
        )
        if item.nodeid in known and not is_long:
            module = _file(item.nodeid)
            made[module] = max(known[item.nodeid][0], made.get(module, 0.0))
    return {
        name: (
            guess[0] if guess is _LONG else made.get(_file(name), guess[0]),
            known[name][1] if name in known else guess[1],
        )
        for name, guess in guesses.items()
    }


def _file(nodeid: str) -> str:
    return nodeid.partition("::")[0]


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep what the command that started this run has chosen, of what the marks left."""
    plan = json.loads(Path(os.environ["REACH_PLAN"]).read_text("utf-8"))
    slow = {item.nodeid for item in items if item.get_closest_marker("slow")}
    names, n_left = kept(costs_of(items), plan["tests"], plan["seconds"], slow)
    wanted = set(names)
    config.hook.pytest_deselected(items=[item for item in items if item.nodeid not in wanted])
    items[:] = [item for item in items if item.nodeid in wanted]
    Path(os.environ["REACH_PLAN"] + ".left").write_text(str(n_left), "utf-8")


def main() -> int:
    """Run the tests that a change reaches; return pytest's exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--base", default="HEAD", help="the revision that a change is counted from")
    parser.add_argument("--file", action="append", help="as if this file had changed, no other")
    parser.add_argument("--list", action="store_true", help="only say what would run")
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--distance", type=int, help="only what is at most so many steps away")
    parser.add_argument("--all", action="store_true", help="all that is reached")
    parser.add_argument("-m", dest="marks", help="which marks; all but the exhaustive if not given")
    parser.add_argument("words", nargs="*", help="further words for pytest, after --")
    given = parser.parse_args()
    files = given.file or changed(given.base)
    tests = selected(reached(files))
    if given.distance is not None:
        tests = {name: steps for name, steps in tests.items() if steps <= given.distance}
    if not tests:
        sys.stdout.write(f"{len(files)} changed files reach no test\n")
        return 0
    # A part of the minute is taken by starting and collecting; two workers slow each other down.
    processors = min(2, os.cpu_count() or 1)
    seconds = float("inf") if given.all else 0.5 * given.seconds * processors
    marks = "not exhaustive" if given.marks is None else given.marks
    paths = sorted({name.partition("::")[0] for name in tests})
    with tempfile.TemporaryDirectory() as folder:
        plan = Path(folder) / "plan.json"
        plan.write_text(json.dumps({"tests": tests, "seconds": seconds}), "utf-8")
        words = ["-p", "reach", "-m", marks]
        words += ["-n", "0", "--collect-only"] if given.list else []
        words += ["-n", str(processors)] if not given.list else []
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(TESTS), os.environ.get("PYTHONPATH", "")]),
            "REACH_PLAN": str(plan),
        }
        command = [sys.executable, "-m", "pytest", "-q", *words, *given.words, *paths]
        code = subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode
        left = Path(f"{plan}.left")
        if left.exists() and left.read_text("utf-8") != "0":
            sys.stdout.write(
                f"{left.read_text('utf-8')} tests further away were left out (--all)\n"
            )
    return code


if __name__ == "__main__":
    sys.exit(main())
