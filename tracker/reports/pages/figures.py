"""Charts as data: the four kinds of figure that every report and page is made of.

A figure holds only numbers from views; tracker.reports.pages.charts draws it.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Scale:
    """An axis: its title with the unit, its number format, and what it must include.

    `number_format` is a d3-format, such as '.0%' or ',d'. The data set a missing end; with `ticks`,
    the axis labels only these values. `is_ratio` makes the axis logarithmic, and cuts a ratio of 0
    and intervals that extend far beyond every value, as few counts make them. `is_falling`, as for
    ranks, puts the lowest value at the top.
    """

    title: str
    number_format: str = ","
    low: float | None = None
    high: float | None = None
    ticks: tuple[float, ...] = ()
    is_log: bool = False
    is_ratio: bool = False
    is_falling: bool = False

    @property
    def least_step(self) -> float:
        """The least distance of two ticks: 1 if numbers are shown as integers, else 0."""
        return 1 if self.number_format in (",.0f", ",d") else 0


@dataclass(frozen=True)
class Point:
    """A value of a series, with the ends of its interval if known.

    A line joins the points of a series with the same `part`.
    """

    series: str
    x: float
    y: float
    low: float | None = None
    high: float | None = None
    part: int = 0


@dataclass(frozen=True)
class Estimate:
    """A value of a series in a row of its own, with its interval and the note printed beside it.

    NaN is an unknown value, whose row has only the note.
    """

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
class Style:
    """How a series looks wherever it is drawn: the number of a theme colour, and a shape."""

    series: str
    colour: int
    shape: str


@dataclass(frozen=True)
class Intervals:
    """Rows of dots on one scale, each with its interval; `mark` is their reference.

    With `styles`, they are the only series; otherwise series are styled in order of appearance.
    """

    estimates: tuple[Estimate, ...]
    scale: Scale
    mark: Mark | None = None
    styles: tuple[Style, ...] = ()

    @property
    def words(self) -> str:
        """The drawing in words, for those who cannot see it."""
        around = f" around a line at {self.mark.at:g}" if self.mark else ""
        return f"Dots in rows{around}."


@dataclass(frozen=True)
class Curves:
    """Lines over two scales: smooth, stepped, or points alone; intervals as bars or as bands."""

    points: tuple[Point, ...]
    x: Scale
    y: Scale
    is_step: bool = False
    has_dots: bool = True
    has_lines: bool = True
    has_bands: bool = False
    upright: Mark | None = None
    level: Mark | None = None
    has_diagonal: bool = False

    @property
    def words(self) -> str:
        """The drawing in words, for those who cannot see it."""
        drawn = "Rising steps" if self.is_step else "Lines" if self.has_lines else "Dots"
        band = ", with bands" if self.has_bands else ""
        beside = ", beside a diagonal line" if self.has_diagonal else ""
        return f"{drawn} over {self.x.title}{band}{beside}."


@dataclass(frozen=True)
class Columns:
    """A column per group for the expected value, a dot with its interval for the observed one."""

    expected: tuple[Point, ...]
    seen: tuple[Point, ...]
    x: Scale
    y: Scale

    @property
    def words(self) -> str:
        """The drawing in words, for those who cannot see it."""
        return f"Columns and dots over {self.x.title}."


@dataclass(frozen=True)
class Cell:
    """A count for a row and a column."""

    row: str
    column: str
    count: int


@dataclass(frozen=True)
class Matrix:
    """Counts by two kinds of name, in this order; `emphasis` is the row that matters."""

    cells: tuple[Cell, ...]
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    emphasis: str | None = None

    @property
    def words(self) -> str:
        """The drawing in words, for those who cannot see it."""
        return "Counts in rows and columns."


Figure = Intervals | Curves | Columns | Matrix
