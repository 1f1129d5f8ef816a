"""Opens the user's files as rows DuckDB can read: CSV, TSV, Parquet, JSON lines, packed or not.

What DuckDB would read in part, guess at, or not survive is refused here, in the user's words.
"""

import csv
import glob
import hashlib
import io
import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import sqlalchemy as sa
from sqlalchemy import Connection, Subquery

from tracker import formulas
from tracker.errors import InputRefused, ProblemsFound
from tracker.files import streams
from tracker.files.streams import MAX_DOCUMENT_BYTES, opened

MAX_SHOWN = 20
MAX_COLUMNS = 10_000
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
    "json": "from read_json(:path, format='newline_delimited', maximum_depth=1, sample_size=-1, "
    "map_inference_threshold=-1)",
    "json array": "from read_json(:path, format='array', maximum_depth=1, sample_size=-1, "
    "map_inference_threshold=-1)",
}
# Asked before DuckDB looks for the columns' types, which takes minutes where there are many.
_COLUMN_COUNTS = {
    "parquet": "select count(*) - 1 from parquet_schema(:path)",
    "json": "select count(distinct name) "
    "from (select unnest(json_keys(json)) as name from read_ndjson_objects(:path))",
}
_REJECTED = {
    "MISSING COLUMNS": "the row has too few fields",
    "TOO MANY COLUMNS": "the row has too many fields",
    "UNQUOTED VALUE": "a quotation mark is never closed",
    "INVALID ENCODING": streams.NOT_UTF8,
    "LINE SIZE OVER MAXIMUM": streams.TOO_LONG,
}

_MAX_NESTING = 500


def require_content(path: Path) -> str:
    """Return the kind of a file; raise InputRefused unless it is whole, not empty, and UTF-8.

    An engine that meets other text may give up in the middle of a transaction.
    """
    require_file(path)
    kind = _format(path)
    if kind == "parquet":
        streams.require_whole(path)
    else:
        streams.require_text(path, has_lines=not _is_array(path, kind))
    return kind


def open_rows(connection: Connection, path: Path, kind: str) -> tuple[Subquery, dict[str, str]]:
    """Return a file's rows as a subquery, and the DuckDB type of each of its columns."""
    parameters: dict[str, object] = {"path": glob.escape(str(path.resolve()))}
    if kind in ("csv", "tsv"):
        names = _header(path, "," if kind == "csv" else "\t")
        types = dict.fromkeys(names, "VARCHAR")
        parameters["columns"] = types
        _refuse_malformed_rows(connection, path, kind, parameters)
    else:
        if kind == "json":
            kind = _json_kind(path)
        if kind in _COLUMN_COUNTS:
            count = sa.text(_COLUMN_COUNTS[kind])
            _refuse_wide(path, connection.execute(count, parameters).scalar_one())
        described = connection.execute(sa.text("describe " + _READERS[kind]), parameters)
        types = {row.column_name: row.column_type for row in described}
        names = list(types)
        _refuse_wide(path, len(names))
    clause = sa.text(_READERS[kind]).bindparams(**parameters)
    source = clause.columns(*[sa.column(name) for name in names]).subquery("source_row")
    return source, types


def counting_blank_rows(path: Path, row: int) -> int:
    """Turn the number of a record into the row a spreadsheet shows: DuckDB skips blank lines."""
    if _format(path) not in ("csv", "tsv"):
        return row
    csv.field_size_limit(streams.MAX_LINE_BYTES)
    with opened(path) as handle:
        records = csv.reader(io.TextIOWrapper(handle, encoding="utf-8-sig", newline=""))
        n_records = 0
        for number, record in enumerate(records, start=1):
            n_records += bool(record)
            if n_records == row:
                return number
    return row


def unreadable(path: Path, error: Exception) -> InputRefused:
    """Say in the user's words why DuckDB cannot read a file."""
    message = str(getattr(error, "orig", error))
    reason = message.splitlines()[0]
    if "state machine" in reason:
        return InputRefused(_mixed_line_ends(path))
    line = re.search(r"CSV Error on Line: (\d+)", message)
    if line and "unicode" in message.lower():
        return InputRefused(f"{path.name}, row {line[1]}: {_REJECTED['INVALID ENCODING']}")
    if malformed := re.match(r"Invalid Input Error: Malformed JSON.* in line (\d+)", reason):
        # Here DuckDB counts the lines one too far.
        return InputRefused(f"{path.name}, row {int(malformed[1]) - 1}: is not a JSON object")
    # DuckDB opens with the class of the error and repeats the path, which say nothing new.
    reason = re.sub(r" in file \"[^\"]*\",?", "", reason.split(" Error: ", 1)[-1])
    return InputRefused(f"{path.name}: cannot be read: {reason}")


def require_file(path: Path) -> None:
    """Raise InputRefused unless `path` is a file."""
    if path.is_dir():
        raise InputRefused(f"{path}: is a folder")
    if not path.is_file():
        raise InputRefused(f"{path}: no such file")


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


def _is_array(path: Path, kind: str) -> bool:
    """Whether a JSON file holds one array, not an object a line."""
    return kind == "json" and streams.head_of(path).lstrip().startswith(b"[")


def _json_kind(path: Path) -> str:
    """Tell lines from an array; refuse what DuckDB would read in part or not survive."""
    nested = "is nested too deeply"
    if not _is_array(path, "json"):
        is_blank = True
        with opened(path) as handle:
            for number, line in enumerate(handle, start=1):
                is_blank = is_blank and not line.strip()
                if len(line) <= _MAX_NESTING:
                    continue
                if line.count(b"{") + line.count(b"[") > _MAX_NESTING:
                    raise InputRefused(f"{path.name}, row {number}: {nested}")
        if is_blank:
            raise InputRefused(f"{path.name}: the file has no rows")
        return "json"
    # DuckDB takes an array that was cut off for a whole one, so it is parsed here first.
    try:
        with opened(path) as handle:
            content = handle.read(MAX_DOCUMENT_BYTES + 1)
        if len(content) > MAX_DOCUMENT_BYTES:
            raise InputRefused(
                f"{path.name}: is an array of more than {MAX_DOCUMENT_BYTES >> 20} MB; "
                "write one record a line (.jsonl)"
            )
        records = json.loads(content)
    except RecursionError as error:
        raise InputRefused(f"{path.name}: {nested}") from error
    except json.JSONDecodeError as error:
        raise InputRefused(f"{path.name}: cannot be read: {error}") from error
    except ValueError as error:
        raise InputRefused(f"{path.name}: holds a number of too many digits") from error
    if not records:
        raise InputRefused(f"{path.name}: the file has no rows")
    for number, record in enumerate(records, start=1):
        if not isinstance(record, dict):
            raise InputRefused(f"{path.name}, row {number}: is not an object")
    _refuse_wide(path, len(set().union(*records)))
    return "json array"


def _header(path: Path, delimiter: str) -> list[str]:
    with opened(path) as handle:
        line = handle.readline(streams.MAX_LINE_BYTES).decode("utf-8-sig", errors="replace")
    if "\r" in line.removesuffix("\n").removesuffix("\r"):
        raise InputRefused(
            f"{path.name}, row 1: the line ends in a carriage return alone; save the file with "
            "lines that end in LF or CRLF"
        )
    _refuse_wide(path, line.count(delimiter) + 1)
    try:
        names = [name.strip() for name in next(csv.reader([line], delimiter=delimiter), [])]
    except csv.Error as error:
        raise InputRefused(f"{path.name}, row 1: is no header: {error}") from error
    if "\0" in line:
        raise InputRefused(f"{path.name}, row 1: {streams.NOT_UTF8}")
    if not names:
        raise InputRefused(f"{path.name}, row 1: the header is empty")
    names = [formulas.unmarked(name) for name in names]
    _refuse_misnamed(path, names)
    return names


def _refuse_wide(path: Path, n_columns: int) -> None:
    if n_columns > MAX_COLUMNS:
        raise InputRefused(
            f"{path.name}: has {n_columns:,} columns; at most {MAX_COLUMNS:,} are read"
        )


def _refuse_misnamed(path: Path, names: Sequence[str]) -> None:
    problems = [
        f"{path.name}, row 1: column {number} of the header has no name"
        for number, name in enumerate(names, start=1)
        if not name
    ]
    problems += [
        f"{path.name}, row 1: two columns are named {name}"
        for name, n_times in Counter(name.lower() for name in names).items()
        if name and n_times > 1
    ]
    if problems:
        raise ProblemsFound(problems[:MAX_SHOWN], len(problems))


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


def _mixed_line_ends(path: Path) -> str:
    """Name the first row that ends otherwise than the header does."""
    with opened(path) as handle:
        for number, line in enumerate(handle, start=1):
            body = line.removesuffix(b"\n").removesuffix(b"\r")
            if number == 1:
                is_crlf = line.endswith(b"\r\n")
            if b"\r" in body or line.endswith(b"\r\n") != is_crlf:
                break
    return f"{path.name}, row {number}: the line ends otherwise than the header does"
