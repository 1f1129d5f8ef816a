"""What pages of boards share: the enrichments of the entries, and the ratios of pairs."""

from collections.abc import Callable, Sequence

from tracker.reports.pages.figures import Estimate, Mark, Scale
from tracker.reports.pages.page import KeyFigure
from tracker.reports.pages.sections import Drawing, dots
from tracker.reports.records import Record
from tracker.reports.words import between, ratio

_EQUAL = Mark(1.0, "equal")


def key_figure(label: str, one: Record) -> KeyFigure:
    """Return the enrichment of an entry as a headline number."""
    known = one["enrichment"], one["enrichment_low"], one["enrichment_high"]
    interval = between(*known[1:], of=ratio)
    return KeyFigure(label, f"{ratio(known[0])} times", interval, *known)


def drawing(
    finding: str,
    rows: Sequence[Record],
    name: Callable[[Record], str],
    series: Callable[[Record], str],
    note: Callable[[Record], str] = lambda one: f"{ratio(one['enrichment'])} times",
) -> Drawing | None:
    """Draw the enrichments of the entries that have one; None if none has."""
    estimates = [
        Estimate(
            name(one),
            series(one),
            one["enrichment"],
            one["enrichment_low"],
            one["enrichment_high"],
            note(one),
        )
        for one in rows
        if one["enrichment"] is not None
    ]
    if not estimates:
        return None
    return dots(
        finding,
        estimates,
        Scale("enrichment (times equally popular drugs)", ",.2~f", is_ratio=True),
        _EQUAL,
    )


def pairs(rows: Sequence[Record], noun: str, name: str) -> Drawing | None:
    """Draw the enrichment ratios of pairs, which columns `name` and versus_`name` name."""
    known = [one for one in rows if one["enrichment_ratio"] is not None]
    if not known:
        return None
    return dots(
        f"Above 1 the first {noun} of a pair finds more than the second.",
        [
            Estimate(
                f"{one[name]} : {one[f'versus_{name}']}",
                "ratio of enrichments",
                one["enrichment_ratio"],
                one["enrichment_ratio_low"],
                one["enrichment_ratio_high"],
                f"{ratio(one['enrichment_ratio'])} times",
            )
            for one in known
        ],
        Scale("ratio of enrichments", ",.2~f", is_ratio=True),
        _EQUAL,
    )
