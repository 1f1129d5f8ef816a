"""A page before it is HTML or Markdown: what it states, shows and leaves open, in order."""

from dataclasses import dataclass, field

from tracker.reports.pages.figures import Figure
from tracker.rows import Rows


@dataclass(frozen=True)
class Link:
    """A table value that links to another page; `href` is relative to its own page."""

    text: str
    href: str


@dataclass(frozen=True)
class Hash:
    """A table value of which a reader sees the first digits; the rest is its tooltip."""

    digits: str

    @property
    def shown(self) -> str:
        """As many digits as tell hashes apart on a page."""
        return self.digits[:12]

    def __str__(self) -> str:
        return self.digits


@dataclass(frozen=True)
class Dumbbell:
    """A table value that is drawn: the hits found and those expected, on a scale up to `most`."""

    found: int
    expected: float
    most: float

    def __str__(self) -> str:
        return f"{self.found:,} where {self.expected:,.1f} were expected"


@dataclass(frozen=True)
class KeyFigure:
    """A headline number: its name, its value in words, and its uncertainty or basis.

    `number`, `low` and `high` are the value and the limits of its interval for programs, each None
    where it is unknown or no number.
    """

    label: str
    value: str
    detail: str
    number: float | None = None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Multiple:
    """One of several charts of a kind, with its subject and the chart in words."""

    subject: Link
    figure: Figure
    alternative: str


@dataclass(frozen=True)
class Panel:
    """One finding with its evidence: a chart, the chart in words, and its data as a table.

    `name` is the view of the rows; `finding` states what they show, `note` what they are,
    `standing` their place in an analysis plan. `multiples` are charts of one subject each.
    """

    name: str
    heading: str
    finding: str
    note: str
    table: Rows
    figure: Figure | None = None
    alternative: str = ""
    standing: str = ""
    multiples: tuple[Multiple, ...] = ()


@dataclass(frozen=True)
class Verdict:
    """The answer in a word, the sentence behind it, and its uncertainty.

    `state` is a key of tracker.reports.pages.states.GLYPHS where the answer is of one slate. As a
    table value it is its word, with the shape of the state.
    """

    word: str
    sentence: str
    certainty: str
    state: str = ""

    def __str__(self) -> str:
        return self.word


@dataclass(frozen=True)
class Listing:
    """A table that is no evidence of a finding; `omitted` states what is left out and where."""

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
    """Everything on a page; `verdict` answers `question`.

    `lead` is the table right after it. What few read to the end is in `parts`: folded, or where a
    site has them so, pages of their own, without a verdict; each has a `name` for its address.
    """

    title: str
    subtitle: str = ""
    kicker: str | Link = ""
    question: str = ""
    verdict: Verdict | None = None
    key_figures: list[KeyFigure] = field(default_factory=list)
    shows: list[str] = field(default_factory=list)
    limits: list[str] = field(default_factory=list)
    panels: list[Panel] = field(default_factory=list)
    tables: list[Panel] = field(default_factory=list)
    listings: list[Listing] = field(default_factory=list)
    facts: list[tuple[str, str]] = field(default_factory=list)
    checks: list[Check] = field(default_factory=list)
    lead: Listing | None = None
    parts: list["Page"] = field(default_factory=list)
    name: str = ""

    @property
    def every_panel(self) -> list[Panel]:
        """The panels of the page and of its parts."""
        return [panel for one in (self, *self.parts) for panel in one.panels]
