"""The tables of a store for Spark: the small ones as rows, the large ones as Parquet files."""

import re
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection, text

# What Spark has in place of DuckDB's types; a UUID and JSON are text.
_TYPES = {
    "BIGINT": "bigint",
    "BLOB": "binary",
    "BOOLEAN": "boolean",
    "DATE": "date",
    "DOUBLE": "double",
    "HUGEINT": "decimal(38, 0)",
    "INTEGER": "int",
    "JSON": "string",
    "SMALLINT": "smallint",
    "TIMESTAMP": "timestamp",
    "TIMESTAMP WITH TIME ZONE": "timestamp",
    "UTINYINT": "smallint",
    "UUID": "string",
    "VARCHAR": "string",
}
# How those of DuckDB's types are handed over that Arrow or Spark lacks.
_HANDED_OVER: dict[str, sa.types.TypeEngine[Any]] = {
    "HUGEINT": sa.Numeric(38, 0),
    "JSON": sa.String(),
    "UTINYINT": sa.SmallInteger(),
    "UUID": sa.String(),
}
_COLUMNS = (
    "select table_name, column_name, data_type from duckdb_columns() "
    "where schema_name = 'main' and database_name = current_database() and not internal "
    "order by table_name, column_index"
)

Columns = dict[str, dict[str, str]]


def columns(connection: Connection) -> Columns:
    """Return the columns of each table and view of the store with DuckDB's types."""
    found: Columns = {}
    for table, column, kind in connection.execute(text(_COLUMNS)):
        found.setdefault(table, {})[column] = kind
    return found


def rows(
    connection: Connection, name: str, types: dict[str, str], schema: str | None = "main"
) -> Any:
    """Return the rows of a table or view as an Arrow table; any of its name without `schema`."""
    cursor: Any = connection.connection.cursor()
    cursor.execute(_select(connection, name, types, schema))
    return cursor.to_arrow_table()


def export(connection: Connection, name: str, types: dict[str, str], folder: Path) -> list[Path]:
    """Write a table into a folder; return the Parquet files that hold its rows."""
    path = folder / f"{name}.parquet"
    query = _select(connection, name, types)
    connection.execute(text(f"copy ({query}) to :path (format parquet)"), {"path": str(path)})
    return [path]


def _select(
    connection: Connection, name: str, types: dict[str, str], schema: str | None = "main"
) -> str:
    query = sa.select(
        *(
            sa.cast(sa.column(column), _HANDED_OVER[kind]).label(column)
            if kind in _HANDED_OVER
            else sa.column(column)
            for column, kind in types.items()
        )
    ).select_from(sa.table(name, schema=schema))
    return str(query.compile(dialect=connection.dialect))


def given(session: Any, rows: Any) -> Any:
    """Return an Arrow table as a frame of Spark."""
    from pyspark.sql.pandas.types import from_arrow_schema

    if rows.num_rows == 0:
        # Neither a local Spark nor Spark Connect takes the types from a table without rows.
        return session.createDataFrame([], from_arrow_schema(rows.schema))
    return session.createDataFrame(rows)


def read(session: Any, paths: list[Path], types: dict[str, str], base: Path | None = None) -> Any:
    """Return a table's files as a frame of Spark.

    Below the folder `base` the names of folders are values of columns.
    """
    schema = ", ".join(f"`{name}` {_spark_type(kind)}" for name, kind in types.items())
    reader = session.read.schema(schema)
    if base is not None:
        reader = reader.option("basePath", _place(base))
    return reader.parquet(*(_place(path) for path in paths))


def _place(path: Path) -> str:
    """Return a path as Spark reads it: neither a pattern nor encoded."""
    return "file://" + re.sub(r"([\\{}\[\]*?])", r"\\\1", str(path))


def _spark_type(kind: str) -> str:
    if kind.endswith("[]"):
        return f"array<{_spark_type(kind.removesuffix('[]'))}>"
    return _TYPES[kind]
