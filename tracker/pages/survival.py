"""Kaplan-Meier curves of the time to event, by tier and on both sides of the freeze."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from tracker.pages.figures import Point
from tracker.report.records import Record
from tracker.uncertainty import stats

# Parts of a curve.
BEFORE, AFTER = 0, 1

# A curve ends where fewer than this share of its pairs are still followed: the last steps of a few
# pairs look like a result (Pocock, Clayton and Altman 2002).
FEWEST_FOLLOWED = 0.1


def points(followed: Sequence[Record], tier_names: Mapping[str, str]) -> list[Point] | None:
    """Return the curves of rows of the view follow_up_count, None if no pair has an event.

    Left of the freeze are the pairs with an event by then, out of all; right of it those with a
    later event, out of the pairs without one yet. `tier_names` maps the tiers to draw, in order,
    to their names.
    """
    events = [one["follow_up_days"] for one in followed if one["is_event"]]
    if not events:
        return None
    first_day = min(0, *events)
    found: list[Point] = []
    for tier, name in tier_names.items():
        of_tier = [one for one in followed if one["tier"] == tier]
        if of_tier:
            found += _before(name, of_tier, first_day) + _after(name, of_tier)
    return found


def _before(name: str, followed: Sequence[Record], first_day: int) -> list[Point]:
    days, is_event = _pairs(followed)
    return _steps(
        name,
        np.minimum(days, 0) - first_day,
        is_event & (days <= 0),
        start=first_day,
        end=0,
        part=BEFORE,
    )


def _after(name: str, followed: Sequence[Record]) -> list[Point]:
    days, is_event = _pairs([one for one in followed if one["follow_up_days"] > 0])
    if not len(days):
        return []
    return _steps(name, days, is_event, start=0, end=int(days.max()), part=AFTER)


def _pairs(followed: Sequence[Record]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return the days and whether there was an event, one element per pair."""
    n_pairs = [one["n_pairs"] for one in followed]
    days = np.repeat(np.array([one["follow_up_days"] for one in followed], np.int64), n_pairs)
    return days, np.repeat(np.array([one["is_event"] for one in followed], np.bool_), n_pairs)


def _steps(
    name: str,
    times: NDArray[np.int64],
    has_event: NDArray[np.bool_],
    *,
    start: int,
    end: int,
    part: int,
) -> list[Point]:
    """Return the share with an event by each time, from `start` while enough are followed."""
    curve = stats.kaplan_meier(times, has_event)
    drawn = [Point(name, start, 0.0, part=part)]
    for time, n_at_risk, free, low, high in zip(
        curve.time, curve.n_at_risk, curve.probability, curve.low, curve.high, strict=True
    ):
        if n_at_risk < FEWEST_FOLLOWED * len(times):
            end = start + int(time)
            break
        is_known = not np.isnan(low)
        drawn.append(
            Point(
                name,
                start + float(time),
                1 - float(free),
                1 - float(high) if is_known else None,
                1 - float(low) if is_known else None,
                part,
            )
        )
    last = drawn[-1]
    return [*drawn, Point(name, end, last.y, last.low, last.high, part)]
