"""Drawings: colours of the theme only, series distinct without colour, marks where they belong."""

import math
import re

import pytest

from tracker.reports.pages import charts, html
from tracker.reports.pages.figures import (
    Cell,
    Columns,
    Curves,
    Estimate,
    Figure,
    Intervals,
    Mark,
    Matrix,
    Point,
    Scale,
    Style,
)

NAMES = ("one", "two", "three")
UNIT = Scale("share of pairs", ".0%", 0, 1)
CURVES = Curves(
    tuple(
        Point(name, x, (x + number) / 10, (x + number) / 20, (x + number) / 8)
        for number, name in enumerate(NAMES)
        for x in (0, 1, 2)
    ),
    Scale("days"),
    UNIT,
)
FIGURES: dict[str, Figure] = {
    "intervals": Intervals(
        tuple(Estimate(row, name, 0.2, 0.1, 0.4, "2 of 10") for row in "ab" for name in NAMES),
        UNIT,
        Mark(0.3, "chance"),
    ),
    "curves": CURVES,
    "steps": Curves(CURVES.points, CURVES.x, CURVES.y, is_step=True, has_dots=False),
    "columns": Columns(
        tuple(Point("expected", x, 0.1 * x) for x in (1, 2)),
        tuple(Point("seen", x, 0.2 * x, 0.1 * x, 0.3 * x) for x in (1, 2)),
        Scale("decile"),
        UNIT,
    ),
    "matrix": Matrix(
        tuple(Cell(row, name, 1234) for row in "ab" for name in NAMES), ("a", "b"), NAMES, "b"
    ),
}


def texts(drawn: str) -> list[str]:
    """The texts of a drawing; one in several lines with a space between them."""
    found = re.findall(r"<text[^>]*>(.*?)</text>", drawn)
    return [" ".join(re.findall(r"<tspan[^>]*>([^<]*)</tspan>", one)) or one for one in found]


@pytest.mark.parametrize("name", FIGURES)
def test_colours_are_the_themes(name: str) -> None:
    drawn = charts.svg(FIGURES[name], "as it is")
    colours = set(re.findall(r'(?:fill|stroke)="([^"]*)"', drawn))
    assert colours - {"none", "transparent"} == {
        colour for colour in colours if re.fullmatch(r"var\(--[a-z]+(-\d)?\)", colour)
    }
    assert not re.search(r"<style|style=|href|<script|font-family|<image", drawn)


@pytest.mark.parametrize("name", FIGURES)
def test_a_drawing_is_an_image_with_its_alternative(name: str) -> None:
    drawn = charts.svg(FIGURES[name], 'a "quoted" <alternative> & more')
    assert re.match(
        r'<svg class="chart" viewBox="[\d. ]+" font-size="13px" role="img" aria-label=', drawn
    )
    assert "'a \"quoted\" &lt;alternative&gt; &amp; more'" in drawn
    assert drawn.count("role=") == drawn.count("aria-") == 1
    assert drawn == charts.svg(FIGURES[name], 'a "quoted" <alternative> & more')


@pytest.mark.parametrize("name", FIGURES)
def test_a_drawing_keeps_to_the_schema(name: str) -> None:
    # A page is drawn without that check; to_dict raises SchemaValidationError.
    drawn = charts.chart(FIGURES[name], html.light_colours()).to_dict()
    assert drawn["layer"]


@pytest.mark.parametrize("name", ["intervals", "curves", "columns", "steps"])
def test_axes_are_titled_and_series_named(name: str) -> None:
    found = texts(charts.svg(FIGURES[name], "-"))
    assert "share of pairs" in found
    assert set(NAMES) <= set(found) or {"expected", "seen"} <= set(found)


def test_series_are_distinguishable_without_colour() -> None:
    lines = charts.svg(FIGURES["steps"], "-")
    dashes = re.findall(r'stroke="var\(--series-\d\)"[^>]*stroke-dasharray="([^"]*)"', lines)
    assert len(set(dashes)) == len(NAMES)
    dots = charts.svg(FIGURES["curves"], "-")
    shapes = {
        re.sub(r"[-\d.]+", "", path)
        for path in re.findall(
            r'<\w+ transform="[^"]*" (?:d|r)="([^"]*)" fill="var\(--series', dots
        )
    }
    assert len(shapes) == len(NAMES)


def test_rows_with_a_style_share_their_lines_and_keep_their_shape() -> None:
    """A row is no higher for the other rows' series, and one without a value has its note alone.

    The legend has the series that occur, in the order of the styles.
    """
    styles = (Style("never", 1, "square"), Style("good", 2, "circle"), Style("bad", 4, "diamond"))
    rows = (
        Estimate("a", "bad", 0.5, 0.2, 0.8, "bad, 0.5"),
        Estimate("b", "good", 1.5, 1.2, 1.8, "good, 1.5"),
        Estimate("c", "good", math.nan, note="not known"),
    )
    drawn = charts.svg(Intervals(rows, Scale("ratio", ".1f", 0), Mark(1, "equal"), styles), "-")
    dots = re.findall(r' [dr]="([^"]*)" fill="(var\(--series-\d\))"', drawn)
    assert [colour for _, colour in dots] == [f"var(--series-{number})" for number in (4, 2, 2, 4)]
    assert dots[0][0] != dots[1][0]
    assert {"bad, 0.5", "good, 1.5", "not known"} <= set(texts(drawn))
    assert "never" not in texts(drawn)
    both = (*rows, Estimate("c", "bad", 0.5, note="bad, 0.5"))
    shared = charts.svg(Intervals(both, Scale("ratio", ".1f", 0), Mark(1, "equal"), styles), "-")
    heights = [
        float(re.findall(r'viewBox="0 0 [\d.]+ ([\d.]+)"', one)[0]) for one in (drawn, shared)
    ]
    assert heights[0] < heights[1]


def test_marks_are_where_their_values_are() -> None:
    values = (0.0, 0.25, 0.5, 1.0)
    points = tuple(Point("only", value, value) for value in values)
    drawn = charts.svg(Curves(points, Scale("x", "~g", 0, 1), UNIT), "-")
    dots = re.findall(r'<circle transform="translate\(([\d.]+),([\d.]+)\)" r="[^"]*" fill', drawn)
    places = [(float(x), float(y)) for x, y in dots]
    assert len(places) == len(values)
    wide, high = places[-1][0] - places[0][0], places[-1][1] - places[0][1]
    assert wide > 200
    assert high < -150
    for (x, y), value in zip(places, values, strict=True):
        assert x == pytest.approx(places[0][0] + value * wide, abs=0.02)
        assert y == pytest.approx(places[0][1] + value * high, abs=0.02)


def test_an_interval_reaches_from_its_low_to_its_high_end() -> None:
    figure = Intervals((Estimate("a", "s", 0.4, 0.2, 0.8),), UNIT)
    drawn = charts.svg(figure, "-")
    rule = re.search(
        r'<line transform="translate\(([\d.]+),[\d.]+\)" x2="(-?[\d.]+)"[^>]*stroke="var\(--series',
        drawn,
    )
    dot = re.search(r'<circle transform="translate\(([\d.]+),[\d.]+\)" r="[^"]*" fill="var', drawn)
    assert rule
    assert dot
    ends = sorted((float(rule[1]), float(rule[1]) + float(rule[2])))
    # 0.4 is a third of the way from 0.2 to 0.8.
    assert float(dot[1]) == pytest.approx(ends[0] + (ends[1] - ends[0]) / 3, abs=0.1)


def test_text_is_drawn_as_given() -> None:
    figure = Intervals((Estimate("<b>&", "s", 0.5, note="0.12345678"),), UNIT)
    found = texts(charts.svg(figure, "-"))
    assert "0.12345678" in found
    assert "&lt;b&gt;&amp;" in found


def test_long_and_hostile_names_stay_distinct() -> None:
    names = ["x" * 10_000, "x" * 10_000 + "y", "\x1b[31m", "\u202e"]
    figure = Intervals(tuple(Estimate(name, "s", 0.5) for name in names), UNIT)
    found = [text for text in texts(charts.svg(figure, "-")) if re.match(r"x|2\. x|\ufffd", text)]
    assert len(found) == len(set(found)) == len(names)
    assert max(map(len, found)) < 60


def test_a_matrix_prints_its_counts() -> None:
    assert texts(charts.svg(FIGURES["matrix"], "-")).count("1,234") == 6


def test_a_line_is_broken_between_its_parts() -> None:
    points = tuple(Point("s", x, 0.1, part=int(x > 0)) for x in (-2, -1, 1, 2))
    drawn = charts.svg(Curves(points, Scale("x"), UNIT, has_dots=False), "-")
    lines = re.findall(r'<path d="(M[^"]*)" stroke="var\(--series-1\)"', drawn)
    assert len(lines) == 2
