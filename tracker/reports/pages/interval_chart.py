"""Draws rows of dots with intervals, side by side on one axis."""

import math
from typing import Any

import altair as alt

from tracker import tables
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
from tracker.reports.pages.figures import Intervals, Scale

# The labels of rows are left of the plot, which is no wider than this.
_PLOT_WIDTH = 290
_ROW_HEIGHT = 26
_LONGEST_ROW = 24
# Where intervals of ratios are cut, in times the largest value.
_WIDEST = 3
# The lines of a label hang from the middle of its row: two of them are moved up by half a line.
_CENTERED: Any = {
    "condition": {"test": "indexof(datum.label, '\\n') >= 0", "value": -7.5},
    "value": 0,
}


def intervals(figure: Intervals) -> alt.LayerChart:
    """Draw a dot with its interval and note for each estimate; series differ by shape too."""
    row_labels = _in_lines(labels_of((one.row for one in figure.estimates), 2 * _LONGEST_ROW))
    series_labels = labels_of(one.series for one in figure.estimates)
    low = figure.scale.low or 0.0
    least = max(
        figure.scale.high or 0.0,
        figure.mark.at if figure.mark else 0.0,
        *(one.value for one in figure.estimates if not math.isnan(one.value)),
    )
    tops = [
        low if math.isnan(one.value) else one.value if one.high is None else one.high
        for one in figure.estimates
    ]
    high = max(*tops, least)
    if figure.scale.is_ratio:
        # Nothing else could be read beside an interval much longer than that.
        high = min(high, _WIDEST * least)
    rows_of_data = [
        {
            "row": row_labels[one.row],
            "series": series_labels[one.series],
            "x": None if math.isnan(one.value) else one.value,
            "low": one.low,
            "high": None if one.high is None else min(one.high, high),
            "end": min(top, high),
            "is_cut": top > high,
            "note": one.note,
        }
        for one, top in zip(figure.estimates, tops, strict=True)
    ]
    rows, names = list(row_labels.values()), list(series_labels.values())
    colours, shapes = COLOURS, SHAPES
    if figure.styles:
        styles = [one for one in figure.styles if one.series in series_labels]
        names = [one.series for one in styles]
        colours = [COLOURS[one.colour - 1] for one in styles]
        shapes = [one.shape for one in styles]
    # Where series have a style of their own, the notes name them.
    legend = None if figure.styles else legend_of(names)
    # Series share a line unless a row has several of them.
    n_lines = 1 if len(rows) == len(figure.estimates) else len(names)
    span = (high - low) or 1.0
    # Room on the right for the longest note, placed after the end of its interval.
    longest = max((len(one.note) for one in figure.estimates), default=0)
    widest = max(len(line) for label in rows for line in label.split("\n")) * LETTER
    plot_width = min(_PLOT_WIDTH, WIDTH - min(widest, LABEL_LIMIT) - 20)
    room = min(0.6, (longest + 1) * LETTER / plot_width)
    scale = Scale(
        figure.scale.title,
        figure.scale.number_format,
        low - 0.04 * span if low < 0 else low,
        low + span / (1 - room),
        round_values(low, high),
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
        *(_arrows(base, scale) if any(top > high for top in tops) else ()),
        base.transform_filter("isValid(datum.x)")
        .mark_point(size=80, filled=True, opacity=1)
        .encode(x=x_axis(scale), shape=by_series(alt.Shape, names, shapes, legend)),
        *haloed(base.encode(x=x_axis(scale, "end"), text="note:N"), align="left", dx=8),
    ]
    height = len(rows) * (_ROW_HEIGHT * n_lines + 4) + 50
    return fitted(layers, height, names if legend else (), figure.mark)


def _arrows(base: alt.Chart, scale: Scale) -> list[alt.Chart]:
    """Mark the intervals that go on beyond the end of the axis."""
    return [
        base.transform_filter("datum.is_cut")
        .mark_point(shape="triangle-right", size=70, filled=True, opacity=1)
        .encode(x=x_axis(scale, "end"))
    ]


def round_values(low: float, high: float) -> tuple[float, ...]:
    """Return about five round numbers from `low` to `high` for the ticks of an axis."""
    span = (high - low) or 1.0
    size = 10 ** math.floor(math.log10(span / 5))
    step = next(size * one for one in (1, 2, 5, 10) if span / (size * one) <= 6)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return tuple(round(number * step, 12) for number in range(first, last + 1))


def _in_lines(labels: dict[str, str]) -> dict[str, str]:
    """Break labels that are longer than a line of the axis in two, at a space if there is one."""
    broken = {}
    for name, label in labels.items():
        first, *more = tables.wrap(label, _LONGEST_ROW)
        broken[name] = "\n".join([first, " ".join(more)]) if more else first
    return broken
