"""Formats rows of a query as table, markdown, csv or json, and their cells in each."""

import csv
import functools
import io
import json
import math
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any, Literal, get_args

from tracker import text_tables
from tracker.formulas import marked

if TYPE_CHECKING:
    from sqlalchemy import CursorResult

# A whole float is written out below this; Python writes larger ones with an exponent.
_WIDEST_WHOLE = 1e15
Format = Literal["table", "json", "csv", "markdown"]
FORMATS: tuple[Format, ...] = get_args(Format)
# A report may have a page, too.
ReportFormat = Literal[Format, "html"]
REPORT_FORMATS: tuple[ReportFormat, ...] = get_args(ReportFormat)
# Of the files of an export.
ExportFormat = Literal["parquet", "csv"]
EXPORT_FORMATS: tuple[ExportFormat, ...] = get_args(ExportFormat)
# JSON has a value for each value of these types, but for floats that are not finite.
_SCALAR = frozenset((type(None), bool, int, float, str))
# JSON escapes the others. Direction marks that a name in Arabic or Hebrew needs are none of these.
_OBEYED = re.compile("[\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
# What a CSV file has as Python writes it: most cells of a report's, which is long and mostly empty.
_CSV_AS_IS = frozenset((type(None), bool, int))


@dataclass(frozen=True)
class Rows:
    """Column names and the rows under them, as Python values."""

    columns: list[str]
    values: list[tuple[Any, ...]]

    @classmethod
    def of(cls, columns: Mapping[str, Callable[[Any], Any]], records: Iterable[Any]) -> "Rows":
        """Return a row for each record: the functions of the columns make its cells."""
        return cls(
            list(columns), [tuple(cell(one) for cell in columns.values()) for one in records]
        )

    def without_empty(self, column: str) -> "Rows":
        """Leave `column` out where no row has a value in it."""
        if column not in self.columns:
            return self
        index = self.columns.index(column)
        if any(row[index] is not None for row in self.values):
            return self
        return self.without(column)

    def without(self, column: str) -> "Rows":
        """Leave `column` out."""
        index = self.columns.index(column)
        return Rows(
            self.columns[:index] + self.columns[index + 1 :],
            [row[:index] + row[index + 1 :] for row in self.values],
        )

    def records(self) -> list[dict[str, Any]]:
        """Return each row as a mapping with values that JSON can represent."""
        columns = [_plain_column(column) for column in zip(*self.values, strict=True)]
        return [dict(zip(self.columns, row, strict=True)) for row in zip(*columns, strict=True)]


def rows_from(result: "CursorResult[Any]") -> Rows:
    """Return a query's result as rows."""
    return Rows(list(result.keys()), [tuple(row) for row in result])


def render(rows: Rows, form: str, *, limit: int | None = None) -> str:
    """Return rows as text in one of FORMATS; `limit` truncates tables and markdown."""
    if form == "json":
        return to_json(rows.records())
    if form == "csv":
        return to_csv(rows.columns, rows.values)
    shown = rows.values if limit is None else rows.values[:limit]
    body = _markdown(rows, shown) if form == "markdown" else _table(rows, shown)
    hidden = len(rows.values) - len(shown)
    if hidden:
        body += f"({hidden:,} more rows; --format csv or json shows all)\n"
    return body


def to_json(value: Any) -> str:
    """Return a value as indented JSON with a line end."""
    return escaped(_indented(value, "")) + "\n"


def escaped(text: str) -> str:
    """Return JSON in which characters that a terminal obeys, but JSON allows, are escaped."""
    return _OBEYED.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _indented(value: Any, margin: str) -> str:
    """Return a value as `json.dumps` with an indent of 2 writes it, below a margin.

    Python's encoder in C, which takes a tenth of the time, cannot indent; a list or mapping of
    plain values needs no more than line ends between them.
    """
    inner = margin + "  "
    held = value.values() if isinstance(value, dict) else value
    if not isinstance(value, dict | list | tuple) or not value:
        return _encoder("").encode(value)
    if _SCALAR.issuperset(map(type, held)):
        text = _encoder(inner).encode(value)
        return f"{text[0]}\n{inner}{text[1:-1]}\n{margin}{text[-1]}"
    if isinstance(value, dict):
        # The encoder writes keys, which need not be texts, as in a mapping without values.
        names = [_encoder("").encode({name: 0})[1:-4] for name in value]
        parts = [f"{name}: {_indented(one, inner)}" for name, one in zip(names, held, strict=True)]
    else:
        parts = [_indented(one, inner) for one in value]
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    return f"{opening}\n{inner}" + f",\n{inner}".join(parts) + f"\n{margin}{closing}"


@functools.cache
def _encoder(margin: str) -> json.JSONEncoder:
    """Return an encoder that begins a line below a margin for each value of a list or mapping."""
    return json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(f",\n{margin}", ": "))


def to_csv(columns: Sequence[str], values: Sequence[Sequence[Any]]) -> str:
    """Return CSV in which a spreadsheet takes no text for a formula."""
    return csv_lines([columns]) + csv_lines(values)


def csv_lines(values: Iterable[Sequence[Any]]) -> str:
    """Return rows of CSV without a header."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerows(
        [value if type(value) in _CSV_AS_IS else _csv_cell(value) for value in row]
        for row in values
    )
    return buffer.getvalue()


def _plain_column(column: Sequence[Any]) -> Sequence[Any]:
    """Return the values of a column as `plain` returns each."""
    floats = [value for value in column if type(value) is float]
    if _SCALAR.issuperset(map(type, column)) and all(map(math.isfinite, floats)):
        return column
    return [plain(value) for value in column]


def plain(value: Any) -> Any:
    """Return a value that JSON can represent: instants and dates in ISO 8601, others as text."""
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if value - value == 0 else str(value)
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat() if value.tzinfo else value.isoformat()
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return str(value)


def shown(value: Any) -> str:
    """Return a value for reading: six decimals, NULL as nothing, no control codes."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.6f}" if 1e-4 <= abs(value) < 1e12 or value == 0 else f"{value:.6g}"
    if isinstance(value, int):
        return str(value)
    text = value if isinstance(value, str) else str(plain(value))
    # Nearly every text is: testing each letter would take most of the time of a page.
    if text.isprintable():
        return text
    return "".join(
        "\ufffd" if unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp") else c for c in text
    )


def _csv_cell(value: Any) -> Any:
    if isinstance(value, str):
        return marked(value)
    if isinstance(value, int):
        return value
    if isinstance(value, dict | list | tuple):
        return json.dumps(plain(value), ensure_ascii=False)
    value = plain(value)
    return marked(value) if isinstance(value, str) else value


class WithInterval(str):
    """A figure with its interval in brackets, which a table lays out as a number."""

    __slots__ = ()


def is_number(rows: Rows, index: int) -> bool:
    """Return whether a column has only numbers, with or without intervals, and NULLs."""
    types = {type(row[index]) for row in rows.values} - {type(None)}
    return bool(types) and all(
        issubclass(one, int | float | WithInterval) and not issubclass(one, bool) for one in types
    )


def _markdown(rows: Rows, values: Sequence[tuple[Any, ...]]) -> str:
    numeric = [is_number(rows, index) for index in range(len(rows.columns))]
    lines = [
        "| " + " | ".join(markdown_cell(name) for name in rows.columns) + " |",
        "|" + "|".join(" ---: " if right else " --- " for right in numeric) + "|",
    ]
    return "\n".join(lines) + "\n" + markdown_lines(values)


def markdown_lines(values: Iterable[Sequence[Any]]) -> str:
    """Return rows of a Markdown table without its head."""
    return "".join(
        "| " + " | ".join(markdown_cell(value) for value in row) + " |\n" for row in values
    )


def markdown_cell(value: Any) -> str:
    """Return a value as text that no Markdown reader takes for mark-up."""
    text = shown(value)
    # An underscore inside a word is not mark-up.
    return re.sub(r"([\\|`*<>\[\]~]|&(?=#?\w+;)|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9]))", r"\\\1", text)


def _table(rows: Rows, values: Sequence[tuple[Any, ...]]) -> str:
    columns = list(zip(*values, strict=True)) or [()] * len(rows.columns)
    text = text_tables.draw(
        [shown(name) for name in rows.columns],
        [_shaped(name, column) for name, column in zip(rows.columns, columns, strict=True)],
        [is_number(rows, index) for index in range(len(rows.columns))],
        text_tables.terminal_width(),
    )
    return text if rows.values else f"{text}(no rows)\n"


def _shaped(name: str, column: Sequence[Any]) -> list[str]:
    """Return the values of a column for reading in a terminal; csv and json have them whole.

    Floats have three or four significant digits, with as many decimals as the largest of the
    column. Only counts have thousands separators: a year or a number that identifies has none.
    """
    floats = [value for value in column if isinstance(value, float) and math.isfinite(value)]
    if floats:
        is_whole = all(value.is_integer() and abs(value) < _WIDEST_WHOLE for value in floats)
        decimals = 0 if is_whole else _decimals(max(map(abs, floats)))
        is_mixed = not all(isinstance(value, int | float | None) for value in column)
        return [
            _rounded(value, _decimals(abs(value)) if is_mixed else decimals)
            if isinstance(value, float)
            else shown(value)
            for value in column
        ]
    if name.startswith("n_"):
        return [f"{value:,}" if type(value) is int else shown(value) for value in column]
    return [
        value.astimezone(UTC).strftime("%Y-%m-%d %H:%M")
        if isinstance(value, datetime) and value.tzinfo
        else shown(value)
        for value in column
    ]


def _decimals(largest: float) -> int:
    """Return the decimals that give a number three or four significant digits."""
    if largest == 0 or not math.isfinite(largest):
        return 0
    exponent = math.floor(math.log10(largest))
    return max(3, 2 - exponent) if largest <= 1 else max(0, min(2, 3 - exponent))


def _rounded(value: float, decimals: int) -> str:
    """Return a float with so many decimals, or with its own digits where those show too few."""
    size = abs(value)
    if value == 0:
        return "0"
    if not math.isfinite(value):
        return str(value)
    if value.is_integer() and 10 <= size < _WIDEST_WHOLE:
        return f"{value:.0f}"
    if size >= _WIDEST_WHOLE or size < 1e-4 or size < 10 ** (1 - decimals):
        return f"{value:.3g}"
    return f"{value:.{decimals}f}"
