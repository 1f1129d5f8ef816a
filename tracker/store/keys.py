"""The keys of new rows: whole numbers after the greatest in a table."""

from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection


def next_key(connection: Connection, column: sa.Column[Any]) -> int:
    """Return the key for the next row of a table, 1 if it is empty.

    A store has one writer at a time, so nobody else takes the key in between.
    """
    return 1 + (connection.execute(sa.select(sa.func.max(column))).scalar_one() or 0)
