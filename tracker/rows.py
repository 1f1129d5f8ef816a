"""Formats rows of a query as table, markdown, csv or json, and their cells in each."""

import csv
import io
import json
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from operator import le
from typing import Any

from rich import box
from rich.cells import cell_len
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
        """Return each row as a mapping with values that JSON can represent."""
        return [
            {name: plain(value) for name, value in zip(self.columns, row, strict=True)}
            for row in self.values
        ]


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
    return json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def to_csv(columns: Sequence[str], values: Sequence[Sequence[Any]]) -> str:
    """Return CSV in which a spreadsheet takes no text for a formula."""
    return csv_lines([columns]) + csv_lines(values)


def csv_lines(values: Iterable[Sequence[Any]]) -> str:
    """Return rows of CSV without a header."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerows([[_csv_cell(value) for value in row] for row in values])
    return buffer.getvalue()


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
    if value is None or isinstance(value, int):
        return value
    if isinstance(value, str):
        return marked(value)
    if isinstance(value, dict | list | tuple):
        return json.dumps(plain(value), ensure_ascii=False)
    value = plain(value)
    return marked(value) if isinstance(value, str) else value


def is_number(rows: Rows, index: int) -> bool:
    """Return whether a column has only numbers and NULLs."""
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
    return re.sub(r"([\\|`*<>\[\]]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9]))", r"\\\1", text)


def _table(rows: Rows, values: Sequence[tuple[Any, ...]]) -> str:
    """Return rows as rich draws them; rich itself, far slower, draws the head."""
    numeric = [is_number(rows, index) for index in range(len(rows.columns))]
    names = [_folded(shown(name)) for name in rows.columns]
    cells = [[shown(value) for value in row] for row in values]
    console, widths = _widths(names, numeric, cells)
    with console.capture() as head:
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
        for name, is_numeric, width in zip(names, numeric, widths, strict=True):
            _add_column(table, name, is_numeric, width)
        console.print(table)
    lines = head.get().rstrip().splitlines()
    simple = " " + "   ".join(
        f"{{:{'>' if is_numeric else '<'}{width}}}"
        for is_numeric, width in zip(numeric, widths, strict=True)
    )
    for row in cells:
        if all(map(str.isascii, row)) and all(map(le, map(len, row), widths)):
            lines.append(simple.format(*row))
        else:
            lines += _wrapped(row, numeric, widths, console)
    text = "\n".join(lines)
    return "\n".join(line.rstrip() for line in text.splitlines()).strip("\n") + "\n"


def _widths(
    names: list[str], numeric: list[bool], cells: list[list[str]]
) -> tuple[Console, list[int]]:
    """Return the console to draw a table on, and the widths that rich gives its columns there.

    Rich uses the widest cell of a column, so it is given one row with all of them.
    """
    columns = list(zip(*cells, strict=True)) or [()] * len(names)
    needed = [
        max([*map(len, name.split("\n")), min(max(map(len, column), default=0), _WIDEST_CELL)])
        for name, column in zip(names, columns, strict=True)
    ]
    # The text is not bound to the terminal: it also goes to files and pipes.
    width = max(sum(needed) + 3 * len(needed), 80)
    console = Console(file=io.StringIO(), width=width, color_system=None)
    table = Table(box=box.ASCII2, pad_edge=False)
    for name, is_numeric in zip(names, numeric, strict=True):
        _add_column(table, name, is_numeric)
    table.add_row(*[Text(max(column, key=_cell_len, default="")) for column in columns])
    with console.capture() as drawn:
        console.print(table)
    parts = drawn.get().splitlines()[0][1:-1].split("+")
    last = len(names) - 1
    return console, [
        # Next to a very wide number or name, rich leaves a column no room at all.
        max(min(needed[index], 1), len(part) - (index > 0) - (index < last))
        for index, part in zip(range(len(names)), parts, strict=False)
    ]


def _cell_len(text: str) -> int:
    return len(text) if text.isascii() else cell_len(text)


def _add_column(table: Table, name: str, is_numeric: bool, width: int | None = None) -> None:
    table.add_column(
        Text(name),
        justify="right" if is_numeric else "left",
        no_wrap=is_numeric,
        overflow="fold",
        width=width,
    )


def _wrapped(row: list[str], numeric: list[bool], widths: list[int], console: Console) -> list[str]:
    """Return the lines of a row, as many as its longest cell needs."""
    cells = [
        Text(cell).wrap(
            console,
            width,
            justify="right" if is_numeric else "left",
            overflow="fold",
            no_wrap=is_numeric,
        )
        for cell, is_numeric, width in zip(row, numeric, widths, strict=True)
    ]
    blanks = [" " * width for width in widths]
    return [
        " "
        + "   ".join(
            lines[index].plain if index < len(lines) else blank
            for lines, blank in zip(cells, blanks, strict=True)
        )
        for index in range(max(map(len, cells)))
    ]


def _folded(name: str) -> str:
    """Break a long column name at its underscores, so that tables stay narrow."""
    lines = [""]
    for part in re.findall(r"[^_]*_|[^_]+$", name):
        if lines[-1] and len(lines[-1]) + len(part) > _WIDEST_HEADER:
            lines.append("")
        lines[-1] += part
    return "\n".join(lines)
