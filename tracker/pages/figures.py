"""What a chart shows, as data: four kinds of figure that every report and page is made of.

A figure holds numbers that views computed, never one of its own; tracker.pages.charts draws it.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Scale:
    """An axis: its title with the unit, how its numbers read, and what it must include.

    `number_format` is a d3-format, such as '.0%' or ',d'. A missing end is found from the data;
    with `ticks` the axis names these values only.
    """

    title: str
    number_format: str = ","
    low: float | None = None
    high: float | None = None
    ticks: tuple[float, ...] = ()
    is_log: bool = False


@dataclass(frozen=True)
class Point:
    """A value of a series, with the ends of its interval where one is known.

    A line joins the points of a series that belong to the same `part`.
    """

    series: str
    x: float
    y: float
    low: float | None = None
    high: float | None = None
    part: int = 0


@dataclass(frozen=True)
class Estimate:
    """A value of a series in a row of its own, with its interval and what to print beside it."""

    row: str
    series: str
    value: float
    low: float | None = None
    high: float | None = None
    note: str = ""


@dataclass(frozen=True)
class Mark:
    """A line across a figure at one value of an axis, with words at its end."""

    at: float
    label: str


@dataclass(frozen=True)
class Intervals:
    """Rows of dots on one scale, each with its interval; `mark` is what they are held against."""

    estimates: tuple[Estimate, ...]
    scale: Scale
    mark: Mark | None = None


@dataclass(frozen=True)
class Curves:
    """Lines over two scales: smooth, stepped, or points alone; intervals as bars or as bands."""

    points: tuple[Point, ...]
    x: Scale
    y: Scale
    is_step: bool = False
    has_dots: bool = True
    has_bands: bool = False
    upright: Mark | None = None
    level: Mark | None = None
    has_diagonal: bool = False


@dataclass(frozen=True)
class Columns:
    """A column per group for what is expected, and a dot with its interval for what was seen."""

    expected: tuple[Point, ...]
    seen: tuple[Point, ...]
    x: Scale
    y: Scale


@dataclass(frozen=True)
class Cell:
    """A count at a crossing of a row and a column."""

    row: str
    column: str
    count: int


@dataclass(frozen=True)
class Matrix:
    """Counts by two kinds of name, in the order given; `emphasis` is the row that matters."""

    cells: tuple[Cell, ...]
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    emphasis: str | None = None


Figure = Intervals | Curves | Columns | Matrix
