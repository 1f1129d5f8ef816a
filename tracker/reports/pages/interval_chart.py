"""Draws rows of dots with intervals, side by side on one axis."""

import math
from typing import Any

import altair as alt

from tracker import text_tables
from tracker.reports.pages.drawing import (
    COLOURS,
    LABEL_LIMIT,
    LETTER,
    SHAPES,
    WIDTH,
    by_series,
    fitted,
    haloed,
    labels_of,
    legend_of,
    upright,
    x_axis,
)
from tracker.reports.pages.figures import Estimate, Intervals, Scale

# The widest plot, in pixels; the labels of rows are left of it.
_PLOT_WIDTH = 290
_ROW_HEIGHT = 26
_LONGEST_ROW = 24
# The cut of a ratio's interval, in multiples of the largest and the smallest value.
_WIDEST = 3
_MOST_TICKS = 6
# The ticks of a logarithmic axis within a power of ten, the densest first.
_ROUND = (
    (1, 1.2, 1.4, 1.6, 1.8, 2, 2.5, 3, 4, 5, 6, 8),
    (1, 1.5, 2, 3, 5, 7),
    (1, 2, 5),
    (1, 3),
    (1,),
)
# A label hangs from the middle of its row, so two lines are moved up by half a line.
_CENTERED: Any = {
    "condition": {"test": "indexof(datum.label, '\\n') >= 0", "value": -7.5},
    "value": 0,
}


def intervals(figure: Intervals) -> alt.LayerChart:
    """Draw a dot with its interval and note for each estimate; series differ by shape too."""
    row_labels = _in_lines(labels_of((one.row for one in figure.estimates), 2 * _LONGEST_ROW))
    series_labels = labels_of(one.series for one in figure.estimates)
    low, high = _ends(figure)
    rows_of_data = [
        {
            "row": row_labels[one.row],
            "series": series_labels[one.series],
            "x": one.value if one.value >= low else None,
            "low": None if one.low is None else max(one.low, low),
            "high": None if one.high is None else min(one.high, high),
            "start": low,
            "end": min(top, high),
            "is_cut_below": bottom < low,
            "is_cut": top > high,
            "note": one.note,
        }
        for one in figure.estimates
        for bottom, top in [_reach(one, low)]
    ]
    rows, names = list(row_labels.values()), list(series_labels.values())
    colours, shapes = COLOURS, SHAPES
    if figure.styles:
        styles = [one for one in figure.styles if one.series in series_labels]
        names = [one.series for one in styles]
        colours = [COLOURS[one.colour - 1] for one in styles]
        shapes = [one.shape for one in styles]
    # Series share a line unless a row has several.
    n_lines = 1 if len(rows) == len(figure.estimates) else len(names)
    # Room for the longest note, on the right of its interval.
    longest = max((len(one.note) for one in figure.estimates), default=0)
    widest = max(len(line) for label in rows for line in label.split("\n")) * LETTER
    beside = WIDTH - min(widest, LABEL_LIMIT) - 20
    legend = legend_of(names, room=beside)
    room = min(0.6, (longest + 1) * LETTER / min(_PLOT_WIDTH, beside))
    if figure.scale.is_ratio:
        end = low * (high / low) ** (1 / (1 - room))
        ends, ticks = (low, end), ratio_values(low, high)
    else:
        span = (high - low) or 1.0
        ends = low - 0.04 * span if low < 0 else low, low + span / (1 - room)
        ticks = round_values(low, high, figure.scale.least_step)
    scale = Scale(
        figure.scale.title,
        figure.scale.number_format,
        *ends,
        ticks,
        is_log=figure.scale.is_ratio,
    )
    base = alt.Chart(alt.InlineData(values=rows_of_data)).encode(
        y=alt.Y(
            "row:N",
            sort=rows,
            title=None,
            axis=alt.Axis(
                domain=False,
                ticks=False,
                labelPadding=10,
                labelExpr="split(datum.label, '\\n')",
                labelOffset=_CENTERED,
            ),
        ),
        color=by_series(alt.Color, names, colours, legend),
    )
    if n_lines > 1:
        base = base.encode(yOffset=alt.YOffset("series:N", sort=names))
    layers = [
        *upright(figure.mark, scale),
        base.transform_filter("isValid(datum.low)")
        .mark_rule(strokeWidth=2)
        .encode(x=x_axis(scale, "low"), x2="high:Q"),
        *_arrows(base, scale, "triangle-left", "start", rows_of_data, "is_cut_below"),
        *_arrows(base, scale, "triangle-right", "end", rows_of_data, "is_cut"),
        base.transform_filter("isValid(datum.x)")
        .mark_point(size=80, filled=True, opacity=1)
        .encode(x=x_axis(scale), shape=by_series(alt.Shape, names, shapes, legend)),
        *haloed(base.encode(x=x_axis(scale, "end"), text="note:N"), align="left", dx=8),
    ]
    height = len(rows) * (_ROW_HEIGHT * n_lines + 4) + 50
    return fitted(layers, height, names, figure.mark, room=beside)


def _ends(figure: Intervals) -> tuple[float, float]:
    """Return the ends of the axis, without the room for notes.

    A ratio's axis is logarithmic: half and twice are equally far from 1. Each end is cut where a
    much longer interval would make the values unreadable.
    """
    values = [one.value for one in figure.estimates if not math.isnan(one.value)]
    if figure.mark:
        values.append(figure.mark.at)
    if not figure.scale.is_ratio:
        low = figure.scale.low or 0.0
        tops = [_reach(one, low)[1] for one in figure.estimates]
        return low, max(*tops, *values, figure.scale.high or 0.0)
    values = [one for one in values if one > 0] or [1.0]
    limits = [_reach(one, min(values)) for one in figure.estimates]
    low = max(min([*(bottom for bottom, _ in limits), *values]), min(values) / _WIDEST)
    high = min(max([*(top for _, top in limits), *values]), max(values) * _WIDEST)
    # A single value gets room on both sides.
    return (low, high) if low < high else (low / _WIDEST, high * _WIDEST)


def _reach(one: Estimate, otherwise: float) -> tuple[float, float]:
    """Return the ends of an interval; without one, the value twice."""
    value = otherwise if math.isnan(one.value) else one.value
    return value if one.low is None else one.low, value if one.high is None else one.high


def _arrows(
    base: alt.Chart, scale: Scale, shape: str, field: str, rows: list[dict[str, Any]], is_cut: str
) -> list[alt.Chart]:
    """Mark intervals that extend beyond an end of the axis."""
    if not any(row[is_cut] for row in rows):
        return []
    return [
        base.transform_filter(f"datum.{is_cut}")
        .mark_point(shape=shape, size=70, filled=True, opacity=1)
        .encode(x=x_axis(scale, field))
    ]


def ratio_values(low: float, high: float) -> tuple[float, ...]:
    """Return the roundest numbers from `low` to `high` for the ticks of a logarithmic axis."""
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    for steps in _ROUND:
        found = [step * 10**power for power in range(first, last + 1) for step in steps]
        within = tuple(round(one, 12) for one in found if low <= one * (1 + 1e-9) and one <= high)
        if len(within) <= _MOST_TICKS:
            return within
    return within


def round_values(low: float, high: float, least_step: float = 0) -> tuple[float, ...]:
    """Return at most about five round numbers from `low` to `high` for the ticks of an axis."""
    span = (high - low) or 1.0
    size = 10 ** math.floor(math.log10(span / 5))
    step = max(least_step, next(size * n for n in (1, 2, 5, 10) if span / (size * n) <= 6))
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return tuple(round(number * step, 12) for number in range(first, last + 1))


def _in_lines(labels: dict[str, str]) -> dict[str, str]:
    """Break labels longer than a line of the axis in two, at a space if there is one."""
    broken = {}
    for name, label in labels.items():
        first, *more = text_tables.wrap(label, _LONGEST_ROW)
        broken[name] = "\n".join([first, " ".join(more)]) if more else first
    return broken
