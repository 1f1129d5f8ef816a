"""Curves of the time to event, by tier and on both sides of the freeze."""

from collections.abc import Mapping, Sequence

from tracker.pages.figures import Point
from tracker.report.records import Record
from tracker.report.survival import followed

# Parts of a curve.
BEFORE, AFTER = 0, 1


def points(curve: Sequence[Record], tier_names: Mapping[str, str]) -> list[Point] | None:
    """Return the curves of rows of the view survival_curve, None if no pair has an event.

    Left of the freeze are the pairs with an event by then, out of all; right of it those with a
    later event, out of the pairs without one yet. `tier_names` maps the tiers to draw, in order,
    to their names.
    """
    events = [one["day"] for one in curve if one["n_events"]]
    if not events:
        return None
    first_day = min(0, *events)
    found: list[Point] = []
    for tier, name in tier_names.items():
        for part, start in ((BEFORE, first_day), (AFTER, 0)):
            side = [one for one in curve if one["tier"] == tier and (one["day"] > 0) == part]
            if side or (part == BEFORE and any(one["tier"] == tier for one in curve)):
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
        end = side[-1]["day"] if part == AFTER else 0
    last = drawn[-1]
    return [*drawn, Point(name, end, last.y, last.low, last.high, part)]
