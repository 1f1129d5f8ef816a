"""Adds both intervals to the section of global lists, and the table that its texts show."""

from collections.abc import Callable, Iterator
from dataclasses import replace

from tracker.report.records import Record, Section, records
from tracker.report.uncertainty import Uncertainty
from tracker.report.words import NOTHING, joined, percent, ratio
from tracker.rows import Rows
from tracker.uncertainty.estimates import Estimate

VIEW, ENRICHMENT = "global_list", "observed_vs_expected"

_HEADINGS = ["window", "pairs", "top", "hits", "hit rate (95%)", "over expected (95%)"]


def readable(section: Section, found: Uncertainty) -> Section:
    """Return the section with the limits of hit rates, and a table of at most 80 columns.

    An interval is in parentheses; lines below the table explain what has none, and which lists end
    within a tie.
    """
    rows = found.with_limits(VIEW, "hit_rate", section.rows)
    wider = replace(section, rows=rows)
    lists = records([wider], VIEW)
    notes: dict[str, list[str]] = {}
    for one, estimate in zip(lists, found.of_rows(VIEW, ENRICHMENT, rows), strict=True):
        for reason in _reasons(one, estimate):
            name = f"top {one['list_size']} ({one['evidence_window']}, {one['population']})"
            notes.setdefault(reason, []).append(name)
    return replace(
        wider,
        readable=Rows(_HEADINGS, [_cells(one) for one in lists]),
        notes=tuple(
            f"{joined(names) if len(names) < len(lists) else 'every list'}: {reason}"
            for reason, names in notes.items()
        ),
    )


def _cells(one: Record) -> tuple[object, ...]:
    return (
        *(one["evidence_window"], one["population"], one["list_size"], one["n_hits"]),
        _interval(one["hit_rate"], one["low_hit_rate"], one["high_hit_rate"], percent),
        _interval(one["observed_vs_expected"], one["low"], one["high"], _ratio),
    )


def _interval(
    value: float | None, low: float | None, high: float | None, of: Callable[[float], str]
) -> str:
    """Return a figure with its limits, the unit given once; a dash if it is not known."""
    if value is None:
        return NOTHING
    if low is None or high is None:
        return of(value)
    return f"{of(value)} ({of(low).rstrip('%')}{NOTHING}{of(high).rstrip('%')})"


def _ratio(value: float) -> str:
    """Return a ratio; limits that rest on a few hits may be beyond all bounds."""
    return ratio(value) if value < 1_000 else f"{value:.0e}"


def _reasons(one: Record, estimate: Estimate | None) -> Iterator[str]:
    if one.get("reason"):
        yield one["reason"]
    if estimate and estimate.value is not None and estimate.low is None:
        yield f"no interval: {estimate.reason}"
    if one["n_tied_listed"] < one["n_tied"]:
        yield (
            f"ends within a tie: {one['n_tied_listed']:,} of the {one['n_tied']:,} predictions "
            "with its last score are listed, chosen by rank and identifier"
        )
