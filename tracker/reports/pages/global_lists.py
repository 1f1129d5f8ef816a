"""A slate's global lists: a table for texts, and a chart of hit rates beside those expected."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from tracker.figures import MATCHED
from tracker.reports import enrichment
from tracker.reports.pages.figures import Estimate, Intervals, Scale
from tracker.reports.pages.lead import Lead
from tracker.reports.pages.sections import Drawing
from tracker.reports.records import Record, Section, records
from tracker.reports.uncertainty import Subject
from tracker.reports.words import by_reason, count, percent, short_ratio, with_limits
from tracker.rows import Rows
from tracker.uncertainty import estimates

_HEADINGS = ["window", "pairs", "top", "hits", "hit rate (95%)", "enrichment (95%)"]


def text_table(section: Section, subject: Subject) -> Section:
    """Return the section with the limits of hit rates, and a table of at most 80 columns.

    Notes below say why intervals are missing, and which lists end within a tie.
    """
    found, view = subject.found, section.view
    rows = found.with_limits(view, "hit_rate", section.rows)
    wider = replace(section, rows=rows)
    lists = records([wider], view)
    reasons = [
        (reason, f"top {one['list_size']} ({one['evidence_window']}, {one['population']})")
        for one, estimate in zip(lists, found.of_rows(view, MATCHED, rows), strict=True)
        for reason in _reasons(one, estimate)
    ]
    every = [reason for reason, _ in reasons]
    return replace(
        wider,
        text_table=Rows(_HEADINGS, [_cells(one) for one in lists]),
        notes=tuple(
            f"{names if every.count(reason) < len(lists) else 'every list'}: {reason}"
            for reason, names in by_reason(reasons)
        ),
    )


def _cells(one: Record) -> tuple[object, ...]:
    return (
        one["evidence_window"],
        one["population"],
        one["list_size"],
        _hits(one),
        with_limits(one["hit_rate"], one["low_hit_rate"], one["high_hit_rate"], of=percent),
        enrichment.cell(one, short_ratio),
    )


def _hits(one: Record) -> str:
    """Return the hits of a list, with two decimals if a mean over ties is not whole."""
    hits = one["tie_mean_hits"]
    return f"{hits:,.0f}" if hits == int(hits) else f"{hits:,.2f}"


def _reasons(one: Record, estimate: estimates.Estimate | None) -> Iterator[str]:
    if one.get("reason"):
        yield one["reason"]
    if estimate and estimate.value is not None and estimate.low is None:
        yield f"no interval: {estimate.reason}"
    if one["n_tied_listed"] < one["n_tied"]:
        low, high = percent(one["tie_low_hit_rate"]), percent(one["tie_high_hit_rate"])
        give = f"which all give {low}" if low == high else f"which give {low} to {high}"
        yield (
            f"ends within a tie: {one['n_tied_listed']:,} of the {one['n_tied']:,} predictions "
            "with its last score are listed; figures are the mean over all ways to choose them, "
            f"{give}"
        )


def drawing(sections: Sequence[Section], lead: Lead) -> Drawing | None:
    """Draw the lists of the lead's window and population; None if they are empty."""
    lists = records(sections, "global_list", **lead.keys)
    known = [one for one in lists if one["hit_rate"] is not None]
    if not known:
        return None
    dots = []
    for one in known:
        row = f"top {one['list_size']:,}"
        listed = f"{_hits(one)} of {one['n_predictions']:,}"
        limits = one["low_hit_rate"], one["high_hit_rate"]
        dots.append(Estimate(row, "the predictions", one["hit_rate"], *limits, note=listed))
        if one["expected_hits"] is not None:
            rate = one["expected_hits"] / one["n_predictions"]
            note = f"{one['expected_hits']:.1f} expected"
            dots.append(Estimate(row, "equally popular candidates", rate, note=note))
    shortest, *longer = known
    return Drawing(
        " ".join([_finding(one, lead) for one in (shortest, *longer[-1:])]),
        Intervals(tuple(dots), Scale("hit rate (share of the list)", ".0%")),
        [f"{one.row}, {one.series}: {percent(one.value)} ({one.note})" for one in dots],
    )


def _finding(one: Record, lead: Lead) -> str:
    compared = enrichment.times(one, " as often as equally popular candidates")
    return (
        f"Of the first {count(one['n_predictions'], 'prediction')} {_hits(one)} came true"
        f"{lead.after_the_freeze}{compared and f', {compared}'}."
    )
