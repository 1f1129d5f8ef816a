"""The store that is replayed, attached for reading to the connection of the one being rebuilt."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

import sqlalchemy as sa
from sqlalchemy import Connection

# The name under which it is attached.
CATALOG = "stored"


def attach(connection: Connection, path: Path) -> None:
    """Attach a store for reading; it stays the file that it is now, whoever replaces it."""
    # Names of files cannot be bound.
    name = str(path.resolve()).replace("'", "''")
    connection.exec_driver_sql(f"attach '{name}' as {CATALOG} (read_only)")


def of(table: sa.FromClause) -> sa.FromClause:
    """Return the attached store's own table of the name, under a name that no other has."""
    columns = [sa.column(column.name, column.type) for column in table.c]
    name = str(table)
    return sa.table(name, *columns, schema=CATALOG).alias(f"stored_{name}")


@contextlib.contextmanager
def first(connection: Connection) -> Iterator[None]:
    """Let the names of tables mean those of the attached store within the body."""
    own = connection.exec_driver_sql("select current_database()").scalar_one()
    connection.exec_driver_sql(f"use {CATALOG}")
    try:
        yield
    finally:
        connection.exec_driver_sql(f"use {own}")
