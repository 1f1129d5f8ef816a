"""The primary endpoint worked out by hand: its largest stratum, and the sums over all of them."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from sqlalchemy import Row, text

from tracker.figures import MATCHED
from tracker.reports.records import Section
from tracker.reports.uncertainty import Subject
from tracker.reports.words import count

_LARGEST = text(
    """
    with class_range as (
        select breadth_class, min(breadth) as lowest, max(breadth) as highest
        from drug_breadth
        where slate_id = :slate_id
        group by breadth_class
    )

    select
        list_stratum.*,
        disease.name as disease,
        class_range.lowest,
        class_range.highest,
        count(*) over () as n_strata,
        stratified_ratio.r as all_r,
        stratified_ratio.s as all_s,
        stratified_ratio.ratio,
        stratified_ratio.reason
    from list_stratum
    inner join stratified_ratio
        using (slate_id, list_number)
    inner join disease using (disease_id)
    inner join class_range using (breadth_class)
    where slate_id = :slate_id and list_kind = 'tier' and tier = :tier
        and evidence_window = :evidence_window and population = :population
    order by candidates desc, candidate_hits desc, disease.name, breadth_class
    limit 1
    """
)


def text_table(section: Section, subject: Subject) -> Section:
    """Return the section with the arithmetic of the primary endpoint below it."""
    key = {"slate_id": str(subject.slate.slate_id), **subject.plan.primary.keys}
    row = subject.connection.execute(_LARGEST, key).first()
    return section if row is None else replace(section, notes=tuple(_worked(row)))


def _worked(row: Row[Any]) -> Iterator[str]:
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
    found = f"no ratio: {row.reason}" if row.reason else f"the ratio is {row.ratio:.2f}"
    yield (
        f"Over all {count(row.n_strata, 'stratum', 'strata')} with a prediction and a hit the sums "
        f"are {row.all_r:.3f} and {row.all_s:.3f}: {found} (docs/metrics.md#{MATCHED})."
    )


def _breadths(lowest: int, highest: int) -> str:
    """Return the number of diseases that a class's drugs are known for, in words."""
    if highest == 0:
        return "no disease"
    if lowest == highest:
        return count(lowest, "disease")
    return f"{lowest:,} to {highest:,} diseases"
