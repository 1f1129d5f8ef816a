"""A page to read, before it is HTML or Markdown: what it says, shows and leaves open, in order."""

from dataclasses import dataclass, field

from tracker.pages.figures import Figure
from tracker.rows import Rows


@dataclass(frozen=True)
class Link:
    """A value of a table that leads to another page; `href` is relative to the page it is on."""

    text: str
    href: str


@dataclass(frozen=True)
class KeyFigure:
    """A number to see first: its name, its value in words, and how sure or of what it is."""

    label: str
    value: str
    detail: str


@dataclass(frozen=True)
class Panel:
    """One finding with its evidence: a chart, the chart in words, and its data as a table.

    `name` is the view the rows come from; `finding` says what they show, `note` what they are,
    `standing` what an analysis plan makes of them.
    """

    name: str
    heading: str
    finding: str
    note: str
    table: Rows
    figure: Figure | None = None
    alternative: str = ""
    standing: str = ""


@dataclass(frozen=True)
class Verdict:
    """The answer in a word, the sentence that carries it, and how sure it is."""

    word: str
    sentence: str
    sureness: str


@dataclass(frozen=True)
class Listing:
    """A long table at the end of a page; `omitted` says what it leaves out and where that is."""

    name: str
    heading: str
    note: str
    table: Rows
    omitted: str = ""


@dataclass(frozen=True)
class Check:
    """A way to test the page: what it tests, and the command that does."""

    purpose: str
    command: str


@dataclass(frozen=True)
class Page:
    """Everything on a page, in reading order; `verdict` answers `question`."""

    kicker: str
    title: str
    subtitle: str
    question: str
    verdict: Verdict | None
    key_figures: list[KeyFigure]
    shows: list[str]
    limits: list[str]
    panels: list[Panel]
    tables: list[Panel] = field(default_factory=list)
    listings: list[Listing] = field(default_factory=list)
    facts: list[tuple[str, str]] = field(default_factory=list)
    checks: list[Check] = field(default_factory=list)
