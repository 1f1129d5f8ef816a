"""What the sources in the store can see of a slate, or of candidates before a freeze.

A drug or disease that no source names can have no outcome, which makes predictions look worse than
they are. The views coverage, slate_coverage and entity_coverage define the figures.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, Row, text

from tracker.reports.kinds import CANDIDATE_SET, Report
from tracker.reports.records import Section, read
from tracker.reports.words import count
from tracker.rows import Rows, rows_from
from tracker.store import catalog, statements

# Less similar texts hardly ever mean the same thing.
LEAST_SIMILARITY = 0.9

_UNCOUNTED = text(
    """
select
    cause,
    match_kind,
    count(*) as n_events,
    count(distinct (disease_id, drug_id)) as n_pairs
from uncounted_event
where slate_id = :slate_id
group by cause, match_kind
order by cause, match_kind
"""
)

_UNCOUNTED_STUDIES = text(
    """
select
    uncounted_study.nct_id,
    disease.name as disease,
    drug.name as drug,
    uncounted_study.study_kind as kind,
    uncounted_study.reason
from uncounted_study
inner join disease using (disease_id)
inner join drug using (drug_id)
where slate_id = :slate_id
order by kind, nct_id, disease.name, drug.name
"""
)
_UNCOUNTED_RECORDS = text(
    """
select
    'fda' as source,
    submission_kind as kind,
    count(distinct record) as n_records,
    count(distinct drug_id) as n_drugs,
    null as n_pairs,
    reason
from uncounted_action
where slate_id = :slate_id
group by submission_kind, reason
union all
select
    source,
    study_kind as kind,
    count(distinct nct_id) as n_records,
    count(distinct drug_id) as n_drugs,
    count(distinct (disease_id, drug_id)) as n_pairs,
    reason
from uncounted_study
where slate_id = :slate_id
group by source, study_kind, reason
order by source, n_records desc, kind, reason
"""
)

_CHANGES = text(
    """
select
    drug.name as drug_name,
    molecule_change.chembl_id,
    molecule_change.new_chembl_id,
    release.version,
    molecule_change.matched_by
from molecule_change
inner join release using (release_id)
inner join drug_alias
    on
        drug_alias.kind = 'chembl_id'
        and drug_alias.value in (molecule_change.chembl_id, molecule_change.new_chembl_id)
inner join drug using (drug_id)
where drug_id in (select drug_id from prediction where slate_id = :slate_id)
group by all
order by drug_name, release.version, molecule_change.chembl_id
"""
)


@dataclass(frozen=True)
class Seen:
    """How many of a slate's drugs and diseases at least one source in the store names."""

    slate_id: UUID
    n_drugs: int
    n_seen_drugs: int
    n_diseases: int
    n_seen_diseases: int

    @property
    def is_whole(self) -> bool:
        """Whether every drug and disease is seen."""
        return (self.n_seen_drugs, self.n_seen_diseases) == (self.n_drugs, self.n_diseases)

    @property
    def words(self) -> str:
        """The counts as a phrase."""
        return (
            f"sources see {self.n_seen_drugs:,} of {count(self.n_drugs, 'drug')}, "
            f"{self.n_seen_diseases:,} of {count(self.n_diseases, 'disease')}"
        )


def seen_counts(connection: Connection, slate_ids: Collection[UUID]) -> list[Seen]:
    """Return the counts of these slates; none if the store has no source of evidence."""
    rows = statements.run(connection, "seen_count").mappings()
    by_id = {row["slate_id"]: Seen(**row) for row in rows}
    return [by_id[slate_id] for slate_id in slate_ids if slate_id in by_id]


def seen_lines(found: Sequence[Seen]) -> list[str]:
    """Return a line of at most 80 columns for each slate, and how to list what is unseen."""
    lines = [f"slate {_short(one)}: {one.words}" for one in found]
    unseen = [_short(one) for one in found if not one.is_whole]
    if unseen:
        which = unseen[0] if len(unseen) == 1 else "SLATE"
        lines.append(
            f"names missing from every source can never score a hit: tracker coverage {which}"
        )
    return lines


def _short(one: Seen) -> str:
    return str(one.slate_id)[:8]


def of_slate(connection: Connection, slate: Row[Any]) -> Report:
    """Collect what the sources see of a slate's predictions, by the kinds of match it counts."""
    view = catalog.find("coverage")
    key = {"slate_id": str(slate.slate_id)}
    unseen = unseen_names(connection, slate_id=str(slate.slate_id))
    return Report(
        {**key, "description": slate.description},
        _warnings(unseen, ""),
        [
            _seen_section(Section.of(view, read(connection, view, key))),
            _unseen_section(unseen),
            _ambiguous_section(connection, slate_id=str(slate.slate_id)),
            Section(
                "uncounted_event",
                "Evidence of predictions that does not count",
                "events that the slate does not see: matched late, or by a kind left out",
                "counts of events and of the predicted pairs they concern",
                rows_from(connection.execute(_UNCOUNTED, key)),
            ),
            Section(
                "uncounted_action",
                "Records of predictions that make no outcome",
                "the FDA's actions that approve nothing new, and studies that do not count, by "
                "what they are",
                "counts of records, and of the predicted drugs and pairs they concern; the FDA "
                "names no disease; the view uncounted_action lists its actions",
                rows_from(connection.execute(_UNCOUNTED_RECORDS, key)),
            ),
            Section(
                "uncounted_study",
                "Studies of predictions that do not count",
                "studies that are not interventional, and those with a use of the drug that the "
                "plan does not count, each with the reason",
                "a study once for each predicted pair",
                rows_from(connection.execute(_UNCOUNTED_STUDIES, key)),
            ),
            Section(
                "molecule_change",
                "Drugs that ChEMBL gave another identifier",
                "predicted drugs whose molecule has changed its identifier, and stays the same",
                "matched_by is the key that both have",
                rows_from(connection.execute(_CHANGES, key)),
            ),
        ],
    )


def of_candidates(connection: Connection, candidate_set: Row[Any]) -> Report:
    """Collect what the sources see of a set of candidates by everything known now."""
    key = {"candidate_set_id": candidate_set.candidate_set_id}
    unseen = unseen_names(connection, candidate_set_id=candidate_set.candidate_set_id)
    return Report(
        {"candidate_set_id": candidate_set.name, "n_pairs": candidate_set.n_pairs},
        _warnings(unseen, " Load aliases, or ingest a vocabulary, before you freeze."),
        [
            _seen_section(
                Section(
                    "coverage",
                    "What the sources can see of the candidates",
                    "drugs and diseases by the strongest match of any record of the source",
                    "counts, and the share of the drugs or diseases, 0..1; kind none: no record "
                    "of the source names them",
                    rows_from(statements.run(connection, "candidate_coverage", key)),
                )
            ),
            _unseen_section(unseen),
            _ambiguous_section(connection, candidate_set_id=candidate_set.candidate_set_id),
        ],
        CANDIDATE_SET,
    )


def unseen_names(
    connection: Connection, *, slate_id: str | None = None, candidate_set_id: int | None = None
) -> Rows:
    """Return the drugs and diseases that no source names, with the nearest text of the evidence.

    Columns: entity_kind, name, nearest_text, similarity; the last two are NULL if no text has a
    similarity of at least LEAST_SIMILARITY.
    """
    known = {
        "slate_id": slate_id,
        "candidate_set_id": candidate_set_id,
        "least_similarity": LEAST_SIMILARITY,
    }
    return rows_from(statements.run(connection, "unseen_name", known))


def _seen_section(section: Section) -> Section:
    """Mark a section without counts as one without evidence."""
    return replace(section, empty="No evidence yet; run 'tracker ingest'.")


def _unseen_section(unseen: Rows) -> Section:
    return Section(
        "unseen_name",
        "Names that no source has",
        "drugs and diseases that no record names, and the nearest text of the evidence",
        f"Jaro-Winkler similarity, at least {LEAST_SIMILARITY}; suggestions only: nothing is "
        "matched automatically",
        unseen,
    )


def _ambiguous_section(
    connection: Connection, *, slate_id: str | None = None, candidate_set_id: int | None = None
) -> Section:
    known = {"slate_id": slate_id, "candidate_set_id": candidate_set_id}
    return Section(
        "ambiguous_name",
        "Names that two claim",
        "names of these drugs and diseases that match no one, since another has them too, as of "
        "the last detection, and diseases whose name two terms of a vocabulary have, so that they "
        "are neither",
        "alias_kind and alias_value make a row for 'tracker load aliases' that settles it; blank "
        "where both are in the store",
        rows_from(statements.run(connection, "ambiguous_subject", known)),
    )


def _warnings(unseen: Rows, advice: str) -> list[str]:
    if not unseen.values:
        return []
    counts = dict.fromkeys(("drug", "disease"), 0)
    for row in unseen.values:
        counts[row[0]] += 1
    named = " and ".join(count(n, kind) for kind, n in counts.items() if n)
    return [f"No source in the store names {named}: nothing can happen to them here.{advice}"]
