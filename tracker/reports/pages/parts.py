"""The primary endpoint over time and by part of the slate: the tables of texts, and drawings."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from tracker.figures import MATCHED
from tracker.reports import enrichment
from tracker.reports.pages.figures import Curves, Point, Scale
from tracker.reports.pages.lead import Lead
from tracker.reports.pages.sections import Drawing, enrichments
from tracker.reports.records import Record, Section, first, records
from tracker.reports.uncertainty import Subject
from tracker.reports.words import by_reason, count, short_ratio
from tracker.rows import Rows
from tracker.uncertainty.stats.clustered import FEWEST_HITS

_SEEN, _EXPECTED = "predictions that came true", "expected of equally popular drugs"

# Longer areas are cut, so that the table fits a terminal.
_LONGEST_AREA = 24


@dataclass(frozen=True)
class Part:
    """How to tell rows of a view apart: by columns in a table, by a name elsewhere.

    `headings` names the columns; `noun` and `plural` count the rows; `missing` says why there are
    none.
    """

    headings: Mapping[str, str]
    row: str
    noun: str = ""
    plural: str = ""
    missing: str = ""

    def named(self, rows: Iterable[Record]) -> list[str]:
        """Return the names of rows."""
        return [self.row.format_map(_worded(one)) for one in rows]


PARTS = {
    "hits_by_month": Part({"month": "month", "ends_on": "until"}, "month {month}"),
    "enrichment_by_k": Part({"k": "rank up to"}, "rank up to {k}", "list"),
    "enrichment_by_knowledge": Part(
        {"known_of": "known of the", "known": "pairs"}, "{known_of}, {known}", "group"
    ),
    "enrichment_by_nearness": Part(
        {"nearness": "class"},
        "{nearness}",
        "class",
        "classes",
        "No prediction or candidate has a known relative: no ingested vocabulary relates the "
        "slate's diseases to any with a known drug. tracker ingest vocabulary adds one.",
    ),
    "enrichment_by_area": Part(
        {"short_area": "area"},
        "{area}",
        "area",
        missing="No disease of the slate has an area: its identifiers and names are in no "
        "ingested vocabulary that has a hierarchy. tracker ingest vocabulary adds one.",
    ),
    "enrichment_by_dating": Part({"dating": "hits"}, "{dating}"),
    "information_enrichment": Part({"weighting": "weighting"}, "weighting {weighting}"),
}


def text_table(section: Section, subject: Subject) -> Section:
    """Return a section with the narrow table of its part, and notes on missing intervals."""
    part, rows = PARTS[section.view], records([section], section.view)
    estimates = subject.found.of_rows(section.view, MATCHED, section.rows)
    reasons = [
        (one.get("reason") or (estimate and estimate.low is None and estimate.reason), name)
        for one, estimate, name in zip(rows, estimates, part.named(rows), strict=True)
    ]
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
                    enrichment.cell(one, short_ratio),
                )
                for one in map(_worded, rows)
            ],
        ),
        notes=(
            *(f"{names}: {reason}" for reason, names in by_reason(reasons)),
            *([part.missing] if part.missing and not rows else []),
        ),
    )


def _worded(one: Record) -> Record:
    """Return a row with its group in words, and its weighted hits if they are compared."""
    if "least_known" in one:
        return {**one, "known": _known(one)}
    if "area" in one:
        area = one["area"]
        is_long = len(area) > _LONGEST_AREA
        return {**one, "short_area": f"{area[: _LONGEST_AREA - 1]}…" if is_long else area}
    if one.get("weighting", "none") != "none" and one["weighted_hits"] is not None:
        return {**one, "n_hits": f"{one['weighted_hits']:.1f}"}
    return one


def _known(one: Record) -> str:
    """Return the range of known pairs of a row: `0`, `1 to 3`, `10 or more`."""
    least, most = one["least_known"], one["most_known"]
    if most is None:
        return f"{least} or more"
    return f"{least}" if most == least else f"{least} to {most}"


def by_month(sections: Sequence[Section], _lead: object) -> Drawing | None:
    """Draw hits and expected hits by month; the band is the ratio's interval times the expected."""
    months = [one for one in records(sections, "hits_by_month") if one["expected_hits"] is not None]
    if not months:
        return None
    seen = [Point(_SEEN, 0, 0), *(_hits(one) for one in months)]
    expected = [
        Point(_EXPECTED, 0, 0),
        *(Point(_EXPECTED, one["month"], one["expected_hits"]) for one in months),
    ]
    last = months[-1]
    found = enrichment.times(last)
    return Drawing(
        f"By {last['ends_on']}, {count(last['n_hits'], 'prediction')} of the {last['tier']} tier "
        f"had come true where {last['expected_hits']:.1f} were expected{found and f': {found}'}.",
        Curves(
            (*seen, *expected),
            Scale("months since the freeze", ",d", 0),
            Scale("hits", ",.0f", 0),
            has_bands=True,
        ),
        [
            f"month {one['month']}: {one['n_hits']:,} against {one['expected_hits']:.1f}"
            for one in months
        ],
        note="" if last["is_complete"] else " The last month is not over, or not yet covered.",
    )


def _hits(one: Record) -> Point:
    low, high = one["low"], one["high"]
    # With fewer hits, the limits would set the scale.
    if low is None or high is None or one["n_hits"] < FEWEST_HITS:
        return Point(_SEEN, one["month"], one["n_hits"])
    limits = (low * one["expected_hits"], high * one["expected_hits"])
    return Point(_SEEN, one["month"], one["n_hits"], *limits)


def near_known(sections: Sequence[Section], lead: Lead, tier: str) -> str:
    """Return, in brackets, how many of a tier's novel hits are near-known; empty without any."""
    one = first(sections, "enrichment_by_nearness", nearness="near-known", tier=tier, **lead.keys)
    n_hits = one.get("n_hits") if lead.population == "novel" else 0
    return f" ({n_hits:,} near-known)" if n_hits else ""


def _rows_apart(view: str, sections: Sequence[Section], _lead: object) -> Drawing | None:
    part, rows = PARTS[view], records(sections, view)
    known = [one for one in rows if enrichment.of(one) is not None]
    if not known:
        return None
    n_above = sum(one["low"] is not None and one["low"] > 1 for one in known)
    of_all = count(len(rows), part.noun, part.plural)
    return enrichments(
        f"The interval is above 1 in {n_above} of {of_all}."
        if n_above
        else f"In none of {of_all} is the interval above 1.",
        MATCHED,
        zip(part.named(known), known, strict=True),
    )


by_k = partial(_rows_apart, "enrichment_by_k")
by_knowledge = partial(_rows_apart, "enrichment_by_knowledge")
by_nearness = partial(_rows_apart, "enrichment_by_nearness")
by_area = partial(_rows_apart, "enrichment_by_area")
