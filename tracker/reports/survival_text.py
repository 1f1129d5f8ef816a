"""Adds its band to the section of the curve of pairs with an event, and a table for texts."""

from collections.abc import Sequence
from dataclasses import replace

from tracker.reports.records import Record, Section, records
from tracker.reports.uncertainty import Subject
from tracker.reports.words import joined, percent, with_limits
from tracker.rows import Rows
from tracker.uncertainty import stats
from tracker.uncertainty.estimates import survival_bands

# A curve ends where fewer than this share of its pairs are still followed: the last steps of a few
# pairs look like a result (Pocock, Clayton and Altman 2002).
FEWEST_FOLLOWED = 0.1

_HEADINGS = ["tier", "day", "at risk", "share with an event (95%)"]


def text_table(section: Section, subject: Subject) -> Section:
    """Return the section with the band by disease, the method, and the reason where there is none.

    A text shows the last day of each tier on both sides of the freeze, and below the table why a
    band is missing.
    """
    bands = survival_bands.bands(subject.connection, subject.slate)
    curve = records([section], section.view)
    rows = Rows(
        [*section.rows.columns, "low", "high", "method", "reason"],
        [
            (*row, band.low, band.high, stats.SURVIVAL_METHOD, band.reason)
            for row, one in zip(section.rows.values, curve, strict=True)
            for band in [bands[one["tier"], one["day"]]]
        ],
    )
    wider = replace(section, rows=rows.without_empty("reason"))
    ends = last_days(records([wider], section.view))
    missing: dict[str, list[str]] = {}
    for one in ends:
        if one.get("reason"):
            missing.setdefault(one["reason"], []).append(f"{one['tier']} by day {one['day']:,}")
    return replace(
        wider,
        text_table=Rows(_HEADINGS, [_cells(one) for one in ends]),
        notes=tuple(f"no band for {joined(days)}: {why}" for why, days in missing.items()),
    )


def followed(side: Sequence[Record]) -> list[Record]:
    """Return the days of a tier, before the freeze or after it, while enough are followed."""
    return [one for one in side if one["n_at_risk"] >= FEWEST_FOLLOWED * side[0]["n_at_risk"]]


def last_days(curve: Sequence[Record]) -> list[Record]:
    """Return the last such day of each tier before the freeze, and after it."""
    sides: dict[tuple[str, bool], list[Record]] = {}
    for one in curve:
        sides.setdefault((one["tier"], one["day"] > 0), []).append(one)
    return [followed(side)[-1] for side in sides.values()]


def _cells(one: Record) -> tuple[object, ...]:
    share = with_limits(one["share_with_event"], one["low"], one["high"], of=percent)
    return (one["tier"], one["day"], one["n_at_risk"], share)
