"""The shared parts of the drawings of charts.py: colours, shapes, axes, legends and words.

Colours are CSS variables of templates/style.css, so one drawing serves light, dark and print.
Lengths are pixels of a drawing `WIDTH` wide, which a page scales to its column.
"""

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from itertools import cycle, islice
from typing import Any, TypeVar

import altair as alt

from tracker.reports.pages.figures import Mark, Point, Scale
from tracker.rows import shown

WIDTH = 400
# About the width of a letter in the drawing's font, to keep notes and legends inside.
LETTER = 7
# The width at which the labels of an axis are cut off, in pixels.
LABEL_LIMIT = 180
_LONGEST_NAME = 40

INK, MUTED, GRID, PAPER = "var(--ink)", "var(--muted)", "var(--grid)", "var(--paper)"
COLOURS = [f"var(--series-{number})" for number in range(1, 7)]
SHAPES = ["circle", "square", "diamond", "triangle-up", "cross", "triangle-down"]
REFERENCE: dict[str, Any] = {"stroke": INK, "strokeWidth": 1, "strokeDash": [4, 3]}
TEXT: dict[str, Any] = {"fill": INK, "fontSize": 13}

Channel = TypeVar("Channel", alt.Color, alt.Shape, alt.StrokeDash)


def fitted(
    layers: Sequence[alt.Chart],
    height: int,
    names: Sequence[str] = (),
    mark: Mark | None = None,
    *,
    room: float = WIDTH,
) -> alt.LayerChart:
    """Layer charts, with room above for a legend of width `room` and the words of a mark."""
    if len(names) > 1:
        height += 20 * -(-len(names) // _legend_columns(names, room)) + 8
    if mark is not None:
        height += 18
    return alt.LayerChart(layer=layers).properties(
        width=WIDTH, height=height, autosize=alt.AutoSizeParams(type="fit", contains="padding")
    )


def data_of(points: Sequence[Point]) -> alt.InlineData:
    """Return points as data, their series by label."""
    labels = labels_of(one.series for one in points)
    return alt.InlineData(values=[{**asdict(one), "series": labels[one.series]} for one in points])


def names_of(points: Sequence[Point]) -> list[str]:
    """Return the labels of the series, in the order in which they first occur."""
    return list(labels_of(one.series for one in points).values())


def labels_of(names: Iterable[str], most: int = _LONGEST_NAME) -> dict[str, str]:
    """Shorten each name to fit a drawing, without control codes and with no two alike."""
    labels: dict[str, str] = {}
    for name in dict.fromkeys(names):
        label = shown(name)
        if len(label) > most:
            label = f"{label[: most - 1]}…"
        # The number comes first: the drawing may cut off the label's end.
        labels[name] = label if label not in labels.values() else f"{len(labels) + 1}. {label}"
    return labels


def x_axis(scale: Scale, field: str = "x") -> alt.X:
    """Return the horizontal position of a field."""
    ticks: dict[str, Any] = {"values": list(scale.ticks)} if scale.ticks else {"tickCount": 5}
    axis = alt.Axis(format=scale.number_format, labelFlush=True, **ticks, **_step(scale))
    return alt.X(f"{field}:Q", title=scale.title, axis=axis, scale=_domain(scale))


def y_axis(scale: Scale, field: str = "y") -> alt.Y:
    """Return the vertical position of a field."""
    axis = alt.Axis(format=scale.number_format, tickCount=6, **_step(scale))
    return alt.Y(f"{field}:Q", title=scale.title, axis=axis, scale=_domain(scale))


def _step(scale: Scale) -> dict[str, Any]:
    return {"tickMinStep": scale.least_step} if scale.least_step else {}


def _domain(scale: Scale) -> alt.Scale:
    if scale.is_log:
        ends = [
            min(scale.ticks) if scale.low is None else scale.low,
            max(scale.ticks) if scale.high is None else scale.high,
        ]
        return alt.Scale(type="log", domain=ends, padding=8)
    given: dict[str, Any] = {}
    if scale.low is not None:
        given["domainMin"] = scale.low
    if scale.high is not None:
        given["domainMax"] = scale.high
    if scale.is_falling:
        given["reverse"] = True
    # Without a given end, leave room at the end of the data for a dot and its interval.
    return alt.Scale(zero=False, nice=scale.high is None, padding=0 if given else 8, **given)


def by_series(
    channel: type[Channel], names: Sequence[str], values: Sequence[Any], legend: alt.Legend | None
) -> Channel:
    """Assign values to the series in turn."""
    scale = alt.Scale(domain=list(names), range=list(islice(cycle(values), len(names))))
    return channel("series:N", sort=names, scale=scale, legend=legend)


def legend_of(
    names: Sequence[str], *, has_dots: bool = True, room: float = WIDTH
) -> alt.Legend | None:
    """Return a legend for more than one series, with dashes for lines without dots.

    It begins where the plot does, and is no wider than `room`.
    """
    if len(names) < 2:
        return None
    line: dict[str, Any] = (
        {"symbolStrokeWidth": 0} if has_dots else {"symbolType": "stroke", "symbolSize": 400}
    )
    return alt.Legend(columns=_legend_columns(names, room), **line)


def _legend_columns(names: Sequence[str], room: float) -> int:
    widest = max(len(name) for name in names) * LETTER + 36
    return max(1, min(len(names), int(room / widest)))


def upright(mark: Mark | None, scale: Scale) -> list[alt.Chart]:
    """Return a dashed vertical line with its words above, nothing without a mark."""
    if mark is None:
        return []
    base = alt.Chart(alt.InlineData(values=[{"x": mark.at, "label": mark.label}]))
    label = base.mark_text(dy=-9, **TEXT)
    return [
        base.mark_rule(**REFERENCE).encode(x=x_axis(scale)),
        label.encode(x=x_axis(scale), y=alt.value(0), text="label:N"),
    ]


def haloed(base: alt.Chart, **place: Any) -> list[alt.Chart]:
    """Text over a halo in the page's background, legible across a line."""
    return [
        base.mark_text(fill=PAPER, stroke=PAPER, strokeWidth=4, fontSize=13, **place),
        base.mark_text(**TEXT, **place),
    ]
