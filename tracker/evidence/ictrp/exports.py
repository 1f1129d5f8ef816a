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
from typing import Any

from tracker.errors import InputRefused
from tracker.files import archives, spreadsheet, streams, xml_records

XML, CSV, WORKBOOK = "ICTRP XML", "ICTRP CSV", "ICTRP spreadsheet"

_ROOT = "Trials_downloaded_from_ICTRP"
_RECORD = "Trial"
# Of a cell of a CSV file; criteria and outcomes may be long.
_MOST_CHARACTERS = 5_000_000
# As much as a cell of a spreadsheet has: what follows is not looked at.
_MOST_READ = 32_767
_REMEDY = "export the studies from the search portal as XML, or take a weekly file"
_NEEDED = (
    "trialid",
    "date_registration3",
    "source_register",
    "recruitment_status",
    "study_type",
    "phase",
    "condition",
    "intervention",
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
    if form == CSV:
        return _of_rows(path, _csv_rows(path))
    stripped = (
        (number, [cell.strip() if isinstance(cell, str) else cell for cell in cells])
        for number, cells in spreadsheet.rows(path)
    )
    return _of_rows(path, stripped)


def _of_xml(path: Path) -> Iterator[Record]:
    chunks = streams.unpacked_chunks(path)
    studies = xml_records.records(path.name, chunks, "an export of ICTRP", _ROOT, _RECORD)
    for number, study in enumerate(studies, start=1):
        cells = {_column(cell.tag): (cell.text or "").strip() for cell in study.element}
        place = f"{path.name}, study {number}"
        _refuse_missing(place, cells, _NEEDED_OF_XML, "an element")
        yield Record(place, cells)


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
            f"{place}: is not an export of ICTRP: {what} {missing[0]} is missing; {_REMEDY}"
        )


def _column(name: str) -> str:
    """Return a column's name in lower case with underscores, as tables and XML differ."""
    return re.sub(r"[^a-z0-9]+", "_", name.strip().lower()).strip("_")
