"""The window and population of the sentences and charts on a slate's page."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tracker.reports.records import Section, records


@dataclass(frozen=True)
class Lead:
    """The window and population of sentences and charts; tables have all of them."""

    window: str
    population: str

    @property
    def keys(self) -> dict[str, Any]:
        """The key columns of a view's rows in this window and population."""
        return {"evidence_window": self.window, "population": self.population}

    @property
    def adjective(self) -> str:
        """The adjective for hits of this window."""
        return "prospective" if self.window == "prospective" else "recorded"

    @property
    def kind(self) -> str:
        """The kind of predictions in the population, as words before a noun."""
        return "novel " if self.population == "novel" else ""

    @property
    def after_the_freeze(self) -> str:
        """The time of this window's hits, as words after 'came true'."""
        return " after the freeze" if self.window == "prospective" else ""


def lead_of(sections: Sequence[Section]) -> Lead:
    """Return the strictest window and population in a report."""
    rates = records(sections, "tier_hit_rate")
    windows = {record["evidence_window"] for record in rates}
    populations = {record["population"] for record in rates}
    return Lead(
        "prospective" if "prospective" in windows else "all",
        "novel" if "novel" in populations else "all",
    )
