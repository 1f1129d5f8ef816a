"""Bounds the tables of Parquet files by their footers, before a page of them is unpacked."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection

from tracker.errors import InputRefused
from tracker.files import archives
from tracker.files.streams import MAX_CELL_BYTES

# The matrix of all diseases and drugs, each score the same, has 20 pairs a byte.
MAX_VALUES_PER_BYTE = 100
# Below this, a ratio is meaningless: a small file may have one value again and again.
_RATIO_FREE_VALUES = 1_000_000
# The longest lists, as an average of a row group.
_MAX_VALUES_PER_ROW = 10_000
_COLUMNS = """
    select
        path_in_schema,
        cast(sum(num_values) as bigint) as n_values,
        sum(sum(total_uncompressed_size)) over () as n_bytes,
        max(total_uncompressed_size / greatest(row_group_num_rows, 1)) as bytes_per_row,
        max(num_values / greatest(row_group_num_rows, 1)) as values_per_row
    from parquet_metadata(:path)
    group by path_in_schema
    order by n_values desc, path_in_schema
"""


def refuse_bomb(connection: Connection, path: Path, parameters: Mapping[str, Any]) -> None:
    """Raise InputRefused if a file unpacks to far more bytes or values than its size suggests.

    `parameters` has the path as DuckDB finds it. A footer may understate what pages unpack to: the
    memory of the process is limited besides.
    """
    size = path.stat().st_size
    for column in connection.execute(sa.text(_COLUMNS), dict(parameters)):
        place = f"{path.name}, column {column.path_in_schema[:40]}"
        archives.refuse_bomb(path, "the table", int(column.n_bytes), size)
        if column.n_values > max(_RATIO_FREE_VALUES, MAX_VALUES_PER_BYTE * size):
            raise InputRefused(
                f"{place}: has {column.n_values:,} values in a file of {size:,} bytes; at most "
                f"{MAX_VALUES_PER_BYTE} a byte are read"
            )
        if column.values_per_row > _MAX_VALUES_PER_ROW:
            raise InputRefused(
                f"{place}: its lists have more than {_MAX_VALUES_PER_ROW:,} values on average"
            )
        if column.bytes_per_row > MAX_CELL_BYTES:
            raise InputRefused(
                f"{place}: its cells are longer than {MAX_CELL_BYTES // 1_000} kB on average"
            )
