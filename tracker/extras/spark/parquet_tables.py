"""The tables of a store as Parquet files with types that Spark knows."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection, text

# Spark's types for DuckDB's; UUID and JSON become text.
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
# The types to which columns of types that Spark lacks are cast in an export.
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


def columns(connection: Connection) -> dict[str, dict[str, str]]:
    """Return DuckDB's type of each column, by table or view of the store, in order."""
    found: dict[str, dict[str, str]] = {}
    for table, column, kind in connection.execute(text(_COLUMNS)):
        found.setdefault(table, {})[column] = kind
    return found


def export(connection: Connection, source: str, types: Mapping[str, str], folder: Path) -> Path:
    """Write `source`, the text after FROM, to a new Parquet file of `folder`; return its path."""
    columns = [
        sa.cast(sa.column(name), _HANDED_OVER[kind]).label(name)
        if kind in _HANDED_OVER
        else sa.column(name)
        for name, kind in types.items()
    ]
    select = str(sa.select(*columns).compile(dialect=connection.dialect))
    path = folder / f"{len(list(folder.iterdir()))}.parquet"
    connection.execute(
        text(f"copy ({select} from {source}) to :path (format parquet)"), {"path": str(path)}
    )
    return path


def read(
    session: Any, paths: Sequence[Path], types: Mapping[str, str], base: Path | None = None
) -> Any:
    """Return a table's files as a Spark frame.

    Names of folders below `base` are values of columns (Hive partitions).
    """
    schema = ", ".join(f"`{name}` {_spark_type(kind)}" for name, kind in types.items())
    reader = session.read.schema(schema)
    if base is not None:
        reader = reader.option("basePath", _place(base))
    return reader.parquet(*(_place(path) for path in paths))


def _place(path: Path) -> str:
    """Return a path as a URI for Spark, with the characters of glob patterns escaped."""
    return "file://" + re.sub(r"([\\{}\[\]*?])", r"\\\1", str(path))


def _spark_type(kind: str) -> str:
    if kind.endswith("[]"):
        return f"array<{_spark_type(kind.removesuffix('[]'))}>"
    return _TYPES[kind]
