"""Curves of the time to event, by tier and on both sides of the freeze."""

from collections.abc import Sequence

from tracker.reports.pages.figures import Curves, Mark, Point, Scale
from tracker.reports.pages.sections import Drawing
from tracker.reports.pages.tiers import TIERS
from tracker.reports.records import Record
from tracker.reports.survival_text import followed, last_days
from tracker.reports.words import between, joined, percent
from tracker.rows import Rows

# Parts of a curve.
_BEFORE, _AFTER = 0, 1
# What a table of the curve needs; how it was computed is said above it.
_COLUMNS = ("tier", "day", "n_at_risk", "n_events", "share_with_event", "low", "high")


def drawing(curve: Sequence[Record]) -> Drawing | None:
    """Draw the rows of the view survival_curve; None if no pair has an event."""
    points = _points(curve)
    if points is None:
        return None
    starts = {one.series: one for one in points if one.part == _BEFORE}
    ends = {one.series: one for one in points if one.part == _AFTER}
    last_day = max((one.x for one in ends.values()), default=0)
    reached = []
    for one in ends.values():
        interval = between(one.low, one.high, of=percent)
        reached.append(f"{percent(one.y)} of the {one.series}{interval and f' ({interval})'}")
    return Drawing(
        f"By day {last_day:,.0f} after the freeze a first event had come for {joined(reached)}."
        if reached
        else "No pair has been followed beyond the freeze yet.",
        Curves(
            tuple(points),
            Scale("days from the freeze", ",.0f"),
            Scale("share of pairs with an event", ".0%", 0),
            is_step=True,
            has_dots=False,
            has_bands=True,
            upright=Mark(0, "before ◂ freeze ▸ after"),
        ),
        [
            *[f"before the freeze, {one.series}: {percent(one.y)}" for one in starts.values()],
            *[f"by day {one.x:,.0f}, {one.series}: {percent(one.y)}" for one in ends.values()],
        ],
        rows=Rows(list(_COLUMNS), [tuple(one.get(name) for name in _COLUMNS) for one in curve]),
        note=" ".join(["", *_without_band(curve)]),
    )


def _without_band(curve: Sequence[Record]) -> list[str]:
    """Say of which tiers the curve ends without a band, and why."""
    tiers: dict[str, list[str]] = {}
    for one in last_days(curve):
        if one["tier"] in TIERS and one.get("reason"):
            side = "after" if one["day"] > 0 else "before"
            tiers.setdefault(one["reason"], []).append(f"{one['tier']} {side} the freeze")
    return [f"No band at the end of {joined(names)}: {why}." for why, names in tiers.items()]


def _points(curve: Sequence[Record]) -> list[Point] | None:
    """Return the curves of each tier, None if no pair has an event.

    Left of the freeze are the pairs with an event by then, out of all; right of it those with a
    later event, out of the pairs without one yet.
    """
    events = [one["day"] for one in curve if one["n_events"]]
    if not events:
        return None
    first_day = min(0, *events)
    found: list[Point] = []
    for tier, name in TIERS.items():
        for part, start in ((_BEFORE, first_day), (_AFTER, 0)):
            side = [one for one in curve if one["tier"] == tier and (one["day"] > 0) == part]
            if side or (part == _BEFORE and any(one["tier"] == tier for one in curve)):
                found += _steps(name, side, start, part)
    return found


def _steps(name: str, side: Sequence[Record], start: int, part: int) -> list[Point]:
    """Return the share with an event from `start`, while enough pairs are followed."""
    kept = followed(side)
    drawn = [Point(name, start, 0.0, part=part)] + [
        Point(name, one["day"], one["share_with_event"], one.get("low"), one.get("high"), part)
        for one in kept
        if one["n_events"]
    ]
    if len(kept) < len(side):
        end = side[len(kept)]["day"]
    else:
        end = side[-1]["day"] if part == _AFTER else 0
    last = drawn[-1]
    return [*drawn, Point(name, end, last.y, last.low, last.high, part)]
