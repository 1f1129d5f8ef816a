"""Runs the user's own SQL on a sandboxed connection."""

import json
import re
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import sqlalchemy as sa
from sqlalchemy import Connection

from tracker import catalog
from tracker.errors import InputRefused
from tracker.report.rows import Rows

# Functions that change the process, or run SQL that is not seen here.
_COMMANDS = {
    "checkpoint",
    "copy_database",
    "disable_logging",
    "enable_logging",
    "force_checkpoint",
    "import_database",
    "json_execute_serialized_sql",
    "query",
    "truncate_duckdb_logs",
    "write_log",
}
_EXPLAIN = re.compile(
    r"(?:\s|--[^\n]*\n|/\*.*?\*/)*explain(?:\s+analyze)?(?:\s*\([^()]*\))?\s",
    re.IGNORECASE | re.DOTALL,
)


def run(connection: Connection, statement: str) -> Rows:
    """Return the rows of one statement; InputRefused with DuckDB's reason if it fails."""
    cursor = _execute(connection, statement)
    columns = [column[0] for column in cursor.description or []]
    return Rows(columns, [tuple(row) for row in cursor.fetchall()])


def write_parquet(connection: Connection, statement: str, path: Path) -> None:
    """Write the rows of one statement to a Parquet file with the types the query has.

    The sandboxed connection can write no file, so the rows pass through memory to another one.
    """
    cursor = _execute(connection, statement)
    names = [column[0] for column in cursor.description]
    types = [column[1] for column in cursor.description]
    arrays = list(cursor.fetchnumpy().values())
    if len(arrays) != len(names):
        raise InputRefused("two columns of the query bear the same name; rename one")
    # Numbered in between: a name can be anything, an expression too.
    numbers = [f"column_{number}" for number in range(len(names))]
    frame = pd.DataFrame(
        {number: _column(array) for number, array in zip(numbers, arrays, strict=True)}
    )
    # The rows are in memory already; by default it would spill into the current folder.
    with duckdb.connect(config={"temp_directory": ""}) as writer:
        columns = [
            duckdb.ColumnExpression(number).cast(kind).alias(name)
            for number, kind, name in zip(numbers, types, names, strict=True)
        ]
        writer.from_df(frame).select(*columns).to_parquet(str(path))


def _execute(connection: Connection, statement: str) -> Any:
    cursor = connection.connection.cursor()
    try:
        statements = cursor.extract_statements(statement)
    except duckdb.Error as error:
        raise InputRefused(f"the query failed: {error}") from error
    if not statements:
        raise InputRefused("the query is empty")
    if len(statements) > 1:
        raise InputRefused(f"one statement at a time: the query has {len(statements)}")
    _require_query(cursor, statement, statements[0].type)
    try:
        cursor.execute(statement)
    except (sa.exc.DBAPIError, duckdb.Error) as error:
        raise InputRefused(f"the query failed: {error}") from error
    return cursor


def _require_query(cursor: Any, statement: str, kind: duckdb.StatementType) -> None:
    """Refuse anything but a query, or the EXPLAIN of one, that only reads."""
    if kind not in (duckdb.StatementType.SELECT, duckdb.StatementType.EXPLAIN):
        raise InputRefused(f"the query failed: {kind.name} is a command; only queries are run")
    select = statement
    if kind == duckdb.StatementType.EXPLAIN:
        select = _EXPLAIN.sub("", statement, count=1)
    parse = "select cast(json_serialize_sql(cast(? as varchar)) as varchar)"
    try:
        cursor.execute(parse, [select])
        tree = json.loads(cursor.fetchone()[0])
    except duckdb.Error as error:
        raise InputRefused(f"the query failed: {error}") from error
    if tree["error"]:
        raise InputRefused("the query failed: this is a command; only queries are run")
    called = {str(node.get("function_name")).lower() for node in catalog.nodes(tree)}
    refused = sorted(called & _COMMANDS)
    if refused:
        raise InputRefused(f"the query failed: the function {refused[0]} is not allowed here")


def _column(values: Any) -> Any:
    """Give a NumPy column a type in which whole numbers stay whole where some are NULL."""
    if not np.ma.isMaskedArray(values):
        return values
    mask = np.ma.getmaskarray(values)
    if values.dtype.kind in "iu":
        return pd.arrays.IntegerArray(values.data, mask)
    if values.dtype.kind == "b":
        return pd.arrays.BooleanArray(values.data, mask)
    return pd.Series(values.data).mask(mask)
