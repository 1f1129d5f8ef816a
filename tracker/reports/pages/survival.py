"""The time to the first event by tier, before and after the freeze: table and curves."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from tracker.reports.pages.figures import Curves, Mark, Point, Scale
from tracker.reports.pages.sections import Drawing
from tracker.reports.pages.tiers import TIERS
from tracker.reports.records import Record, Section, records
from tracker.reports.uncertainty import Subject
from tracker.reports.words import between, by_reason, joined, percent, with_limits
from tracker.rows import Rows
from tracker.uncertainty import stats
from tracker.uncertainty.estimates import survival_bands

# A curve ends when fewer than this share of its pairs is followed, since the last steps of a few
# pairs look like a result (Pocock, Clayton and Altman 2002).
_FEWEST_FOLLOWED = 0.1
_BEFORE, _AFTER = 0, 1
# The columns of the curve's table; the text above it describes the computation.
_COLUMNS = ("tier", "day", "n_at_risk", "n_events", "share_with_event", "low", "high")


def text_table(section: Section, subject: Subject) -> Section:
    """Return the section with the band by disease, its method, or the reason for its absence.

    Texts show each tier's last day before and after the freeze, and below them the reasons.
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
    ends = _last_days(records([wider], section.view))
    return replace(
        wider,
        text_table=Rows(
            ["tier", "day", "at risk", "share with an event (95%)"],
            [
                (
                    one["tier"],
                    one["day"],
                    one["n_at_risk"],
                    with_limits(one["share_with_event"], one["low"], one["high"], of=percent),
                )
                for one in ends
            ],
        ),
        notes=tuple(_without_band(ends)),
    )


def _followed(side: Sequence[Record]) -> list[Record]:
    """Return the days on one side of the freeze on which enough pairs are followed."""
    return [one for one in side if one["n_at_risk"] >= _FEWEST_FOLLOWED * side[0]["n_at_risk"]]


def _last_days(curve: Sequence[Record]) -> list[Record]:
    """Return the last such day of each tier on each side of the freeze."""
    sides: dict[tuple[str, bool], list[Record]] = {}
    for one in curve:
        sides.setdefault((one["tier"], one["day"] > 0), []).append(one)
    return [_followed(side)[-1] for side in sides.values()]


def _without_band(ends: Sequence[Record]) -> Iterator[str]:
    """Say which curves end without a band, and why."""
    reasons = [(one.get("reason"), f"{one['tier']} by day {one['day']:,}") for one in ends]
    for reason, days in by_reason(reasons):
        yield f"No band for {days}: {reason}."


def drawing(sections: Sequence[Section], _lead: object) -> Drawing | None:
    """Draw the rows of the view survival_curve; None if no pair has an event."""
    curve = records(sections, "survival_curve")
    points = _points(curve)
    if points is None:
        return None
    ends_shown = [one for one in _last_days(curve) if one["tier"] in TIERS]
    starts = {one.series: one for one in points if one.part == _BEFORE}
    ends = {one.series: one for one in points if one.part == _AFTER}
    return Drawing(
        _reached(list(ends.values())),
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
        note=" ".join(["", *_without_band(ends_shown)]),
    )


def _reached(ends: Sequence[Point]) -> str:
    """Return one sentence: the share with an event at the end of each tier's curve."""
    days = [f"by day {one.x:,.0f}" for one in ends]
    if not days:
        return "No pair has been followed beyond the freeze yet."
    is_one_day = len(set(days)) == 1
    reached = []
    for one, day in zip(ends, days, strict=True):
        interval = between(one.low, one.high, of=percent)
        words = f"{percent(one.y)} of the {one.series}{interval and f' ({interval})'}"
        reached.append(words if is_one_day else f"{words} {day}")
    when = f"By day {ends[0].x:,.0f} after" if is_one_day else "After"
    return f"{when} the freeze a first event had come for {joined(reached)}."


def _points(curve: Sequence[Record]) -> list[Point] | None:
    """Return the curves of each tier, None if no pair has an event.

    Before the freeze they show the share of all pairs with an event by then; after it, of the pairs
    without one yet, the share with a later event.
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
    kept = _followed(side)
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
