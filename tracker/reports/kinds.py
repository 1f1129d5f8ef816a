"""Reports, and their kinds: what each is about, what names its rows, and which page shows it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tracker.figures import KEY_COLUMNS
from tracker.reports.records import Section

if TYPE_CHECKING:
    from tracker.reports.uncertainty import Uncertainty


@dataclass(frozen=True)
class Kind:
    """A kind of report.

    `subject` is the key of its facts in JSON; the fact that identifies it, and the column of a CSV
    file, is that with `_id`. `title` heads a text and takes the facts, `keys` are the columns that
    name a row in CSV. `page` names the module that draws a report of this kind from what it
    contains, if one does; `tables` makes of a section the one that texts show.
    """

    subject: str
    title: str
    keys: Sequence[str]
    page: str = ""
    tables: Callable[[Section], Section] | None = None


SLATE = Kind("slate", "Slate {slate_id}", KEY_COLUMNS)
CANDIDATE_SET = Kind(
    "candidate_set",
    "Candidate set {candidate_set_id}",
    ("entity_kind", "source", "match_kind", "name", "nearest_text"),
)
COMPARISON = Kind(
    "comparison",
    "Slates {comparison_id}",
    ("slate_id", "versus_slate_id", "population", "tier", "disease_name", "drug_name"),
    "tracker.reports.pages.comparison_page",
)
LEADERBOARD = Kind(
    "leaderboard",
    "Models over all their slates",
    ("model_version", "versus_model_version", "slate_id"),
    "tracker.reports.pages.leaderboard_page",
)


@dataclass(frozen=True)
class Report:
    """All a renderer needs: facts of the subject, warnings in words, sections.

    A report with the fact `verdicts`, a sentence each, begins with them in texts instead of its
    facts, and with `lead`, on what was compared.
    """

    facts: dict[str, Any]
    warnings: list[str]
    sections: list[Section]
    kind: Kind = SLATE
    lead: str = ""
    # The estimates behind the report of a slate, for its assessment.
    found: "Uncertainty | None" = field(default=None, repr=False)
