"""The enrichment of a slate disease by disease: its limits, and a forest plot."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

from tracker.reports.pages.lead import Lead
from tracker.reports.pages.sections import Drawing, enrichments
from tracker.reports.records import Record, Section, first, only, records, rows_of
from tracker.reports.words import count, joined
from tracker.rows import Rows
from tracker.uncertainty import stats

_VIEW, _METRIC = "disease_performance", "enrichment_vs_popularity"
_MOST_ROWS = 15


def with_limits(section: Section) -> Section:
    """Return the section with exact 95% limits of each enrichment, `low` and `high`.

    They are Clopper and Pearson's limits of the disease's hit rate, divided by its expected rate,
    which counts as known; None without an enrichment.
    """
    # Most diseases have equally many predictions, so few counts differ.
    limits = cache(stats.clopper_pearson)
    rows = []
    for one, row in zip(records([section], section.view), section.rows.values, strict=True):
        low = high = None
        if one[_METRIC] is not None:
            found = limits(one["n_hits"], one["n_predictions"])
            if found.low is not None and found.high is not None:
                low = found.low / one["expected_hit_rate"]
                high = found.high / one["expected_hit_rate"]
        rows.append((*row, low, high))
    return replace(section, rows=Rows([*section.rows.columns, "low", "high"], rows))


def forest(sections: Sequence[Section], lead: Lead) -> Drawing | None:
    """Draw the enrichment of the diseases with the most expected hits, and of all together."""
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
    # A forest of one disease would repeat the slate's figures.
    if len(known) < 2:
        return Drawing(finding, rows=table)
    # Chosen by expected hits: a choice by hits would show the lucky ones.
    shown = sorted(known, key=lambda one: -one["expected_hit_rate"] * one["n_predictions"])
    total = first(sections, _METRIC, tier="all", **lead.keys)
    drawn = [(str(one["disease_name"]), one) for one in shown[:_MOST_ROWS]]
    counts = first(sections, "tier_hit_rate", tier="all", **lead.keys)
    if total.get(_METRIC) is not None and counts:
        drawn.append(("all diseases", {**counts, **total}))
    left_out = (
        f" Of {count(len(known), 'disease')} the {_MOST_ROWS} in which most hits were expected."
        if len(known) > _MOST_ROWS
        else " In the order of the hits that were expected."
    )
    drawing = enrichments(f"{finding} {_sides(known)}", _METRIC, drawn, "the expected rate")
    return replace(drawing, rows=table, note=left_out)


def _sides(known: Sequence[Record]) -> str:
    """Say in how many diseases the interval excludes 1, and on which side."""
    sides = {
        "above": sum(one["low"] > 1 for one in known),
        "below": sum(one["high"] < 1 for one in known),
    }
    told = [f"{side} 1 in {number}" for side, number in sides.items() if number]
    return f"The interval is {joined(told)}." if told else "In none does the interval exclude 1."
