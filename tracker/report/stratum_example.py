"""The primary endpoint worked out by hand: its largest stratum, and the sums over all of them."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from sqlalchemy import Connection, Row, text

from tracker.report.records import Section, first
from tracker.report.words import count
from tracker.slates.plans import Plan

VIEW = "enrichment_vs_matched"

_LARGEST = text(
    """
    with stratum as (
        select
            disease_id, breadth_class, candidates, listed_pairs, candidate_hits, listed_hits, r, s,
            sum(r) over () as all_r,
            sum(s) over () as all_s,
            count(*) over () as n_strata
        from list_stratum
        where slate_id = :slate_id and versus = 'none' and list_kind = 'tier'
            and list_name = :tier and evidence_window = :evidence_window
            and population = :population
    ),

    class_range as (
        select breadth_class, min(breadth) as lowest, max(breadth) as highest
        from drug_breadth
        where slate_id = :slate_id
        group by breadth_class
    )

    select stratum.*, disease.name as disease, lowest, highest
    from stratum
    inner join disease using (disease_id)
    inner join class_range using (breadth_class)
    order by candidates desc, candidate_hits desc, disease.name, breadth_class
    limit 1
    """
)


def noted(connection: Connection, slate: Row[Any], plan: Plan, section: Section) -> Section:
    """Return the section of the view with the arithmetic of the primary endpoint below it."""
    endpoint = {
        "evidence_window": plan.primary.evidence_window,
        "population": plan.primary.population,
        "tier": plan.primary.tier,
    }
    row = connection.execute(_LARGEST, {"slate_id": str(slate.slate_id), **endpoint}).first()
    if row is None:
        return section
    reason = first([section], VIEW, **endpoint).get("reason")
    return replace(section, notes=tuple(_worked(row, reason)))


def _worked(row: Row[Any], reason: str | None) -> Iterator[str]:
    others = row.candidates - row.listed_pairs
    other_hits = row.candidate_hits - row.listed_hits
    drugs = f"drugs known for {_breadths(row.lowest, row.highest)}"
    yield (
        f"The primary endpoint by hand. Its largest stratum is {row.disease} with {drugs}: "
        f"{count(int(row.candidates), 'candidate')}, {row.listed_pairs:,.0f} of them predicted; "
        f"{row.candidate_hits:,.0f} came true, {row.listed_hits:,.0f} of these predicted."
    )
    yield (
        f"It adds {row.listed_hits:,.0f} x {others:,.0f} / {row.candidates:,.0f} = {row.r:.3f} to "
        f"the sum of hits and {other_hits:,.0f} x {row.listed_pairs:,.0f} / {row.candidates:,.0f} "
        f"= {row.s:.3f} to the sum of what equally popular drugs would have."
    )
    found = f"no ratio, since {reason}" if reason else f"the ratio is {row.all_r / row.all_s:.2f}"
    yield (
        f"Over all {count(row.n_strata, 'stratum', 'strata')} with a prediction and a hit the sums "
        f"are {row.all_r:.3f} and {row.all_s:.3f}: {found} (docs/metrics.md#enrichment_vs_matched)."
    )


def _breadths(lowest: int, highest: int) -> str:
    """Return in words for how many diseases the drugs of a class are known."""
    if highest == 0:
        return "no disease"
    if lowest == highest:
        return count(lowest, "disease")
    return f"{lowest:,} to {highest:,} diseases"
