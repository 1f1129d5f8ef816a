"""Draws figures as SVG with altair and vl-convert, in the page's two themes.

Colours are CSS variables of templates/style.css, so one drawing serves light, dark and print.
Series differ by dash and shape as well as colour, for greyscale and colour blindness. Lengths
are pixels of a drawing 400 wide, which a page scales to its column.
"""

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from itertools import cycle, islice
from typing import Any, TypeVar
from xml.sax.saxutils import quoteattr

import altair as alt
import vl_convert

from tracker.pages.figures import Columns, Curves, Figure, Intervals, Mark, Matrix, Point, Scale
from tracker.report.words import prose
from tracker.rows import shown

_WIDTH = 400
# The labels of rows or of the vertical axis are left of the plot.
_PLOT_WIDTH = 290
_ROW_HEIGHT = 26
# About the width of a letter in the drawing's font, to keep notes and legends inside.
_LETTER = 7
_LONGEST_NAME = 40
_LONGEST_ROW = 24
# Where intervals of ratios are cut, in times the largest value.
_WIDEST = 3

_INK, _MUTED, _GRID, _PAPER = "var(--ink)", "var(--muted)", "var(--grid)", "var(--paper)"
_COLOURS = [f"var(--series-{number})" for number in range(1, 7)]
_SHAPES = ["circle", "square", "diamond", "triangle-up", "cross", "triangle-down"]
_DASHES = [[1, 0], [7, 3], [2, 2], [9, 3, 2, 3], [12, 4], [4, 4]]
_REFERENCE: dict[str, Any] = {"stroke": _INK, "strokeWidth": 1, "strokeDash": [4, 3]}
_TEXT: dict[str, Any] = {"fill": _INK, "fontSize": 13}

# Distinguish series.
Channel = TypeVar("Channel", alt.Color, alt.Shape, alt.StrokeDash)

_CONFIG: dict[str, Any] = {
    # The drawing is one image with one text alternative; parts are not read out.
    "aria": False,
    "background": "transparent",
    "font": "Liberation Sans",
    "view": {"stroke": None},
    "axis": {
        "labelColor": _INK,
        "titleColor": _INK,
        "labelFontSize": 13,
        "titleFontSize": 13,
        "titleFontWeight": "normal",
        "titlePadding": 8,
        "labelLimit": 150,
        "gridColor": _GRID,
        "domainColor": _MUTED,
        "tickColor": _MUTED,
    },
    "legend": {
        "orient": "top",
        "title": None,
        "labelColor": _INK,
        "labelFontSize": 13,
        "labelLimit": 340,
        "symbolSize": 70,
        "symbolStrokeWidth": 2,
        # An upright mark's words go between legend and plot.
        "offset": 22,
    },
}


def svg(figure: Figure, alternative: str) -> str:
    """Return the drawing as an `svg` element: an image whose text alternative is `alternative`.

    The same figure yields the same bytes. The element has no style, script or link.
    """
    match figure:
        case Intervals():
            chart = _intervals(figure)
        case Curves():
            chart = _curves(figure)
        case Columns():
            chart = _columns(figure)
        case Matrix():
            chart = _matrix(figure)
    version = ".".join(alt.SCHEMA_VERSION.removeprefix("v").split(".")[:2])
    drawn = vl_convert.vegalite_to_svg(chart.configure(**_CONFIG).to_dict(), vl_version=version)
    return _inline(drawn, alternative)


def _inline(drawn: str, alternative: str) -> str:
    """Fit a drawing to a page, which sets size and font; its root becomes the image."""
    found = re.match(r'<svg [^>]*?viewBox="([^"]*)"[^>]*>', drawn)
    if found is None:
        raise ValueError("vl-convert gave no drawing with a viewBox")
    body = re.sub(r"<[^>]*>", lambda tag: _slim(tag[0]), drawn[found.end() :])
    label = quoteattr(prose(alternative))
    return f'<svg class="chart" viewBox="{found[1]}" role="img" aria-label={label}>{body}'


def _slim(tag: str) -> str:
    """Strip a tag of attributes the page sets and digits beyond a hundredth of a pixel."""
    # Empty group backgrounds are a good part of a small drawing's bytes.
    if tag.startswith(('<path d=""', '<path d="M0,0h0v0h0Z"')):
        return ""
    tag = re.sub(
        r' (?:font-family|pointer-events|role|aria-[a-z]+|class)="[^"]*"| opacity="1"', "", tag
    )
    return re.sub(r"-?\d+\.\d{3,}", lambda number: f"{float(number[0]):.2f}", tag)


def _intervals(figure: Intervals) -> alt.LayerChart:
    row_labels = _labels((one.row for one in figure.estimates), _LONGEST_ROW)
    series_labels = _labels(one.series for one in figure.estimates)
    low = figure.scale.low or 0.0
    least = max(
        *(one.value for one in figure.estimates),
        figure.scale.high or 0.0,
        figure.mark.at if figure.mark else 0.0,
    )
    tops = [one.value if one.high is None else one.high for one in figure.estimates]
    high = max(*tops, least)
    if figure.scale.is_ratio:
        # Nothing else could be read beside an interval much longer than that.
        high = min(high, _WIDEST * least)
    rows_of_data = [
        {
            "row": row_labels[one.row],
            "series": series_labels[one.series],
            "x": one.value,
            "low": one.low,
            "high": None if one.high is None else min(one.high, high),
            "end": min(top, high),
            "is_cut": top > high,
            "note": one.note,
        }
        for one, top in zip(figure.estimates, tops, strict=True)
    ]
    rows, names = list(row_labels.values()), list(series_labels.values())
    legend = _legend(names)
    span = (high - low) or 1.0
    # Room on the right for the longest note, placed after the end of its interval.
    longest = max((len(one.note) for one in figure.estimates), default=0)
    room = min(0.5, (longest + 1) * _LETTER / _PLOT_WIDTH)
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
            axis=alt.Axis(domain=False, ticks=False, labelPadding=10),
        ),
        yOffset=alt.YOffset("series:N", sort=names),
        color=_by_series(alt.Color, names, _COLOURS, legend),
    )
    layers = [
        *_upright(figure.mark, scale),
        base.transform_filter("isValid(datum.low)")
        .mark_rule(strokeWidth=2)
        .encode(x=_x(scale, "low"), x2="high:Q"),
        *(_arrows(base, scale) if any(top > high for top in tops) else ()),
        base.mark_point(size=80, filled=True, opacity=1).encode(
            x=_x(scale), shape=_by_series(alt.Shape, names, _SHAPES, legend)
        ),
        *_haloed(base.encode(x=_x(scale, "end"), text="note:N"), align="left", dx=8),
    ]
    height = len(rows) * (_ROW_HEIGHT * len(names) + 4) + 50
    return _fitted(layers, height, names, figure.mark)


def _arrows(base: alt.Chart, scale: Scale) -> list[alt.Chart]:
    """Mark the intervals that go on beyond the end of the axis."""
    return [
        base.transform_filter("datum.is_cut")
        .mark_point(shape="triangle-right", size=70, filled=True, opacity=1)
        .encode(x=_x(scale, "end"))
    ]


def _curves(figure: Curves) -> alt.LayerChart:
    data = _data(figure.points)
    names = _names(figure.points)
    interpolate: Any = "step-after" if figure.is_step else "linear"
    base = alt.Chart(data).encode(
        x=_x(figure.x),
        y=_y(figure.y),
        color=_by_series(alt.Color, names, _COLOURS, _legend(names, has_dots=figure.has_dots)),
        detail="part:N",
    )
    layers = _upright(figure.upright, figure.x)
    if figure.has_diagonal:
        end = min(figure.x.high or 1, figure.y.high or 1)
        corners = [{"x": 0.0, "y": 0.0}, {"x": end, "y": end}]
        ends = alt.Chart(alt.InlineData(values=corners))
        layers.append(ends.mark_line(**_REFERENCE).encode(x=_x(figure.x), y=_y(figure.y)))
    if any(one.low is not None for one in figure.points):
        bounded = base.transform_filter("isValid(datum.low)")
        drawn = (
            bounded.mark_area(fillOpacity=0.15, strokeOpacity=0, interpolate=interpolate)
            if figure.has_bands
            else bounded.mark_rule(strokeWidth=1.5)
        )
        layers.append(drawn.encode(y=_y(figure.y, "low"), y2="high:Q"))
    # A dot's shape is clearer in a legend without its line.
    legend = None if figure.has_dots else _legend(names, has_dots=False)
    dash = _by_series(alt.StrokeDash, names, _DASHES, legend)
    layers.append(base.mark_line(strokeWidth=2, interpolate=interpolate).encode(strokeDash=dash))
    if figure.has_dots:
        dots = base.mark_point(size=50, filled=True, opacity=1)
        layers.append(dots.encode(shape=_by_series(alt.Shape, names, _SHAPES, _legend(names))))
    layers += _level(figure.level, figure.y)
    return _fitted(layers, 270, names, figure.upright)


def _columns(figure: Columns) -> alt.LayerChart:
    names = _names((*figure.expected, *figure.seen))
    legend = _legend(names)
    colour = _by_series(alt.Color, names, ["var(--column)", _COLOURS[0]], legend)
    shape = _by_series(alt.Shape, names, ["square", "circle"], legend)
    x = alt.X("x:O", title=figure.x.title, axis=alt.Axis(labelAngle=0))
    expected = alt.Chart(_data(figure.expected)).encode(x=x, y=_y(figure.y), color=colour)
    seen = alt.Chart(_data(figure.seen)).encode(x=x, y=_y(figure.y))
    layers = [
        expected.mark_bar(stroke=_MUTED, strokeWidth=1),
        seen.transform_filter("isValid(datum.low)")
        .mark_rule(strokeWidth=1.5, stroke=_COLOURS[0])
        .encode(y=_y(figure.y, "low"), y2="high:Q"),
        seen.mark_point(size=80, filled=True, opacity=1).encode(color=colour, shape=shape),
    ]
    return _fitted(layers, 270, names)


def _matrix(figure: Matrix) -> alt.LayerChart:
    values = [{"row": one.row, "column": one.column, "count": one.count} for one in figure.cells]
    base = alt.Chart(alt.InlineData(values=values)).encode(
        x=alt.X(
            "column:N",
            sort=list(figure.columns),
            title=None,
            axis=alt.Axis(
                orient="top",
                domain=False,
                ticks=False,
                labelAngle=0,
                # The lines of a name hang from the height of its first line.
                labelPadding=8 + 13 * max(name.count(" ") for name in figure.columns),
                labelExpr="split(datum.label, ' ')",
            ),
        ),
        y=alt.Y(
            "row:N",
            sort=list(figure.rows),
            title=None,
            axis=alt.Axis(domain=False, ticks=False, labelPadding=6),
        ),
    )
    # Pale enough for counts to be read on the darkest cell.
    shade = alt.FillOpacity("count:Q", scale=alt.Scale(domainMin=0, range=[0.03, 0.4]), legend=None)
    layers = [
        base.mark_rect(fill=_COLOURS[0], stroke=_GRID).encode(fillOpacity=shade),
        base.transform_filter(
            alt.FieldEqualPredicate(field="row", equal=figure.emphasis or "")
        ).mark_rect(fill="transparent", stroke=_INK, strokeWidth=2),
        base.mark_text(**_TEXT).encode(text=alt.Text("count:Q", format=",d")),
    ]
    return _fitted(layers, 50 + 30 * len(figure.rows))


def round_values(low: float, high: float) -> tuple[float, ...]:
    """Return about five round numbers from `low` to `high` for the ticks of an axis."""
    span = (high - low) or 1.0
    size = 10 ** math.floor(math.log10(span / 5))
    step = next(size * one for one in (1, 2, 5, 10) if span / (size * one) <= 6)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return tuple(round(number * step, 12) for number in range(first, last + 1))


def _fitted(
    layers: Sequence[alt.Chart], height: int, names: Sequence[str] = (), mark: Mark | None = None
) -> alt.LayerChart:
    """Layer charts, with room above for the legend and the words of a mark."""
    if len(names) > 1:
        height += 20 * -(-len(names) // _legend_columns(names)) + 8
    if mark is not None:
        height += 18
    return alt.LayerChart(layer=layers).properties(
        width=_WIDTH, height=height, autosize=alt.AutoSizeParams(type="fit", contains="padding")
    )


def _data(points: Sequence[Point]) -> alt.InlineData:
    labels = _labels(one.series for one in points)
    return alt.InlineData(values=[{**asdict(one), "series": labels[one.series]} for one in points])


def _names(points: Sequence[Point]) -> list[str]:
    return list(_labels(one.series for one in points).values())


def _labels(names: Iterable[str], most: int = _LONGEST_NAME) -> dict[str, str]:
    """Shorten each name to fit a drawing, without control codes and with no two alike."""
    labels: dict[str, str] = {}
    for name in dict.fromkeys(names):
        label = shown(name)
        if len(label) > most:
            label = f"{label[: most - 1]}…"
        # The number comes first: the drawing may cut off the label's end.
        labels[name] = label if label not in labels.values() else f"{len(labels) + 1}. {label}"
    return labels


def _x(scale: Scale, field: str = "x") -> alt.X:
    ticks: dict[str, Any] = {"values": list(scale.ticks)} if scale.ticks else {"tickCount": 5}
    axis = alt.Axis(format=scale.number_format, labelFlush=True, **ticks)
    return alt.X(f"{field}:Q", title=scale.title, axis=axis, scale=_domain(scale))


def _y(scale: Scale, field: str = "y") -> alt.Y:
    axis = alt.Axis(format=scale.number_format, tickCount=6)
    return alt.Y(f"{field}:Q", title=scale.title, axis=axis, scale=_domain(scale))


def _domain(scale: Scale) -> alt.Scale:
    if scale.is_log:
        return alt.Scale(type="log", domain=[min(scale.ticks), max(scale.ticks)], padding=8)
    ends: dict[str, Any] = {}
    if scale.low is not None:
        ends["domainMin"] = scale.low
    if scale.high is not None:
        ends["domainMax"] = scale.high
    # Without a given end, room for a dot and its interval at the end of the data.
    return alt.Scale(zero=False, nice=scale.high is None, padding=0 if ends else 8, **ends)


def _by_series(
    channel: type[Channel], names: Sequence[str], values: Sequence[Any], legend: alt.Legend | None
) -> Channel:
    """Assign values to the series in turn."""
    scale = alt.Scale(domain=list(names), range=list(islice(cycle(values), len(names))))
    return channel("series:N", sort=names, scale=scale, legend=legend)


def _legend(names: Sequence[str], *, has_dots: bool = True) -> alt.Legend | None:
    """A legend if there is more than one series; for lines without dots it shows dashes."""
    if len(names) < 2:
        return None
    line: dict[str, Any] = (
        {"symbolDash": [1, 0]} if has_dots else {"symbolType": "stroke", "symbolSize": 400}
    )
    return alt.Legend(columns=_legend_columns(names), **line)


def _legend_columns(names: Sequence[str]) -> int:
    widest = max(len(name) for name in names) * _LETTER + 36
    return max(1, min(len(names), int(_WIDTH / widest)))


def _upright(mark: Mark | None, scale: Scale) -> list[alt.Chart]:
    if mark is None:
        return []
    base = alt.Chart(alt.InlineData(values=[{"x": mark.at, "label": mark.label}]))
    label = base.mark_text(dy=-9, **_TEXT)
    return [
        base.mark_rule(**_REFERENCE).encode(x=_x(scale)),
        label.encode(x=_x(scale), y=alt.value(0), text="label:N"),
    ]


def _haloed(base: alt.Chart, **place: Any) -> list[alt.Chart]:
    """Text over a halo in the page's background, legible across a line."""
    return [
        base.mark_text(fill=_PAPER, stroke=_PAPER, strokeWidth=4, fontSize=13, **place),
        base.mark_text(**_TEXT, **place),
    ]


def _level(mark: Mark | None, y: Scale) -> list[alt.Chart]:
    if mark is None:
        return []
    base = alt.Chart(alt.InlineData(values=[{"y": mark.at, "label": mark.label}]))
    labelled = base.encode(y=_y(y), x=alt.value("width"), text="label:N")
    return [
        base.mark_rule(**_REFERENCE).encode(y=_y(y)),
        *_haloed(labelled, align="right", dx=-2, dy=-9),
    ]
