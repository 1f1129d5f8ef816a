"""Rows of a query as text: table, markdown, csv or json; what a cell looks like in each."""

import csv
import io
import json
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from tracker.formulas import marked

_WIDEST_CELL = 70
_WIDEST_HEADER = 16
FORMATS = ("table", "json", "csv", "markdown")


@dataclass(frozen=True)
class Rows:
    """Column names and the rows under them, as Python values."""

    columns: list[str]
    values: list[tuple[Any, ...]]

    def without_empty(self, column: str) -> "Rows":
        """Leave `column` out where no row has a value in it."""
        if column not in self.columns:
            return self
        index = self.columns.index(column)
        if any(row[index] is not None for row in self.values):
            return self
        return Rows(
            self.columns[:index] + self.columns[index + 1 :],
            [row[:index] + row[index + 1 :] for row in self.values],
        )

    def records(self) -> list[dict[str, Any]]:
        """Return each row as a mapping with values that JSON can carry."""
        return [
            {name: plain(value) for name, value in zip(self.columns, row, strict=True)}
            for row in self.values
        ]


def render(rows: Rows, form: str, *, limit: int | None = None) -> str:
    """Return rows as text in one of FORMATS; `limit` cuts tables and markdown off."""
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
    return json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def to_csv(columns: Sequence[str], values: Sequence[Sequence[Any]]) -> str:
    """Return CSV in which no text is taken for a formula by a spreadsheet."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow([marked(name) for name in columns])
    writer.writerows([[_csv_cell(value) for value in row] for row in values])
    return buffer.getvalue()


def plain(value: Any) -> Any:
    """Return a value as JSON can carry it: instants and dates in ISO 8601, others as text."""
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
    """Return a value as a person reads it: six decimals, NULL as nothing, no control codes."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.6f}" if 1e-4 <= abs(value) < 1e12 or value == 0 else f"{value:.6g}"
    text = value if isinstance(value, str) else str(plain(value))
    # Nearly every text is: a look at each letter would take most of a page's time.
    if text.isprintable():
        return text
    return "".join("\ufffd" if unicodedata.category(c) in ("Cc", "Cf") else c for c in text)


def _csv_cell(value: Any) -> Any:
    if isinstance(value, dict | list | tuple):
        return json.dumps(plain(value), ensure_ascii=False)
    value = plain(value)
    return marked(value) if isinstance(value, str) else value


def is_number(rows: Rows, index: int) -> bool:
    """Return whether a column holds numbers and nothing else but NULL."""
    values = [row[index] for row in rows.values if row[index] is not None]
    return bool(values) and all(
        isinstance(value, int | float) and not isinstance(value, bool) for value in values
    )


def _markdown(rows: Rows, values: Sequence[tuple[Any, ...]]) -> str:
    numeric = [is_number(rows, index) for index in range(len(rows.columns))]
    lines = [
        "| " + " | ".join(markdown_cell(name) for name in rows.columns) + " |",
        "|" + "|".join(" ---: " if right else " --- " for right in numeric) + "|",
    ]
    lines += ["| " + " | ".join(markdown_cell(value) for value in row) + " |" for row in values]
    return "\n".join(lines) + "\n"


def markdown_cell(value: Any) -> str:
    """Return a value as text that no Markdown reader takes for mark-up."""
    text = shown(value)
    # An underscore inside a word is no mark-up.
    return re.sub(r"([\\|`*<>\[\]]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9]))", r"\\\1", text)


def _table(rows: Rows, values: Sequence[tuple[Any, ...]]) -> str:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for index, name in enumerate(rows.columns):
        numeric = is_number(rows, index)
        table.add_column(
            Text(_folded(shown(name))),
            justify="right" if numeric else "left",
            no_wrap=numeric,
            overflow="fold",
        )
    for row in values:
        table.add_row(*[Text(shown(value)) for value in row])
    buffer = io.StringIO()
    # The text is not bound to the terminal: it also goes to files and pipes.
    console = Console(file=buffer, width=max(_width(rows, values), 80), color_system=None)
    console.print(table)
    return "\n".join(line.rstrip() for line in buffer.getvalue().splitlines()).strip("\n") + "\n"


def _folded(name: str) -> str:
    """Break a long column name at its underscores, so that tables stay narrow."""
    lines = [""]
    for part in re.findall(r"[^_]*_|[^_]+$", name):
        if lines[-1] and len(lines[-1]) + len(part) > _WIDEST_HEADER:
            lines.append("")
        lines[-1] += part
    return "\n".join(lines)


def _width(rows: Rows, values: Sequence[tuple[Any, ...]]) -> int:
    """Return the columns a table needs for its widest cells, within bounds."""
    widths = [max(map(len, _folded(shown(name)).split("\n"))) for name in rows.columns]
    for row in values:
        for index, value in enumerate(row):
            widths[index] = max(widths[index], min(len(shown(value)), _WIDEST_CELL))
    return sum(widths) + 3 * len(widths)
