"""How far a slate's evidence has come: what its verdict waits for, what has no horizon."""

from dataclasses import dataclass
from datetime import date
from typing import Any

from sqlalchemy import Connection, Row, text

from tracker.figures import METRICS
from tracker.reports.words import SOURCES, count, joined
from tracker.slates.plans import Plan
from tracker.store import statements

# Predictions whose first hit, in the window 'all', came after the horizon.
_LATER_HITS = text(
    "select n_later_hits from tier_count where slate_id = :slate_id and tier = 'all' "
    "and evidence_window = 'all' and population = 'all'"
)


@dataclass(frozen=True)
class Moment:
    """The progress of a slate's evidence, which its verdict waits for."""

    horizon_months: int
    horizon_ends_on: date
    is_over: bool
    followed_until: date | None
    slowest_source: str | None
    n_refreshes: int
    n_updates: int

    @classmethod
    def of_slate(cls, connection: Connection, slate: Row[Any]) -> "Moment":
        """Read the progress at the connection's instant."""
        row = statements.run(connection, "plan_moment", {"slate_id": str(slate.slate_id)}).one()
        return cls(**row._mapping)

    def reasons_to_wait(self, plan: Plan) -> list[str]:
        """Return why a verdict by the plan is too early; empty if it is not."""
        reasons_to_wait = []
        if not self.is_over:
            reasons_to_wait.append(
                f"the horizon of {self.horizon_months} months ends on {self.horizon_ends_on}"
            )
        elif self.followed_until is not None and self.followed_until < self.horizon_ends_on:
            reasons_to_wait.append(
                f"the horizon ended on {self.horizon_ends_on}, but the newest "
                f"{SOURCES[self.slowest_source or '']} release is of {self.followed_until}"
            )
        if self.n_refreshes < plan.min_refreshes:
            done = f"{self.n_refreshes} so far" if self.n_refreshes else "none so far"
            reasons_to_wait.append(
                f"the plan requires {count(plan.min_refreshes, 'refresh', 'refreshes')}, {done}: "
                "a run of `tracker refresh` counts if it found new evidence, and `tracker "
                "ingest` or `load outcomes` if what it brings reaches the horizon's end"
            )
        return reasons_to_wait


def warnings(connection: Connection, slate: Row[Any], plan: Plan, moment: Moment) -> list[str]:
    """Name the criteria that count every outcome on record, whatever the horizon."""
    unbound = [
        criterion.words
        for criterion in (*plan.success, *plan.failure)
        if criterion.evidence_window == "all"
        and "evidence_window" in METRICS[criterion.metric].dimensions
    ]
    if not unbound:
        return []
    n_later = connection.execute(_LATER_HITS, {"slate_id": str(slate.slate_id)}).scalar_one()
    verb = "is a hit" if n_later == 1 else "are hits"
    so_far = f"; {count(n_later, 'prediction')} {verb} by later events alone" if n_later else ""
    return [
        f"Not bound by the horizon: {joined(unbound)} in the window 'all'. Such figures, and with "
        f"them the verdict, can change after {moment.horizon_ends_on}{so_far}; --as-of DATE "
        "assesses what was known on a day."
    ]
