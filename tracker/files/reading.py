"""Reads the user's own files, checked row by row in DuckDB.

A file is read where it lies, as a subquery; nothing is copied through Python, so a file of tens
of millions of rows is validated by the engine. All problems are found before anything is stored.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import duckdb
import sqlalchemy as sa
from sqlalchemy import ColumnElement, Connection, Subquery

from tracker import formulas
from tracker.errors import InputRefused, ProblemsFound
from tracker.files.formats import (
    MAX_SHOWN,
    counting_blank_rows,
    open_rows,
    require_content,
    unreadable,
)

_WHITE_SPACE = " \t\n\r\v\f"
_NUMERIC = re.compile(r"(U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|FLOAT|DOUBLE|DECIMAL.*)")
_DAY = r"\d{4}-\d{2}-\d{2}"
_ZONE = r"([zZ]|[+-](0\d|1[0-5])(:?[0-5]\d)?)"
_INSTANT = _DAY + r"([ T]\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?" + _ZONE + "?)?"

Kind = Literal["text", "number", "integer", "date", "instant", "json"]


@dataclass(frozen=True)
class Column:
    """A column a file may have: what it holds and which values are allowed.

    A required column must be present and filled in every row. `header` is what the file calls
    the column, where that is not its name in the store.
    """

    name: str
    kind: Kind = "text"
    required: bool = True
    low: float | None = None
    high: float | None = None
    choices: Sequence[str] = ()
    header: str = ""

    @property
    def title(self) -> str:
        """The column's name in the file."""
        return self.header or self.name

    @property
    def folded(self) -> str:
        """The title as it is looked up: the case of a header does not matter."""
        return self.title.lower()


@dataclass(frozen=True)
class InputFile:
    """A file found free of problems; `rows` selects its columns typed, NULL where it has none."""

    path: Path
    n_rows: int
    first_row: int
    rows: Subquery
    present: frozenset[str]
    titles: Mapping[str, str]

    def has(self, column: str) -> bool:
        """Whether the file itself has the column."""
        return self.title(column).lower() in self.present

    def title(self, column: str) -> str:
        """What the file calls a column."""
        return self.titles.get(column, column)

    def problem(self, row: int, column: str, message: str) -> str:
        """Word a problem the way all are worded: file, row, column, what is wrong."""
        return _worded(self.path, row, column, message)


class Survey:
    """The problems found in one file: all counted, the first ones kept in order of row."""

    file: InputFile

    def __init__(self, path: Path) -> None:
        self.path = path
        self.n_problems = 0
        self._found: list[tuple[int, str]] = []

    def add(self, row: int, problem: str) -> None:
        """Note a worded problem; row 0 is the file or its header."""
        self._found.append((row, problem))
        self.n_problems += 1

    def add_cell(self, row: int, column: str, message: str) -> None:
        """Note a problem of one cell."""
        self.add(row, _worded(self.path, row, column, message))

    def add_unworded(self, n_problems: int) -> None:
        """Count problems of which nobody will see the words."""
        self.n_problems += n_problems

    def refuse(self) -> None:
        """Raise ProblemsFound if there is any problem."""
        if self.n_problems:
            found = sorted(self._found, key=lambda problem: problem[0])
            raise ProblemsFound([text for _, text in found[:MAX_SHOWN]], self.n_problems)


def read(
    connection: Connection,
    path: Path,
    columns: Sequence[Column],
    *,
    allow_extra: bool = False,
    allow_empty: bool = False,
) -> InputFile:
    """Open `path` and validate every row against `columns`.

    Rows are counted as a spreadsheet shows them: the header of a CSV or TSV is row 1, the first
    record of a Parquet or JSON lines file is row 1. Raises ProblemsFound with the first problems
    of the whole file, or InputRefused if it cannot be read at all.
    """
    survey = examine(connection, path, columns, allow_extra=allow_extra, allow_empty=allow_empty)
    survey.refuse()
    return survey.file


def examine(
    connection: Connection,
    path: Path,
    columns: Sequence[Column],
    *,
    allow_extra: bool = False,
    allow_empty: bool = False,
) -> Survey:
    """Do as `read` does, but hand the problems of header and cells back with the file.

    A cell with a problem is NULL, or not finite, in the file's rows.
    """
    kind = require_content(path)
    survey = Survey(path)
    try:
        source, types = open_rows(connection, path, kind)
        present, misfits = _match_columns(path, list(types), columns, allow_extra)
        for problem in misfits:
            survey.add(0, problem)
        _refuse_nested_columns(path, columns, present, types)
        first_row = 2 if kind in ("csv", "tsv") else 1
        cells = _cells(source, columns, present, types, is_marked=kind in ("csv", "tsv"))
        given = [column for column in columns if column.folded in present]
        n_rows = _validate(connection, survey, first_row, cells, given)
        if n_rows == 0 and not allow_empty and not misfits:
            raise InputRefused(f"{path.name}: the file has no rows")
        titles = {column.name: column.title for column in columns}
        rows = sa.select(
            *[_typed(cells.c[column.name], column.kind).label(column.name) for column in columns]
        ).subquery("file_row")
    except (sa.exc.DBAPIError, duckdb.Error) as error:
        raise unreadable(path, error) from error
    survey.file = InputFile(path, n_rows, first_row, rows, frozenset(present), titles)
    return survey


def column_names(connection: Connection, path: Path) -> list[str]:
    """Return the names of the file's columns as it spells them; raises as `read` does."""
    kind = require_content(path)
    try:
        return list(open_rows(connection, path, kind)[1])
    except (sa.exc.DBAPIError, duckdb.Error) as error:
        raise unreadable(path, error) from error


def numbered(file: InputFile) -> Subquery:
    """The file's rows with `row_number`, each row's number as the user counts it."""
    number = sa.func.row_number().over() + (file.first_row - 1)
    return sa.select(number.label("row_number"), *file.rows.c).subquery("numbered_row")


def _match_columns(
    path: Path, names: Sequence[str], columns: Sequence[Column], allow_extra: bool
) -> tuple[dict[str, str], list[str]]:
    """Map each column's name to the name the file gives it; word every misfit."""
    problems = []
    present: dict[str, str] = {}
    for name in names:
        if name.lower() in present:
            problems.append(f"{path.name}, row 1: two columns are named {name.lower()}")
        present[name.lower()] = name
    known = [column.title for column in columns]
    missing = [
        column.title for column in columns if column.required and column.folded not in present
    ]
    problems += [f"{path.name}: the column {name} is missing" for name in missing]
    if not allow_extra:
        problems += [
            f"{path.name}: unknown column {name}; known are {', '.join(known)}"
            " (--allow-extra ignores others)"
            for name in present
            if name not in {column.folded for column in columns}
        ]
    return present, problems


def _refuse_nested_columns(
    path: Path, columns: Sequence[Column], present: Mapping[str, str], types: Mapping[str, str]
) -> None:
    problems = [
        f"{path.name}, column {column.title}: holds {kind}, not single values"
        for column in columns
        if column.folded in present
        for kind in [types[present[column.folded]]]
        if kind.endswith("]") or kind.startswith(("STRUCT", "MAP", "UNION", "BLOB"))
    ]
    if problems:
        raise ProblemsFound(problems[:MAX_SHOWN], len(problems))


def _cells(
    source: Subquery,
    columns: Sequence[Column],
    present: Mapping[str, str],
    types: Mapping[str, str],
    *,
    is_marked: bool,
) -> Subquery:
    """Select the known columns under their own names: text trimmed, empty text as NULL.

    With `is_marked`, the apostrophe is taken off text that a spreadsheet would run as a formula.
    """
    cells: list[ColumnElement[Any]] = []
    for column in columns:
        if column.folded not in present:
            cells.append(sa.cast(sa.null(), sa.String).label(column.name))
            continue
        cell: ColumnElement[Any] = source.c[present[column.folded]]
        kind = types[present[column.folded]]
        if kind == "JSON":
            is_single = sa.func.json_type(cell).not_in(("OBJECT", "ARRAY"))
            value = cell.op("->>")("$")
            # What is no single value keeps a mark that no text can have.
            is_plain = cell.is_(None) | is_single
            cell = value if column.kind == "json" else sa.case((is_plain, value), else_="\0")
        elif _NUMERIC.fullmatch(kind) and column.kind in ("number", "integer"):
            # A typed number needs no way through text.
            cells.append(sa.type_coerce(cell, sa.Double).label(column.name))
            continue
        trimmed: ColumnElement[Any] = sa.func.trim(sa.cast(cell, sa.String), _WHITE_SPACE)
        if is_marked and column.kind == "text":
            trimmed = formulas.unmarked_cell(trimmed)
        cells.append(sa.func.nullif(trimmed, "").label(column.name))
    return sa.select(*cells).subquery("cell")


def as_number(cell: ColumnElement[Any]) -> ColumnElement[Any]:
    """Return a cell as a number, NULL if it is none: 1_000 is one to DuckDB alone."""
    if isinstance(cell.type, sa.Double):
        return sa.try_cast(cell, sa.Double)
    text = sa.cast(cell, sa.String)
    is_odd = sa.func.contains(text, "_") | sa.func.starts_with(text, "+-")
    return sa.case((is_odd, None), else_=sa.try_cast(text, sa.Double))


def _typed(cell: ColumnElement[object], kind: Kind) -> ColumnElement[object]:
    if kind == "number":
        return as_number(cell)
    if kind == "integer":
        return sa.try_cast(as_number(cell), sa.Integer)
    if kind == "date":
        return sa.try_cast(cell, sa.Date)
    if kind == "instant":
        # Without a zone an instant is in UTC, whatever the zone of the machine.
        has_zone = sa.func.regexp_matches(cell, ":.*" + _ZONE + "$")
        zoned = sa.case(
            (has_zone, cell),
            (sa.func.length(cell) == 10, cell.concat("T00:00:00+00:00")),
            else_=cell.concat("+00:00"),
        )
        return sa.try_cast(zoned, sa.TIMESTAMP(timezone=True))
    return cell


def _message(cell: ColumnElement[object], column: Column) -> ColumnElement[str]:
    """What is wrong with a cell, NULL if nothing is."""
    typed = _typed(cell, column.kind)
    shown = sa.func.concat("'", sa.func.left(sa.cast(cell, sa.String), 40), "'")
    whens: list[tuple[ColumnElement[bool], object]] = []
    if column.required:
        whens.append((cell.is_(None), "is empty"))
    if not isinstance(cell.type, sa.Double) and column.kind == "text":
        whens.append((sa.func.contains(cell, "\0"), "is not text, or holds a NUL character"))
        if column.required:
            # Few cells begin so: a look at the first character spares the others the pattern.
            is_odd = sa.not_(sa.func.unicode(cell).between(33, 126))
            is_blank = sa.func.regexp_full_match(cell, r"[\p{Z}\p{C}]*")
            whens.append((is_odd & is_blank, "is empty"))
    if column.kind in ("number", "integer"):
        number = as_number(cell)
        is_filled = cell.is_not(None)
        whens.append((is_filled & number.is_(None), sa.func.concat(shown, " is not a number")))
        whens.append(
            (sa.not_(sa.func.isfinite(number)), sa.func.concat(shown, " is not a finite number"))
        )
        if column.kind == "integer":
            whens.append(
                (number != sa.func.floor(number), sa.func.concat(shown, " is not a whole number"))
            )
        if column.low is not None and column.high is not None:
            bounds = f" is not between {column.low:g} and {column.high:g}"
            whens.append(
                (sa.not_(number.between(column.low, column.high)), sa.func.concat(shown, bounds))
            )
    elif column.kind == "date":
        is_iso = sa.func.regexp_full_match(cell, _DAY)
        is_past_year_0 = typed >= sa.cast("0001-01-01", sa.Date)
        whens.append(
            (
                cell.is_not(None) & sa.not_(sa.func.coalesce(is_iso & is_past_year_0, False)),
                sa.func.concat(shown, " is not a date (YYYY-MM-DD)"),
            )
        )
    elif column.kind == "instant":
        is_iso = sa.func.regexp_full_match(cell, _INSTANT)
        is_past_year_0 = typed >= sa.cast("0001-01-01 00:00:00+00", sa.TIMESTAMP(timezone=True))
        whens.append(
            (
                cell.is_not(None) & sa.not_(sa.func.coalesce(is_iso & is_past_year_0, False)),
                sa.func.concat(shown, " is not an instant (YYYY-MM-DDTHH:MM:SS+00:00)"),
            )
        )
    elif column.kind == "json":
        # DuckDB lets NaN and Infinity pass as JSON; outside strings they are none.
        bare = sa.func.regexp_replace(cell, r'"(\\.|[^"\\])*"', '""', "g")
        is_json = sa.func.json_valid(cell) & sa.not_(sa.func.regexp_matches(bare, "(?i)nan|inf"))
        whens.append((sa.not_(is_json), sa.func.concat(shown, " is not JSON")))
    if column.choices:
        options = ", ".join(column.choices)
        whens.append((cell.not_in(column.choices), sa.func.concat(shown, f" is none of {options}")))
    if not whens:
        return sa.cast(sa.null(), sa.String)
    return sa.case(*whens, else_=None)


def _validate(
    connection: Connection,
    survey: Survey,
    first_row: int,
    cells: Subquery,
    columns: Sequence[Column],
) -> int:
    """Count the rows; note the cells with problems in `survey`."""
    messages = {column.name: _message(cells.c[column.name], column) for column in columns}
    counts = connection.execute(
        sa.select(
            sa.func.count().label("n_rows"),
            *[sa.func.count(message).label(name) for name, message in messages.items()],
        ).select_from(cells)
    ).one()
    n_problems = sum(counts[1:])
    if n_problems == 0:
        return int(counts.n_rows)
    number = sa.func.row_number().over() + (first_row - 1)
    judged = sa.select(
        number.label("row_number"), *[message.label(name) for name, message in messages.items()]
    ).subquery("judged_row")
    has_problem = sa.or_(*[judged.c[column.name].is_not(None) for column in columns])
    rows = connection.execute(
        sa.select(judged).where(has_problem).order_by(judged.c.row_number).limit(MAX_SHOWN)
    ).mappings()
    problems = [
        (row["row_number"], column.title, row[column.name])
        for row in rows
        for column in columns
        if row[column.name] is not None
    ]
    for row_number, title, message in problems[:MAX_SHOWN]:
        survey.add_cell(row_number, title, message)
    survey.add_unworded(n_problems - len(problems[:MAX_SHOWN]))
    return int(counts.n_rows)


def _worded(path: Path, row: int, column: str, message: str) -> str:
    return f"{path.name}, row {counting_blank_rows(path, row)}, column {column}: {message}"
