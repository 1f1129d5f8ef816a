"""Opens a user's table for DuckDB to read: CSV, TSV, Parquet, JSON lines, packed or not.

Files that DuckDB would read in part, guess at or crash on are refused, in the user's terms.
"""

import contextlib
import csv
import glob
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import duckdb
import sqlalchemy as sa
from sqlalchemy import Connection, Subquery

from tracker import formulas
from tracker.errors import InputRefused, ProblemsFound
from tracker.files import delimited, json_rows, parquet, streams
from tracker.files.frames import FramePath
from tracker.files.streams import opened
from tracker.rows import shown

MAX_COLUMNS = 10_000
_FORMATS = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".parquet": "parquet",
    ".jsonl": "json",
    ".ndjson": "json",
    ".json": "json",
}
_SPREADSHEETS = frozenset((".xlsx", ".xls", ".ods"))
# How files begin that are no text, whatever their name.
_SIGNATURES = {
    b"PK\x03\x04": "a spreadsheet or a ZIP archive; save its sheet as .csv",
    b"\xd0\xcf\x11\xe0": "a spreadsheet of an old kind; save its sheet as .csv",
    b"%PDF": "a PDF",
    b"\x89PNG": "an image",
    b"PAR1": "Parquet; name it .parquet",
}
_DELIMITERS = {"csv": ",", "tsv": "\t"}
_SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "vertical bars"}
# What pandas calls a column without a name, in a file that it read and in Parquet.
_UNNAMED = re.compile(r"(Unnamed: \d+(_level_\d+)?|)")
_INDEX = re.compile(r"__index_level_\d+__")
_NAMELESS = "column {} without a name"
_WITHOUT_INDEX = "save the table without its index (index=False in pandas)"
_READERS = {
    "csv": "from read_csv(:path, columns=:columns, delim=',', quote='\"', escape='\"', "
    "header=true, auto_detect=false)",
    "tsv": "from read_csv(:path, columns=:columns, delim='\t', quote='\"', escape='\"', "
    "header=true, auto_detect=false)",
    "parquet": "from read_parquet(:path)",
    "json": "from read_json(:path, format='newline_delimited', maximum_depth=1, sample_size=-1, "
    "map_inference_threshold=-1)",
    "json array": "from read_json(:path, format='array', maximum_depth=1, sample_size=-1, "
    "map_inference_threshold=-1)",
}
# Run before DuckDB infers the columns' types, which takes minutes where there are many.
_N_NAMES = sa.text(
    "select count(distinct name) "
    "from (select unnest(json_keys(json)) as name from read_ndjson_objects(:path))"
)
# Where the first rows of a table are.
_HEAD_BYTES = 64 * 1024


@dataclass(frozen=True)
class TableFile:
    """A user's table whose bytes were checked and whose columns are known.

    `types` maps each column, as the file spells it, to its type in DuckDB.
    """

    path: Path
    kind: str
    sha256: str
    types: Mapping[str, str]

    @property
    def is_delimited(self) -> bool:
        """Whether the table is CSV or TSV: all text, under a header that is row 1."""
        return self.kind in _DELIMITERS

    @property
    def first_row(self) -> int:
        """The number of the first record as the user counts rows."""
        return 2 if self.is_delimited else 1

    @property
    def names(self) -> list[str]:
        """The columns' names as the file spells them."""
        return list(self.types)

    def has(self, column: str | None) -> bool:
        """Whether the table has the column, whatever its case."""
        return column is not None and column.lower() in {name.lower() for name in self.types}

    def rows(self) -> Subquery:
        """Return the rows as they are in the file; each query of them rescans it."""
        clause = sa.text(_READERS[self.kind]).bindparams(**_parameters(self.path))
        if self.is_delimited:
            clause = clause.bindparams(columns=dict(self.types))
        return clause.columns(*[sa.column(name) for name in self.types]).subquery("source_row")

    def refuse_misshapen(self) -> None:
        """Raise ProblemsFound with the rows of CSV or TSV that DuckDB cannot split, if any."""
        if self.is_delimited:
            delimited.refuse_misshapen(self.path, _DELIMITERS[self.kind], len(self.types))

    def places(self, rows: Collection[int]) -> dict[int, str]:
        """Map record numbers to what messages call them: rows, or labels of a frame's index."""
        labels = getattr(self.path, "labels", None)
        if labels is not None:
            return {row: f"index {shown(labels[row - 1])[:40]}" for row in rows}
        return {row: f"row {number}" for row, number in self._shown_rows(rows).items()}

    def _shown_rows(self, rows: Collection[int]) -> dict[int, int]:
        """Map record numbers to the rows a spreadsheet shows: DuckDB skips blank lines."""
        found = {row: row for row in rows}
        if not rows or not self.is_delimited:
            return found
        with delimited.opened_rows(self.path, _DELIMITERS[self.kind]) as records:
            n_records = 0
            for number, record in enumerate(records, start=1):
                n_records += bool(record)
                if record and n_records in found:
                    found[n_records] = number
                if n_records == max(rows):
                    break
        return found


def open_table(connection: Connection, path: Path, *, allow_extra: bool | None = None) -> TableFile:
    """Check a file's bytes and find its columns; raises InputRefused or ProblemsFound.

    Columns without a name are refused unless `allow_extra`; None says that there is no option to
    allow them. The bytes are checked first: the engine may fail in the middle of a transaction on
    text that is not UTF-8.
    """
    streams.require_file(path)
    kind = _kind(path)
    with worded(path):
        if kind == "parquet":
            streams.require_whole(path)
            described = _described(connection, path, kind)
            # The labels of rows, which pandas writes beside the table, are no column of it.
            types = {name: kind for name, kind in described.items() if not _INDEX.fullmatch(name)}
            _refuse_unnamed(path, list(types), allow_extra)
            return TableFile(path, kind, streams.sha256_of(path), types)
        _refuse_other_content(path)
        if kind == "json":
            text = streams.read_text(path, is_json=True)
            if text.is_json_array:
                kind = "json array"
                json_rows.refuse_bad_array(path, lambda n_columns: _refuse_wide(path, n_columns))
            else:
                json_rows.refuse_bad_lines(path)
            types = _described(connection, path, kind)
            _refuse_unnamed(path, list(types), allow_extra)
        else:
            bounds = delimited.Bounds(path, _DELIMITERS[kind])
            text = streams.read_text(path, is_json=False, follow=bounds.take)
            names = _header(path, text.first_line, _DELIMITERS[kind])
            _refuse_unnamed(path, names, allow_extra)
            named = [name or _NAMELESS.format(number) for number, name in enumerate(names, start=1)]
            types = dict.fromkeys(named, "VARCHAR")
    return TableFile(path, kind, text.sha256, types)


def _refuse_other_content(path: Path) -> None:
    with opened(path) as handle:
        start = handle.read(max(map(len, _SIGNATURES)))
    for signature, words in _SIGNATURES.items():
        if start.startswith(signature):
            raise InputRefused(f"{path.name}: its content is not text, but {words}")


@contextlib.contextmanager
def worded(path: Path) -> Iterator[None]:
    """Word for the user why DuckDB cannot read a file."""
    try:
        yield
    except (sa.exc.DBAPIError, duckdb.Error) as error:
        raise InputRefused(_reason(path, error)) from error


def _reason(path: Path, error: Exception) -> str:
    message = str(getattr(error, "orig", error))
    reason = message.splitlines()[0]
    if "state machine" in reason:
        return _mixed_line_ends(path)
    line = re.search(r"CSV Error on Line: (\d+)", message)
    if line and "unicode" in message.lower():
        return f"{path.name}, row {line[1]}: {streams.NOT_UTF8}"
    if malformed := re.match(r"Invalid Input Error: Malformed JSON.* in line (\d+)", reason):
        # DuckDB's line number is one too high.
        return f"{path.name}, row {int(malformed[1]) - 1}: is not a JSON object"
    # DuckDB begins with the error class and repeats the path, which add nothing.
    reason = re.sub(r" in file \"[^\"]*\",?", "", reason.split(" Error: ", 1)[-1])
    return f"{path.name}: cannot be read: {reason}"


def _mixed_line_ends(path: Path) -> str:
    """Name the first row whose line end differs from the header's."""
    with opened(path) as handle:
        for number, line in enumerate(handle, start=1):
            body = line.removesuffix(b"\n").removesuffix(b"\r")
            if number == 1:
                is_crlf = line.endswith(b"\r\n")
            if b"\r" in body or line.endswith(b"\r\n") != is_crlf:
                break
    return f"{path.name}, row {number}: the line ends differently from the header"


def _kind(path: Path) -> str:
    if isinstance(path, FramePath):
        return "parquet"
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if suffixes and suffixes[-1] == ".gz":
        suffixes.pop()
    if not suffixes or suffixes[-1] not in _FORMATS:
        hint = "; save its sheet as .csv" if suffixes and suffixes[-1] in _SPREADSHEETS else ""
        raise InputRefused(
            f"{path.name}: unknown kind of file; use .csv, .tsv, .parquet or .jsonl{hint}"
        )
    return _FORMATS[suffixes[-1]]


def _parameters(path: Path) -> dict[str, str]:
    return {"path": glob.escape(str(path.resolve()))}


def _described(connection: Connection, path: Path, kind: str) -> dict[str, str]:
    """Ask DuckDB for the columns of Parquet or JSON and their types."""
    if kind == "parquet":
        parquet.refuse_bomb(path, MAX_COLUMNS)
    elif kind == "json":
        _refuse_wide(path, connection.execute(_N_NAMES, _parameters(path)).scalar_one())
    described = connection.execute(sa.text("describe " + _READERS[kind]), _parameters(path))
    types = {row.column_name: row.column_type for row in described}
    _refuse_wide(path, len(types))
    return types


def _header(path: Path, line: str, delimiter: str) -> list[str]:
    line = line.removesuffix("\r")
    if "\r" in line:
        raise InputRefused(
            f"{path.name}, row 1: the line ends in a carriage return alone; save the file with "
            "lines that end in LF or CRLF"
        )
    if line.lstrip().startswith("#"):
        raise InputRefused(
            f"{path.name}, row 1: is a comment, not a header; delete the lines that begin with #"
        )
    if line.count('"') % 2:
        raise InputRefused(
            f"{path.name}, row 1: the name of a column is broken into two lines, or its quotation "
            "mark is never closed; write the header in one line"
        )
    _refuse_wide(path, line.count(delimiter) + 1)
    _refuse_separator(path, line, delimiter)
    try:
        names = [name.strip() for name in next(csv.reader([line], delimiter=delimiter), [])]
    except csv.Error as error:
        raise InputRefused(f"{path.name}, row 1: is not a header: {error}") from error
    if "\0" in line:
        raise InputRefused(f"{path.name}, row 1: {streams.NOT_UTF8}")
    if not names:
        raise InputRefused(f"{path.name}, row 1: the header is empty")
    names = [formulas.unmarked(name) for name in names]
    n_times = Counter(name.lower() for name in names)
    if twice := [name for name, n in n_times.items() if name and n > 1]:
        raise ProblemsFound([f"{path.name}, row 1: two columns are named {one}" for one in twice])
    return names


def _refuse_wide(path: Path, n_columns: int) -> None:
    if n_columns > MAX_COLUMNS:
        raise InputRefused(
            f"{path.name}: has {n_columns:,} columns; at most {MAX_COLUMNS:,} are read"
        )


def _refuse_separator(path: Path, line: str, delimiter: str) -> None:
    """Raise InputRefused if the header is separated by something else than the file's name says."""
    if re.fullmatch(r"\"?sep=.?\"?", line.strip(), re.IGNORECASE):
        raise InputRefused(
            f"{path.name}, row 1: is Excel's mark of the separator, not a header; delete the line"
        )
    others = [one for one in _SEPARATORS if one != delimiter and one in line]
    if delimiter in line or not others:
        return
    used = max(others, key=line.count)
    fields = f"the fields are separated by {_SEPARATORS[used]}"
    if used == ";" and _has_decimal_commas(path):
        fields += " and decimals by commas"
    wanted = f"separate the fields by {_SEPARATORS[delimiter]}"
    if "decimals" in fields:
        wanted += " and write decimals with points"
    for kind, separator in _DELIMITERS.items():
        if separator == used:
            wanted = f"name the file .{kind}, or {wanted}"
    raise InputRefused(f"{path.name}, row 1: {fields}; {wanted}")


def _has_decimal_commas(path: Path) -> bool:
    """Whether a field of the first rows, which semicolons separate, is a number with a comma."""
    with opened(path) as handle:
        head = handle.read(_HEAD_BYTES).decode("utf-8", errors="replace")
    fields = [field for line in head.splitlines()[1:] for field in line.split(";")]
    return any(re.fullmatch(r'\s*"?[+-]?\d*,\d+([eE][+-]?\d+)?"?\s*', one) for one in fields)


def _refuse_unnamed(path: Path, names: Sequence[str], allow_extra: bool | None) -> None:
    """Raise ProblemsFound for columns without a name, which no column can be found by.

    They are the index that pandas writes unless it is told not to, or the columns that Excel
    writes to the right of a table.
    """
    if allow_extra:
        return
    unnamed = [number for number, name in enumerate(names, start=1) if _UNNAMED.fullmatch(name)]
    n_last = len(names)
    while n_last and n_last in unnamed:
        n_last -= 1
    hint = "" if allow_extra is None else " (--allow-extra ignores it)"
    problems = [
        f"{path.name}{_row_1(path)}: column {number} has no name; {_WITHOUT_INDEX}{hint}"
        for number in unnamed
        if number <= n_last
    ]
    n_empty = len(names) - n_last
    if n_empty == 1:
        problems.append(
            f"{path.name}{_row_1(path)}: column {len(names)}, the last, has no name; delete the "
            f"empty column at the end{hint}"
        )
    elif n_empty:
        hint = hint.replace("it)", "them)")
        problems.append(
            f"{path.name}{_row_1(path)}: the last {n_empty} columns have no name; delete the empty "
            f"columns at the end{hint}"
        )
    if problems:
        raise ProblemsFound(problems)


def _row_1(path: Path) -> str:
    """Return where the header of a file is; Parquet, JSON and frames have none."""
    return ", row 1" if _kind(path) in _DELIMITERS else ""
