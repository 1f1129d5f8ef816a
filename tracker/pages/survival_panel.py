"""The panel of time to event: Kaplan-Meier curves by tier on both sides of the freeze."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tracker.pages.figures import Curves, Mark, Point, Scale
from tracker.pages.page import Panel
from tracker.report.build import Report
from tracker.report.records import Record, records, rows_of
from tracker.report.words import between, joined, percent
from tracker.uncertainty import stats

_BEFORE, _AFTER = 0, 1


def panel(report: Report, tier_names: dict[str, str]) -> Panel | None:
    """Return the panel, None without predictions or where no pair has a dated event.

    Left of the freeze stand the pairs that had their event by then, out of all; right of it the
    pairs that had it later, out of those that did not have it yet. `tier_names` gives the tiers
    to draw, in order, with their names.
    """
    followed = records(report.sections, "follow_up_count")
    events = [one["follow_up_days"] for one in followed if one["is_event"]]
    if not events:
        return None
    first_day = min(0, *events)
    points: list[Point] = []
    for tier, name in tier_names.items():
        of_tier = [one for one in followed if one["tier"] == tier]
        if of_tier:
            points += _before(name, of_tier, first_day) + _after(name, of_tier)
    ends = {one.series: one for one in points if one.part == _AFTER}
    last_day = max((one.x for one in ends.values()), default=0)
    reached = [f"{percent(one.y)} of the {one.series}{_in_brackets(one)}" for one in ends.values()]
    starts = {one.series: one for one in points if one.part == _BEFORE}
    return Panel(
        "follow_up_count",
        "Time to the first event",
        f"By day {last_day:,.0f} after the freeze a first event had come for {joined(reached)}."
        if reached
        else "No pair has been followed beyond the freeze yet.",
        "Kaplan-Meier, with 95% log-log intervals as bands where there are events enough. Left of "
        "the freeze: what had already happened, which proves nothing. Right of it, from zero "
        "again: pairs without an event until then; announced and unverified events are among "
        "them. A pair without an event counts up to the last day that evidence covers.",
        rows_of(report.sections, "follow_up_count"),
        Curves(
            tuple(points),
            Scale("days from the freeze", ",.0f"),
            Scale("share of pairs with an event", ".0%", 0),
            is_step=True,
            has_dots=False,
            has_bands=True,
            upright=Mark(0, "before ◂ freeze ▸ after"),
        ),
        "Rising steps by tier, on both sides of the freeze. "
        + "; ".join(
            [f"before the freeze, {one.series}: {percent(one.y)}" for one in starts.values()]
            + [f"by day {one.x:,.0f}, {one.series}: {percent(one.y)}" for one in ends.values()]
        )
        + ".",
    )


def _in_brackets(point: Point) -> str:
    interval = between(point.low, point.high, of=percent)
    return f" ({interval})" if interval else ""


def _before(name: str, followed: Sequence[Record], first_day: int) -> list[Point]:
    days, is_event = _pairs(followed)
    return _steps(
        name,
        np.minimum(days, 0) - first_day,
        is_event & (days <= 0),
        start=first_day,
        end=0,
        part=_BEFORE,
    )


def _after(name: str, followed: Sequence[Record]) -> list[Point]:
    days, is_event = _pairs([one for one in followed if one["follow_up_days"] > 0])
    if not len(days):
        return []
    return _steps(name, days, is_event, start=0, end=int(days.max()), part=_AFTER)


def _pairs(followed: Sequence[Record]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return the days and whether there was an event, an element a pair."""
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
    """Return the share with an event by each time, drawn from `start` to `end`."""
    curve = stats.kaplan_meier(times, has_event)
    points = [Point(name, start, 0.0, part=part)]
    for time, free, low, high in zip(
        curve.time, curve.probability, curve.low, curve.high, strict=True
    ):
        is_known = not np.isnan(low)
        points.append(
            Point(
                name,
                start + float(time),
                1 - float(free),
                1 - float(high) if is_known else None,
                1 - float(low) if is_known else None,
                part,
            )
        )
    last = points[-1]
    return [*points, Point(name, end, last.y, last.low, last.high, part)]
