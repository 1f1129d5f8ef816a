"""A page before it is rendered: its statements, evidence and open questions, in order."""

from dataclasses import dataclass, field

from tracker.reports.pages.figures import Figure
from tracker.rows import Rows


@dataclass(frozen=True)
class Link:
    """A table value with a link to another page; `href` is relative to the table's page."""

    text: str
    href: str


@dataclass(frozen=True)
class Hash:
    """A table value shown by its first digits, with the rest as a tooltip."""

    digits: str

    @property
    def shown(self) -> str:
        """The digits that tell hashes apart on a page."""
        return self.digits[:12]

    def __str__(self) -> str:
        return self.digits


@dataclass(frozen=True)
class Dumbbell:
    """A table value as a drawing: hits found and hits expected, on a scale up to `most`."""

    found: int
    expected: float
    most: float

    def __str__(self) -> str:
        return f"{self.found:,} where {self.expected:,.1f} were expected"


@dataclass(frozen=True)
class KeyFigure:
    """A headline number: its name, its value in words, and its uncertainty or basis.

    `number`, `low` and `high` are the value and its limits for programs, None if unknown.
    """

    label: str
    value: str
    detail: str
    number: float | None = None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Multiple:
    """One of several similar charts, with its subject and the chart in words."""

    subject: Link
    figure: Figure
    alternative: str


@dataclass(frozen=True)
class Panel:
    """One finding with its evidence: a chart, the chart in words, and its data as a table.

    `name` is the view of the rows; `finding` states what they show, `note` what they are,
    `standing` their place in an analysis plan. Each of `multiples` is a chart of one subject.
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

    `state` is a key of tracker.reports.pages.states.GLYPHS if the answer is about one slate. A
    table shows the word, with the shape of the state.
    """

    word: str
    sentence: str
    certainty: str
    state: str = ""

    def __str__(self) -> str:
        return self.word


@dataclass(frozen=True)
class Listing:
    """A table without a finding; `omitted` says what is left out, and where it is."""

    name: str
    heading: str
    note: str
    table: Rows
    omitted: str = ""


@dataclass(frozen=True)
class Check:
    """A way to test the page: the claim, and the command that tests it."""

    purpose: str
    command: str


@dataclass(frozen=True)
class Page:
    """A page; `verdict` answers `question`.

    The table `lead` follows it. `parts` are for few readers: folded, or pages of their own on a
    site, without a verdict; each has a `name` for its address.
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
