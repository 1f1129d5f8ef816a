"""Adds both intervals to the section of global lists, and the table that its texts show."""

from collections.abc import Iterator
from dataclasses import replace

from tracker.reports.records import Record, Section, records
from tracker.reports.uncertainty import Subject
from tracker.reports.words import joined, percent, short_ratio, with_limits
from tracker.rows import Rows
from tracker.uncertainty.estimates import Estimate

ENRICHMENT = "enrichment_vs_matched"

_HEADINGS = ["window", "pairs", "top", "hits", "hit rate (95%)", "enrichment (95%)"]


def text_table(section: Section, subject: Subject) -> Section:
    """Return the section with the limits of hit rates, and a table of at most 80 columns.

    An interval is in parentheses; lines below the table explain what has none, and which lists end
    within a tie.
    """
    found, view = subject.found, section.view
    rows = found.with_limits(view, "hit_rate", section.rows)
    wider = replace(section, rows=rows)
    lists = records([wider], view)
    notes: dict[str, list[str]] = {}
    for one, estimate in zip(lists, found.of_rows(view, ENRICHMENT, rows), strict=True):
        for reason in _reasons(one, estimate):
            name = f"top {one['list_size']} ({one['evidence_window']}, {one['population']})"
            notes.setdefault(reason, []).append(name)
    return replace(
        wider,
        text_table=Rows(_HEADINGS, [_cells(one) for one in lists]),
        notes=tuple(
            f"{joined(names) if len(names) < len(lists) else 'every list'}: {reason}"
            for reason, names in notes.items()
        ),
    )


def _cells(one: Record) -> tuple[object, ...]:
    return (
        one["evidence_window"],
        one["population"],
        one["list_size"],
        hits_in_words(one["tie_mean_hits"]),
        with_limits(one["hit_rate"], one["low_hit_rate"], one["high_hit_rate"], of=percent),
        with_limits(one[ENRICHMENT], one["low"], one["high"], of=short_ratio),
    )


def hits_in_words(mean_hits: float) -> str:
    """Return a number of hits, with two decimals where a mean over ties is not whole."""
    return f"{mean_hits:,.0f}" if mean_hits == int(mean_hits) else f"{mean_hits:,.2f}"


def _reasons(one: Record, estimate: Estimate | None) -> Iterator[str]:
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
