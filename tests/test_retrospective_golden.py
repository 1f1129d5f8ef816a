"""The views without a brute-force reference or a benchmark, against cases worked by hand."""

import csv
from collections.abc import Iterator
from pathlib import Path

import pytest
import reference
from golden_case import (
    GOLDEN,
    Row,
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

from tracker import catalog, schema, store

VIEWS = {view.name: view for view in catalog.read_views()}
CASES = sorted(
    path.parent
    for path in GOLDEN.glob("*/*/given")
    if path.parts[-3] in VIEWS
    and path.parts[-3] not in reference.VIEWS
    and VIEWS[path.parts[-3]].section in ("prospective", "retrospective", "uncertainty")
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


@pytest.mark.parametrize("case", CASES, ids=CASE_NAMES)
def test_view_gives_the_expected_rows(case: Path, connection: Connection) -> None:
    view = case.parent.name
    world = complete(read_given(case / "given"))
    if world["cutoff"]:
        connection.execute(schema.cutoff.delete())
    insert(connection, world)
    as_of = read_as_of(case)
    if as_of is not None:
        # The variable lives as long as the case's own connection.
        connection.exec_driver_sql(
            f"set variable as_of = cast('{as_of.isoformat(sep=' ')}' as timestamptz)"
        )
    kinds = view_types(connection, view)
    with (case / "expected.csv").open(encoding="utf-8", newline="") as handle:
        expected: list[Row] = [
            {name: typed(cell, kinds[name]) for name, cell in row.items()}
            for row in csv.DictReader(handle, strict=True)
        ]
    actual = view_rows(connection, view)
    columns = expected_columns(case / "expected.csv")
    assert not differences(expected, actual, VIEWS[view].grain, columns)


def test_every_retrospective_view_has_a_case() -> None:
    sections = ("retrospective", "uncertainty")
    views = {name for name, view in VIEWS.items() if view.section in sections}
    assert views - {case.parent.name for case in CASES} == set()


@pytest.mark.parametrize("case", CASES, ids=CASE_NAMES)
def test_case_explains_itself(case: Path) -> None:
    why = (case / "why.md").read_text(encoding="utf-8")
    assert why.startswith(f"# {case.parent.name}: ")
