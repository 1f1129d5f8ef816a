"""Every benchmark view against cases worked by hand; the discounts against their formula."""

import csv
import math
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import benchmark_world
import pytest
from golden_case import GOLDEN, differences, read_given, scratch
from sqlalchemy import Connection, text

from tracker import catalog, store

VIEWS = {view.name: view for view in catalog.read_views() if view.section == "benchmarks"}
CASES = sorted(path.parent for path in GOLDEN.glob("*/*/given") if path.parents[1].name in VIEWS)


@pytest.fixture(scope="module")
def store_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("golden") / "store.duckdb"
    with store.writer(path):
        pass
    return path


@pytest.fixture
def connection(store_path: Path) -> Iterator[Connection]:
    with scratch(store_path) as connection:
        yield connection


def parse(cell: str, data_type: str) -> Any:
    """Read a cell of expected.csv as the type the view's column has."""
    if cell == "":
        return None
    if data_type == "VARCHAR":
        return cell.replace("\\t", "\t")
    if data_type == "BOOLEAN":
        return {"true": True, "false": False}[cell]
    if data_type == "DOUBLE":
        return math.inf if cell == "inf" else float(Fraction(cell))
    return int(cell)


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.parent.name}/{case.name}")
def test_view_gives_the_expected_rows(case: Path, connection: Connection) -> None:
    view = VIEWS[case.parent.name]
    world = benchmark_world.complete(read_given(case / "given"))
    benchmark_world.insert(connection, world)
    statement = text("select column_name, data_type from duckdb_columns() where table_name = :view")
    types: dict[str, str] = dict(connection.execute(statement, {"view": view.name}).all())
    with (case / "expected.csv").open(encoding="utf-8", newline="") as handle:
        reader = csv.DictReader(handle, strict=True)
        columns = list(reader.fieldnames or [])
        expected = [{name: parse(row[name], types[name]) for name in columns} for row in reader]
    rows = connection.execute(text(f"select * from {view.name}")).mappings()  # noqa: S608
    actual = [dict(row) for row in rows]
    problems = differences(expected, actual, view.grain, columns, absolute=1e-15)
    assert not problems, "\n".join(problems)
    assert (case / "why.md").read_text(encoding="utf-8").startswith(f"# {view.name}: ")


def test_every_view_has_a_golden_case() -> None:
    assert set(VIEWS) == {case.parent.name for case in CASES}


def test_discounts_reach_to_the_largest_cutoff(connection: Connection) -> None:
    connection.execute(text("insert into cutoff values (500)"))
    rows = connection.execute(text("select * from discount order by position")).all()
    assert [row.position for row in rows] == list(range(1, 501))
    for row in rows:
        ideal = math.fsum(1 / math.log2(p + 1) for p in range(1, row.position + 1))
        assert row.discount == pytest.approx(1 / math.log2(row.position + 1), abs=1e-15)
        assert row.ideal_dcg == pytest.approx(ideal, abs=1e-12)


@pytest.mark.parametrize("name", sorted(VIEWS))
def test_counts_and_rates_have_the_types_of_the_contract(name: str, connection: Connection) -> None:
    statement = text("select column_name, data_type from duckdb_columns() where table_name = :view")
    for column, data_type in connection.execute(statement, {"view": name}):
        if column.startswith("n_") or column.endswith("_rank") or column in ("tp", "fp"):
            assert data_type == "BIGINT", column
        if column.startswith(("mean_", "median_")) or column in ("spearman", "auroc", "tpr"):
            assert data_type == "DOUBLE", column
