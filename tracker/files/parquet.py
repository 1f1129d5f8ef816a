"""Bounds the tables of Parquet files by their footers, before a page of them is unpacked."""

import glob
from pathlib import Path

import duckdb

from tracker import memory
from tracker.errors import InputRefused
from tracker.files import archives
from tracker.files.streams import MAX_CELL_BYTES

# The matrix of all diseases and drugs, each score the same, has 20 pairs a byte.
MAX_VALUES_PER_BYTE = 100
# Below this, a ratio is meaningless: a small file may have one value again and again.
_RATIO_FREE_VALUES = 1_000_000
# The longest lists, as an average of a row group.
_MAX_VALUES_PER_ROW = 10_000
# Counted first: of very many columns, whatever asks for more takes minutes.
_N_COLUMNS = "select count(*) - 1 from parquet_schema(?)"
_COLUMNS = """
    select
        path_in_schema,
        cast(sum(num_values) as bigint) as n_values,
        cast(sum(sum(total_uncompressed_size)) over () as bigint) as n_bytes,
        max(total_uncompressed_size / greatest(row_group_num_rows, 1)) as bytes_per_row,
        max(num_values / greatest(row_group_num_rows, 1)) as values_per_row
    from parquet_metadata(?)
    group by path_in_schema
    order by n_values desc, path_in_schema
"""


def refuse_bomb(path: Path, most_columns: int) -> None:
    """Raise InputRefused if a file unpacks to far more bytes or values than its size suggests.

    A footer may understate what pages unpack to: the memory of the process is limited besides. A
    footer that DuckDB fails on invalidates all that is open with it, so that this is not the store.
    """
    size = path.stat().st_size
    place = glob.escape(str(path.resolve()))
    with duckdb.connect(config={"memory_limit": memory.limit(), "threads": 1}) as connection:
        try:
            [(n_columns,)] = connection.execute(_N_COLUMNS, [place]).fetchall()
            if n_columns > most_columns:
                raise InputRefused(
                    f"{path.name}: has {n_columns:,} columns; at most {most_columns:,} are read"
                )
            columns = connection.execute(_COLUMNS, [place]).fetchall()
        except (duckdb.InternalException, duckdb.FatalException) as error:
            raise InputRefused(f"{path.name}: cannot be read: its footer is damaged") from error
    for name, n_values, n_bytes, bytes_per_row, values_per_row in columns:
        archives.refuse_bomb(path, "the table", n_bytes, size)
        column = f"{path.name}, column {name[:40]}"
        if n_values > max(_RATIO_FREE_VALUES, MAX_VALUES_PER_BYTE * size):
            raise InputRefused(
                f"{column}: has {n_values:,} values in a file of {size:,} bytes; at most "
                f"{MAX_VALUES_PER_BYTE} a byte are read"
            )
        if values_per_row > _MAX_VALUES_PER_ROW:
            raise InputRefused(
                f"{column}: its lists have more than {_MAX_VALUES_PER_ROW:,} values on average"
            )
        if bytes_per_row > MAX_CELL_BYTES:
            raise InputRefused(
                f"{column}: its cells are longer than {MAX_CELL_BYTES // 1_000} kB on average"
            )
