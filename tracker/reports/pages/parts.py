"""Drawings of the primary endpoint over time and by part of the slate."""

from collections.abc import Sequence

from tracker.reports.pages.figures import Curves, Estimate, Mark, Point, Scale
from tracker.reports.pages.lead import Lead
from tracker.reports.pages.sections import Drawing, dots
from tracker.reports.parts import worded
from tracker.reports.records import Record, Section, first, records
from tracker.reports.words import between, count, ratio
from tracker.uncertainty.stats.clustered import FEWEST_HITS

_SEEN, _EXPECTED = "predictions that came true", "expected of equally popular drugs"
_ENRICHMENT = Scale("enrichment (times equally popular drugs)", ",.2~f", is_ratio=True)
_NO_BETTER = Mark(1, "no better")


def by_month(sections: Sequence[Section], _lead: object) -> Drawing | None:
    """Draw hits and expected hits over the months; the band is the ratio's, times the expected."""
    months = [one for one in records(sections, "hits_by_month") if one["expected_hits"] is not None]
    if not months:
        return None
    seen = [Point(_SEEN, 0, 0), *(_hits(one) for one in months)]
    expected = [
        Point(_EXPECTED, 0, 0),
        *(Point(_EXPECTED, one["month"], one["expected_hits"]) for one in months),
    ]
    last = months[-1]
    interval = between(last["low"], last["high"], of=ratio)
    enrichment = last["enrichment_vs_matched"]
    return Drawing(
        f"By {last['ends_on']}, {count(last['n_hits'], 'prediction')} of the {last['tier']} tier "
        f"had come true where {last['expected_hits']:.1f} were expected"
        + (f": {ratio(enrichment)} times{interval and f' ({interval})'}" if enrichment else "")
        + ".",
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
    # The limits of fewer hits are so far apart that they would set the scale.
    if low is None or high is None or one["n_hits"] < FEWEST_HITS:
        return Point(_SEEN, one["month"], one["n_hits"])
    limits = (low * one["expected_hits"], high * one["expected_hits"])
    return Point(_SEEN, one["month"], one["n_hits"], *limits)


def by_k(sections: Sequence[Section], _lead: object) -> Drawing | None:
    """Draw the enrichment of the predictions up to each rank."""
    lists = records(sections, "enrichment_by_k")
    return _dots(lists, [f"rank up to {one['k']}" for one in lists], "list")


def by_knowledge(sections: Sequence[Section], _lead: object) -> Drawing | None:
    """Draw the enrichment by the known pairs of the disease, and of the drug."""
    groups = worded(records(sections, "enrichment_by_knowledge"))
    return _dots(groups, [f"{one['known_of']}: {one['known']}" for one in groups], "group")


def by_nearness(sections: Sequence[Section], _lead: object) -> Drawing | None:
    """Draw the enrichment of known, near-known and new pairs, each within its class."""
    classes = records(sections, "enrichment_by_nearness")
    return _dots(classes, [str(one["nearness"]) for one in classes], "class", "classes")


def near_known(sections: Sequence[Section], lead: Lead, tier: str) -> str:
    """Return in brackets how many of a tier's novel hits are near-known; empty where none is."""
    one = first(sections, "enrichment_by_nearness", nearness="near-known", tier=tier, **lead.keys)
    n_hits = one.get("n_hits") if lead.population == "novel" else 0
    return f" ({n_hits:,} near-known)" if n_hits else ""


def by_area(sections: Sequence[Section], _lead: object) -> Drawing | None:
    """Draw the enrichment by area of disease."""
    areas = records(sections, "enrichment_by_area")
    return _dots(areas, [str(one["area"]) for one in areas], "area")


def _dots(
    rows: Sequence[Record], names: Sequence[str], noun: str, plural: str = ""
) -> Drawing | None:
    estimates = [
        Estimate(
            name,
            "",
            one["enrichment_vs_matched"],
            one["low"],
            one["high"],
            f"{one['n_hits']:,} of {one['n_predictions']:,}",
        )
        for one, name in zip(rows, names, strict=True)
        if one["enrichment_vs_matched"] is not None
    ]
    if not estimates:
        return None
    above = [one.row for one in estimates if one.low is not None and one.low > 1]
    of_all = count(len(rows), noun, plural)
    finding = (
        f"The interval is above 1 in {len(above)} of {of_all}."
        if above
        else f"In none of {of_all} is the interval above 1."
    )
    drawing = dots(finding, estimates, _ENRICHMENT, _NO_BETTER)
    values = [f"{one.row}: {ratio(one.value)} times ({one.note})" for one in estimates]
    return Drawing(drawing.finding, drawing.figure, values)
