"""The views of evidence and detection against cases worked by hand.

A column `detail.phase` of expected.csv is the field `phase` of the JSON column `detail`.
"""

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from golden_case import (
    GOLDEN,
    Row,
    World,
    complete,
    differences,
    expected_columns,
    insert,
    read_as_of,
    read_given,
    scratch,
    typed,
    view_rows,
    view_types,
)
from sqlalchemy import Connection

from tracker import catalog, detection, schema, store

SECTIONS = ("detection", "evidence")
VIEWS = {view.name: view for view in catalog.read_views() if view.section in SECTIONS}
CASES = sorted(path.parent for path in GOLDEN.glob("*/*/given") if path.parts[-3] in VIEWS)
CASE_NAMES = [f"{case.parent.name}/{case.name}" for case in CASES]
# The numbers among the fields of an outcome's detail; the others are text.
DETAIL_NUMBERS = ("detail.phase", "detail.known_phase")


@pytest.fixture(scope="module")
def store_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("golden") / "store.tracker"
    with store.writer(path):
        pass
    return path


@pytest.fixture
def connection(store_path: Path) -> Iterator[Connection]:
    with scratch(store_path) as connection:
        yield connection


def read_expected(case: Path, kinds: dict[str, str]) -> list[Row]:
    """Return the rows of expected.csv, typed as the view's columns are."""
    detail = dict.fromkeys(DETAIL_NUMBERS, "DOUBLE")
    with (case / "expected.csv").open(encoding="utf-8", newline="") as handle:
        return [
            {
                name: typed(cell, kinds.get(name) or detail.get(name, "VARCHAR"))
                for name, cell in row.items()
            }
            for row in csv.DictReader(handle, strict=True)
        ]


def flat(row: Row) -> Row:
    """Return a view's row with the fields of its JSON detail as columns of their own."""
    detail = row.get("detail")
    fields: dict[str, Any] = detail if isinstance(detail, dict) else {}
    return row | {f"detail.{name}": value for name, value in fields.items()}


def view_of(case: Path, connection: Connection, tmp_path: Path) -> tuple[list[Row], dict[str, str]]:
    """Return what the view of a case shows in its world, at the case's instant if it has one."""
    view, world, as_of = case.parent.name, complete(read_given(case / "given")), read_as_of(case)
    if as_of is None:
        insert(connection, world)
        return view_rows(connection, view), view_types(connection, view)
    path = tmp_path / "as_of.tracker"
    with store.writer(path, run_checks=False) as writing:
        insert(writing, world)
    with store.reader(path, as_of=as_of) as reading:
        return view_rows(reading, view), view_types(reading, view)


@pytest.mark.parametrize("case", CASES, ids=CASE_NAMES)
def test_view_gives_the_expected_rows(case: Path, connection: Connection, tmp_path: Path) -> None:
    actual, kinds = view_of(case, connection, tmp_path)
    columns = expected_columns(case / "expected.csv")
    wanted = read_expected(case, kinds)
    # The named columns tell the rows of a case apart, so all of them are the key.
    found = [dict.fromkeys(columns) | flat(row) for row in actual]
    problems = differences(wanted, found, columns, columns)
    assert not problems, "\n".join(problems)


@pytest.mark.parametrize("case", CASES, ids=CASE_NAMES)
def test_case_explains_itself(case: Path) -> None:
    why = (case / "why.md").read_text(encoding="utf-8")
    assert why.startswith(f"# {case.parent.name}: ")


def test_every_view_has_cases_and_an_empty_one_among_them() -> None:
    empty = {
        case.parent.name
        for case in CASES
        if len((case / "expected.csv").read_text(encoding="utf-8").splitlines()) == 1
    }
    full = {case.parent.name for case in CASES if case.name != "empty"}
    assert (set(VIEWS) - empty, set(VIEWS) - full) == (set(), set())


@pytest.mark.parametrize(
    "case",
    [case for case in CASES if case.parent.name == "new_outcome"],
    ids=lambda case: case.name,
)
def test_what_is_detected_goes_into_the_ledger_once(case: Path, connection: Connection) -> None:
    world: World = complete(read_given(case / "given"))
    insert(connection, world)
    slate_ids = [slate["slate_id"] for slate in world["slate"]]
    found = detection.detect(connection, slate_ids)
    n_expected = len((case / "expected.csv").read_text(encoding="utf-8").splitlines()) - 1
    assert sum(entry.n_outcomes for entry in found) == n_expected
    assert detection.detect(connection, slate_ids) == []
    ledger = connection.execute(schema.outcome.select()).all()
    assert len(ledger) == n_expected + len(world["outcome"])
