"""Keeps cells and rows of CSV and TSV within bounds ahead of any parser, and finds misshapen rows.

An engine holds a row in memory as a whole and parses some thousand at a time. A quotation mark that
is never closed makes the rest of a file one cell.
"""

import codecs
import contextlib
import csv
import io
import itertools
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from tracker.errors import MAX_LISTED, InputRefused, ProblemsFound
from tracker.files.streams import MAX_CELL_BYTES, MAX_LINE_BYTES, TOO_LONG_CELL, opened

if TYPE_CHECKING:
    from _csv import Reader

UNCLOSED = "a quotation mark is never closed"
TOO_FEW = "the row has too few fields"
TOO_MANY = "the row has too many fields"


class Bounds:
    """Follows the bytes of one table, chunk by chunk, holding no more than a row of them.

    `take` raises InputRefused at a cell of more than MAX_CELL_BYTES or a row of more than
    MAX_LINE_BYTES.
    """

    def __init__(self, path: Path, delimiter: str) -> None:
        self._path = path
        self._delimiter = delimiter
        end = re.escape(delimiter).encode()
        # A cell is quoted if its first character is a quotation mark, spaces aside; elsewhere the
        # mark is text, as for DuckDB. Nothing is matched twice, so the time is that of one pass.
        cell = rb'(?: *+"[^"]*+(?:""[^"]*+)*+"|(?! *+"))[^' + end + rb"\n]*+"
        self._rows = re.compile(rb"(?:(?:" + cell + end + rb")*+" + cell + rb"\n)*+")
        self._cells = re.compile(rb"(?:" + cell + end + rb")*+")
        self._cell = re.compile(cell + end)
        # Text in which each mark begins or ends a cell, as most programs write it: half the time.
        self._simple = re.compile(rb'(?:[^"]*+(?<![^' + end + rb'\n])"[^"]*+"(?!"))*+[^"]*+')
        self._held = b""
        self._header: bytes | None = None
        self._n_lines = 0
        # Of the row that is not yet complete, what is no longer held.
        self._n_open_lines = self._n_cells = self._n_bytes = 0

    def take(self, chunk: bytes) -> None:
        """Follow the next bytes; raises InputRefused where they exceed a bound."""
        if self._header is None:
            chunk = chunk.removeprefix(codecs.BOM_UTF8)
            self._header = chunk[:MAX_CELL_BYTES].partition(b"\n")[0]
        held = self._held + chunk
        start = 0
        # A window holds the longest cell and what ends it.
        while len(held) - start > MAX_CELL_BYTES:
            start = self._after(held, start, start + MAX_CELL_BYTES + 1)
        self._held = held[start:]

    def _after(self, held: bytes, start: int, stop: int) -> int:
        """Return the end of the last row that a window completes, or else of the last cell."""
        end = self._end_of_rows(held, start, stop)
        if end > start:
            self._n_lines += self._n_open_lines + held.count(b"\n", start, end)
            self._n_open_lines = self._n_cells = self._n_bytes = 0
            return end
        end = _end(self._cells, held, start, stop)
        if end == start:
            self._refuse(self._column(), TOO_LONG_CELL, held[start:stop])
        self._n_open_lines += held.count(b"\n", start, end)
        self._n_cells += len(self._cell.findall(held, start, end))
        self._n_bytes += end - start
        if self._n_bytes > MAX_LINE_BYTES:
            self._refuse("", f"the row is longer than {MAX_LINE_BYTES // 1_000_000} MB", b"")
        return end

    def _end_of_rows(self, held: bytes, start: int, stop: int) -> int:
        end = held.rfind(b"\n", start, stop) + 1
        if held.find(b'"', start, stop) < 0 or _end(self._simple, held, start, end) == end:
            return end
        return _end(self._rows, held, start, stop)

    def _refuse(self, column: str, problem: str, cell: bytes) -> None:
        if cell.lstrip(b" ").startswith(b'"'):
            problem += ", or its quotation mark is never closed"
        row = _row_after(self._path, self._delimiter, self._n_lines)
        raise InputRefused(f"{self._path.name}, row {row}{column}: {problem}")

    def _column(self) -> str:
        """Return what the header calls the column of the next cell, or else its number."""
        header = (self._header or b"").decode("utf-8", errors="replace")
        names = next(csv.reader([header], delimiter=self._delimiter), [])
        is_named = self._n_lines and self._n_cells < len(names)
        name = names[self._n_cells].strip() if is_named else ""
        return f", column {name or self._n_cells + 1}"


def refuse_misshapen(path: Path, delimiter: str, n_columns: int) -> None:
    """Raise ProblemsFound if a row has more or fewer fields than the header, or an odd mark.

    All are counted and the first listed. DuckDB would hold each such row in memory, some 1.7 kB of
    it however short it is.
    """
    problems: list[str] = []
    n_problems = 0
    for number, problem in _misshapen(path, delimiter, n_columns):
        n_problems += 1
        if n_problems <= MAX_LISTED:
            problems.append(f"{path.name}, row {number}: {problem}")
    if problems:
        raise ProblemsFound(problems, n_problems)


@contextlib.contextmanager
def opened_rows(path: Path, delimiter: str, *, is_strict: bool = False) -> Iterator["Reader"]:
    """Open the rows of a table within `Bounds`, each as its fields; a blank row has none.

    If it is strict, a row that cannot be split raises csv.Error, and the next one follows.
    """
    csv.field_size_limit(MAX_LINE_BYTES)
    with opened(path) as handle:
        lines = io.TextIOWrapper(handle, encoding="utf-8-sig", newline="")
        yield csv.reader(lines, delimiter=delimiter, strict=is_strict, skipinitialspace=True)


def _misshapen(path: Path, delimiter: str, n_columns: int) -> Iterator[tuple[int, str]]:
    with opened_rows(path, delimiter, is_strict=True) as rows:
        for number in itertools.count(1):
            try:
                n_fields = len(next(rows))
            except StopIteration:
                return
            except csv.Error:
                yield number, UNCLOSED
                continue
            if n_fields and n_fields != n_columns:
                yield number, TOO_FEW if n_fields < n_columns else TOO_MANY


def _row_after(path: Path, delimiter: str, n_lines: int) -> int:
    """Return the number of the row that follows the rows in the first lines of a file."""
    number = 0
    with opened_rows(path, delimiter) as rows:
        while rows.line_num < n_lines:
            next(rows)
            number += 1
    return number + 1


def _end(pattern: re.Pattern[bytes], text: bytes, start: int, stop: int) -> int:
    """Return where a pattern that also matches nothing ends."""
    found = pattern.match(text, start, stop)
    return start if found is None else found.end()
