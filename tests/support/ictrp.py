"""Small exports of ICTRP in its three forms, made for the tests of ingestion."""

import csv
import gzip
from collections.abc import Iterable, Mapping
from pathlib import Path
from xml.sax.saxutils import escape

import openpyxl

COLUMNS = (
    "TrialID",
    "Last Refreshed on",
    "Public title",
    "Date registration3",
    "Export date",
    "Source Register",
    "Recruitment Status",
    "other records",
    "Date enrollement",
    "Study type",
    "Study design",
    "Phase",
    "Condition",
    "Intervention",
    "results date posted",
    "Internal Number",
    "Secondary ID",
)


def record(number: str = "ISRCTN00000001", **given: object) -> dict[str, object]:
    """Return a record by column; `given` has columns with underscores for blanks."""
    columns = {name.replace(" ", "_"): name for name in COLUMNS}
    return {
        **dict.fromkeys(COLUMNS, ""),
        "TrialID": number,
        "Public title": f"A study, {number}",
        "Date registration3": "20260110",
        "Export date": "3/2/2026 10:40:56 AM",
        "Source Register": "ISRCTN",
        "Recruitment Status": "Recruiting",
        "Date enrollement": "15/01/2026",
        "Study type": "Interventional",
        "Phase": "Phase 2",
        "Condition": "Asthma",
        "Intervention": "Aspirin",
        **{columns[name]: value for name, value in given.items()},
    }


def xml(path: Path, records: Iterable[Mapping[str, object]]) -> Path:
    """Write the export of the search portal: texts padded with blanks, empty ones left out."""
    lines = ["<?xml version='1.0' encoding='UTF-8' ?><Trials_downloaded_from_ICTRP>"]
    for one in records:
        lines.append("  <Trial>")
        for name, value in one.items():
            tag = name.replace(" ", "_")
            text = escape(str(value)).replace("\r", "&#x0D;")
            lines.append(f"    <{tag}>{text}   </{tag}>" if value else f"    <{tag} />")
        lines.append("  </Trial>")
    text = "\n".join([*lines, "</Trials_downloaded_from_ICTRP>"])
    if path.suffix == ".gz":
        path.write_bytes(gzip.compress(text.encode()))
    else:
        path.write_text(text)
    return path


def table(path: Path, records: Iterable[Mapping[str, object]]) -> Path:
    """Write the weekly file: CSV, or a workbook by the name of the path."""
    rows: list[list[object]] = [
        list(COLUMNS),
        *([one[name] for name in COLUMNS] for one in records),
    ]
    if path.suffix == ".xlsx":
        book = openpyxl.Workbook()
        for row in rows:
            book.active.append([None if cell == "" else cell for cell in row])
        book.save(path)
        return path
    with path.open("w", newline="", encoding="utf-8") as handle:
        csv.writer(handle, quoting=csv.QUOTE_ALL).writerows(rows)
    return path
