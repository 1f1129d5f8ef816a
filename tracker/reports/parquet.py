"""Rows of a listing as a Parquet file; the rows of a query are written by tracker.store.queries."""

from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd

from tracker.rows import Rows, plain


def write(rows: Rows, path: Path) -> None:
    """Write rows to `path`, each column with the type of its values, otherwise as text.

    Instants become UTC. A column without any value is text.
    """
    frame = pd.DataFrame(
        {
            name: _series([row[index] for row in rows.values])
            for index, name in enumerate(rows.columns)
        }
    )
    # By default DuckDB infers the type of dates from a sample, which may hold only NULLs.
    with duckdb.connect(config={"pandas_analyze_sample": max(1, len(frame))}) as connection:
        connection.from_df(frame).to_parquet(str(path))


def _series(values: list[Any]) -> pd.Series:
    known = {type(value) for value in values if value is not None}
    if known == {bool}:
        return pd.Series(values, dtype="boolean")
    if known == {int} and all(-(2**63) <= one < 2**63 for one in values if one is not None):
        return pd.Series(values, dtype="Int64")
    if known and known <= {int, float}:
        return pd.Series(values, dtype="Float64")
    if known == {date}:
        return pd.Series(values, dtype="object")
    if known == {datetime} and all(one.tzinfo for one in values if one is not None):
        instants = [one and one.astimezone(UTC) for one in values]
        return pd.Series(instants, dtype="datetime64[us, UTC]")
    texts = [
        None if one is None else one if isinstance(one, str) else str(plain(one)) for one in values
    ]
    return pd.Series(texts, dtype="string")
