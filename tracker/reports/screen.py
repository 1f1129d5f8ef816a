"""The top of a page as text for a terminal: one screen that answers whether a slate works."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.text import Text
from sqlalchemy import Connection, Row

from tracker.reports import assessment, build, coverage
from tracker.reports.pages import slate_page
from tracker.reports.pages.page import KeyFigure, Page
from tracker.reports.words import count, prose
from tracker.store.state import scope

WIDTH = 80
HEIGHT = 25

# The most lines of the verdict's sentences and of a figure's reason. The next pair applies where
# these leave no room for the rest of the screen.
_MOST_LINES = ((10, 3), (9, 1), (8, 1), (7, 1), (6, 1))
_GAP = "  "


def of_slate(
    connection: Connection,
    slate: Row[Any],
    *,
    windows: Sequence[str],
    populations: Sequence[str],
    as_of: datetime | None,
) -> str:
    """Return the screen of a slate; computes only the parts of the report that it shows."""
    with scope.of_slates(connection, slate), build.read_once(connection, slate, build.ON_TOP):
        report = build.build(
            connection,
            slate,
            windows=windows,
            populations=populations,
            as_of=as_of,
            views=build.ON_TOP,
        )
        assessed = assessment.assess(connection, slate, as_of, report.found)
        page = slate_page.summary(report, assessed)
        return of_page(connection, slate, page, report.warnings)


def of_page(connection: Connection, slate: Row[Any], page: Page, warnings: Sequence[str]) -> str:
    """Return the screen of the slate whose page this is. Inside `scope.of_slates`."""
    seen = coverage.seen_counts(connection, [slate.slate_id])
    words = [one.words for one in seen]
    return render(page, warnings, words, str(slate.slate_id)[:8])


def render(page: Page, warnings: Sequence[str], coverage: Sequence[str], subject: str) -> str:
    """Return at most HEIGHT lines of at most WIDTH columns, without control codes.

    They are the title, the verdict and its certainty, the headline figures with their intervals, as
    many of `warnings` as fit, `coverage` (what the sources can see, or nothing), and the commands
    that show more of `subject`, the slate's prefix.
    """
    below = [*_coverage(coverage), "", *_more(subject)]
    gap = [""] if warnings or coverage else []
    for most_sentences, most_details in _MOST_LINES:
        figures = _figures(page.key_figures, most_details)
        lines = [*_head(page, most_sentences), "", *figures, *gap]
        room = HEIGHT - len(lines) - len(below)
        warned = _warnings(warnings, room, subject)
        if len(warned) <= room:
            break
    return "\n".join([*lines, *warned, *below, ""])


def _head(page: Page, most_sentences: int) -> list[str]:
    lines = [*_wrapped(page.title, most=1), *_wrapped(page.subtitle, most=2)]
    if page.verdict is None:
        return lines
    verdict = page.verdict
    word = _wrapped(f"{verdict.word}.")
    room = most_sentences - len(word)
    # The verdict's certainty precedes its basis.
    certainty = _cut(_wrapped(f"Confidence: {verdict.certainty}"), max(room - 1, 1))
    sentence = _cut(_wrapped(verdict.sentence), max(room - len(certainty), 1))
    return [*lines, "", *word, *sentence, *certainty]


def _figures(figures: Sequence[KeyFigure], most_details: int) -> list[str]:
    """Return a line for each figure, and below it any uncertainty that needs more room."""
    names = max((len(one.label) for one in figures), default=0)
    values = max((len(one.value) for one in figures), default=0)
    lines = []
    for one in figures:
        line = f"{one.label:{names}}{_GAP}{one.value:>{values}}"
        if cell_len(line) + len(_GAP) + cell_len(one.detail) <= WIDTH:
            lines += _wrapped(f"{line}{_GAP}{one.detail}", most=1)
        else:
            lines += _wrapped(line, most=1)
            lines += _wrapped(one.detail, indent="    ", most=most_details)
    return lines


def _warnings(warnings: Sequence[str], room: int, subject: str) -> list[str]:
    """Return the first warnings that fit into `room` lines, and how to read the others."""
    lines: list[str] = []
    for n_shown, warning in enumerate(warnings):
        own = _wrapped(f"! {warning}", indent="  ", hanging=True)
        n_left = len(warnings) - n_shown
        if len(lines) + len(own) + (n_left > 1) > room:
            kind = "further warning" if n_shown else "warning"
            lines.append(f"! {count(n_left, kind)}: tracker report {subject} --section warnings")
            break
        lines += own
    return lines


def _coverage(coverage: Sequence[str]) -> list[str]:
    return _wrapped(f"Coverage: {'; '.join(coverage)}.", most=1) if coverage else []


def _more(subject: str) -> list[str]:
    return [
        f"tracker outcome list {subject} --hits                    every hit and its record",
        f"tracker report {subject} --full                          all figures and warnings",
        f"tracker report {subject} --format html -o report.html    a page with charts",
    ]


def _wrapped(
    text: str, *, indent: str = "", hanging: bool = False, most: int | None = None
) -> list[str]:
    """Return a text as lines that fit the screen, at most `most`; `hanging` outdents the first."""
    console = Console(width=WIDTH, color_system=None)
    parts = Text(prose(text)).wrap(console, WIDTH - len(indent), overflow="fold")
    lines = [f"{indent}{part.plain.rstrip()}" for part in parts]
    if hanging:
        lines[0] = lines[0].removeprefix(indent)
    return lines if most is None else _cut(lines, most)


def _cut(lines: list[str], most: int) -> list[str]:
    if len(lines) <= most:
        return lines
    last = lines[most - 1]
    if cell_len(last) > WIDTH - 4:
        last = set_cell_size(last, WIDTH - 4).rpartition(" ")[0]
    return [*lines[: most - 1], f"{last.rstrip()} ..."]
