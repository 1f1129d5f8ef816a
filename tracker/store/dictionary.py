"""The dictionary of columns, sql/columns.csv: what each name means, in whatever table or view.

A store has the meanings as comments on its columns, beside the views that tracker.store.catalog
builds.
"""

import csv
import functools
import hashlib
from collections.abc import Iterator
from dataclasses import dataclass

from sqlalchemy import Connection, text

from tracker import resources

# Of sql/; the file stands in view_build beside the views, and an export has one of that name.
FILE = "columns.csv"

_ALL_COLUMNS = text(
    "select schema_name, table_name, column_name from duckdb_columns() "
    "where not internal and database_name = current_database() and schema_name <> 'state'"
)


@dataclass(frozen=True)
class Column:
    """What a column means, in whatever table or view it is, and the unit or form of its values."""

    meaning: str
    unit: str

    def __str__(self) -> str:
        """Return both, as the comment on the column."""
        return f"{self.meaning} [{self.unit}]"


@functools.cache
def columns() -> dict[str, Column]:
    """Return what sql/columns.csv says of each name of a column."""
    with (resources.directory("sql") / FILE).open(encoding="utf-8", newline="") as file:
        return {row["column"]: Column(row["meaning"], row["unit"]) for row in csv.DictReader(file)}


def sha256() -> str:
    """Return the hash of the file, by which a store knows that its comments are of this one."""
    return hashlib.sha256((resources.directory("sql") / FILE).read_bytes()).hexdigest()


def comments(connection: Connection) -> Iterator[str]:
    """Yield the statements that say of each column of a table or view what it means."""
    for place, name, column in connection.execute(_ALL_COLUMNS):
        if (found := columns().get(column)) is not None:
            meaning = str(found).replace("'", "''")
            yield f"comment on column {place}.{name}.\"{column}\" is '{meaning}'"
