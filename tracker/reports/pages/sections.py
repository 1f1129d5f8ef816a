"""Page sections as data, and how each becomes a panel: finding, chart, words, table.

Each report kind has a list of entries: slate_sections, evaluation_sections, benchmark_sections.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from tracker.reports.pages.figures import Curves, Estimate, Figure, Intervals, Mark, Point, Scale
from tracker.reports.pages.page import Panel
from tracker.reports.records import Record, Section, rows_of
from tracker.reports.words import ratio, sentence
from tracker.rows import Rows

# The cut-off of sentences and charts, if the report has it.
USUAL_K = 10


@dataclass(frozen=True)
class Drawing:
    """The drawing of a section's rows: a finding, a figure, and the figure's values in words.

    The words are for those who cannot see the figure. `rows` replace the view's; `note` follows the
    entry's.
    """

    finding: str
    figure: Figure | None = None
    values: Iterable[str] = ()
    rows: Rows | None = None
    note: str = ""


@dataclass(frozen=True)
class PageSection:
    """A page section: its view, its title, the meaning of its figures, and its drawing.

    `draw` takes the sections of a report and any extras of its kind; it returns None if there is
    nothing to show. In a report of several pages, the first has the entries with `is_first`; before
    the first outcome only those with `is_awaiting`.
    """

    view: str
    title: str
    note: str
    draw: Callable[..., Drawing | None]
    is_first: bool = False
    is_awaiting: bool = False


def panels(
    entries: Iterable[PageSection], sections: Sequence[Section], *more: object
) -> list[Panel]:
    """Return the panels of the entries with something to show, in order."""
    made = []
    for entry in entries:
        drawing = entry.draw(sections, *more)
        if drawing is not None:
            made.append(_panel(entry, drawing, sections))
    return made


def _panel(entry: PageSection, drawing: Drawing, sections: Sequence[Section]) -> Panel:
    standing = next((one.standing for one in sections if one.view == entry.view), None)
    return Panel(
        entry.view,
        entry.title,
        drawing.finding,
        entry.note + drawing.note,
        rows_of(sections, entry.view) if drawing.rows is None else drawing.rows,
        drawing.figure,
        f"{drawing.figure.words} {'; '.join(drawing.values)}." if drawing.figure else "",
        standing or "",
    )


def tables(sections: Sequence[Section], panels: Sequence[Panel]) -> list[Panel]:
    """Return a panel without a chart, in the view's words, for each section without a panel."""
    drawn = {panel.name for panel in panels}
    return [
        Panel(
            section.view,
            section.title,
            "",
            " ".join(sentence(text) for text in (section.formula, section.units) if text),
            section.rows,
            standing=section.standing or "",
        )
        for section in sections
        if section.view not in drawn
    ]


def dots(
    finding: str, estimates: Sequence[Estimate], scale: Scale, mark: Mark | None = None
) -> Drawing:
    """Draw estimates as dots in rows, each with its note."""
    return Drawing(
        finding,
        Intervals(tuple(estimates), scale, mark),
        [f"{one.row}, {one.series}: {one.note}" for one in estimates],
    )


def enrichments(
    finding: str,
    metric: str,
    named: Iterable[tuple[str, Record]],
    compared: str = "equally popular drugs",
) -> Drawing:
    """Draw a ratio of named rows around 1, each with its hits and predictions."""
    estimates = [
        Estimate(
            name,
            "",
            one[metric],
            one.get("low"),
            one.get("high"),
            f"{one['n_hits']:,} of {one['n_predictions']:,}",
        )
        for name, one in named
    ]
    return Drawing(
        finding,
        Intervals(
            tuple(estimates),
            Scale(f"enrichment (times {compared})", ",.2~f", is_ratio=True),
            Mark(1, "no better"),
        ),
        [f"{one.row}: {ratio(one.value)} times ({one.note})" for one in estimates],
    )


def lines_over_k(
    finding: str,
    points: Sequence[Point],
    title: str,
    y: Scale,
    worded: Callable[[float], str],
    *,
    has_bands: bool = False,
    is_named: bool = True,
) -> Drawing:
    """Draw points as lines over the cut-offs k, named by `title`; `worded` words a value."""
    ticks = tuple(sorted({one.x for one in points}))
    return Drawing(
        finding,
        Curves(
            tuple(points),
            Scale(title, ",d", ticks=ticks, is_log=True),
            y,
            has_bands=has_bands,
        ),
        [
            f"{f'{one.series}, ' if is_named else ''}k = {one.x:g}: {worded(one.y)}"
            for one in points
        ],
    )


def usual_k(cutoffs: Iterable[int], otherwise: int) -> int:
    """Return the usual cut-off if it is in `cutoffs`, else `otherwise`."""
    return USUAL_K if USUAL_K in cutoffs else otherwise
