"""Shared by test modules: paths, how commands are run, the contents of a page."""

import csv
import functools
import importlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable
from datetime import datetime
from html.parser import HTMLParser
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any
from unittest import mock

import pytest
import shards
from click.testing import CliRunner, Result
from filelock import FileLock
from sqlalchemy import Connection

from tracker import clock, slates, store
from tracker.cli import main
from tracker.evidence import detection
from tracker.store import queries
from tracker.store.state import kept

ROOT = Path(__file__).parents[2]
SHARED = ROOT.parent / "shared" / "data"
WORLD = ROOT / "fixtures" / "world"
# The primary endpoint: its view, and its column there.
ENDPOINT = "enrichment_vs_matched"


def sampled(values: Iterable[Any], every: int, *, slow: bool = False) -> list[Any]:
    """Return parameters of a test: each `every`-th for every run, the one after it for slow runs.

    Which these are changes with shards.seed(), so that the runs of many commits take all of them.
    The others are left to `pytest -m exhaustive`. A test that is `slow` itself runs each
    `every`-th in slow runs only. A tuple gives the values of several arguments.
    """
    marks = [(), (pytest.mark.slow,)] if not slow else [(pytest.mark.slow,)]
    first = shards.number(shards.seed()) % every
    return [
        pytest.param(
            *(value if isinstance(value, tuple) else (value,)),
            marks=dict(enumerate(marks)).get((number - first) % every, (pytest.mark.exhaustive,)),
        )
        for number, value in enumerate(values)
    ]


def n_examples(number: int) -> int:
    """Return how many examples a property is tried on: MORE_EXAMPLES=10 takes ten times as many."""
    return number * int(os.environ.get("MORE_EXAMPLES", "1"))


def made_once(folder: Path, make: Callable[[Path], None]) -> Path:
    """Return a folder of the run, which the first worker that needs it fills."""
    done = folder.with_suffix(".done")
    with FileLock(folder.with_suffix(".lock")):
        if not done.exists():
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            make(folder)
            done.touch()
    return folder


# Runs a command on the test's store: tracker("load", "labels", path, "--set", "known").
Tracker = Callable[..., Result]


def tracker_on(db: Path) -> Tracker:
    """Return a way to run a command on a store, by its words."""

    def run(*words: object, stdin: str | None = None) -> Result:
        arguments = ["--db", str(db), *[str(word) for word in words]]
        return CliRunner().invoke(main, arguments, input=stdin)

    return run


def exited(code: int, result: Result) -> Result:
    """Return the result of a command, which must have ended with this exit code."""
    assert result.exit_code == code, result.output
    return result


def ok(result: Result) -> Result:
    """Return the result of a command, which must have succeeded."""
    return exited(0, result)


def complaint(code: int, result: Result) -> str:
    """Return the line in which a command, which must have ended with this exit code, says why."""
    assert (result.exit_code, result.stderr.count("\n")) == (code, 1), result.output[-300:]
    return result.stderr


def as_json(tracker: Tracker, *words: object) -> Any:
    """Return what a command prints as JSON."""
    return json.loads(ok(tracker(*words, "--format", "json")).stdout)


def query(tracker: Tracker, statement: str) -> list[dict[str, Any]]:
    """Return the rows that `tracker sql` answers, by column."""
    rows: list[dict[str, Any]] = as_json(tracker, "sql", statement)
    return rows


def refused(tracker: Tracker, db: Path, *words: object, message: str) -> str:
    """Run a command that must be refused in one line and change nothing; return that line."""
    before = db.read_bytes()
    done = exited(3, tracker(*words))
    assert message in done.output
    assert len(done.output.splitlines()) == 1
    assert db.read_bytes() == before
    return done.output


def content(folder: Path) -> dict[str, bytes]:
    """Return the bytes of each file below a folder, by its path there."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


@functools.cache
def docs_module(name: str) -> ModuleType:
    """Return a module that is in docs/ and in no package, which may import those beside it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT / "docs")
        return importlib.import_module(name)


def ran(
    *words: object, folder: Path | None = None, stdin: str | None = None, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run a program in a process of its own, with these variables in its environment besides."""
    return subprocess.run(
        [str(word) for word in words],
        cwd=folder,
        env={**os.environ, **environment},
        input=stdin,
        capture_output=True,
        text=True,
        check=False,
    )


def printed(done: subprocess.CompletedProcess[str]) -> str:
    """Return what a program printed, which must have succeeded."""
    assert done.returncode == 0, (done.args, done.stdout, done.stderr)
    return done.stdout


def shell(script: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run commands as a reader would type them into a shell, `tracker` this installation's."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return ran("bash", "-euo", "pipefail", "-c", script, folder=folder, PATH=path)


def load_world_outcomes(db: Path, day: datetime) -> None:
    """Load the outcomes of both slates of the world: on `day` what had been observed, the rest
    now.

    The world's clock, not ours: the store stamps the first part with its day.
    """
    for season, slate in (("spring", "5c9f"), ("autumn", "a07e")):
        path = WORLD / f"{season}_outcomes.csv"
        early = db.with_name(path.name)
        header, *lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
        rows = csv.DictReader([header, *lines])
        observed = [datetime.fromisoformat(row["observed_at"]) for row in rows]
        earlier = [line for line, at in zip(lines, observed, strict=True) if at <= day]
        early.write_text(header + "".join(earlier), encoding="utf-8")
        words = ("--db", str(db), "load", "outcomes", "--slate", slate)
        if earlier:
            # A store written under a clock that is behind it, accepted: its log says so.
            accepted = mock.patch.dict(os.environ, {clock.ACCEPT: "1"})
            with accepted, mock.patch.object(clock, "read", return_value=day):
                ok(CliRunner().invoke(main, [*words, str(early)]))
        ok(CliRunner().invoke(main, [*words, str(path)]))


class Outline(HTMLParser):
    """The tags of a page with their attributes, and its text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    def of(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag]

    @property
    def ids(self) -> list[str]:
        return [str(found["id"]) for _, found in self.tags if "id" in found]

    @property
    def addresses(self) -> list[str]:
        return [
            str(found[name]) for _, found in self.tags for name in ("href", "src") if name in found
        ]


def answer(connection: Connection, query: str) -> list[SimpleNamespace]:
    """Return the rows of a query as `tracker sql` answers it, which deep views need."""
    columns, batches = queries.Query(connection, query).rows()
    rows = [row for batch in batches for row in batch]
    return [SimpleNamespace(**dict(zip(columns, row, strict=True))) for row in rows]


def detected(db: Path, query: str) -> list[tuple[Any, ...]]:
    """Detect what the evidence in a store shows; return the rows of a query of it afterwards."""
    with store.writer(db) as connection:
        detection.detect(connection, slates.all_slate_ids(connection))
        with kept.up_to_date(connection):
            return [tuple(vars(row).values()) for row in answer(connection, query)]
