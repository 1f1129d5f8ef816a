"""Reads the user's own files: CSV, TSV, Parquet or JSON lines, checked row by row in DuckDB.

A file is read where it lies, as a subquery; nothing is copied through Python, so a file of tens
of millions of rows is validated by the engine. All problems are found before anything is stored.
"""

import csv
import glob
import gzip
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Literal

import duckdb
import sqlalchemy as sa
from sqlalchemy import ColumnElement, Connection, Subquery

from tracker.errors import InputRefused, ProblemsFound

MAX_SHOWN = 20
_FORMATS = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".parquet": "parquet",
    ".jsonl": "json",
    ".ndjson": "json",
    ".json": "json",
}
_READERS = {
    "csv": "from read_csv(:path, columns=:columns, delim=',', quote='\"', escape='\"', "
    "header=true, auto_detect=false)",
    "tsv": "from read_csv(:path, columns=:columns, delim='\t', quote='\"', escape='\"', "
    "header=true, auto_detect=false)",
    "parquet": "from read_parquet(:path)",
    "json": "from read_json(:path, maximum_depth=1, sample_size=-1)",
}
_REJECTED = {
    "MISSING COLUMNS": "the row has too few fields",
    "TOO MANY COLUMNS": "the row has too many fields",
    "UNQUOTED VALUE": "a quotation mark is never closed",
    "INVALID ENCODING": "the text is not UTF-8; save the file as UTF-8",
    "LINE SIZE OVER MAXIMUM": "the line is longer than 2 MB",
}

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


@dataclass(frozen=True)
class InputFile:
    """A file found free of problems; `rows` selects its columns typed, NULL where it has none."""

    path: Path
    n_rows: int
    first_row: int
    rows: Subquery
    present: frozenset[str]

    def has(self, column: str) -> bool:
        """Whether the file itself has the column."""
        return column in self.present

    def problem(self, row: int, column: str, message: str) -> str:
        """Word a problem the way all are worded: file, row, column, what is wrong."""
        return f"{self.path.name}, row {row}, column {column}: {message}"


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
    if not path.is_file():
        raise InputRefused(f"{path}: no such file")
    kind = _format(path)
    if path.stat().st_size == 0:
        raise InputRefused(f"{path.name}: the file is empty")
    try:
        source, names = _open(connection, path, kind)
        present = _match_columns(path, names, columns, allow_extra)
        first_row = 2 if kind in ("csv", "tsv") else 1
        cells = _cells(source, kind, columns, present)
        n_rows = _validate(connection, path, first_row, cells, columns)
        if n_rows == 0 and not allow_empty:
            raise InputRefused(f"{path.name}: the file has no rows")
        rows = sa.select(
            *[_typed(cells.c[column.name], column.kind).label(column.name) for column in columns]
        ).subquery("file_row")
    except (sa.exc.DBAPIError, duckdb.Error) as error:
        raise InputRefused(f"{path.name}: cannot be read: {_first_line(error)}") from error
    return InputFile(path, n_rows, first_row, rows, frozenset(present))


def numbered(file: InputFile) -> Subquery:
    """The file's rows with `row_number`, each row's number as the user counts it."""
    number = sa.func.row_number().over() + (file.first_row - 1)
    return sa.select(number.label("row_number"), *file.rows.c).subquery("numbered_row")


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of the file's bytes in hexadecimal."""
    with path.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


def _format(path: Path) -> str:
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if suffixes and suffixes[-1] == ".gz":
        suffixes.pop()
    if not suffixes or suffixes[-1] not in _FORMATS:
        raise InputRefused(f"{path.name}: unknown kind of file; use .csv, .tsv, .parquet or .jsonl")
    return _FORMATS[suffixes[-1]]


def _open(connection: Connection, path: Path, kind: str) -> tuple[Subquery, list[str]]:
    parameters: dict[str, object] = {"path": glob.escape(str(path.resolve()))}
    if kind in ("csv", "tsv"):
        names = _header(path, "," if kind == "csv" else "\t")
        parameters["columns"] = dict.fromkeys(names, "VARCHAR")
        _refuse_malformed_rows(connection, path, kind, parameters)
    else:
        limited = sa.text(_READERS[kind] + " limit 0")
        names = list(connection.execute(limited, parameters).keys())
    clause = sa.text(_READERS[kind]).bindparams(**parameters)
    return clause.columns(*[sa.column(name) for name in names]).subquery("source_row"), names


def _header(path: Path, delimiter: str) -> list[str]:
    opener = gzip.open if path.suffix.lower() == ".gz" else open
    try:
        handle: IO[str]
        with opener(path, "rt", encoding="utf-8-sig", newline="") as handle:
            names = next(csv.reader([handle.readline(1 << 20)], delimiter=delimiter), [])
    except (UnicodeDecodeError, gzip.BadGzipFile, EOFError) as error:
        raise InputRefused(
            f"{path.name}, row 1: the text is not UTF-8; save the file as UTF-8"
        ) from error
    names = [name.strip() for name in names]
    for number, name in enumerate(names, start=1):
        if not name:
            raise InputRefused(f"{path.name}, row 1: column {number} of the header has no name")
    return names


def _refuse_malformed_rows(
    connection: Connection, path: Path, kind: str, parameters: Mapping[str, object]
) -> None:
    """Let DuckDB parse the whole file once, collecting the lines it cannot take apart."""
    reader = _READERS[kind].removesuffix(")") + ", store_rejects=true, rejects_limit=0)"
    connection.execute(sa.text("select count(*) " + reader), parameters)
    found = connection.exec_driver_sql(
        "select line, any_value(error_type), count(*) over () from reject_errors "
        "group by line order by line limit ?",
        (MAX_SHOWN,),
    ).all()
    connection.exec_driver_sql("drop table reject_errors")
    connection.exec_driver_sql("drop table reject_scans")
    if found:
        problems = [
            f"{path.name}, row {line}: {_REJECTED.get(error_type, error_type.lower())}"
            for line, error_type, _ in found
        ]
        raise ProblemsFound(problems, found[0][2])


def _match_columns(
    path: Path, names: Sequence[str], columns: Sequence[Column], allow_extra: bool
) -> dict[str, str]:
    """Map each column's name to the name the file gives it; complain of all misfits at once."""
    problems = []
    present: dict[str, str] = {}
    for name in names:
        if name.lower() in present:
            problems.append(f"{path.name}, row 1: two columns are named {name.lower()}")
        present[name.lower()] = name
    known = [column.title for column in columns]
    missing = [
        column.title for column in columns if column.required and column.title not in present
    ]
    problems += [f"{path.name}: the column {name} is missing" for name in missing]
    if not allow_extra:
        problems += [
            f"{path.name}: unknown column {name}; known are {', '.join(known)}"
            " (--allow-extra ignores others)"
            for name in present
            if name not in known
        ]
    if problems:
        raise ProblemsFound(problems[:MAX_SHOWN], len(problems))
    return present


def _cells(
    source: Subquery, kind: str, columns: Sequence[Column], present: Mapping[str, str]
) -> Subquery:
    """Select the known columns under their own names: text trimmed, empty text as NULL."""
    cells: list[ColumnElement[Any]] = []
    for column in columns:
        if column.title not in present:
            cells.append(sa.cast(sa.null(), sa.String).label(column.name))
            continue
        cell: ColumnElement[Any] = source.c[present[column.title]]
        if kind == "json":
            cell = cell.op("->>")("$")
        elif kind == "parquet" and column.kind in ("number", "integer"):
            # A typed number needs no way through text.
            cells.append(cell.label(column.name))
            continue
        trimmed = sa.func.trim(sa.cast(cell, sa.String))
        cells.append(sa.func.nullif(trimmed, "").label(column.name))
    return sa.select(*cells).subquery("cell")


def _typed(cell: ColumnElement[object], kind: Kind) -> ColumnElement[object]:
    if kind == "number":
        return sa.try_cast(cell, sa.Double)
    if kind == "integer":
        return sa.try_cast(sa.try_cast(cell, sa.Double), sa.Integer)
    if kind == "date":
        return sa.try_cast(cell, sa.Date)
    if kind == "instant":
        return sa.try_cast(cell, sa.TIMESTAMP(timezone=True))
    return cell


def _message(cell: ColumnElement[object], column: Column) -> ColumnElement[str]:
    """What is wrong with a cell, NULL if nothing is."""
    typed = _typed(cell, column.kind)
    shown = sa.func.concat("'", sa.func.left(sa.cast(cell, sa.String), 40), "'")
    whens: list[tuple[ColumnElement[bool], object]] = []
    if column.required:
        whens.append((cell.is_(None), "is empty"))
    if column.kind in ("number", "integer"):
        number = sa.try_cast(cell, sa.Double)
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
        is_iso = sa.func.regexp_full_match(cell, r"\d{4}-\d{2}-\d{2}")
        whens.append(
            (
                sa.not_(is_iso) | (cell.is_not(None) & typed.is_(None)),
                sa.func.concat(shown, " is not a date (YYYY-MM-DD)"),
            )
        )
    elif column.kind == "instant":
        whens.append(
            (
                cell.is_not(None) & typed.is_(None),
                sa.func.concat(shown, " is not an instant (YYYY-MM-DDTHH:MM:SS+00:00)"),
            )
        )
    elif column.kind == "json":
        whens.append((sa.not_(sa.func.json_valid(cell)), sa.func.concat(shown, " is not JSON")))
    if column.choices:
        options = ", ".join(column.choices)
        whens.append((cell.not_in(column.choices), sa.func.concat(shown, f" is none of {options}")))
    if not whens:
        return sa.cast(sa.null(), sa.String)
    return sa.case(*whens, else_=None)


def _validate(
    connection: Connection,
    path: Path,
    first_row: int,
    cells: Subquery,
    columns: Sequence[Column],
) -> int:
    """Count the rows and the cells with problems; raise ProblemsFound with the first of them."""
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
        f"{path.name}, row {row['row_number']}, column {column.title}: {row[column.name]}"
        for row in rows
        for column in columns
        if row[column.name] is not None
    ]
    raise ProblemsFound(problems[:MAX_SHOWN], n_problems)


def _first_line(error: Exception) -> str:
    message = str(getattr(error, "orig", error)).splitlines()[0]
    # DuckDB opens with the class of the error, which says nothing to a user.
    return message.split(" Error: ", 1)[-1]
