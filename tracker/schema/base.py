"""What every module of tables shares: the metadata, and constraints and columns that recur."""

from typing import Any

import sqlalchemy as sa
from duckdb_sqlalchemy import Dialect

metadata = sa.MetaData()


def one_of(column: str, values: tuple[str, ...], name: str) -> sa.CheckConstraint:
    """Return a constraint that the column, unless NULL, has one of the values."""
    members = ", ".join(f"'{value}'" for value in values)
    return sa.CheckConstraint(f"{column} in ({members})", name=name)


def instant(name: str) -> sa.Column[object]:
    """Return a column for an instant in UTC that is always known."""
    return sa.Column(name, sa.TIMESTAMP(timezone=True), nullable=False)


def compiled(query: sa.Select[*tuple[Any, ...]] | sa.CompoundSelect[Any]) -> str:
    """Return a query without parameters as text, which an engine need not compile again.

    Each command has an engine of its own.
    """
    return str(query.compile(dialect=Dialect(), compile_kwargs={"literal_binds": True}))


view_build = sa.Table(
    "view_build",
    metadata,
    sa.Column("name", sa.String, primary_key=True),
    sa.Column("sha256", sa.String, nullable=False),
    comment="The text each stored view was built from, to notice views of another version",
)
