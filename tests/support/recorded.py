"""What detection recorded of slates, by names, as simulated_truth states it."""

from typing import Any

from simulated_truth import Outcome, Pair, Timed
from sqlalchemy import Connection, text

_NAMED = """
select
    if(slate.origin = 'published', 'published', slate.description) as slate,
    disease.name as disease,
    drug.name as drug,
    {columns}
from {view} as recorded
join slate on slate.slate_id = recorded.slate_id
join disease on disease.disease_id = recorded.disease_id
join drug on drug.drug_id = recorded.drug_id
"""


def rows(connection: Connection, view: str, columns: str) -> list[tuple[Any, ...]]:
    """Return slate, disease and drug with these columns of a view."""
    found = connection.execute(text(_NAMED.format(view=view, columns=columns)))
    return [tuple(row) for row in found]


def outcomes(connection: Connection) -> set[Outcome]:
    """Return the ledger; every row of it differs from every other."""
    columns = (
        "outcome_type, event_date, public_after, public_by, recorded.source, "
        "(select version from release where release_id = recorded.release_id), recorded.detail"
    )
    found = [
        Outcome._make([*row, tuple(sorted(detail.items()))])
        for *row, detail in rows(connection, "outcome", columns)
    ]
    assert len(set(found)) == len(found)
    return set(found)


def timings(connection: Connection) -> set[Timed]:
    """Return type, source, dated event and timing of each outcome."""
    columns = "outcome_type, recorded.source, event_date, timing"
    return set(rows(connection, "outcome_timing", columns))


def known_phases(connection: Connection) -> dict[tuple[str, Pair], float]:
    """Return the pairs known at each freeze, with 0 where no phase is."""
    found = rows(connection, "pair_known_phase", "is_known, coalesce(known_phase, 0)")
    return {
        (slate, (disease, drug)): phase
        for slate, disease, drug, is_known, phase in found
        if is_known
    }
