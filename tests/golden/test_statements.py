"""The statements of sql/statements: their headers, and what each selects from given rows."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
import sqlalchemy as sa
from golden_case import Case, cases
from sqlalchemy import Connection, text
from support import ROOT
from worlds import Row, typed, view_types

from tracker import resources, schema
from tracker.entities import folding
from tracker.evidence.trials import aact, staged
from tracker.evidence.trials import reading as clinicaltrials
from tracker.store import catalog, statements

FILES = sorted(resources.directory("sql").glob("statements/*/*.sql"))
STATEMENTS = {path.stem: statements.read(path) for path in FILES}
CASES = cases(STATEMENTS)
PARAMETER = re.compile(r"(?<![:\w]):(\w+)(?!:)")
# Of the whole statement: what is within one is indented.
ORDER = re.compile(r"^order by\b", re.M)
EMPTY_TEXT = "''"
TEMPORARY = {
    "detected_outcome",
    "frozen_row",
    "revised_pair",
    *(
        table.name
        for table in (
            staged.STUDY,
            staged.DETAIL,
            staged.CONDITION,
            staged.INTERVENTION,
            staged.ARM,
            staged.ARM_INTERVENTION,
            staged.REVISION,
        )
    ),
}


@pytest.fixture(scope="module")
def prepared() -> Iterator[Connection]:
    """A database with the macros that statements use and nothing else."""
    with sa.create_engine("duckdb://").connect() as connection:
        folding.prepare(connection)
        for macro in (*clinicaltrials._MACROS, aact._DATE):
            connection.exec_driver_sql(macro)
        connection.commit()
        yield connection


@pytest.fixture
def connection(prepared: Connection) -> Iterator[Connection]:
    """That database, still empty; what a test makes there is rolled back."""
    transaction = prepared.begin()
    try:
        yield prepared
    finally:
        transaction.rollback()


def names_of(listed: str) -> set[str]:
    return {name.strip() for name in listed.split(",")} - {"", "files"}


@pytest.mark.parametrize("statement", STATEMENTS.values(), ids=lambda one: one.name)
def test_header_matches_the_statement(statement: statements.Statement) -> None:
    header = statement.header
    assert {"Title", "Reads"} <= header.keys()
    assert header.keys() <= {"Title", "Reads", "Writes", "Creates", "Note"}
    assert not {"Writes", "Creates"} <= header.keys()
    assert all(header.values())
    parsed = catalog.read_tables(PARAMETER.sub(r"$\1", statement.select))
    assert names_of(header["Reads"]) == parsed
    assert set(statement.parameters) == set(PARAMETER.findall(statement.select))
    if "Writes" in header:
        assert header["Writes"] in TEMPORARY | set(schema.metadata.tables)
    if "Creates" in header:
        assert header["Creates"] not in schema.metadata.tables


def test_every_statement_has_its_own_name() -> None:
    views = [view.name for view in [*catalog.read_views(), *catalog.read_checks()]]
    assert len(STATEMENTS) == len(FILES)
    assert not STATEMENTS.keys() & {*views, *schema.metadata.tables}


@pytest.mark.slow
def test_every_statement_is_used() -> None:
    code = "".join(path.read_text() for path in sorted((ROOT / "tracker").rglob("*.py")))
    quoted = set(re.findall(r'"([a-z_0-9{}.]+)"', code))
    forms = [re.sub(r"\{[\w.]+\}", "([a-z_]+)", name) for name in quoted]
    unused = [
        name
        for name in STATEMENTS
        # What stands where a form has braces is itself quoted somewhere.
        if not any(
            quoted.issuperset(found.groups())
            for form in forms
            if (found := re.fullmatch(form, name))
        )
    ]
    assert unused == []


def test_every_statement_of_what_is_stored_has_a_case() -> None:
    stored = {
        path.stem
        for path in FILES
        if path.parent.name
        in (
            "ingest",
            "freeze",
            "benchmarks",
            "gate",
            "loads",
            "matching",
            "outcomes",
            "replay",
            "rounds",
        )
        and STATEMENTS[path.stem].header["Reads"] != "files"
    }
    assert stored - {case.view for case in CASES} == set()


def _expected(cell: str, kind: str) -> Any:
    """Return the value of a cell of expected.csv; the items of a list are separated by |."""
    if kind == "VARCHAR[]":
        return tuple(cell.split("|")) if cell else ()
    if kind == "JSON" and cell:
        return json.dumps(json.loads(cell), sort_keys=True)
    if cell == EMPTY_TEXT:
        return ""
    return Decimal(cell) if kind.startswith("DECIMAL") and cell else typed(cell, kind)


def _comparable(value: Any) -> Any:
    """Return a value of a row as one that can be a key: lists as tuples, JSON as text."""
    if isinstance(value, datetime):
        return value.astimezone(UTC)
    if isinstance(value, list):
        return tuple(value)
    return json.dumps(value, sort_keys=True) if isinstance(value, dict) else value


def make_table(connection: Connection, case: Case, table: str) -> None:
    """Make a table given by a case."""
    header = case.given_columns[table]
    columns = [cell.partition(":") for cell in header]
    described = ", ".join(f"{name} {kind or 'varchar'}" for name, _, kind in columns)
    connection.exec_driver_sql(f"create table {table} ({described})")
    marks = ", ".join("?" * len(columns))
    for row in case.given[table]:
        values = tuple("" if row[cell] == EMPTY_TEXT else row[cell] or None for cell in header)
        connection.exec_driver_sql(f"insert into {table} values ({marks})", values)  # noqa: S608 - names of the test's own


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.view}/{case.name}")
def test_statement_selects_the_expected_rows(case: Case, connection: Connection) -> None:
    statement = STATEMENTS[case.view]
    assert case.given.keys() == names_of(statement.header["Reads"])
    for table in case.given:
        make_table(connection, case, table)
    connection.execute(text(f"create table selected as {statement.select}"), case.parameters)
    kinds = view_types(connection, "selected")
    expected: list[Row] = [
        {name: _expected(cell, kinds[name]) for name, cell in row.items()} for row in case.expected
    ]
    actual = [
        {name: _comparable(value) for name, value in row.items()}
        for row in connection.execute(text("from selected")).mappings()
    ]
    assert set(case.columns) == kinds.keys()
    wanted, found = (
        [tuple(row[name] for name in case.columns) for row in rows] for rows in (expected, actual)
    )
    assert Counter(found) == Counter(wanted)
    if ORDER.search(statement.select):
        assert found == wanted
