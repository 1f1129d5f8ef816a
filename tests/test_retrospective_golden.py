"""The retrospective views, and those that compare slates, against cases worked by hand."""

import csv
from collections.abc import Iterator
from datetime import date
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
import reference
from golden_case import (
    GOLDEN,
    Row,
    complete,
    differences,
    expected_columns,
    insert,
    parse_uuid,
    read_given,
    scratch,
    view_rows,
)
from sqlalchemy import Connection, text

from tracker import catalog, schema, store

VIEWS = {view.name: view for view in catalog.read_views()}
CASES = sorted(
    path.parent
    for path in GOLDEN.glob("*/*/given")
    if path.parts[-3] in VIEWS
    and path.parts[-3] not in reference.VIEWS
    and VIEWS[path.parts[-3]].section != "benchmarks"
)
CASE_NAMES = [f"{case.parent.name}/{case.name}" for case in CASES]


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


def typed(cell: str, kind: str) -> Any:
    """Return what a cell of expected.csv means in a column of DuckDB type `kind`."""
    if cell == "":
        return None
    if kind == "DOUBLE":
        return float(Fraction(cell))
    if kind == "BOOLEAN":
        return {"true": True, "false": False}[cell]
    if kind == "UUID":
        return parse_uuid(cell)
    if kind == "DATE":
        return date.fromisoformat(cell)
    return int(cell) if kind.endswith("INT") or kind == "INTEGER" else cell


@pytest.mark.parametrize("case", CASES, ids=CASE_NAMES)
def test_view_gives_the_expected_rows(case: Path, connection: Connection) -> None:
    view = case.parent.name
    world = complete(read_given(case / "given"))
    if world["cutoff"]:
        connection.execute(schema.cutoff.delete())
    insert(connection, world)
    described = connection.execute(
        text("select column_name, data_type from duckdb_columns() where table_name = :view"),
        {"view": view},
    )
    kinds = {row.column_name: row.data_type for row in described}
    with (case / "expected.csv").open(encoding="utf-8", newline="") as handle:
        expected: list[Row] = [
            {name: typed(cell, kinds[name]) for name, cell in row.items()}
            for row in csv.DictReader(handle, strict=True)
        ]
    actual = view_rows(connection, view)
    columns = expected_columns(case / "expected.csv")
    assert not differences(expected, actual, VIEWS[view].grain, columns)


def test_every_retrospective_view_has_a_case() -> None:
    views = {name for name, view in VIEWS.items() if view.section == "retrospective"}
    assert views - {case.parent.name for case in CASES} == set()


@pytest.mark.parametrize("case", CASES, ids=CASE_NAMES)
def test_case_explains_itself(case: Path) -> None:
    why = (case / "why.md").read_text(encoding="utf-8")
    assert why.startswith(f"# {case.parent.name}: ")
