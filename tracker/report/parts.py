"""Tables of at most 80 columns for the primary endpoint over time and by part of the slate."""

from collections.abc import Callable
from dataclasses import replace

from tracker.report.records import Record, Section, records
from tracker.report.uncertainty import Uncertainty
from tracker.report.words import joined, short_ratio, with_limits
from tracker.rows import Rows
from tracker.uncertainty.estimates import METRIC

_AREAS = "enrichment_by_area"
# The first columns of each view's table, with their headings, and what a row is called.
_COLUMNS: dict[str, dict[str, str]] = {
    "hits_by_month": {"month": "month", "ends_on": "until"},
    "enrichment_by_k": {"k": "rank up to"},
    "enrichment_by_knowledge": {"known_of": "known of the", "known": "pairs"},
    "enrichment_by_area": {"short_area": "area"},
}
_NAMES: dict[str, Callable[[Record], str]] = {
    "hits_by_month": lambda one: f"month {one['month']}",
    "enrichment_by_k": lambda one: f"rank up to {one['k']}",
    "enrichment_by_knowledge": lambda one: f"{one['known_of']}, {one['known']}",
    "enrichment_by_area": lambda one: str(one["area"]),
}
# What leaves the table of areas within a terminal.
_LONGEST_AREA = 24
_NO_AREA = (
    "No disease of the slate has an area: its identifiers and names are in no ingested vocabulary "
    "that has a hierarchy. tracker ingest vocabulary adds one."
)


def readable(section: Section, found: Uncertainty) -> Section:
    """Return a section of PART_VIEWS with a narrow table, and lines on what has no interval."""
    rows = section.rows
    lines = worded(records([section], section.view))
    notes: dict[str, list[str]] = {}
    for one, estimate in zip(lines, found.of_rows(section.view, METRIC, rows), strict=True):
        reason = one.get("reason") or (estimate and estimate.low is None and estimate.reason)
        if reason:
            notes.setdefault(str(reason), []).append(_NAMES[section.view](one))
    columns = _COLUMNS[section.view]
    return replace(
        section,
        readable=Rows(
            [*columns.values(), "predictions", "hits", "expected", "enrichment (95%)"],
            [
                (
                    *(one[name] for name in columns),
                    *(one["n_predictions"], one["n_hits"]),
                    "" if one["expected_hits"] is None else f"{one['expected_hits']:.1f}",
                    with_limits(one[METRIC], one["low"], one["high"], of=short_ratio),
                )
                for one in lines
            ],
        ),
        notes=(
            *(f"{joined(names)}: {reason}" for reason, names in notes.items()),
            *([_NO_AREA] if section.view == _AREAS and not lines else []),
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
    return {}


def known(one: Record) -> str:
    """Return the range of known pairs of a row: `0`, `1 to 3`, `10 or more`."""
    least, most = one["least_known"], one["most_known"]
    if most is None:
        return f"{least} or more"
    return f"{least}" if most == least else f"{least} to {most}"
