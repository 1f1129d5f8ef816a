"""Draws figures as SVG with altair and vl-convert, in the page's two themes.

Colours are CSS variables of templates/style.css, so one drawing serves light, dark and print.
Series differ by dash and shape as well as colour, for greyscale and colour blindness. Lengths
are pixels of a drawing 400 wide, which a page scales to its column.
"""

import json
import re
from collections.abc import Mapping
from typing import Any
from xml.sax.saxutils import quoteattr

import altair as alt
import vl_convert
from altair.utils.schemapi import debug_mode

from tracker.reports.pages.drawing import (
    COLOURS,
    GRID,
    INK,
    LABEL_LIMIT,
    MUTED,
    PAPER,
    REFERENCE,
    SHAPES,
    TEXT,
    by_series,
    data_of,
    fitted,
    legend_of,
    names_of,
    upright,
    x_axis,
    y_axis,
)
from tracker.reports.pages.figures import Columns, Curves, Figure, Intervals, Mark, Matrix, Scale
from tracker.reports.pages.interval_chart import intervals
from tracker.reports.words import prose

_DASHES = [[1, 0], [7, 3], [2, 2], [9, 3, 2, 3], [12, 4], [4, 4]]

_CONFIG: dict[str, Any] = {
    # The drawing is one image with one text alternative; parts are not read out.
    "aria": False,
    "font": "Liberation Sans",
    "view": {"stroke": None},
    "axis": {
        "labelColor": INK,
        "titleColor": INK,
        "labelFontSize": 13,
        "titleFontSize": 13,
        "titleFontWeight": "normal",
        "titlePadding": 8,
        "labelLimit": LABEL_LIMIT,
        "gridColor": GRID,
        "domainColor": MUTED,
        "tickColor": MUTED,
    },
    "legend": {
        "orient": "top",
        "title": None,
        "labelColor": INK,
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
    version = ".".join(alt.SCHEMA_VERSION.removeprefix("v").split(".")[:2])
    # Altair would compare every part with its schema, which takes as long as the rest of a page;
    # `chart` does.
    with debug_mode(False):
        specification = _drawn(figure).to_dict(validate=False)
    drawn = vl_convert.vegalite_to_svg(specification, vl_version=version)
    return _inline(drawn, alternative)


def chart(figure: Figure, colours: Mapping[str, str]) -> Any:
    """Return the drawing as an altair chart to change, show and save.

    `colours` gives the colour of each CSS variable, without which only a page can draw it.
    """
    spec = json.dumps(_drawn(figure, background=PAPER).to_dict())
    for name, colour in colours.items():
        spec = spec.replace(f"var(--{name})", colour)
    return alt.LayerChart.from_json(spec)


def _drawn(figure: Figure, background: str = "transparent") -> alt.LayerChart:
    match figure:
        case Intervals():
            drawn = intervals(figure)
        case Curves():
            drawn = _curves(figure)
        case Columns():
            drawn = _columns(figure)
        case Matrix():
            drawn = _matrix(figure)
    configured: alt.LayerChart = drawn.configure(**_CONFIG, background=background)
    return configured


def _inline(drawn: str, alternative: str) -> str:
    """Fit a drawing to a page, which sets size and font; its root becomes the image."""
    found = re.match(r'<svg [^>]*?viewBox="([^"]*)"[^>]*>', drawn)
    if found is None:
        raise ValueError("vl-convert gave no drawing with a viewBox")
    body = re.sub(r"<[^>]*>", lambda tag: _slim(tag[0]), drawn[found.end() :])
    label = quoteattr(prose(alternative))
    return (
        f'<svg class="chart" viewBox="{found[1]}" font-size="13px" role="img" '
        f"aria-label={label}>{body}"
    )


_CIRCLE = re.compile(
    r'<path(?P<before>[^>]*) d="M(?P<r>[\d.]+),0A(?P=r),(?P=r),0,1,1,-(?P=r),0'
    r'A(?P=r),(?P=r),0,1,1,(?P=r),0"'
)


def _slim(tag: str) -> str:
    """Strip a tag of attributes the page sets or that are the default, and of needless digits.

    A hundredth of a pixel is kept.
    """
    tag = re.sub(
        r' (?:font-family|pointer-events|role|aria-[a-z]+|class)="[^"]*"'
        r'| (?:opacity|stroke-width)="1"| [xy]2="0"| font-weight="normal"'
        r'| transform="translate\(0,0\)"(?= x2| y2|>)'
        r'| font-size="13px"| text-anchor="start"',
        "",
        tag,
    )
    # A circle is drawn as two arcs.
    tag = _CIRCLE.sub(r'<circle\1 r="\2"', tag)
    # Empty group backgrounds are a good part of a small drawing's bytes.
    if tag.startswith(('<path d=""', '<path d="M0,0h0v0h0Z"')):
        return ""
    return re.sub(r"-?\d+\.\d{3,}", lambda number: f"{float(number[0]):.2f}", tag)


def _curves(figure: Curves) -> alt.LayerChart:
    data = data_of(figure.points)
    names = names_of(figure.points)
    interpolate: Any = "step-after" if figure.is_step else "linear"
    base = alt.Chart(data).encode(
        x=x_axis(figure.x),
        y=y_axis(figure.y),
        color=by_series(alt.Color, names, COLOURS, legend_of(names, has_dots=figure.has_dots)),
        detail="part:N",
    )
    layers = upright(figure.upright, figure.x)
    if figure.has_diagonal:
        end = min(figure.x.high or 1, figure.y.high or 1)
        corners = [{"x": 0.0, "y": 0.0}, {"x": end, "y": end}]
        ends = alt.Chart(alt.InlineData(values=corners))
        layers.append(ends.mark_line(**REFERENCE).encode(x=x_axis(figure.x), y=y_axis(figure.y)))
    if any(one.low is not None for one in figure.points):
        bounded = base.transform_filter("isValid(datum.low)")
        drawn = (
            bounded.mark_area(fillOpacity=0.15, strokeOpacity=0, interpolate=interpolate)
            if figure.has_bands
            else bounded.mark_rule(strokeWidth=1.5)
        )
        layers.append(drawn.encode(y=y_axis(figure.y, "low"), y2="high:Q"))
    # A dot's shape is clearer in a legend without its line.
    legend = None if figure.has_dots else legend_of(names, has_dots=False)
    dash = by_series(alt.StrokeDash, names, _DASHES, legend)
    if figure.has_lines:
        line = base.mark_line(strokeWidth=2, interpolate=interpolate)
        layers.append(line.encode(strokeDash=dash))
    if figure.has_dots:
        dots = base.mark_point(size=50, filled=True, opacity=1)
        layers.append(dots.encode(shape=by_series(alt.Shape, names, SHAPES, legend_of(names))))
    layers += _level(figure.level, figure.y)
    return fitted(layers, 270, names, figure.upright or figure.level)


def _columns(figure: Columns) -> alt.LayerChart:
    names = names_of((*figure.expected, *figure.seen))
    legend = legend_of(names)
    colour = by_series(alt.Color, names, ["var(--column)", COLOURS[0]], legend)
    shape = by_series(alt.Shape, names, ["square", "circle"], legend)
    x = alt.X("x:O", title=figure.x.title, axis=alt.Axis(labelAngle=0))
    expected = alt.Chart(data_of(figure.expected)).encode(x=x, y=y_axis(figure.y), color=colour)
    seen = alt.Chart(data_of(figure.seen)).encode(x=x, y=y_axis(figure.y))
    layers = [
        expected.mark_bar(stroke=MUTED, strokeWidth=1),
        seen.transform_filter("isValid(datum.low)")
        .mark_rule(strokeWidth=1.5, stroke=COLOURS[0])
        .encode(y=y_axis(figure.y, "low"), y2="high:Q"),
        seen.mark_point(size=80, filled=True, opacity=1).encode(color=colour, shape=shape),
    ]
    return fitted(layers, 270, names)


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
        base.mark_rect(fill=COLOURS[0], stroke=GRID).encode(fillOpacity=shade),
        base.transform_filter(
            alt.FieldEqualPredicate(field="row", equal=figure.emphasis or "")
        ).mark_rect(fill="transparent", stroke=INK, strokeWidth=2),
        base.mark_text(**TEXT).encode(text=alt.Text("count:Q", format=",d")),
    ]
    return fitted(layers, 50 + 30 * len(figure.rows))


def _level(mark: Mark | None, y: Scale) -> list[alt.Chart]:
    if mark is None:
        return []
    # Above the plot, where no curve runs through the words; the dashes say which line they name.
    base = alt.Chart(alt.InlineData(values=[{"y": mark.at, "label": f"- - {mark.label}"}]))
    return [
        base.mark_rule(**REFERENCE).encode(y=y_axis(y)),
        base.mark_text(align="right", dy=-9, **TEXT).encode(
            x=alt.value("width"), y=alt.value(0), text="label:N"
        ),
    ]
