"""The forest plot of a slate: its enrichment disease by disease."""

from collections.abc import Sequence

from tracker.reports.pages.figures import Estimate, Mark, Scale
from tracker.reports.pages.lead import Lead
from tracker.reports.pages.sections import Drawing, dots
from tracker.reports.records import Record, Section, first, only, records, rows_of
from tracker.reports.words import count, joined, ratio

_VIEW, _METRIC = "disease_performance", "enrichment_vs_popularity"
_MOST_ROWS = 15


def forest(sections: Sequence[Section], lead: Lead) -> Drawing | None:
    """Draw the enrichment of the diseases in which most hits were expected, and of all of them."""
    rows = [one for one in records(sections, _VIEW, **lead.keys) if one["n_predictions"]]
    if not rows:
        return None
    table = only(rows_of(sections, _VIEW), **lead.keys)
    with_hit = sum(1 for one in rows if one["n_hits"])
    finding = (
        f"{with_hit:,} of {count(len(rows), 'disease')} {'has' if with_hit == 1 else 'have'} at "
        f"least one {lead.adjective} hit."
    )
    known = [one for one in rows if one[_METRIC] is not None]
    # One disease has no forest: its figures are the slate's.
    if len(known) < 2:
        return Drawing(finding, rows=table)
    # Chosen by what was expected: a choice by hits would show the lucky ones.
    shown = sorted(known, key=lambda one: -one["expected_hit_rate"] * one["n_predictions"])
    total = first(sections, _METRIC, tier="all", **lead.keys)
    estimates = [_estimate(str(one["disease_name"]), one) for one in shown[:_MOST_ROWS]]
    counts = first(sections, "tier_hit_rate", tier="all", **lead.keys)
    if total.get(_METRIC) is not None and counts:
        total = {**counts, **total}
        estimates.append(_estimate("all diseases", total))
    left_out = (
        f" Of {count(len(known), 'disease')} the {_MOST_ROWS} in which most hits were expected."
        if len(known) > _MOST_ROWS
        else " In the order of the hits that were expected."
    )
    drawing = dots(
        f"{finding} {_sides(known)}",
        estimates,
        Scale("enrichment (times the expected rate)", ",.2~f", is_ratio=True),
        Mark(1, "no better"),
    )
    values = [f"{one.row}: {ratio(one.value)} times ({one.note})" for one in estimates]
    return Drawing(drawing.finding, drawing.figure, values, table, left_out)


def _sides(known: Sequence[Record]) -> str:
    """Say in how many diseases the interval excludes 1, and on which side."""
    sides = {
        "above": sum(one["low"] > 1 for one in known),
        "below": sum(one["high"] < 1 for one in known),
    }
    told = [f"{side} 1 in {number}" for side, number in sides.items() if number]
    return f"The interval is {joined(told)}." if told else "In none does the interval exclude 1."


def _estimate(name: str, one: Record) -> Estimate:
    note = f"{one['n_hits']:,} of {one['n_predictions']:,}"
    return Estimate(name, "", one[_METRIC], one.get("low"), one.get("high"), note)
