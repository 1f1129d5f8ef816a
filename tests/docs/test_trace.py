"""The traces of a row and of an event in the architecture, followed as a reader would."""

import csv
import importlib
import inspect
import itertools
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FrameType
from typing import Literal

import pytest
import sqlalchemy as sa
from evidence import study, write_json
from sqlalchemy import Connection, text
from support import ROOT, Tracker, ok

from tracker import schema, store
from tracker.store import catalog, statements

GUIDE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
TRACE = GUIDE.split("{#trace}")[1].split("\n## ")[0]
TUTORIAL = (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8")
ROW = re.search(r"How the row `([^`]+)`", TRACE)
VIEWS = {view.name for view in catalog.read_views()}


@dataclass(frozen=True)
class Step:
    """What a row goes through: of a file that is a module a function, else a name of the store."""

    file: str
    name: str

    @property
    def code(self) -> CodeType | None:
        """The code of a function that the file defines."""
        if not self.file.endswith(".py"):
            return None
        module = importlib.import_module(self.file.removesuffix(".py").replace("/", "."))
        found = inspect.unwrap(getattr(module, self.name, lambda: None))
        is_own = inspect.isfunction(found) and found.__name__ == self.name
        return found.__code__ if is_own and found.__module__ == module.__name__ else None

    @property
    def kind(self) -> Literal["function", "view", "table", "statement"]:
        """What the step is."""
        if self.code is not None:
            return "function"
        if self.name in VIEWS:
            return "view"
        return "table" if self.name in schema.metadata.tables else "statement"

    @property
    def makes(self) -> str:
        """The table or view whose rows it has or makes."""
        if self.kind != "statement":
            return self.name
        header = statements.find(self.name).header
        return header.get("Writes") or header["Creates"]


def trace_of(text: str) -> list[list[Step]]:
    """The steps of each item of a list of the page: a file, then names within it."""
    items = re.findall(r"^\d+\. `([\w/.]+)`: (`\w+`(?:, `\w+`)*)\. ", text, re.M)
    assert len(items) == len(re.findall(r"^\d+\. ", text, re.M))
    return [[Step(file, name) for name in re.findall(r"\w+", names)] for file, names in items]


TRACES = [trace_of(text) for text in re.split(r"^How ", TRACE, flags=re.M)[1:]]


class Walk:
    """What functions called, ran, read and wrote, with what those did that they called."""

    def __init__(self, functions: dict[CodeType, str]) -> None:
        self.functions = functions
        self.reached: set[tuple[str, str, str]] = set()
        self._running: list[str] = []

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Watch the calls of this thread and all SQL within the body."""
        sa.event.listen(sa.Engine, "before_cursor_execute", self._on_sql)
        sys.setprofile(self._on_call)
        try:
            yield
        finally:
            sys.setprofile(None)
            sa.event.remove(sa.Engine, "before_cursor_execute", self._on_sql)

    def _on_call(self, frame: FrameType, what: str, _argument: object) -> None:
        if what == "call" and frame.f_code is statements.run.__code__:
            name = frame.f_locals["name"]
            self._note("statement", name)
            for read in statements.find(name).reads:
                self._note("read", read)
        if frame.f_code not in self.functions:
            return
        if what == "call":
            self._note("function", self.functions[frame.f_code])
            self._running.append(self.functions[frame.f_code])
        elif what == "return":
            self._running.pop()

    def _on_sql(self, *arguments: object) -> None:
        for verb, name in re.findall(
            r'(?i)\b(insert into|from|join) (?:main\.)?"?(\w+)', str(arguments[2])
        ):
            self._note("write" if verb.lower() == "insert into" else "read", name)

    def _note(self, how: str, name: str) -> None:
        self.reached |= {(one, how, name) for one in self._running}

    def leads(self, one: Step, other: Step) -> bool:
        """Whether a step leads to another: as it ran, else by what views and statements read."""
        if one.kind == "function":
            how = "write" if other.kind == "table" else other.kind
            return (one.name, how, other.name) in self.reached
        if other.kind == "function":
            return (other.name, "read", one.makes) in self.reached
        if other.kind == "view":
            return one.makes in catalog.reads()[other.name]
        if other.kind == "statement":
            return one.makes in statements.find(other.name).reads
        return one.kind == "statement" and one.makes == other.name


@pytest.mark.parametrize("trace", TRACES, ids=("row", "event"))
def test_a_trace_names_what_is_in_its_files(trace: list[list[Step]]) -> None:
    """At most ten files; each has a step, and each step is in its file or is one of the store."""
    assert 5 < len(trace) <= 10
    for row in trace:
        content = (ROOT / row[0].file).read_text(encoding="utf-8")
        assert any(step.name in content or Path(step.file).stem == step.name for step in row)
        # One that is neither a function, a view nor a table must be a statement: makes raises else.
        assert all(step.makes for step in row)


@pytest.mark.slow
def test_each_step_of_the_traces_leads_to_the_next(
    tracker: Tracker, db: Path, tmp_path: Path
) -> None:
    ways = [[step for row in trace for step in row] for trace in TRACES]
    walk = Walk({step.code: step.name for way in ways for step in way if step.code})
    with walk.watching():
        the_row_comes_to_count(tracker, db, tmp_path)
    for way in ways:
        pairs = [*itertools.pairwise(way)]
        assert [(one.name, other.name) for one, other in pairs if not walk.leads(one, other)] == []
        views = [pair for pair in pairs if {step.kind for step in pair} == {"view"}]
        assert [(one.name, other.name) for one, other in views if walk.leads(other, one)] == []
        assert not walk.leads(way[0], way[-1])


def the_row_comes_to_count(tracker: Tracker, db: Path, tmp_path: Path) -> None:
    assert ROW is not None
    candidates = TUTORIAL.split("cat > candidates.csv <<'END'\n")[1].split("END\n")[0]
    assert f"{ROW[1]}\n" in candidates
    disease, drug, _score = ROW[1].split(",")
    (tmp_path / "candidates.csv").write_text(candidates)

    def n_of(connection: Connection, relation: str) -> int:
        query = (
            f"select count(*) from {relation} inner join drug using (drug_id) "  # noqa: S608 - names of the test's own
            "inner join disease using (disease_id) "
            "where drug.name = :drug and disease.name = :disease"
        )
        return int(connection.execute(text(query), {"drug": drug, "disease": disease}).scalar_one())

    def run(*words: object) -> str:
        return ok(tracker(*words)).output

    run("load", "candidates", tmp_path / "candidates.csv", "--set", "whole", "--model", "v1")
    run("slate", "freeze", "--candidates", "whole", "--replay-as-of", "2024-01-01")
    with store.reader(db) as connection:
        found = [n_of(connection, name) for name in ("stored_candidate", "prediction", "event")]
        assert found == [1, 1, 0]
        (slate,) = connection.execute(text("select slate_id from slate")).scalars()
    other = study("NCT00000009", conditions=("Asthma",), posted="2023-06-01", meshes=())
    own = study(
        "NCT00000001",
        conditions=(disease,),
        interventions=({"type": "DRUG", "name": drug},),
        start="2024-05-01",
        posted="2024-04-20",
        meshes=(),
    )
    (tmp_path / "drop").mkdir()
    (tmp_path / "tracker.toml").write_text(
        'settle_seconds = 0\n[[source]]\nkind = "trials"\npath = "drop/trials-*.json"\n'
    )
    for day, studies in (("2023-12-01", [other]), ("2024-06-01", [other, own])):
        write_json(tmp_path / "drop" / f"trials-{day}.json", studies)
    run("refresh", "--config", tmp_path / "tracker.toml")
    with store.reader(db) as connection:
        for name in ("event", "outcome", "outcome_timing", "pair_event", "pair_outcome"):
            assert n_of(connection, name) >= 1, name
        hits = connection.execute(
            text(
                "select n_hits from tier_hit_rate where tier = 'all' and population = 'all' "
                "and evidence_window = 'all'"
            )
        ).scalar_one()
        assert hits == 1
    words = ("--section", "tier_hit_rate", "--format", "csv")
    printed = csv.DictReader(run("report", slate, *words).splitlines())
    (figure,) = [
        row["value"]
        for row in printed
        if (row["evidence_window"], row["population"], row["tier"], row["metric"])
        == ("prospective", "all", "all", "n_hits")
    ]
    assert figure == "1"
