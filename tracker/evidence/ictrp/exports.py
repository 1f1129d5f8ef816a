"""Reads the records of an export of ICTRP: the search portal's XML, or the weekly CSV or workbook.

A record is a mapping of the export's columns, in lower case with underscores, to what they hold.
Texts are without blanks around them; cells of a workbook may be dates, as Excel made them.
"""

import csv
import datetime
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn
from xml.parsers import expat

from tracker.errors import InputRefused
from tracker.files import archives, spreadsheet, streams

XML, CSV, WORKBOOK = "ICTRP XML", "ICTRP CSV", "ICTRP spreadsheet"

_ROOT = "Trials_downloaded_from_ICTRP"
_RECORD = "Trial"
# Of a text. What is read of a record is much shorter; criteria and outcomes may be long.
_MOST_CHARACTERS = 5_000_000
# As much as a cell of a spreadsheet has: what follows is not looked at.
_MOST_READ = 32_767
_REMEDY = "export the studies from the search portal as XML, or take a weekly file"
_NEEDED = (
    *("trialid", "date_registration3", "source_register", "recruitment_status"),
    *("study_type", "phase", "condition", "intervention"),
)
# Where the portal's XML has an element only if there is something to say, a table has a column.
_NEEDED_OF_XML = ("trialid", "source_register")


@dataclass(frozen=True)
class Record:
    """A record of an export, and its place there."""

    place: str
    cells: Mapping[str, Any]

    def text(self, column: str) -> str:
        """Return the beginning of a cell as text; an absent one is empty, a date in ISO 8601."""
        value = self.cells.get(column)
        if isinstance(value, datetime.datetime):
            return value.date().isoformat()
        return "" if value is None else str(value).strip()[:_MOST_READ]


def form_of(path: Path) -> str:
    """Return which form a file has; raises InputRefused if it has none."""
    if archives.is_zip(path):
        if not spreadsheet.is_workbook(path):
            raise InputRefused(f"{path.name}: is a zip, but not an Excel workbook (.xlsx)")
        return WORKBOOK
    streams.require_whole(path)
    head = next(streams.unpacked_chunks(path)).removeprefix(b"\xef\xbb\xbf").lstrip()
    return XML if head.startswith(b"<") else CSV


def records(path: Path, form: str) -> Iterator[Record]:
    """Yield each record of an export; raises InputRefused naming file and record, row or line."""
    if form == XML:
        return _of_xml(path)
    return _of_rows(path, _csv_rows(path) if form == CSV else _sheet_rows(path))


def _of_xml(path: Path) -> Iterator[Record]:
    reader = _Reader(path.name)
    try:
        for chunk in streams.unpacked_chunks(path):
            reader.parser.Parse(chunk, False)
            yield from reader.taken()
        reader.parser.Parse(b"", True)
        yield from reader.taken()
    except expat.ExpatError as error:
        reason = expat.ErrorString(error.code)
        raise InputRefused(
            f"{path.name}, line {error.lineno}: is not complete XML: {reason}"
        ) from error


class _Reader:
    """Collects the records of one document from the parser's calls.

    The parser is expat with handlers of our own: entities, by which a small document can grow
    without bound or read other files, are refused where they are declared.
    """

    def __init__(self, origin: str) -> None:
        self.origin = origin
        self.parser = expat.ParserCreate()
        self.parser.buffer_text = True
        self.parser.EntityDeclHandler = self._refuse_entity
        self.parser.SkippedEntityHandler = self._refuse_entity
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._characters
        self._path: list[str] = []
        self._text: list[str] = []
        self._n_characters = 0
        self._cells: dict[str, Any] = {}
        self._found: list[Record] = []
        self._n_records = 0

    def taken(self) -> list[Record]:
        """Return the records that are complete and were not taken before."""
        found, self._found = self._found, []
        return found

    def _refuse_entity(self, name: str, *_details: object) -> NoReturn:
        raise InputRefused(
            f"{self._place}: uses the entity '{name[:40]}'; XML with entities is not read"
        )

    @property
    def _place(self) -> str:
        return f"{self.origin}, line {self.parser.CurrentLineNumber}"

    def _start(self, tag: str, _attributes: dict[str, str]) -> None:
        if not self._path and tag != _ROOT:
            raise InputRefused(
                f"{self._place}: is no export of ICTRP: the document is a {tag[:40]}, not a "
                f"{_ROOT}; {_REMEDY}"
            )
        self._path.append(tag)
        self._text, self._n_characters = [], 0
        if len(self._path) == 2:
            self._cells = {}

    def _characters(self, text: str) -> None:
        self._n_characters += len(text)
        if self._n_characters > _MOST_CHARACTERS:
            raise InputRefused(
                f"{self._place}: {self._path[-1][:40]} has more than {_MOST_CHARACTERS:,} "
                "characters"
            )
        self._text.append(text)

    def _end(self, tag: str) -> None:
        self._path.pop()
        if len(self._path) == 2:
            self._cells[_column(tag)] = "".join(self._text).strip()
        elif len(self._path) == 1 and tag == _RECORD:
            self._n_records += 1
            _refuse_missing(
                f"{self.origin}, study {self._n_records}", self._cells, _NEEDED_OF_XML, "an element"
            )
            place = f"{self.origin}, study {self._n_records}"
            self._found.append(Record(place, self._cells))
        self._text, self._n_characters = [], 0


def _csv_rows(path: Path) -> Iterator[tuple[int, Sequence[object]]]:
    streams.read_text(path, is_json=False)
    earlier_limit = csv.field_size_limit(_MOST_CHARACTERS)
    try:
        # Line ends within quoted cells are those of the cell.
        with streams.opened(path) as handle:
            lines = (
                line.decode("utf-8-sig" if n == 0 else "utf-8") for n, line in enumerate(handle)
            )
            reader = csv.reader(lines, strict=True)
            for number, cells in enumerate(reader, start=1):
                yield number, [cell.strip() for cell in cells]
    except csv.Error as error:
        raise InputRefused(f"{path.name}: is no CSV file that can be read: {error}") from error
    finally:
        csv.field_size_limit(earlier_limit)


def _sheet_rows(path: Path) -> Iterator[tuple[int, Sequence[object]]]:
    for number, cells in spreadsheet.rows(path):
        yield number, [cell.strip() if isinstance(cell, str) else cell for cell in cells]


def _of_rows(path: Path, rows: Iterator[tuple[int, Sequence[object]]]) -> Iterator[Record]:
    _, header = next(rows, (0, ()))
    columns = [_column(str(name)) if name else "" for name in header]
    while columns and not columns[-1]:
        columns.pop()
    _refuse_missing(f"{path.name}, row 1", columns, _NEEDED, "a column")
    for number, cells in rows:
        if not any(cell not in (None, "") for cell in cells):
            continue
        if len(cells) < len(columns) or any(
            cell not in (None, "") for cell in cells[len(columns) :]
        ):
            raise InputRefused(
                f"{path.name}, row {number}: has {len(cells)} cells; the header has {len(columns)}"
            )
        yield Record(f"{path.name}, row {number}", dict(zip(columns, cells, strict=False)))


def _refuse_missing(place: str, found: Any, needed: Sequence[str], what: str) -> None:
    missing = [name for name in needed if name not in found]
    if missing:
        raise InputRefused(
            f"{place}: is no export of ICTRP: {what} {missing[0]} is missing; {_REMEDY}"
        )


def _column(name: str) -> str:
    """Return a column's name in lower case with underscores, as tables and XML differ."""
    return re.sub(r"[^a-z0-9]+", "_", name.strip().lower()).strip("_")
