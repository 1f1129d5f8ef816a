"""Reads FDA approvals: the Drugs@FDA download, a zip of text files, or openFDA drugsfda JSON.

Both are read into the same temporary tables. Neither states for which disease a submission was
approved.
"""

import re
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from pathlib import Path, PurePosixPath
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection

from tracker import temp_tables
from tracker.errors import InputRefused, ProblemsFound
from tracker.evidence import snapshots
from tracker.evidence.snapshots import Edition, LocatedFile
from tracker.files import archives, json_file

# The other files of the download do not state what was approved when.
_NEEDED = {
    "Applications.txt": ("ApplNo", "ApplType", "SponsorName"),
    "Products.txt": ("ApplNo", "ProductNo", "DrugName", "ActiveIngredient"),
    "Submissions.txt": (
        "ApplNo",
        "SubmissionClassCodeID",
        "SubmissionType",
        "SubmissionNo",
        "SubmissionStatus",
        "SubmissionStatusDate",
    ),
    "SubmissionClass_Lookup.txt": ("SubmissionClassCodeID", "SubmissionClassCode"),
}
_JSON = "openFDA JSON"
_DOWNLOAD = "Drugs@FDA"
_APPLICATION = re.compile(r"[A-Z]*\d+")


STAGED_SUBMISSION = temp_tables.define(
    "staged_submission",
    "source_key",
    "application_number",
    "submission_type",
    "submission_number",
    "submission_status",
    "status_date",
    "submission_class",
    "sponsor_name",
    status_date=sa.Date,
)
# active_ingredients are separated by semicolons, as the download writes them.
STAGED_PRODUCT = temp_tables.define(
    "staged_product",
    "source_key",
    "application_number",
    "product_number",
    "drug_name",
    "active_ingredients",
)


def locate(path: Path) -> LocatedFile:
    """Return what `path` is; raises InputRefused if it is neither of the two forms."""
    return snapshots.locate(path, _form_of)


def _form_of(path: Path) -> str:
    if not archives.is_zip(path):
        return _JSON
    plain = {PurePosixPath(name).name for name in archives.zip_names(path)}
    if "Submissions.txt" in plain:
        return _DOWNLOAD
    if not any(name.lower().endswith(".json") for name in plain):
        raise InputRefused(
            f"{path.name}: contains neither Submissions.txt (Drugs@FDA) nor openFDA JSON"
        )
    return _JSON


def stated_date(source: LocatedFile) -> date | None:
    """Return the date that a source states, without reading its records.

    It is that of the newest file of a Drugs@FDA zip, and the latest last_updated of openFDA JSON.
    Raises InputRefused for a file that cannot be read.
    """
    if source.form == _DOWNLOAD:
        return _newest_member(source.path)
    dates = [_last_updated(where, _document(where, part)) for where, part in _parts(source.path)]
    return max(filter(None, dates), default=None)


def stage(connection: Connection, source: LocatedFile) -> Edition:
    """Read every submission and product into the staged tables.

    Raises InputRefused naming file and record.
    """
    temp_tables.recreate(connection, STAGED_SUBMISSION, STAGED_PRODUCT)
    read = _stage_download if source.form == _DOWNLOAD else _stage_json
    edition = read(connection, source.path)
    archives.refuse_changed(source.stamps)
    return edition


def _stage_download(connection: Connection, path: Path) -> Edition:
    members = archives.zip_contents(path, tuple(_NEEDED))
    tables = {}
    for name, columns in _NEEDED.items():
        if name not in members:
            raise InputRefused(f"{path.name}: contains no {name}")
        tables[name] = list(_lines(f"{path.name}, {name}", members[name], columns))
    applications = {
        number: (kind + number, sponsor) for _, number, kind, sponsor in tables["Applications.txt"]
    }
    classes = {key: code for _, key, code in tables["SubmissionClass_Lookup.txt"]}
    problems: list[str] = []
    submissions: list[tuple[object, ...]] = []
    for where, number, class_id, kind, index, status, day in tables["Submissions.txt"]:
        application, sponsor = applications.get(number, (number, None))
        status_date = _status_date(day[:10], where, problems)
        of_class = classes.get(class_id) or None
        own = (where, application, kind, index, status or None)
        submissions.append((*own, status_date, of_class, sponsor or None))
    products = [
        (where, applications.get(number, (number, None))[0], index, name or None, active or None)
        for where, number, index, name, active in tables["Products.txt"]
    ]
    _insert(connection, path.name, submissions, products, problems)
    return Edition(_newest_member(path), is_complete=True)


def _newest_member(path: Path) -> date | None:
    """Return the date of the newest file of a zip, None if it is no date."""
    with zipfile.ZipFile(path) as archive:
        newest = max(info.date_time for info in archive.infolist())
    return _date("{:04}-{:02}-{:02}".format(*newest[:3]))


def _lines(where: str, content: bytes, columns: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Yield for each line its file and number and the trimmed cells of `columns`.

    The files are Windows-1252, tab-separated, with literal quotation marks; a line may end with a
    stray tab but lacks none.
    """
    try:
        decoded = content.decode("cp1252")
    except UnicodeDecodeError as error:
        bad_line = content.count(b"\n", 0, error.start) + 1
        raise InputRefused(f"{where}, line {bad_line}: is not Windows-1252 text") from error
    lines = decoded.split("\n")
    header = [name.strip() for name in lines[0].removeprefix("\ufeff").split("\t")]
    missing = [name for name in columns if name not in header]
    if missing:
        raise InputRefused(f"{where}: the column {', '.join(missing)} is missing")
    if lines[-1].strip():
        raise InputRefused(f"{where}, line {len(lines)}: the file is cut short")
    positions = [header.index(name) for name in columns]
    for number, line in enumerate(lines[1:-1], start=2):
        cells = line.rstrip("\r").split("\t")
        if len(cells) < len(header) or any(cell.strip() for cell in cells[len(header) :]):
            raise InputRefused(
                f"{where}, line {number}: has {len(cells)} fields where the header has "
                f"{len(header)}"
            )
        yield (f"{where}, line {number}", *[cells[position].strip() for position in positions])


def _stage_json(connection: Connection, path: Path) -> Edition:
    submissions: list[tuple[object, ...]] = []
    products: list[tuple[object, ...]] = []
    problems: list[str] = []
    released_on: date | None = None
    n_records, n_total = 0, 0
    for where, content in _parts(path):
        document = _document(where, content)
        released_on = max(filter(None, (released_on, _last_updated(where, document))), default=None)
        meta = json_file.mapping(document.get("meta"), f"{where}, meta")
        total = json_file.mapping(meta.get("results"), f"{where}, meta").get("total", 0)
        n_total = max(n_total, total if isinstance(total, int) else 0)
        for number, record in enumerate(document["results"], start=1):
            _stage_record(f"{where}, result {number}", record, submissions, products, problems)
            n_records += 1
    _insert(connection, path.name, submissions, products, problems)
    return Edition(released_on, is_complete=0 < n_total <= n_records)


def _parts(path: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the name and the bytes of each JSON document of a file or zip."""
    if archives.is_zip(path):
        for member in archives.zip_members(path, (".json",)):
            yield f"{path.name}, {member.name}", member.content
    else:
        yield path.name, archives.read_whole(path)


def _last_updated(where: str, document: Mapping[str, Any]) -> date | None:
    meta = json_file.mapping(document.get("meta"), f"{where}, meta")
    return _date(str(meta.get("last_updated", "")))


def _document(where: str, content: bytes) -> Mapping[str, Any]:
    document = json_file.document(where, content)
    if not isinstance(document, dict) or not isinstance(document.get("results"), list):
        raise InputRefused(f"{where}: is not openFDA JSON: it has no list of results")
    return document


def _stage_record(
    where: str,
    record: object,
    submissions: list[tuple[object, ...]],
    products: list[tuple[object, ...]],
    problems: list[str],
) -> None:
    entry = json_file.mapping(record, where)
    number = (json_file.text(entry, "application_number", where) or "").strip().upper()
    if not _APPLICATION.fullmatch(number):
        raise InputRefused(f"{where}: has no application number")
    where = f"{where}, {number}"
    sponsor = json_file.text(entry, "sponsor_name", where)
    for found in json_file.mappings(entry, "submissions", where):
        kind = (json_file.text(found, "submission_type", where) or "").strip()
        index = (json_file.text(found, "submission_number", where) or "").strip()
        label = f"{where}, {kind} {index}"
        day = json_file.text(found, "submission_status_date", label) or ""
        if re.fullmatch(r"[0-9]{8}", day):
            day = f"{day[:4]}-{day[4:6]}-{day[6:]}"
        submissions.append(
            (
                label,
                number,
                kind,
                index,
                json_file.text(found, "submission_status", label),
                _status_date(day, label, problems),
                json_file.text(found, "submission_class_code", label)
                or json_file.text(found, "submission_class_code_description", label),
                sponsor,
            )
        )
    for found in json_file.mappings(entry, "products", where):
        index = (json_file.text(found, "product_number", where) or "").strip()
        label = f"{where}, product {index}"
        ingredients = [
            (json_file.text(item, "name", label) or "").strip()
            for item in json_file.mappings(found, "active_ingredients", label)
        ]
        products.append(
            (
                label,
                number,
                index,
                json_file.text(found, "brand_name", label),
                "; ".join(filter(None, ingredients)) or None,
            )
        )


def _insert(
    connection: Connection,
    origin: str,
    submissions: Sequence[tuple[object, ...]],
    products: Sequence[tuple[object, ...]],
    problems: Sequence[str],
) -> None:
    if problems:
        raise ProblemsFound(problems)
    if not submissions:
        raise InputRefused(f"{origin}: contains no submission")
    temp_tables.insert_tuples(connection, STAGED_SUBMISSION, submissions)
    temp_tables.insert_tuples(connection, STAGED_PRODUCT, products)


def _date(day: str) -> date | None:
    """Return a date that is written as 2020-01-31, None for any other text."""
    try:
        found = date.fromisoformat(day)
    except ValueError:
        return None
    return found if found.isoformat() == day else None


def _status_date(day: str, where: str, problems: list[str]) -> date | None:
    """Return a status date, None if it is empty; anything else but a date is a problem."""
    found = _date(day)
    if found is None and day.strip():
        problems.append(f"{where}: '{day}' is not a date")
    return found
