"""Leaves over blocks of columns: the longest table is hashed as DuckDB hands it over.

Canonical lines of `tracker.log.leaf_data` take ten times as long, most of it to write numbers as
text and to hash them in SQL.
"""

import itertools
from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection

from tracker.log import leaf_data, merkle

# The type in which the bytes of a column are hashed, little-endian.
_TYPES: dict[type, str] = {sa.Integer: "<i4", sa.Double: "<f8"}


def leaves(
    connection: Connection, table: sa.Table, starts: Sequence[int], last: int
) -> list[str | None]:
    """Return the leaf of each block of rows, from one of `starts` up to the next or `last`.

    A leaf's data is the name of the table, the word `columns`, and the number of rows, in a line
    each; then by name the values of each column. A block has no leaf where a value is NULL or of
    another type, or where a row of it is missing: no such block was ever sealed.
    """
    columns = sorted(table.c, key=lambda column: column.name)
    rows = sa.select(leaf_data.ROW_ID.label("row_id"), *columns).where(
        leaf_data.ROW_ID.between(starts[0], last - 1)
    )
    # DuckDB keeps the order of rows unless told not to; NumPy has the types of the columns.
    cursor: Any = connection.execute(rows.select_from(table)).cursor
    found: dict[str, Any] = cursor.fetchnumpy()
    edges = found.pop("row_id").searchsorted([*starts, last])
    found_leaves: list[str | None] = []
    for number, (start, after) in enumerate(itertools.pairwise([*starts, last])):
        begins, ends = edges[number], edges[number + 1]
        values = [_bytes(found[column.name][begins:ends], column) for column in columns]
        whole = [part for part in values if part is not None]
        if len(whole) < len(values) or ends - begins < after - start:
            found_leaves.append(None)
            continue
        header = f"{leaf_data.log_name(table)}\ncolumns\n{after - start}\n".encode()
        found_leaves.append(merkle.leaf_hash(b"".join([header, *whole])).hex())
    return found_leaves


def _bytes(values: Any, column: sa.Column[Any]) -> bytes | None:
    """Return the bytes of a column's values, None if one is NULL or they are of another type."""
    # DuckDB masks the values of a column that has a NULL.
    has_null = hasattr(values, "mask") and values.mask.any()
    return None if has_null or values.dtype != _TYPES[type(column.type)] else values.tobytes()
