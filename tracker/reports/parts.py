"""Tables of at most 80 columns for the primary endpoint over time and by part of the slate."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from tracker.reports.records import Record, Section, records
from tracker.reports.uncertainty import Subject
from tracker.reports.words import joined, short_ratio, with_limits
from tracker.rows import Rows
from tracker.uncertainty.estimates import METRIC

# What leaves the table of areas within a terminal.
_LONGEST_AREA = 24
_NO_RELATIVE = (
    "No prediction or candidate has a known relative: no ingested vocabulary relates the slate's "
    "diseases to any with a known drug. tracker ingest vocabulary adds one."
)
_NO_AREA = (
    "No disease of the slate has an area: its identifiers and names are in no ingested vocabulary "
    "that has a hierarchy. tracker ingest vocabulary adds one."
)


@dataclass(frozen=True)
class Part:
    """The headings of the columns that tell the rows of a view apart, and what a note calls one."""

    headings: Mapping[str, str]
    row: str


PARTS = {
    "hits_by_month": Part({"month": "month", "ends_on": "until"}, "month {month}"),
    "enrichment_by_k": Part({"k": "rank up to"}, "rank up to {k}"),
    "enrichment_by_knowledge": Part(
        {"known_of": "known of the", "known": "pairs"}, "{known_of}, {known}"
    ),
    "enrichment_by_nearness": Part({"nearness": "class"}, "{nearness}"),
    "enrichment_by_area": Part({"short_area": "area"}, "{area}"),
    "enrichment_by_dating": Part({"dating": "hits"}, "{dating}"),
    "information_enrichment": Part({"weighting": "weighting"}, "weighting {weighting}"),
}


def text_table(section: Section, subject: Subject) -> Section:
    """Return a section with the narrow table of its part, and lines on what has no interval."""
    part, rows = PARTS[section.view], section.rows
    lines = worded(records([section], section.view))
    notes: dict[str, list[str]] = {}
    estimates = subject.found.of_rows(section.view, METRIC, rows)
    for one, estimate in zip(lines, estimates, strict=True):
        reason = one.get("reason") or (estimate and estimate.low is None and estimate.reason)
        if reason:
            notes.setdefault(str(reason), []).append(part.row.format_map(one))
    return replace(
        section,
        text_table=Rows(
            [*part.headings.values(), "predictions", "hits", "expected", "enrichment (95%)"],
            [
                (
                    *(one[name] for name in part.headings),
                    one["n_predictions"],
                    one["n_hits"],
                    "" if one["expected_hits"] is None else f"{one['expected_hits']:.1f}",
                    with_limits(one[METRIC], one["low"], one["high"], of=short_ratio),
                )
                for one in lines
            ],
        ),
        notes=(
            *(f"{joined(names)}: {reason}" for reason, names in notes.items()),
            *([_NO_AREA] if section.view == "enrichment_by_area" and not lines else []),
            *([_NO_RELATIVE] if section.view == "enrichment_by_nearness" and not lines else []),
        ),
    )


def worded(rows: list[Record]) -> list[Record]:
    """Return the rows, those by what was known and by area with their group in words."""
    return [{**one, **_words(one)} for one in rows]


def _words(one: Record) -> Record:
    if "least_known" in one:
        return {"known": known(one)}
    if "area" in one:
        area = one["area"]
        is_long = len(area) > _LONGEST_AREA
        return {"short_area": f"{area[: _LONGEST_AREA - 1]}…" if is_long else area}
    if one.get("weighting", "none") != "none" and one["weighted_hits"] is not None:
        return {"n_hits": f"{one['weighted_hits']:.1f}"}
    return {}


def known(one: Record) -> str:
    """Return the range of known pairs of a row: `0`, `1 to 3`, `10 or more`."""
    least, most = one["least_known"], one["most_known"]
    if most is None:
        return f"{least} or more"
    return f"{least}" if most == least else f"{least} to {most}"
