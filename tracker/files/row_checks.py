"""Reads users' tables and checks each row in DuckDB.

A file goes through `open_table` (its bytes and header), `examine` (every row is checked and
counted) and then its rows are read; `read` does all of it in one call. A file is read in place, as
a subquery; nothing is copied through Python, so the engine checks a file of tens of millions of
rows. All problems are found before anything is stored.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import duckdb
import sqlalchemy as sa
from sqlalchemy import ColumnElement, Connection, Select, SelectBase, Subquery

from tracker.errors import MAX_LISTED, InputRefused, ProblemsFound, did_you_mean
from tracker.files import cells, headers, table_files
from tracker.files.cells import Column
from tracker.files.table_files import TableFile

# Where problems without a row sort: those of the header first, others last.
_HEADER, _NO_ROW = 0, 2**62
# The end of a message on a row that repeats another, by the number of its record.
_REPEATED = re.compile(r" repeats row (\d+)$")


@dataclass(frozen=True)
class InputFile:
    """A table whose rows were checked; `rows` selects typed columns, NULL where it has none.

    Each query of the rows rescans the file. `guessed` has the column for each name in the file that
    was taken for it.
    """

    table: TableFile
    n_rows: int
    rows: Subquery
    columns: Sequence[Column]
    guessed: Mapping[str, str] = field(default_factory=dict)

    @property
    def numbered(self) -> Subquery:
        """The rows with `row_number`, each row's number as the user counts it."""
        number = sa.func.row_number().over() + (self.table.first_row - 1)
        return sa.select(number.label("row_number"), *self.rows.c).subquery("numbered_row")

    def has(self, column: str) -> bool:
        """Whether the file itself has the column."""
        return self.table.has(self.title(column))

    def title(self, column: str) -> str:
        """The file's name for a column."""
        return next((known.title for known in self.columns if known.name == column), column)


class Survey:
    """The problems found in one table: all are counted, the first listed by row."""

    def __init__(self, table: TableFile) -> None:
        self.table = table
        self.n_problems = 0
        self._found: list[tuple[int, str, str]] = []

    def add(self, row: int, column: str, message: str) -> None:
        """Note a problem of one cell."""
        if message.startswith(cells.EMPTY):
            self._add(row, "", f"{column} {message}")
        else:
            self._add(row, f", column {column}", message)

    def add_to_header(self, message: str, column: str | None = None) -> None:
        """Note a problem of the header, or of one column of it."""
        self._add(_HEADER, f", row 1, column {column}" if column else ", row 1", message)

    def add_to_file(self, message: str) -> None:
        """Note a problem of the file as a whole."""
        self._add(_HEADER, "", message)

    def note(self, connection: Connection, found: SelectBase) -> None:
        """Note the rows of a query for row_number, column_name and message.

        Problems without a row_number are listed last.
        """
        problem = found.subquery("problem")
        rows = connection.execute(
            sa.select(problem, sa.func.count().over().label("n_found"))
            .order_by(problem.c.row_number, problem.c.column_name, problem.c.message)
            .limit(MAX_LISTED)
        ).all()
        for row in rows:
            self.add(row.row_number or _NO_ROW, row.column_name, row.message)
        if rows:
            self.add_unworded(rows[0].n_found - len(rows))

    def add_unworded(self, n_problems: int) -> None:
        """Count problems whose messages are never shown."""
        self.n_problems += n_problems

    def refuse(self) -> None:
        """Raise ProblemsFound if there is any problem."""
        if not self.n_problems:
            return
        listed = sorted(self._found, key=lambda problem: problem[0])[:MAX_LISTED]
        rows = {row for row, _, _ in listed if _HEADER < row < _NO_ROW}
        earlier = [_REPEATED.search(message) for _, _, message in listed]
        places = self.table.places(rows | {int(found[1]) for found in earlier if found})

        def worded(message: str) -> str:
            return _REPEATED.sub(lambda found: f" repeats {places[int(found[1])]}", message)

        raise ProblemsFound(
            [
                self.table.path.name
                + (f", {places[row]}" if row in rows else "")
                + f"{place}: {worded(message)}"
                for row, place, message in listed
            ],
            self.n_problems,
        )

    def _add(self, row: int, place: str, message: str) -> None:
        self._found.append((row, place, message))
        self.n_problems += 1


def read(
    connection: Connection,
    path: Path,
    columns: Sequence[Column],
    *,
    allow_extra: bool | None = None,
    allow_empty: bool = False,
    renamed: Mapping[str, str] | None = None,
) -> InputFile:
    """Open `path` and check every row against `columns`.

    Rows are counted as a spreadsheet shows them: the header of a CSV or TSV is row 1, the first
    record of a Parquet or JSON lines file is row 1. Columns that are not in `columns` are refused
    unless `allow_extra`; None says that there is no option to allow them. `renamed` has the column
    for a name in the file; where it is given, other names are guessed. Raises ProblemsFound
    with the file's first problems, or InputRefused if it cannot be read at all.
    """
    table = table_files.open_table(connection, path, allow_extra=allow_extra)
    guessed: dict[str, str] = {}
    if renamed is not None:
        columns, guessed = headers.named(table, columns, renamed)
    file, survey = examine(
        connection, table, columns, allow_extra=allow_extra, allow_empty=allow_empty
    )
    survey.refuse()
    return replace(file, guessed=guessed)


def examine(
    connection: Connection,
    table: TableFile,
    columns: Sequence[Column],
    *,
    allow_extra: bool | None = None,
    allow_empty: bool = False,
) -> tuple[InputFile, Survey]:
    """Check every row of an opened table; return it with the problems of header and cells.

    A cell with a problem is NULL, or not finite, in the file's rows. Raises InputRefused or
    ProblemsFound where there are no rows to read: nested columns, lines that cannot be split, no
    row at all.
    """
    survey = Survey(table)
    present = _match_columns(survey, columns, allow_extra)
    is_matched = survey.n_problems == 0
    _refuse_nested_columns(table, columns, present)
    with table_files.worded(table.path):
        n_rows = _check_rows(connection, survey, columns, present)
    if n_rows == 0 and not allow_empty and is_matched:
        raise InputRefused(f"{table.path.name}: the file has no rows")
    cell = _cleaned(table, columns, present, table.rows()).c
    rows = sa.select(
        *[cells.typed(cell[column.name], column).label(column.name) for column in columns]
    ).subquery("file_row")
    return InputFile(table, n_rows, rows, columns), survey


def refuse_cells(connection: Connection, file: InputFile, found: SelectBase) -> None:
    """Raise ProblemsFound if a query of `cell_problems` has rows."""
    survey = Survey(file.table)
    survey.note(connection, found)
    survey.refuse()


def cell_problems(
    row_number: ColumnElement[int] | None,
    column: str | ColumnElement[str],
    message: ColumnElement[str],
) -> Select[*tuple[Any, ...]]:
    """Return the query of problems that `Survey.note` reads, without row numbers if None."""
    row = sa.cast(sa.null(), sa.BigInteger) if row_number is None else row_number
    name = sa.literal(column) if isinstance(column, str) else column
    return sa.select(row.label("row_number"), name.label("column_name"), message.label("message"))


def _match_columns(
    survey: Survey, columns: Sequence[Column], allow_extra: bool | None
) -> dict[str, str]:
    """Map the folded name of each column of the file to its spelling; note every misfit."""
    present: dict[str, str] = {}
    for name in survey.table.types:
        if name.lower() in present:
            survey.add_to_header(f"two columns are named {name.lower()}")
        present[name.lower()] = name
    for column in columns:
        if column.required and column.folded not in present:
            survey.add_to_file(f"the column {column.title} is missing")
    if not allow_extra:
        known = ", ".join(column.title for column in columns)
        hint = "" if allow_extra is None else " (--allow-extra ignores others)"
        folded = {column.folded for column in columns}
        missing = [column for column in columns if column.folded not in present]
        for name in present:
            if name not in folded:
                near = _meant(name, missing)
                survey.add_to_file(
                    f"unknown column {name}; known: {known}{hint}" + (f"; {near}" if near else "")
                )
    return present


def _meant(name: str, missing: Sequence[Column]) -> str:
    """Return a question with the missing columns that a name may be a misspelling of.

    While a file lacks columns that it must have, others are not meant; a name for a column is as
    good as its own.
    """
    columns = [one for one in missing if one.required] or missing
    names = {word: one.title for one in columns for word in (one.title, *one.synonyms)}
    return did_you_mean(name, names, names)


def _refuse_nested_columns(
    table: TableFile, columns: Sequence[Column], present: Mapping[str, str]
) -> None:
    problems = [
        f"{table.path.name}, column {column.title}: contains {kind}, not single values"
        for column in columns
        if column.folded in present and column.kind != "json"
        for kind in [table.types[present[column.folded]]]
        if cells.is_nested(kind)
    ]
    if problems:
        raise ProblemsFound(problems)


def _cleaned(
    table: TableFile, columns: Sequence[Column], present: Mapping[str, str], source: Subquery
) -> Subquery:
    """Select the known columns of a scan under their own names, each cell cleaned."""
    cleaned = []
    for column in columns:
        given = present.get(column.folded)
        if given is None:
            cell: ColumnElement[Any] = sa.cast(sa.null(), sa.String)
        else:
            kind = table.types[given]
            cell = cells.cleaned(source.c[given], kind, column, is_delimited=table.is_delimited)
        cleaned.append(cell.label(column.name))
    return sa.select(*cleaned).select_from(source).subquery("cell")


def _check_rows(
    connection: Connection, survey: Survey, columns: Sequence[Column], present: Mapping[str, str]
) -> int:
    """Count the rows; note the cells with problems."""
    table = survey.table
    given = [column for column in columns if column.folded in present]

    def judged(source: Subquery) -> tuple[Subquery, dict[str, ColumnElement[str]]]:
        cell = _cleaned(table, columns, present, source)
        return cell, {column.name: cells.message(cell.c[column.name], column) for column in given}

    cell, messages = judged(table.rows())
    counts = [sa.func.count(), *[sa.func.count(message) for message in messages.values()]]
    try:
        n_rows, *n_wrong = connection.execute(sa.select(*counts).select_from(cell)).one()
    except (sa.exc.DBAPIError, duckdb.Error):
        table.refuse_misshapen()
        raise
    if not any(n_wrong):
        return int(n_rows)
    cell, messages = judged(table.rows())
    number = sa.func.row_number().over() + (table.first_row - 1)
    row = sa.select(
        number.label("row_number"), *[message.label(name) for name, message in messages.items()]
    ).subquery("judged_row")
    wrong = connection.execute(
        sa.select(row)
        .where(sa.or_(*[row.c[name].is_not(None) for name in messages]))
        .order_by(row.c.row_number)
        .limit(MAX_LISTED)
    ).mappings()
    problems = [
        (found["row_number"], column.title, found[column.name])
        for found in wrong
        for column in given
        if found[column.name] is not None
    ][:MAX_LISTED]
    for problem in problems:
        survey.add(*problem)
    survey.add_unworded(sum(n_wrong) - len(problems))
    return int(n_rows)
