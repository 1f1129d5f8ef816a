"""Every view against cases worked by hand, and the brute-force reference against the same cases."""

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
    read_expected,
    read_given,
    scratch,
    view_rows,
)
from sqlalchemy import Connection, text

from tracker import store

VIEW_FILES = Path(__file__).parents[1] / "sql" / "prospective"
CASES = sorted(
    path.parent for path in GOLDEN.glob("*/*/given") if path.parts[-3] in reference.VIEWS
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


def problems(case: Path, actual: list[Row]) -> str:
    """Return what differs between expected.csv and the actual rows, nothing if they agree."""
    expected = case / "expected.csv"
    _, grain = reference.VIEWS[case.parent.name]
    lines = differences(read_expected(expected), actual, grain, expected_columns(expected))
    return "\n".join(lines)


@pytest.mark.parametrize("case", CASES, ids=CASE_NAMES)
def test_view_gives_the_expected_rows(case: Path, connection: Connection, tmp_path: Path) -> None:
    view = case.parent.name
    world = complete(read_given(case / "given"))
    as_of = read_as_of(case)
    if as_of is None:
        insert(connection, world)
        actual = view_rows(connection, view)
    else:
        path = tmp_path / "as_of.tracker"
        with store.writer(path, run_checks=False) as writing:
            insert(writing, world)
        with store.reader(path, as_of=as_of) as reading:
            actual = view_rows(reading, view)
    assert not problems(case, actual)


@pytest.mark.parametrize("case", CASES, ids=CASE_NAMES)
def test_reference_gives_the_expected_rows(case: Path) -> None:
    world = complete(read_given(case / "given"))
    as_of = read_as_of(case)
    if as_of is not None:
        world = reference.as_of(world, as_of)
    assert not problems(case, reference.rows(case.parent.name, world))


def test_every_view_has_golden_cases() -> None:
    views = {path.stem for path in VIEW_FILES.glob("*.sql")}
    assert views
    assert views - {path.parts[-3] for path in GOLDEN.glob("*/*/given")} == set()


@pytest.mark.parametrize("case", CASES, ids=CASE_NAMES)
def test_case_explains_itself(case: Path) -> None:
    why = (case / "why.md").read_text(encoding="utf-8")
    assert why.startswith(f"# {case.parent.name}: ")
    assert (case / "expected.csv").exists()


@pytest.mark.parametrize("view", sorted(reference.VIEWS))
def test_columns_have_the_types_of_the_contract(view: str, connection: Connection) -> None:
    """Counts BIGINT, rates DOUBLE, whole days BIGINT, dates DATE, instants with time zone."""
    columns = connection.execute(
        text("select column_name, data_type from duckdb_columns() where table_name = :view"),
        {"view": view},
    ).all()
    assert columns
    wrong = [
        f"{name} is {data_type}"
        for name, data_type in columns
        if (wanted := contract_type(name)) is not None and data_type != wanted
    ]
    assert not wrong


def contract_type(column: str) -> str | None:
    """Return the type docs/metrics.md asks of a column by its name, None where it asks nothing."""
    if column.startswith("n_") or column in (
        "n",
        "breadth",
        "positive_breadth",
        "days_to_event",
        "days_to_due",
    ):
        return "BIGINT"
    if column.startswith(("is_", "has_")):
        return "BOOLEAN"
    if column.endswith("_at"):
        return "TIMESTAMP WITH TIME ZONE"
    if column.endswith(("_date", "_on")):
        return "DATE"
    is_rate = column.endswith(("_rate", "_share", "_proxy", "_gap", "_hits", "_misses"))
    if is_rate or column.startswith(("enrichment_", "mean_", "median_")):
        return "DOUBLE"
    return None
