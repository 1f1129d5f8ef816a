"""Fills tables with rows from Python: their keys, and the temporary tables they pass through."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from sqlalchemy import Connection, FromClause, Table

if TYPE_CHECKING:
    import pandas as pd


def frame_of(
    rows: Any, columns: list[str] | None = None, dtype: type | None = None
) -> "pd.DataFrame":
    """Return rows, or lists by column, as a data frame."""
    # A third of a second, which commands that only read need not wait.
    import pandas as pd

    return pd.DataFrame(rows, columns=columns, dtype=dtype)


def next_key(connection: Connection, column: sa.Column[Any]) -> int:
    """Return the key for the next row of a table, 1 if it is empty.

    A store has one writer at a time, so nobody else takes the key in between.
    """
    return 1 + (connection.execute(sa.select(sa.func.max(column))).scalar_one() or 0)


def count_rows(connection: Connection, table: str) -> int:
    """Return how many rows a table or view has."""
    count = sa.select(sa.func.count()).select_from(sa.table(table))
    return int(connection.execute(count).scalar_one())


def define(name: str, /, *columns: str, **types: Any) -> Table:
    """Return a temporary table for `recreate`: columns of text, unless `types` has another type.

    Columns that only `types` has come last.
    """
    found = [sa.Column(*one) for one in (dict.fromkeys(columns, sa.String) | types).items()]
    return sa.Table(name, sa.MetaData(), *found, prefixes=["TEMPORARY"])


def define_like(name: str, table: Table) -> Table:
    """Return a temporary table for `recreate` with the columns of another table."""
    return define(name, **{column.name: column.type for column in table.c})


def recreate(connection: Connection, *tables: Table) -> None:
    """Recreate temporary tables, empty."""
    for table in tables:
        # Without SQLAlchemy's search for the table, which lists all that the store defines.
        connection.execute(sa.schema.DropTable(table, if_exists=True))
        connection.execute(sa.schema.CreateTable(table))


def refill(connection: Connection, table: Table, rows: FromClause) -> None:
    """Recreate a temporary table, filled from its columns in `rows`."""
    recreate(connection, table)
    names = [column.name for column in table.c if column.name in rows.c]
    selected = sa.select(*[rows.c[name] for name in names])
    connection.execute(table.insert().from_select(names, selected))


def temporary(
    connection: Connection, name: str, types: Mapping[str, Any], frame: "pd.DataFrame"
) -> Table:
    """Put a data frame into a temporary table with columns of these types; return the table."""
    table = define(name, **types)
    recreate(connection, table)
    insert_frame(connection, table, frame)
    return table


def insert_rows(connection: Connection, table: Table, rows: list[dict[str, Any]]) -> None:
    """Insert rows in one statement, however many there are."""
    insert_frame(connection, table, frame_of(rows))


def insert_tuples(connection: Connection, table: Table, rows: Iterable[tuple[Any, ...]]) -> None:
    """Insert rows with a value for each column of `table`, in the order of these."""
    insert_frame(connection, table, frame_of(list(rows), columns=[*table.c.keys()]))


def insert_frame(connection: Connection, table: Table, frame: "pd.DataFrame") -> None:
    """Insert a data frame's rows; its columns are columns of `table`."""
    if frame.empty:
        return
    connection.execute(sa.text("register(:name, :frame)"), {"name": "new_row", "frame": frame})
    names = [str(name) for name in frame.columns]
    source = sa.table("new_row", *[sa.column(name) for name in names])
    connection.execute(table.insert().from_select(names, sa.select(*source.c)))
