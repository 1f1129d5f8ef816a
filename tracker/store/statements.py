"""Runs the statements of sql/statements: SELECTs that take parameters or fill a table.

A file is one SELECT under a header: Title, Reads (tables and views), and the target of its rows if
they are not returned: Writes names the table they are appended to, Creates the temporary table made
of them. A definition that others should be able to query is a view.
"""

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import sqlalchemy as sa
from sqlalchemy import Connection, CursorResult, TextClause, text

from tracker import resources
from tracker.store import catalog


@dataclass(frozen=True)
class Statement:
    """One file of sql/statements: `header` maps the header's keys to their text."""

    name: str
    header: dict[str, str]
    select: str

    @property
    def reads(self) -> list[str]:
        """The tables and views that the statement reads."""
        return [name.strip() for name in self.header["Reads"].split(",")]

    @property
    def parameters(self) -> list[str]:
        """The names of the values that it needs."""
        return [*self.clause.compile().params]

    @functools.cached_property
    def clause(self) -> TextClause:
        """The SELECT as run: appending to the table in Writes, or making the one in Creates."""
        prefix = ""
        if "Writes" in self.header:
            prefix = f"insert into {self.header['Writes']} by name\n"
        elif "Creates" in self.header:
            prefix = f"create or replace temp table {self.header['Creates']} as\n"
        return text(prefix + self.select)


@functools.cache
def find(name: str) -> Statement:
    """Return the statement of this name; each file is read once."""
    (path,) = resources.directory("sql").glob(f"statements/*/{name}.sql")
    return read(path)


def read(path: Path) -> Statement:
    """Return the statement in a file."""
    content = path.read_text(encoding="utf-8")
    header, body = catalog.split_header(content)
    return Statement(path.stem, header, body)


def run(
    connection: Connection, name: str, parameters: Mapping[str, Any] | None = None
) -> CursorResult[Any]:
    """Run a statement and return its result: its rows, or their number if it writes them."""
    return connection.execute(find(name).clause, dict(parameters or {}))


def problems(name: str, **parameters: Any) -> sa.TextualSelect:
    """Return the query of a check of a file: row number, column and message of each problem."""
    found = text(find(name).select).bindparams(**parameters)
    return found.columns(row_number=sa.BigInteger, column_name=sa.String, message=sa.String)


def write_file(
    connection: Connection,
    name: str,
    path: Path,
    file_format: Literal["csv", "parquet"],
    parameters: Mapping[str, Any],
) -> None:
    """Write the rows of a statement to a file."""
    statement = text(f"copy ({find(name).select}) to :path (format {file_format})")
    connection.execute(statement, {**parameters, "path": str(path)})
