"""The statements of sql/statements: their headers, and what each selects from given rows.

A case is tests/golden/<statement>/<case>: given/<table>.csv for every table or view that the
statement reads, parameters.json, expected.csv, and why.md with the arithmetic. The first line of a
given table names its columns, with a type after a colon where it is not text.
"""

import csv
import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from golden_case import GOLDEN, Row, differences, typed, view_types
from sqlalchemy import Connection, text
from support import ROOT

from tracker import catalog, folding, resources, schema, statements
from tracker.sources import aact, clinicaltrials, staged_trials

FILES = sorted(resources.directory("sql").glob("statements/*/*.sql"))
STATEMENTS = {path.stem: statements.read(path) for path in FILES}
CASES = sorted(path.parent for path in GOLDEN.glob("*/*/given") if path.parts[-3] in STATEMENTS)
PARAMETER = re.compile(r"(?<![:\w]):(\w+)(?!:)")
TEMPORARY = {
    "detected_outcome",
    "frozen_row",
    *(
        table.name
        for table in (staged_trials.STUDY, staged_trials.CONDITION, staged_trials.INTERVENTION)
    ),
}


@pytest.fixture
def connection() -> Iterator[Connection]:
    """An empty database with the macros that statements use."""
    with sa.create_engine("duckdb://").connect() as connection:
        folding.prepare(connection)
        for macro in (*clinicaltrials._MACROS, aact._DATE):
            connection.exec_driver_sql(macro)
        yield connection


def names_of(listed: str) -> set[str]:
    return {name.strip() for name in listed.split(",")} - {"none", "files"}


@pytest.mark.parametrize("statement", STATEMENTS.values(), ids=lambda one: one.name)
def test_header_says_what_the_statement_does(
    statement: statements.Statement, connection: Connection
) -> None:
    header = statement.header
    assert {"Title", "Reads", "Parameters"} <= header.keys()
    assert header.keys() <= {"Title", "Reads", "Writes", "Creates", "Parameters", "Note"}
    assert not {"Writes", "Creates"} <= header.keys()
    assert all(header.values())
    parsed = catalog.read_tables(connection, PARAMETER.sub(r"$\1", statement.select))
    assert names_of(header["Reads"]) == parsed
    assert names_of(header["Parameters"]) == set(PARAMETER.findall(statement.select))
    if "Writes" in header:
        assert header["Writes"] in TEMPORARY | set(schema.metadata.tables)
    if "Creates" in header:
        assert header["Creates"] not in schema.metadata.tables


def test_every_statement_has_a_name_of_its_own() -> None:
    views = [view.name for view in [*catalog.read_views(), *catalog.read_checks()]]
    assert len(STATEMENTS) == len(FILES)
    assert not STATEMENTS.keys() & {*views, *schema.metadata.tables}


def test_every_statement_is_used() -> None:
    code = "".join(path.read_text() for path in sorted((ROOT / "tracker").rglob("*.py")))
    quoted = {re.sub(r"\{\w+\}", "[a-z]+", name) for name in re.findall(r'"([a-z_0-9{}]+)"', code)}
    unused = [name for name in STATEMENTS if not any(re.fullmatch(q, name) for q in quoted)]
    assert unused == []


def test_every_statement_of_what_is_stored_has_a_case() -> None:
    stored = {
        path.stem
        for path in FILES
        if path.parent.name in ("ingest", "freeze", "benchmarks", "outcomes")
        and STATEMENTS[path.stem].header["Reads"] != "files"
    }
    assert stored - {case.parent.name for case in CASES} == set()


def _expected(cell: str, kind: str) -> Any:
    """Return what a cell of expected.csv means; the parts of a list are set apart by |."""
    if kind == "VARCHAR[]":
        return tuple(cell.split("|")) if cell else ()
    if kind == "JSON" and cell:
        return json.dumps(json.loads(cell), sort_keys=True)
    return Decimal(cell) if kind.startswith("DECIMAL") and cell else typed(cell, kind)


def _comparable(value: Any) -> Any:
    """Return a value of a row as one that can be a key: lists as tuples, JSON as text."""
    if isinstance(value, datetime):
        return value.astimezone(UTC)
    if isinstance(value, list):
        return tuple(value)
    return json.dumps(value, sort_keys=True) if isinstance(value, dict) else value


def make_table(connection: Connection, path: Path) -> None:
    """Make the table that a file of given rows describes."""
    with path.open(encoding="utf-8", newline="") as handle:
        header, *rows = csv.reader(handle, strict=True)
    columns = [cell.partition(":") for cell in header]
    described = ", ".join(f"{name} {kind or 'varchar'}" for name, _, kind in columns)
    connection.exec_driver_sql(f"create table {path.stem} ({described})")
    marks = ", ".join("?" * len(columns))
    for row in rows:
        values = tuple(cell or None for cell in row)
        connection.exec_driver_sql(f"insert into {path.stem} values ({marks})", values)  # noqa: S608


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.parent.name}/{case.name}")
def test_statement_selects_the_expected_rows(case: Path, connection: Connection) -> None:
    statement = STATEMENTS[case.parent.name]
    given = sorted((case / "given").glob("*.csv"))
    assert {path.stem for path in given} == names_of(statement.header["Reads"])
    for path in given:
        make_table(connection, path)
    file = case / "parameters.json"
    parameters: dict[str, Any] = json.loads(file.read_text()) if file.exists() else {}
    connection.execute(text(f"create table selected as {statement.select}"), parameters)
    kinds = view_types(connection, "selected")
    with (case / "expected.csv").open(encoding="utf-8", newline="") as handle:
        reader = csv.DictReader(handle, strict=True)
        expected: list[Row] = [
            {name: _expected(cell, kinds[name]) for name, cell in row.items()} for row in reader
        ]
        columns = list(reader.fieldnames or [])
    actual = [
        {name: _comparable(value) for name, value in row.items()}
        for row in connection.execute(text("from selected")).mappings()
    ]
    assert set(columns) == kinds.keys()
    problems = differences(expected, actual, columns, columns)
    assert not problems, "\n".join(problems)
    assert (case / "why.md").read_text(encoding="utf-8").startswith(f"# {statement.name}: ")
