"""The power of a round, which its question states before the deadline."""

from itertools import product
from typing import Any
from uuid import UUID

from sqlalchemy import Connection

from tracker import slates
from tracker.slates.plans import Plan
from tracker.store.state import scope
from tracker.uncertainty.estimates import power
from tracker.uncertainty.estimates.lists import MOST_OWN_SHARE
from tracker.uncertainty.stats import LEVEL
from tracker.uncertainty.stats import power as closed

LIFT = 2.0
_LENGTHS, _TEAMS, _YEARS = (10, 25, 50, 100), (1, 5, 20), (1, 2, 3)


def of_round(connection: Connection, random_slate: UUID, plan: Plan) -> list[dict[str, Any]]:
    """Return the power to detect a team that finds twice as much as equally popular drugs.

    A row for each list length, number of teams and number of years: the probability that the test
    of the team's enrichment, adjusted for the number of teams, excludes 1. The adjustment is
    Bonferroni's, which Holm's method at least matches in power. The lists resemble the baseline
    `random`, longer or shorter. A single row with a reason if the past gives no rates.
    """
    slate = slates.find(connection, str(random_slate))
    key = {"slate_id": str(slate.slate_id)}
    with scope.of_slates(connection, slate):
        rows = {row.tier: row for row in connection.execute(power.BASE_RATES, key)}
        row = rows.get(plan.primary.tier)
        if row is None or row.reason is not None:
            return [{"reason": "no predictions of this tier" if row is None else row.reason}]
        if (row.own_share or 0) > MOST_OWN_SHARE:
            return [{"reason": "the lists hold almost all candidates: nothing is left to compare"}]
        design = power.design(connection, row)
    own_length = len(design.rate) / (int(design.disease.max()) + 1)
    found = []
    for length, n_teams, years in product(_LENGTHS, _TEAMS, _YEARS):
        level = 1 - (1 - LEVEL) / n_teams
        chance = closed.power(design, LIFT, 12.0 * years, length / own_length, level)
        stated = {"list_length": length, "n_teams": n_teams, "years": years}
        found.append({**stated, "power": round(chance, 3)})
    return found
