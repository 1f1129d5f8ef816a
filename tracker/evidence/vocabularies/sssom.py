"""Reads SSSOM TSV: mappings between two vocabularies below a commented YAML header."""

import csv
import itertools
import re
from collections.abc import Iterable, Iterator

from tracker.errors import InputRefused
from tracker.evidence.vocabularies import content
from tracker.evidence.vocabularies.content import Content
from tracker.files import streams

FORM = "SSSOM"
REQUIRED = ("subject_id", "predicate_id", "object_id")
# The one object that is no term: nothing in the other vocabulary corresponds.
_NO_TERM = "sssom:NoTermFound"
_ENTRY = re.compile(r"#\s?(\w+):\s*(\S.*)")
_DATED = ("mapping_set_version", "publication_date", "mapping_date")


def is_header(line: str) -> bool:
    """Whether a line is the header of a table of mappings: it has a column only SSSOM has."""
    return bool({"subject_id", "object_id"} & set(line.split("\t")))


def read(origin: str, lines: Iterable[str]) -> Content:
    """Read every mapping and the labels of both sides; problems of rows are noted, not raised.

    A mapping that is stated not to hold (predicate_modifier Not) is left out. Raises InputRefused
    for a table that lacks a required column or was cut short.
    """
    found = Content(origin, FORM)
    whole = _whole(origin, lines)
    metadata: dict[str, str] = {}
    n_above = 0
    header = ""
    for line in whole:
        if not line.startswith("#"):
            header = line
            break
        n_above += 1
        # Only a few values of one line each are needed of the YAML, so none of it is parsed.
        entry = _ENTRY.match(line)
        if entry:
            metadata[entry[1]] = entry[2].strip().strip("'\"")
    found.name = content.last_part(metadata.get("mapping_set_id"))
    found.version = metadata.get("mapping_set_version")
    days = (content.day(metadata.get(key)) for key in _DATED)
    found.released_on = next(filter(None, days), None)
    csv.field_size_limit(streams.MAX_LINE_BYTES)
    rows = csv.reader(itertools.chain([header], whole), delimiter="\t", strict=True)
    try:
        columns = next(rows, [])
        for name in REQUIRED:
            if name not in columns:
                raise InputRefused(
                    f"{origin}, line {n_above + 1}: is not SSSOM: the column {name} is missing"
                )
        labels: dict[str, tuple[str, str]] = {}
        for cells in rows:
            place = f"line {n_above + rows.line_num}"
            if len(cells) == len(columns):
                row = dict(zip(columns, cells, strict=True))
                _read_row(found, place, row, labels)
            elif cells:
                found.note(place, f"has {len(cells)} fields where the header has {len(columns)}")
    except csv.Error as error:
        raise InputRefused(
            f"{origin}, line {n_above + rows.line_num}: cannot be split into fields: {error}"
        ) from error
    for term_id, (label, place) in labels.items():
        found.add_term(place, term_id, label or None)
    return found


def _whole(origin: str, lines: Iterable[str]) -> Iterator[str]:
    """Yield the lines; the last one without an end was cut short."""
    number, line = 0, "\n"
    for line in lines:
        number += 1
        yield line
    if not line.endswith("\n"):
        raise InputRefused(f"{origin}, line {number}: the line does not end; the file is cut short")


def _read_row(
    found: Content, place: str, row: dict[str, str], labels: dict[str, tuple[str, str]]
) -> None:
    if row.get("predicate_modifier", "").strip().lower() == "not":
        return
    if _NO_TERM in (row["subject_id"], row["object_id"]):
        return
    subject_id = found.identifier(place, row["subject_id"], "the subject_id")
    object_id = found.identifier(place, row["object_id"], "the object_id")
    predicate = row["predicate_id"].strip()
    if not predicate:
        found.note(place, "the predicate_id is empty")
    if subject_id is None or object_id is None or not predicate:
        return
    predicate = content.skos_match(predicate) or predicate
    found.mappings.append((subject_id, predicate, object_id))
    _note_label(found, place, subject_id, row.get("subject_label", ""), labels)
    if row.get("object_label", "").strip():
        _note_label(found, place, object_id, row["object_label"], labels)


def _note_label(
    found: Content, place: str, term_id: str, label: str, labels: dict[str, tuple[str, str]]
) -> None:
    """Keep the label of a term, which every row of the term has to repeat."""
    label = " ".join(label.split())
    known, first = labels.get(term_id, ("", place))
    if known and label and known != label:
        found.note(place, f"{term_id} has two labels: '{known}' ({first}) and '{label}'")
    elif not known:
        labels[term_id] = (label, place)
