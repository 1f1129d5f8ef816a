"""Reads SSSOM TSV: mappings between two vocabularies below a commented YAML header."""

import csv
import itertools
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator

from tracker.errors import InputRefused
from tracker.evidence.vocabularies import content
from tracker.evidence.vocabularies.content import Content
from tracker.files import streams

FORM = "SSSOM"
REQUIRED = ("subject_id", "predicate_id", "object_id")
# Labels of SSSOM are comments: the identifiers of a row are what it maps.
_MAX_LISTED = 3
# The one object that is no term: nothing in the other vocabulary corresponds.
_NO_TERM = "sssom:NoTermFound"
_ENTRY = re.compile(r"#\s?(\w+):\s*(\S.*)")
_DATED = ("mapping_set_version", "publication_date", "mapping_date")


def is_header(line: str) -> bool:
    """Whether a line is the header of a table of mappings: it has a column only SSSOM has."""
    return bool({"subject_id", "object_id"} & set(line.split("\t")))


def read(origin: str, lines: Iterable[str]) -> Content:
    """Read every mapping and the labels of both sides; problems of rows are noted, not raised.

    Of the labels that rows give a term the most frequent counts, of equally frequent ones the
    first in order. A mapping that is stated not to hold (predicate_modifier Not) is left out.
    Raises InputRefused for a table that lacks a required column or was cut short, or of which no
    mapping holds.
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
        labels: dict[str, Counter[str]] = defaultdict(Counter)
        n_negative = 0
        for cells in rows:
            place = f"line {n_above + rows.line_num}"
            if len(cells) == len(columns):
                row = dict(zip(columns, cells, strict=True))
                row.setdefault("predicate_modifier", metadata.get("predicate_modifier", ""))
                if _is_negative(found, place, row):
                    n_negative += 1
                else:
                    _read_row(found, place, row, labels)
            elif cells:
                found.note(place, f"has {len(cells)} fields where the header has {len(columns)}")
    except csv.Error as error:
        raise InputRefused(
            f"{origin}, line {n_above + rows.line_num}: cannot be split into fields: {error}"
        ) from error
    if n_negative and not labels and not found.problems:
        raise InputRefused(
            f"{origin}: contains no mapping that holds: all {n_negative:,} are negative "
            "(predicate_modifier Not), and say which terms do not correspond"
        )
    for term_id, given in labels.items():
        found.add_term(f"the labels of {term_id}", term_id, _label(given))
    _remark(found, labels, n_negative)
    return found


def _label(given: Counter[str]) -> str | None:
    """Return the most frequent label, of equally frequent ones the first; None if there is none."""
    return min(given, key=lambda label: (-given[label], label), default=None)


def _remark(found: Content, labels: dict[str, Counter[str]], n_negative: int) -> None:
    """Say what was left out: mappings that do not hold, and labels that differ."""
    if n_negative:
        which = "1 mapping that is" if n_negative == 1 else f"{n_negative:,} mappings that are"
        found.remarks.append(f"left out {which} stated not to hold (predicate_modifier Not)")
    differing = sorted(term_id for term_id, given in labels.items() if len(given) > 1)
    if differing:
        shown = [
            f"{term_id} ({' and '.join(repr(label) for label in sorted(labels[term_id]))})"
            for term_id in differing[:_MAX_LISTED]
        ]
        n_hidden = len(differing) - len(shown)
        more = f" and {n_hidden:,} more" if n_hidden else ""
        which = "1 term has" if len(differing) == 1 else f"{len(differing):,} terms have"
        found.remarks.append(
            f"{which} labels that differ, of which the most frequent was kept: "
            f"{', '.join(shown)}{more}"
        )


def _whole(origin: str, lines: Iterable[str]) -> Iterator[str]:
    """Yield the lines; the last one without an end was cut short."""
    number, line = 0, "\n"
    for line in lines:
        number += 1
        yield line
    if not line.endswith("\n"):
        raise InputRefused(f"{origin}, line {number}: the line does not end; the file is cut short")


def _is_negative(found: Content, place: str, row: dict[str, str]) -> bool:
    """Whether a row says that its mapping does not hold; another modifier is a problem."""
    modifier = row.get("predicate_modifier", "").strip()
    if modifier and modifier.casefold() != "not":
        found.note(place, f"the predicate_modifier is '{modifier[:40]}', and can only be Not")
    return modifier.casefold() == "not"


def _read_row(
    found: Content, place: str, row: dict[str, str], labels: dict[str, Counter[str]]
) -> None:
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
    # A subject is a term of the file also without a label; a labelled object is one, too.
    for term_id, column in ((subject_id, "subject_label"), (object_id, "object_label")):
        label = " ".join((row.get(column) or "").split())
        if label:
            labels[term_id][label] += 1
        elif term_id == subject_id:
            labels[term_id].update()
