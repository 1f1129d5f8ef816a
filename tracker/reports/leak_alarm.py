"""Whether a slate's primary endpoint is safe: rankers that need no model, other baselines.

The views leak_alarm and popularity_sensitivity define the figures; this module words them.
"""

from typing import Any

import scipy
from sqlalchemy import Connection, Row, text

from tracker.reports import enrichment
from tracker.reports.records import Record
from tracker.reports.words import beside
from tracker.rows import rows_from
from tracker.slates.plans import Plan
from tracker.uncertainty.stats import LEVEL

_RANKERS = text(
    "from leak_alarm where slate_id = :slate_id and expected_hits is not null order by ranker"
)
_BASELINES = text(
    "select enrichment_by_match, enrichment_by_decile, enrichment_by_cohort, "
    "enrichment_by_degree_product from popularity_sensitivity where slate_id = :slate_id "
    "and evidence_window = :evidence_window and population = :population and tier = :tier"
)
# They copy what is known of other diseases: some skill, beyond popularity.
NEIGHBOURS = "nearest neighbours"
RELATED = "related diseases"
_COPIED = {NEIGHBOURS: "similar diseases", RELATED: "closely related diseases"}
_WORDS = {
    "enrichment_by_match": "equally popular drugs",
    "enrichment_by_decile": "breadth deciles",
    "enrichment_by_cohort": "breadth cohorts",
    "enrichment_by_degree_product": "breadth times degree",
}


def warnings(connection: Connection, slate: Row[Any], plan: Plan) -> list[str]:
    """Warn where a ranker without skill passes the endpoint, or baselines disagree on the bar."""
    key = {"slate_id": str(slate.slate_id)}
    lists = rows_from(connection.execute(_RANKERS, key)).records()
    found = [alarm(row) for row in lists if passes(row, plan.success_bar)]
    baselines = connection.execute(_BASELINES, key | plan.primary.keys).first()
    return found + (disagreement(baselines, plan.success_bar) if baselines else [])


def alarm(row: Record) -> str:
    """Say that a list which needs no model passes the endpoint, and what follows."""
    reached = (
        f"reaches {enrichment.of(row):.2f} with {row['listed_hits']:.1f} hits where "
        f"{row['expected_hits']:.1f} were expected"
    )
    if row["ranker"] in _COPIED:
        return (
            f"A list of the drugs of {_COPIED[row['ranker']]} passes the primary endpoint, too: it "
            f"{reached}. Compare the slate with it."
        )
    return (
        f"The primary endpoint is not safe here: a list of '{row['ranker']}', without any skill, "
        f"{reached}."
    )


def passes(row: Record, bar: float) -> bool:
    """Return whether a ranker reaches the bar and its exact Poisson limit lies above 1.

    The limit is Garwood's (1936). Dependent pairs make it rather too high: the alarm errs towards
    ringing. Fractions of hits, from ties at the end of the list, count as fractions.
    """
    value, hits = enrichment.of(row), row["listed_hits"]
    if value is None or value < bar or not hits > 0:
        return False
    low = scipy.special.gammaincinv(hits, (1 - LEVEL) / 2) / row["expected_hits"]
    return bool(low > 1)


def disagreement(row: Row[Any], bar: float) -> list[str]:
    """Word the enrichments by other baselines if only some reach the bar."""
    values = {name: getattr(row, name) for name in _WORDS if getattr(row, name) is not None}
    if row.enrichment_by_match is None or len({value >= bar for value in values.values()}) < 2:
        return []
    others = [
        f"{beside(value, bar, '{:.2f}'.format)} by {_WORDS[name]}" for name, value in values.items()
    ]
    return [
        f"Baselines disagree: the enrichment is {', '.join(others[:-1])} and {others[-1]}; the bar "
        f"is {bar:g}. The first is the one that popularity cannot pass."
    ]
