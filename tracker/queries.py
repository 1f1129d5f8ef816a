"""Runs the user's own SQL on a sandboxed connection."""

from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import sqlalchemy as sa
from sqlalchemy import Connection

from tracker.errors import InputRefused
from tracker.report.rows import Rows


def run(connection: Connection, statement: str) -> Rows:
    """Return the rows of one statement; InputRefused with DuckDB's reason if it fails."""
    cursor = _execute(connection, statement)
    columns = [column[0] for column in cursor.description or []]
    return Rows(columns, [tuple(row) for row in cursor.fetchall()])


def write_parquet(connection: Connection, statement: str, path: Path) -> None:
    """Write the rows of one statement to a Parquet file with the types the query has.

    The sandboxed connection can write no file, so the rows pass through memory to another one.
    """
    if not path.resolve().parent.is_dir():
        raise InputRefused(f"{path.parent}: no such folder")
    cursor = _execute(connection, statement)
    described = [(column[0], column[1]) for column in cursor.description or []]
    arrays = cursor.fetchnumpy()
    frame = pd.DataFrame(
        {name: _column(arrays[name]) for name, _ in described}, columns=[n for n, _ in described]
    )
    with duckdb.connect() as writer:
        part = path.with_name(f".{path.name}.part")
        columns = [duckdb.ColumnExpression(name).cast(kind).alias(name) for name, kind in described]
        writer.from_df(frame).select(*columns).to_parquet(str(part))
        part.replace(path)


def _execute(connection: Connection, statement: str) -> Any:
    if not statement.strip():
        raise InputRefused("the query is empty")
    try:
        cursor = connection.connection.cursor()
        cursor.execute(statement)
    except (sa.exc.DBAPIError, duckdb.Error) as error:
        raise InputRefused(f"the query failed: {error}") from error
    return cursor


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
