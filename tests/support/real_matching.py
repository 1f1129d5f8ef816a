"""The gold triples and the 51 studies of the real data, matched through the product's own steps."""

import csv
import json
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, text
from support import SHARED

from tracker import entities, evidence
from tracker.evidence import matching
from tracker.slates import loads

GOLD = SHARED / "detection_gold"
STUDIES = SHARED / "ctgov" / "studies_51.jsonl"
# Neither states when it was made.
_RELEASED = {"drugbank_vocabulary.csv": date(2026, 1, 1)}

_TABLE = """
with gold as (
    select
        pair.nct_id,
        disease_alias.disease_id,
        drug_alias.drug_id
    from gold_pair as pair
    inner join disease_alias on pair.doid = disease_alias.value
    inner join drug_alias on pair.folded_drug_name = drug_alias.value and drug_alias.kind = 'name'
),

found as (
    select
        trial.nct_id,
        period.entity_kind,
        period.entity_id,
        min(period.strength) as strength
    from trial
    inner join trial_condition using (trial_id)
    inner join match_period as period
        on trial_condition.folded_name = period.folded_text
        and period.entity_kind = 'disease'
    group by all
    union all
    select
        trial.nct_id,
        period.entity_kind,
        period.entity_id,
        min(period.strength)
    from trial
    inner join trial_intervention using (trial_id)
    inner join match_period as period
        on trial_intervention.folded_name = period.folded_text
        and period.entity_kind = 'drug'
    group by all
),

triple as (
    select
        disease_found.strength as disease_strength,
        drug_found.strength as drug_strength
    from gold
    left join found as disease_found
        on
            gold.nct_id = disease_found.nct_id
            and gold.disease_id = disease_found.entity_id
            and disease_found.entity_kind = 'disease'
    left join found as drug_found
        on
            gold.nct_id = drug_found.nct_id
            and gold.drug_id = drug_found.entity_id
            and drug_found.entity_kind = 'drug'
),

judged as (
    select
        found.entity_kind,
        found.strength,
        (found.nct_id, found.entity_id) in (
            select (nct_id, if(found.entity_kind = 'disease', disease_id, drug_id)) from gold
        ) as is_right
    from found
)

select
    match_kind.match_kind,
    (select count(*) filter (where disease_strength <= match_kind.strength) / count(*)
        from triple) as disease_recall,
    (select count(*) filter (where drug_strength <= match_kind.strength) / count(*)
        from triple) as drug_recall,
    (select count(*) filter (
            where disease_strength <= match_kind.strength and drug_strength <= match_kind.strength
        ) / count(*) from triple) as both_recall,
    (select count(*) filter (where is_right) / nullif(count(*), 0) from judged
        where entity_kind = 'disease' and strength <= match_kind.strength) as disease_precision,
    (select count(*) filter (where is_right) / nullif(count(*), 0) from judged
        where entity_kind = 'drug' and strength <= match_kind.strength) as drug_precision,
    (select count(*) from judged
        where entity_kind = 'disease' and strength = match_kind.strength) as n_diseases,
    (select count(*) from judged
        where entity_kind = 'drug' and strength = match_kind.strength) as n_drugs
from match_kind
order by match_kind.strength
"""


def ingest_vocabularies(connection: Connection) -> None:
    """Ingest every vocabulary of the real data, and ChEMBL for its names and its crosswalk."""
    for path in sorted((SHARED / "vocabularies").iterdir()):
        evidence.ingest_vocabulary(connection, path, released_on=_RELEASED.get(path.name))
    for number in (31, 32, 33):
        path = SHARED / "chembl" / f"chembl_{number}.db"
        evidence.ingest_chembl(
            connection, str(path), version=str(number), released_on=date(2022, number - 30, 1)
        )
    evidence.ingest_chembl(
        connection,
        str(SHARED / "chembl" / "indications_2026.csv"),
        version="2026",
        released_on=date(2026, 1, 1),
    )


def match_gold(connection: Connection, folder: Path) -> None:
    """Load the gold's drugs and diseases, ingest vocabularies and studies, and match."""
    pairs = sorted({(row["disease_name"], row["doid"], row["drug_name"]) for row in _rows("pairs")})
    with (folder / "labels.csv").open("w", newline="", encoding="utf-8") as handle:
        writer = csv.writer(handle)
        writer.writerow(["disease_name", "disease_id", "drug_name", "label"])
        writer.writerows([*pair, 4] for pair in pairs)
    loads.load_labels(connection, folder / "labels.csv", "gold")
    ingest_vocabularies(connection)
    _ingest(connection, folder, [_study(row) for row in _rows("trials")])
    matching.match_texts(connection)


def gold_table(connection: Connection) -> list[dict[str, Any]]:
    """Return recall and precision against the gold for each kind with all that are stronger.

    Recall is of triples, precision of distinct (study, entity). The gold lacks much that a record
    names in so many words, so precision is a lower bound.
    """
    connection.execute(
        text(
            "create or replace temp table gold_pair (nct_id text, doid text, folded_drug_name text)"
        )
    )
    connection.execute(
        text("insert into gold_pair values (:nct_id, :doid, :name)"),
        [
            {"nct_id": row["nct_id"], "doid": row["doid"], "name": entities.fold(row["drug_name"])}
            for row in _rows("pairs")
        ],
    )
    return [dict(row) for row in connection.execute(text(_TABLE)).mappings()]


def browse_terms() -> Iterator[tuple[str, str, str]]:
    """Yield (study, entity kind, MeSH term) of every term the 51 studies' browse modules name."""
    for line in STUDIES.read_text(encoding="utf-8").splitlines():
        study = json.loads(line)
        nct_id = study["protocolSection"]["identificationModule"]["nctId"]
        for kind, module in (("disease", "condition"), ("drug", "intervention")):
            for mesh in study["derivedSection"][f"{module}BrowseModule"].get("meshes", []):
                yield nct_id, kind, mesh["term"]


def match_studies(connection: Connection, folder: Path) -> None:
    """Load what the browse modules name as the store's drugs and diseases, by name, and match."""
    for kind, other in (("disease", "drug"), ("drug", "disease")):
        names = sorted({term for _, one, term in browse_terms() if one == kind})
        path = folder / f"{kind}.csv"
        with path.open("w", newline="", encoding="utf-8") as handle:
            writer = csv.writer(handle)
            writer.writerow([f"{kind}_name", f"{other}_name", "label"])
            writer.writerows([name, "placeholder", 4] for name in names)
        loads.load_labels(connection, path, kind)
    ingest_vocabularies(connection)
    evidence.ingest_trials(connection, [STUDIES], released_on=date(2026, 3, 1))
    matching.match_texts(connection)


def found_terms(connection: Connection) -> set[tuple[str, str, str]]:
    """Return (study, entity kind, folded name) of every drug and disease that a study matches."""
    rows = connection.execute(
        text("""
            select distinct trial.nct_id, 'disease', disease_alias.value
            from trial
            inner join trial_condition using (trial_id)
            inner join match_period as period
                on period.entity_kind = 'disease'
                and trial_condition.folded_name = period.folded_text
                and trial_condition.is_mesh_term = period.is_mesh_term
                and coalesce(trial_condition.mesh_id, '') = period.mesh_id
            inner join disease_alias on period.entity_id = disease_alias.disease_id
            where disease_alias.kind = 'name' and period.match_kind <> 'descendant'
            union all
            select distinct trial.nct_id, 'drug', drug_alias.value
            from trial
            inner join trial_intervention using (trial_id)
            inner join match_period as period
                on period.entity_kind = 'drug'
                and trial_intervention.folded_name = period.folded_text
                and trial_intervention.is_mesh_term = period.is_mesh_term
                and coalesce(trial_intervention.mesh_id, '') = period.mesh_id
            inner join drug_alias on period.entity_id = drug_alias.drug_id
            where drug_alias.kind in ('name', 'synonym')
        """)
    )
    return {(row[0], row[1], row[2]) for row in rows}


def _rows(name: str) -> list[dict[str, str]]:
    with (GOLD / f"{name}.csv").open(newline="", encoding="utf-8") as handle:
        return list(csv.DictReader(handle))


def _study(row: dict[str, str]) -> dict[str, Any]:
    interventions = [{"name": name} for name in row["interventions"].split("|")]
    return {
        "protocolSection": {
            "identificationModule": {"nctId": row["nct_id"]},
            "conditionsModule": {"conditions": row["conditions"].split("|")},
            "armsInterventionsModule": {"interventions": interventions},
        }
    }


def _ingest(connection: Connection, folder: Path, studies: list[dict[str, Any]]) -> None:
    path = folder / "studies.jsonl"
    path.write_text("\n".join(map(json.dumps, studies)), encoding="utf-8")
    evidence.ingest_trials(connection, [path], released_on=date(2026, 3, 1))
