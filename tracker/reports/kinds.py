"""Reports and their kinds: a kind's subject, the keys of its rows, and its page."""

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

    `subject` is the key of its facts in JSON; with `_id` it is the identifying fact and the column
    of a CSV file. `title` heads a text and takes the facts; `keys` name a row in CSV. `page` is the
    module that draws the report from its content, if any; `tables` turns a section into the one
    that texts show.
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
    """The content that renderers need: facts of the subject, warnings in words, sections.

    In texts a report with the fact `verdicts`, a list of sentences, begins with these instead of
    its facts, and with `lead`, on what was compared.
    """

    facts: dict[str, Any]
    warnings: list[str]
    sections: list[Section]
    kind: Kind = SLATE
    lead: str = ""
    # The estimates of a slate's report, which its assessment reuses.
    found: "Uncertainty | None" = field(default=None, repr=False)
