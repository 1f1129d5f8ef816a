"""Whether the primary endpoint is safe for a slate: rankers that need no model, other baselines.

The views leak_alarm and popularity_sensitivity define the figures; this module words them.
"""

from dataclasses import replace
from typing import Any

import scipy
from sqlalchemy import Connection, Row, text

from tracker.reports.records import Section, records
from tracker.reports.words import NOTHING, ratio
from tracker.rows import Rows
from tracker.slates.plans import Plan
from tracker.uncertainty.stats import LEVEL

_RANKERS = text(
    "select * from leak_alarm where slate_id = :slate_id and enrichment_vs_matched is not null "
    "order by ranker"
)
_BASELINES = text(
    "select enrichment_by_match, enrichment_by_decile, enrichment_by_cohort, "
    "enrichment_by_degree_product from popularity_sensitivity where slate_id = :slate_id "
    "and evidence_window = :evidence_window and population = :population and tier = :tier"
)
# Which copy what is known of other diseases: not without skill, and beyond popularity.
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
    primary = plan.primary
    passed = [row for row in connection.execute(_RANKERS, key) if passes(row, plan.success_bar)]
    found = [alarm(row) for row in passed]
    baselines = connection.execute(
        _BASELINES,
        key
        | {
            "evidence_window": primary.evidence_window,
            "population": primary.population,
            "tier": primary.tier,
        },
    ).first()
    return found + (disagreement(baselines, plan.success_bar) if baselines else [])


def text_table(section: Section) -> Section:
    """Return the section with a table of at most 80 columns: hits, expected hits, their ratio.

    Of which endpoint the lists are, and why one has no ratio, is said below.
    """
    lists = records([section], section.view)
    if not lists:
        return section
    one = lists[0]
    endpoint = f"{one['evidence_window']} outcomes, {one['population']} pairs, tier {one['tier']}"
    reasons = [f"{row['ranker']}: {row['reason']}" for row in lists if row.get("reason")]
    shown = [
        (
            row["ranker"],
            f"{row['listed_pairs']:,.1f}",
            f"{row['listed_hits']:,.1f}",
            NOTHING if row["expected_hits"] is None else f"{row['expected_hits']:,.1f}",
            NOTHING
            if row["enrichment_vs_matched"] is None
            else ratio(row["enrichment_vs_matched"]),
        )
        for row in lists
    ]
    return replace(
        section,
        text_table=Rows(["list", "pairs", "hits", "expected", "times"], shown),
        notes=(endpoint, *reasons),
    )


def alarm(row: Row[Any]) -> str:
    """Word that a list which needs no model passes the endpoint, and what follows from it."""
    reached = (
        f"reaches {row.enrichment_vs_matched:.2f} with {row.listed_hits:.1f} hits where "
        f"{row.listed_hits / row.enrichment_vs_matched:.1f} were expected"
    )
    if row.ranker in _COPIED:
        return (
            f"A list of the drugs of {_COPIED[row.ranker]} passes the primary endpoint, too: it "
            f"{reached}. Compare the slate with it."
        )
    return (
        f"The primary endpoint is not safe here: a list of '{row.ranker}', without any skill, "
        f"{reached}."
    )


def passes(row: Row[Any], bar: float) -> bool:
    """Return whether a ranker reaches the bar and its exact Poisson limit lies above 1.

    The limit is Garwood's (1936). Pairs are taken as independent, so that it is rather too high:
    the alarm errs towards ringing. Parts of hits, where equals share the list, are counted as such.
    """
    if row.enrichment_vs_matched < bar or not row.listed_hits > 0:
        return False
    expected = row.listed_hits / row.enrichment_vs_matched
    low = scipy.special.gammaincinv(row.listed_hits, (1 - LEVEL) / 2) / expected
    return bool(low > 1)


def disagreement(row: Row[Any], bar: float) -> list[str]:
    """Word the enrichments by other baselines where some reach the bar and some do not."""
    values = {name: getattr(row, name) for name in _WORDS if getattr(row, name) is not None}
    if row.enrichment_by_match is None or len({value >= bar for value in values.values()}) < 2:
        return []
    others = [f"{value:.2f} by {_WORDS[name]}" for name, value in values.items()]
    return [
        f"Baselines disagree: the enrichment is {', '.join(others[:-1])} and {others[-1]}; the bar "
        f"is {bar:g}. The first is the one that popularity cannot pass."
    ]
