"""Reads EMA's table of medicines: the spreadsheet it publishes, or the same table as JSON.

Both are read into the same temporary table, a row for each product. The table states the
therapeutic areas as MeSH terms without their identifiers, and the indication as text.
"""

import html
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection

from tracker import temp_tables
from tracker.entities import folding
from tracker.errors import InputRefused, ProblemsFound
from tracker.evidence import snapshots
from tracker.evidence.snapshots import Edition, LocatedFile
from tracker.files import archives, fields, json_file, names, spreadsheet

SPREADSHEET, JSON = "EMA spreadsheet", "EMA JSON"

# The columns that are read, and their names in the spreadsheet and in JSON, as `_plain` writes
# them. EMA has renamed two of them.
_INN = "international_non_proprietary_name"
_COLUMNS = {
    "category": ("category",),
    "name": ("name_of_medicine",),
    "product_number": ("ema_product_number",),
    "status": ("medicine_status",),
    "inn": (f"{_INN}_inn_common_name", f"{_INN}_common_name"),
    "active_substance": ("active_substance",),
    "areas": ("therapeutic_area_mesh",),
    "is_generic": ("generic_or_hybrid", "generic"),
    "is_biosimilar": ("biosimilar",),
    "indication": ("therapeutic_indication",),
    "authorised_on": ("marketing_authorisation_date",),
    "refused_on": ("refusal_of_marketing_authorisation_date",),
    "application_withdrawn_on": ("withdrawal_of_application_date",),
    "authorisation_ended_on": (
        "withdrawal_expiry_revocation_lapse_of_marketing_authorisation_date",
    ),
    "url": ("medicine_url",),
}
_NEEDED = ("name", "product_number", "status")
_DATES = ("authorised_on", "refused_on", "application_withdrawn_on", "authorisation_ended_on")
_FLAGS = ("is_generic", "is_biosimilar")
_CATEGORIES = ("human", "veterinary")
# The header is in row 9, below the title and the date.
_LAST_HEADER_ROW = 50
_DAY = re.compile(r"(\d{2})/(\d{2})/(\d{4})(?!\d)")
_URL = re.compile(r"https://www\.ema\.europa\.eu/[^\s\"<>]{1,500}")
# Several substances are separated by semicolons, in a few records by a slash between blanks.
_BETWEEN_SUBSTANCES = re.compile(r";|\s/\s")

STAGED_MEDICINE = temp_tables.define(
    "staged_medicine",
    "source_key",
    *_COLUMNS,
    # As areas, separated by semicolons; n_substances is the number of substances in the medicine.
    "substances",
    **dict.fromkeys(_DATES, sa.Date),
    **dict.fromkeys(_FLAGS, sa.Boolean),
    n_substances=sa.Integer,
)


@dataclass(frozen=True)
class _Record:
    """A product in the file: its place there, its cells, and the titles of their columns."""

    place: str
    cells: Mapping[str, Any]
    titles: Mapping[str, str]


def locate(path: Path) -> LocatedFile:
    """Return what `path` is; raises InputRefused if it is neither of the two forms."""
    return snapshots.locate(path, _form_of)


def _form_of(path: Path) -> str:
    if not archives.is_zip(path):
        return JSON
    if not spreadsheet.is_workbook(path):
        raise InputRefused(f"{path.name}: is a zip, but not an Excel workbook (.xlsx)")
    return SPREADSHEET


def stated_date(source: LocatedFile) -> date | None:
    """Return the date that the file or its name states, None if neither does."""
    stated = (
        _stated_in_sheet(source.path)
        if source.form == SPREADSHEET
        else _timestamp(_document(source.path))
    )
    return stated or names.date_in(source.path)


def stage(connection: Connection, source: LocatedFile) -> Edition:
    """Read every product into the staged table.

    Raises InputRefused or ProblemsFound naming file, row and column.
    """
    temp_tables.recreate(connection, STAGED_MEDICINE)
    if source.form == SPREADSHEET:
        released_on, is_complete = _stated_in_sheet(source.path), True
        records = _sheet_records(source.path)
    else:
        document = _document(source.path)
        released_on, is_complete = _timestamp(document), _is_complete(document)
        records = _json_records(source.path.name, document)
    problems: list[str] = []
    rows = [_row(record, problems) for record in records]
    if problems:
        raise ProblemsFound(problems)
    if not rows:
        raise InputRefused(f"{source.path.name}: contains no medicine")
    temp_tables.insert_tuples(connection, STAGED_MEDICINE, rows)
    archives.refuse_changed(source.stamps)
    return Edition(released_on or names.date_in(source.path), is_complete)


def _sheet_records(path: Path) -> Iterator[_Record]:
    header: dict[str, int] | None = None
    titles: dict[str, str] = {}
    for number, cells in spreadsheet.rows(path):
        if header is None:
            header = _header(path, number, cells)
            if header is not None:
                titles = {name: _text(cells[place]) for name, place in header.items()}
            continue
        if any(cell is not None for cell in cells):
            found = {name: cells[place] for name, place in header.items()}
            yield _Record(f"{path.name}, row {number}", found, titles)
    if header is None:
        raise InputRefused(f"{path.name}: is not EMA's table: no header has 'EMA product number'")


def _header(path: Path, number: int, cells: Sequence[object]) -> dict[str, int] | None:
    """Return the places of the columns if this row is the header, None for a row above it."""
    plain = [_plain(_text(cell)) for cell in cells]
    if _COLUMNS["product_number"][0] not in plain:
        if number >= _LAST_HEADER_ROW:
            raise InputRefused(
                f"{path.name}: is not EMA's table: none of its first {_LAST_HEADER_ROW} rows has "
                "'EMA product number'"
            )
        return None
    found: dict[str, int] = {}
    for name, known in _COLUMNS.items():
        places = [place for place, title in enumerate(plain) if title in known]
        if len(places) != 1:
            how = "is missing" if not places else "occurs twice"
            raise InputRefused(f"{path.name}, row {number}: the column {known[0]} {how}")
        found[name] = places[0]
    return found


def _stated_in_sheet(path: Path) -> date | None:
    """Return the first date above the header, that of the output."""
    for number, cells in spreadsheet.rows(path):
        if _header(path, number, cells) is not None:
            return None
        for cell in cells:
            found = cell.date() if isinstance(cell, datetime) else _day(_text(cell))
            if found is not None:
                return found
    return None


def _document(path: Path) -> Mapping[str, Any]:
    document = json_file.document(path.name, archives.read_whole(path))
    if not isinstance(document, dict) or not isinstance(document.get("data"), list):
        raise InputRefused(
            f"{path.name}: is neither EMA's spreadsheet nor its JSON: it has no data"
        )
    return document


def _timestamp(document: Mapping[str, Any]) -> date | None:
    meta = document.get("meta")
    stated = str(meta.get("timestamp", "")) if isinstance(meta, dict) else ""
    return _day(stated[:10])


def _is_complete(document: Mapping[str, Any]) -> bool:
    """Whether the file has as many records as it states that there are."""
    meta = document.get("meta")
    total = meta.get("total_records") if isinstance(meta, dict) else None
    return isinstance(total, int) and 0 < total <= len(document["data"])


def _json_records(origin: str, document: Mapping[str, Any]) -> Iterator[_Record]:
    for number, given in enumerate(document["data"], start=1):
        place = f"{origin}, record {number}"
        entry = json_file.mapping(given, place)
        titles = {}
        for name, known in _COLUMNS.items():
            title = next((title for title in known if title in entry), None)
            if title is None:
                raise InputRefused(f"{place}: the field {known[0]} is missing")
            titles[name] = title
        cells = {name: json_file.text(entry, title, place) for name, title in titles.items()}
        for name, cell in cells.items():
            if cell is not None and len(cell) > spreadsheet.MAX_CELL_LENGTH:
                raise InputRefused(
                    f"{place}, {titles[name]}: has {len(cell):,} characters; at most "
                    f"{spreadsheet.MAX_CELL_LENGTH:,} are read"
                )
        yield _Record(place, cells, titles)


def _row(record: _Record, problems: list[str]) -> tuple[object, ...]:
    """Return the values of the staged table; what is wrong with them is added to `problems`."""
    found: dict[str, Any] = {}
    for name, cell in record.cells.items():
        where = f"{record.place}, {' '.join(record.titles[name].split())}"
        if name in _DATES:
            found[name] = _dated(cell, where, problems)
        elif name in _FLAGS:
            found[name] = _flag(_text(cell), where, problems)
        else:
            found[name] = _text(cell) or None
            if found[name] is None and name in _NEEDED:
                problems.append(f"{where}: is empty")
    category = (found["category"] or "").casefold()
    if category not in _CATEGORIES:
        where = f"{record.place}, {record.titles['category']}"
        problems.append(f"{where}: {fields.shown(found['category'])} is not Human or Veterinary")
    found["category"] = category
    url = found["url"] or ""
    found["url"] = url if _URL.fullmatch(url) else None
    areas = _parts(re.compile(";"), found["areas"])
    found["areas"] = ";".join(areas) or None
    substances = several = _parts(_BETWEEN_SUBSTANCES, found["inn"] or found["active_substance"])
    if len(several) == 1:
        # Other names of the one substance, such as that of its salt.
        salt = _parts(_BETWEEN_SUBSTANCES, found["active_substance"])
        substances = _distinct(several + (salt if len(salt) == 1 else []))
    return (record.place, *found.values(), ";".join(substances) or None, len(several))


def _parts(between: re.Pattern[str], text: str | None) -> list[str]:
    """Return the parts of a list in a cell, each once."""
    return _distinct([part.strip() for part in between.split(text or "")])


def _distinct(parts: Sequence[str]) -> list[str]:
    by_name = {folding.fold(part): part for part in reversed(parts)}
    return [part for part in dict.fromkeys(parts) if part and by_name[folding.fold(part)] == part]


def _plain(title: str) -> str:
    """Return a column's title as JSON writes it: lower case, words joined by underscores."""
    return re.sub(r"[^a-z0-9]+", "_", title.lower()).strip("_")


def _text(cell: object) -> str:
    """Return a cell as visible text, with EMA's entities of HTML replaced by their characters."""
    if cell is None:
        return ""
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return folding.shown(html.unescape(str(cell)))


def _flag(text: str, where: str, problems: list[str]) -> bool:
    if text.casefold() not in ("yes", "no", ""):
        problems.append(f"{where}: {fields.shown(text)} is not Yes or No")
    return text.casefold() == "yes"


def _dated(cell: object, where: str, problems: list[str]) -> date | None:
    """Return the day of a cell, None if it is empty; anything else but a date is a problem."""
    if isinstance(cell, datetime):
        return cell.date()
    text = _text(cell)
    found = _day(text) if len(text) == len("31/12/2024") else None
    if text and found is None:
        problems.append(f"{where}: {fields.shown(text)} is not a date (DD/MM/YYYY)")
    return found


def _day(text: str) -> date | None:
    """Return the day with which a text begins: 31/12/2024, or 2024-12-31 alone."""
    found = _DAY.match(text)
    try:
        if found is None:
            return date.fromisoformat(text) if re.fullmatch(r"\d{4}-\d\d-\d\d", text) else None
        day, month, year = map(int, found.groups())
        return date(year, month, day)
    except ValueError:
        return None
