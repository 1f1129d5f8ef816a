"""What the texts of the registry match: the rules, each with an example and a counter-example."""

import itertools
import shutil
from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from evidence import study, write_json
from sqlalchemy import Connection, text

from tracker import entities, schema, store
from tracker.evidence import ingest_trials, ingest_vocabulary, matching

EARLY = datetime(2025, 1, 1, tzinfo=UTC)

DISEASES = {
    1: ("asthma", "DOID:2841"),
    2: ("hepatocellular carcinoma", "DOID:684"),
    3: ("type 1 diabetes mellitus", "DOID:9744"),
    4: ("type 2 diabetes mellitus", "DOID:9352"),
    5: ("chronic obstructive pulmonary disease", "DOID:3083"),
    6: ("breast cancer", "DOID:1612"),
    7: ("pancreatic adenocarcinoma", "DOID:4074"),
    8: ("lung disease", "DOID:850"),
    9: ("hand-made disease", None),
    10: ("heart failure", "DOID:6000"),
    11: ("breast carcinoma", "DOID:3459"),
}
DRUGS = {
    1: "metformin",
    2: "insulin",
    3: "sitagliptin",
    4: "tretinoin",
    5: "salmeterol",
    6: "fluticasone propionate",
    7: "fluticasone",
    8: "actinium",
    9: "morphine",
    10: "acetylsalicylic acid",
    11: "adefovir",
    12: "zolpidem tartrate",
    13: "secukinumab",
    14: "mycophenolic acid",
    15: "cefalexin",
    16: "citric acid",
    17: "norepinephrine",
    18: "c1 esterase inhibitor",
    19: "¹³¹i-iobenguane",
}

ONTOLOGY = """format-version: 1.4
data-version: 2025-02-03
ontology: doid

[Term]
id: DOID:4
name: disease

[Term]
id: DOID:850
name: lung disease
is_a: DOID:4

[Term]
id: DOID:2841
name: asthma
synonym: "bronchial hyperreactivity" EXACT []
synonym: "wheezing disorder" BROAD []
is_a: DOID:850
xref: MESH:D001249

[Term]
id: DOID:9360
name: intrinsic asthma
is_a: DOID:2841

[Term]
id: DOID:684
name: hepatocellular carcinoma
synonym: "hepatoma" EXACT []
synonym: "liver lump" EXACT []

[Term]
id: DOID:685
name: benign liver neoplasm
synonym: "liver lump" EXACT []
is_a: DOID:4

[Term]
id: DOID:9744
name: type 1 diabetes mellitus

[Term]
id: DOID:9352
name: type 2 diabetes mellitus

[Term]
id: DOID:3083
name: chronic obstructive pulmonary disease
is_a: DOID:850

[Term]
id: DOID:1612
name: breast cancer
xref: MESH:D001943

[Term]
id: DOID:3459
name: breast carcinoma
is_a: DOID:1612
xref: MESH:D001943

[Term]
id: DOID:4074
name: pancreatic adenocarcinoma

[Term]
id: DOID:6000
name: heart failure

[Term]
id: DOID:77
name: old name of heart failure
is_obsolete: true
replaced_by: DOID:76

[Term]
id: DOID:76
name: older name of heart failure
is_obsolete: true
replaced_by: DOID:6000
"""
MAPPINGS = """#mapping_set_id: https://example.org/mondo.sssom.tsv
#mapping_date: 2025-02-03
subject_id\tsubject_label\tpredicate_id\tobject_id\tobject_label\tmapping_justification
MONDO:0004979\tbronchial asthma\tskos:exactMatch\tDOID:2841\tasthma\tx
MONDO:0007254\tmammary neoplasm malignant\tskos:exactMatch\tMESH:D001943\tBreast Neoplasms\tx
MONDO:0009999\twidened heart\tskos:broadMatch\tDOID:6000\theart failure\tx
"""
DRUGBANK = """DrugBank ID,Accession Numbers,Common name,CAS,UNII,Synonyms,Standard InChI Key
DB00030,,Insulin human,,,Insulin,
DB00047,,Insulin glargine,,,Lantus,
DB00945,,Acetylsalicylic acid,,,Aspirin | Acetylsalicylate,
DB00755,,Tretinoin,,,Retinoic acid,
DB00331,,Metformin,,,Dimethylbiguanide,
DB09029,,Secukinumab,,,Cosentyx,
DB00718,,Adefovir dipivoxil,,,,
"""


def _entities(connection: Connection) -> None:
    connection.execute(
        schema.disease.insert(),
        [
            {"disease_id": number, "name": name, "ontology_id": ontology_id}
            for number, (name, ontology_id) in DISEASES.items()
        ],
    )
    connection.execute(
        schema.drug.insert(), [{"drug_id": number, "name": name} for number, name in DRUGS.items()]
    )
    aliases = [("name", name, number) for number, (name, _) in DISEASES.items()]
    aliases += [("efo_id", identifier, n) for n, (_, identifier) in DISEASES.items() if identifier]
    aliases += [("synonym", "hmd-17", 9), ("mesh_id", "MESH:D000006333", 10)]
    connection.execute(
        schema.disease_alias.insert(),
        [
            {"kind": kind, "value": value, "disease_id": number, "added_at": EARLY}
            for kind, value, number in aliases
        ],
    )
    names = [("name", name, number) for number, name in DRUGS.items()]
    names += [("synonym", "ain-457", 13), ("chembl_id", "CHEMBL1201583", 2)]
    names += [("synonym", f"{DRUGS[number]} component of duovex", number) for number in (5, 6)]
    connection.execute(
        schema.drug_alias.insert(),
        [
            {"kind": kind, "value": value, "drug_id": number, "added_at": EARLY}
            for kind, value, number in names
        ],
    )


def _vocabularies(connection: Connection, folder: Path) -> None:
    for name, content in (
        ("doid.obo", ONTOLOGY),
        ("mondo.sssom.tsv", MAPPINGS),
        ("drugbank.csv", DRUGBANK),
    ):
        path = folder / name
        path.write_text(content, encoding="utf-8")
        ingest_vocabulary(connection, path, released_on=date(2025, 2, 3))


_NUMBERS = itertools.count(1)


def _trials(
    connection: Connection,
    folder: Path,
    conditions: Sequence[str] = (),
    interventions: Sequence[str] = (),
    *,
    meshes: Sequence[tuple[str, str]] = (),
    drug_meshes: Sequence[tuple[str, str]] = (),
) -> None:
    """Ingest one study with these conditions, interventions and MeSH terms."""
    number = next(_NUMBERS)
    document = study(
        f"NCT{number:08d}",
        conditions=conditions or ["nothing known"],
        interventions=[{"type": "DRUG", "name": name} for name in interventions],
        meshes=meshes,
    )
    document["derivedSection"]["interventionBrowseModule"] = {
        "meshes": [{"id": mesh_id, "term": term} for mesh_id, term in drug_meshes],
        "ancestors": [{"id": "D007004", "term": "Hypoglycemic Agents"}],
    }
    path = write_json(folder / f"study{number}.json", document)
    ingest_trials(connection, [path], released_on=date(2025, 3, 1))


Found = set[tuple[str, int, str]]
Matches = dict[str, set[tuple[int, str]]]


def _found(connection: Connection, entity: str) -> Found:
    rows = connection.execute(
        text(
            "select folded_text, entity_id, match_kind from match_period "
            "where entity_kind = :entity and known_until is null"
        ),
        {"entity": entity},
    )
    return {tuple(row) for row in rows}


def _matches(
    store_path: Path, folder: Path, entity: str, texts: Iterable[str], *, vocabularies: bool = True
) -> Matches:
    """Return what each text matches in a fresh store."""
    given = list(texts)
    with store.writer(store_path) as connection:
        _entities(connection)
        if vocabularies:
            _vocabularies(connection, folder)
        conditions, interventions = (given, []) if entity == "disease" else ([], given)
        _trials(connection, folder, conditions, interventions)
        matching.match_texts(connection)
        found = _found(connection, entity)
    return {
        one: {(number, kind) for folded, number, kind in found if folded == entities.fold(one)}
        for one in given
    }


# What each condition matches, besides the wider diseases that 'descendant' adds.
CONDITIONS: Matches = {
    "DOID:2841": {(1, "identifier")},
    "Asthma": {(1, "name")},
    "ASTHMA ": {(1, "name")},
    "bronchial hyperreactivity": {(1, "exact_synonym")},
    "wheezing disorder": set(),
    "Bronchial asthma": {(1, "exact_cross_reference")},
    "Breast Neoplasms": {(6, "exact_cross_reference")},
    "Mammary neoplasm malignant": set(),
    "widened heart": set(),
    "Carcinoma, Hepatocellular": {(2, "normalised_name")},
    "carcinoma of the liver, hepatocellular": set(),
    "Diabetes Mellitus, Type II": {(4, "normalised_name")},
    "Type 1 Diabetes": {(3, "normalised_name")},
    "Diabetes Mellitus (Type 2)": {(4, "normalised_name")},
    "diabetes mellitus": set(),
    "Chronic Obstructive Pulmonary Disease (COPD)": {(5, "normalised_name")},
    "Severe Chronic Obstructive Pulmonary Disease (COPD)": {(5, "descendant")},
    "Relapsed / Refractory Hepatocellular Carcinoma (HC)": {(2, "descendant")},
    "Hepatocellular Carcinoma, HC": {(2, "normalised_name")},
    "HC - Hepatocellular Carcinoma": {(2, "normalised_name")},
    "COPD (Chronic Obstructive Pulmonary Disease)": {(5, "normalised_name")},
    "Adenocarcinoma of the Pancreas": {(7, "normalised_name")},
    "asthma NOS (disorder)": {(1, "normalised_name")},
    "asthma and heart failure": {(1, "combination_member"), (10, "combination_member")},
    "heart failure with asthma": set(),
    "severe asthma": {(1, "descendant")},
    "asthma (skin)": {(1, "descendant")},
    "asthma of the left knee": {(1, "descendant")},
    "pollen asthma": {(1, "descendant")},
    "asthma, pollen": {(1, "descendant")},
    "made by hand-made disease": set(),
    "cat disease": set(),
    "heart failure clinic": set(),
    "exertional heart failure": {(10, "descendant")},
    "non-heart failure": set(),
    "benign pancreatic adenocarcinoma": set(),
    "prevention of severe heart failure": set(),
    "pollen liver lump": set(),
    "breast adenocarcinoma": {(6, "descendant")},
    "Disease, Made with Hand": {(9, "normalised_name")},
    "intrinsic asthma": {(1, "descendant")},
    "Stage IIIA Breast Cancer AJCC v7": {(6, "descendant")},
    "asthma negative": set(),
    "asthma ε": set(),
    "exertional heart ε failure": set(),
    "hmd-17": {(9, "exact_synonym")},
    "Disease, Hand-Made": {(9, "normalised_name")},
    "liver lump": set(),
    "old name of heart failure": set(),
    "lung": set(),
}
INTERVENTIONS: Matches = {
    "CHEMBL1201583": {(2, "identifier")},
    "Metformin": {(1, "name")},
    "Métformin®": {(1, "name")},
    "Dimethylbiguanide": {(1, "exact_synonym")},
    "aspirin": {(10, "exact_synonym")},
    "metformin hydrochloride 500 mg tablets": {(1, "normalised_name")},
    "Metformin 1000mg/day": {(1, "normalised_name")},
    "metformin (glucophage)": {(1, "normalised_name")},
    "zolpidem": {(12, "normalised_name")},
    "fluticasone propionate 250 mcg": {(6, "normalised_name")},
    "fluticasone furoate": {(7, "normalised_name")},
    "adefovir dipivoxil 10mg": set(),
    "mycophenolate mofetil": {(14, "normalised_name")},
    "Mycophenolate sodium 360 mg": {(14, "normalised_name")},
    "mycophenolic acid capsules": {(14, "normalised_name")},
    "Cephalexin 500 mg": {(15, "normalised_name")},
    "citric acid powder": {(16, "normalised_name")},
    "citrate": set(),
    "fluticasone propionate/salmeterol 250/50 mcg": {
        (5, "combination_member"),
        (6, "combination_member"),
    },
    "Duovex": {(5, "combination_member"), (6, "combination_member")},
    "duovex 250/50 mcg inhaler": {(5, "combination_member"), (6, "combination_member")},
    "weaning from duovex": {(5, "whole_word_mention"), (6, "whole_word_mention")},
    "salmeterol component of duovex": {(5, "exact_synonym")},
    "metformin + placebo for sitagliptin": {(1, "combination_member")},
    "placebo to match sitagliptin": set(),
    "sitagliptin (placebo)": set(),
    "sham morphine infusion": set(),
    "insulin glargine": set(),
    "insulin glargine 100 units": set(),
    "insulin": {(2, "name")},
    "secukinumab rescue algorithm": {(13, "whole_word_mention")},
    "AIN-457 150 mg": {(13, "normalised_name")},
    "13-cis-retinoic acid": set(),
    "cis-retinoic acid": set(),
    "retinoic acid": {(4, "exact_synonym")},
    "intensive metformin management arm": {(1, "whole_word_mention")},
    "anti-metformin antibody": set(),
    "norepinephrine reuptake inhibitors": set(),
    "metformin and norepinephrine reuptake inhibitors": set(),
    "morphine/norepinephrine antagonist": set(),
    "long-acting morphine agonists (metformin)": {(1, "normalised_name")},
    "metformin plus SGLT2 inhibitors": {(1, "combination_member")},
    "reuptake inhibitor sitagliptin": {(3, "whole_word_mention")},
    "C1 esterase inhibitor": {(18, "name")},
    "C1 Esterase Inhibitor 1000 U": {(18, "normalised_name")},
    "morphine receptor scan": set(),
    "¹³¹I Iobenguane 100 mg": {(19, "normalised_name")},
    "¹²³I-Iobenguane": set(),
    "Metformin λ": {(1, "whole_word_mention")},
    "doxorubicin and cyclophosphamide (AC)": set(),
    "PCA with morphine": {(9, "combination_member")},
    "insulin injection technique lesson": set(),
    "metformine": set(),
    "solution": set(),
}


@pytest.fixture(scope="module")
def conditions(store_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Matches:
    return _matches(store_path, tmp_path_factory.mktemp("made"), "disease", CONDITIONS)


@pytest.fixture(scope="module")
def interventions(empty_store: Path, tmp_path_factory: pytest.TempPathFactory) -> Matches:
    folder = tmp_path_factory.mktemp("made")
    path = Path(shutil.copy(empty_store, folder / "store.duckdb"))
    return _matches(path, folder, "drug", INTERVENTIONS)


@pytest.mark.parametrize("condition", CONDITIONS)
def test_a_condition_matches(condition: str, conditions: Matches) -> None:
    # Whatever is asthma or chronic obstructive pulmonary disease is a lung disease as well.
    assert conditions[condition] - {(8, "descendant")} == CONDITIONS[condition]


@pytest.mark.parametrize("intervention", INTERVENTIONS)
def test_an_intervention_matches(intervention: str, interventions: Matches) -> None:
    assert interventions[intervention] == INTERVENTIONS[intervention]


def test_a_descendant_matches_what_is_above_it(conditions: Matches) -> None:
    narrow = ["intrinsic asthma", "severe asthma", "Asthma", "Bronchial asthma"]
    assert all((8, "descendant") in conditions[one] for one in narrow)
    assert (6, "descendant") not in conditions["Asthma"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("entity", "expected"),
    [
        (
            "disease",
            {
                "Asthma": {(1, "name")},
                "Diabetes Mellitus, Type II": {(4, "normalised_name")},
                "asthma and heart failure": {(1, "combination_member"), (10, "combination_member")},
                "severe asthma": {(1, "descendant")},
                "hepatoma": set(),
            },
        ),
        (
            "drug",
            {
                "metformin hydrochloride 500 mg tablets": {(1, "normalised_name")},
                "morphine or placebo": {(9, "combination_member")},
                "secukinumab rescue algorithm": {(13, "whole_word_mention")},
                "aspirin": set(),
            },
        ),
    ],
    ids=["disease", "drug"],
)
def test_names_match_without_any_vocabulary(
    entity: str, expected: Matches, db: Path, tmp_path: Path
) -> None:
    assert _matches(db, tmp_path, entity, expected, vocabularies=False) == expected


@pytest.mark.slow
def test_terms_of_the_registry_match_by_identifier_else_by_name(db: Path, tmp_path: Path) -> None:
    with store.writer(db) as connection:
        _entities(connection)
        _vocabularies(connection, tmp_path)
        _trials(
            connection,
            tmp_path,
            ["Wheezing"],
            ["a biguanide"],
            # A padded identifier, a shared one, one that only a name resolves.
            meshes=[
                ("D000001249", "Anything"),
                ("D001943", "Breast Neoplasms"),
                ("D006333", "Cardiac Failure"),
                ("D009999", "Hand-Made Diseases"),
            ],
            drug_meshes=[("D008687", "Metformin"), ("D007004", "Agents")],
        )
        matching.match_texts(connection)
        diseases, drugs = _found(connection, "disease"), _found(connection, "drug")
        stored = connection.execute(
            text("select name, mesh_id from trial_intervention where is_mesh_term")
        ).all()
    assert {row for row in diseases if row[2] == "registry_mesh"} == {
        ("anything", 1, "registry_mesh"),
        ("breast neoplasms", 6, "registry_mesh"),
        ("cardiac failure", 10, "registry_mesh"),
        ("hand-made diseases", 9, "registry_mesh"),
    }
    assert drugs == {("metformin", 1, "registry_mesh")}
    # The classes above the terms are not stored.
    assert {tuple(row) for row in stored} == {
        ("Metformin", "MESH:D008687"),
        ("Agents", "MESH:D007004"),
    }


@pytest.mark.slow
def test_a_shared_name_matches_no_one_and_is_listed(db: Path, tmp_path: Path) -> None:
    with store.writer(db) as connection:
        _entities(connection)
        _vocabularies(connection, tmp_path)
        _alias(connection, "disease", 10, "the lump", EARLY)
        _alias(connection, "disease", 2, "the lump", EARLY)
        _trials(connection, tmp_path, ["the lump", "liver lump", "hepatoma", "heart failure"])
        matching.match_texts(connection)
        found = {row[:2] for row in _found(connection, "disease")}
        listed = connection.execute(
            text(
                "select value, claimant_name from ambiguous_name where claim_kind = 'exact_synonym'"
            )
        )
        names = {tuple(row) for row in listed}
    assert found == {("hepatoma", 2), ("heart failure", 10)}
    assert names == {
        ("the lump", "hepatocellular carcinoma"),
        ("the lump", "heart failure"),
        ("liver lump", "hepatocellular carcinoma"),
        ("liver lump", "DOID:685"),
    }


@pytest.mark.slow
def test_a_vocabulary_that_comes_later_makes_late_matches(db: Path, tmp_path: Path) -> None:
    with store.writer(db) as connection:
        _entities(connection)
        _trials(connection, tmp_path, ["Bronchial hyperreactivity", "Asthma", "Type II Diabetes"])
        first = matching.match_texts(connection)
        before = _since(connection)
        _vocabularies(connection, tmp_path)
        second = matching.match_texts(connection)
        after = _since(connection)
        ingested = connection.execute(text("select min(ingested_at) from release")).scalar_one()
    assert first.n_matches == 2
    assert set(before) == {("asthma", 1), ("type ii diabetes", 4)}
    assert set(before.values()) == {EARLY}
    assert second.n_matches == 3
    # What was known stays known; what the vocabulary adds is known since it came.
    assert {key: after[key] for key in before} == before
    assert after["bronchial hyperreactivity", 1] > ingested
    assert after["asthma", 8] > ingested


@pytest.mark.slow
@pytest.mark.parametrize(
    ("is_matched_before", "named"),
    [(True, 2), (False, 2), (True, 10)],
    ids=["later", "at once", "another"],
)
def test_a_stronger_kind_is_a_further_row_whenever_it_is_computed(
    is_matched_before: bool, named: int, db: Path, tmp_path: Path
) -> None:
    """A slate recorded before that day keeps the weak match, also where the text names another."""
    later = EARLY + timedelta(days=200)
    with store.writer(db) as connection:
        _entities(connection)
        _trials(connection, tmp_path, ["Carcinoma, Hepatocellular"])
        if is_matched_before:
            matching.match_texts(connection)
        _alias(connection, "disease", named, "carcinoma, hepatocellular", later)
        matching.match_texts(connection)
        rows = _periods(connection)
        found = _found(connection, "disease")
    assert rows == [("normalised_name", EARLY, later), ("exact_synonym", later, None)]
    assert found == {("carcinoma, hepatocellular", named, "exact_synonym")}


@pytest.mark.slow
def test_a_name_that_comes_to_mean_two_is_withdrawn(db: Path, tmp_path: Path) -> None:
    later = EARLY + timedelta(days=200)
    with store.writer(db) as connection:
        _entities(connection)
        _trials(connection, tmp_path, ["hmd-17"])
        matching.match_texts(connection)
        _alias(connection, "disease", 10, "hmd-17", later)
        matching.match_texts(connection)
        rows = _periods(connection)
        n_rows = connection.execute(text("select count(*) from disease_match")).scalar_one()
        again = matching.match_texts(connection)
    # A slate recorded before that day keeps the match.
    assert rows == [("exact_synonym", EARLY, later)]
    assert n_rows == 2
    assert again == matching.Matched(0, 0)


@pytest.mark.slow
def test_only_new_studies_are_compared(db: Path, tmp_path: Path) -> None:
    with store.writer(db) as connection:
        _entities(connection)
        _trials(connection, tmp_path, ["Asthma", "Gout"], ["Metformin"])
        first = matching.match_texts(connection)
        nothing = matching.match_texts(connection)
        _trials(connection, tmp_path, ["Asthma", "severe asthma"], ["Morphine"])
        second = matching.match_texts(connection)
        found = _found(connection, "disease") | _found(connection, "drug")
    assert first == matching.Matched(3, 2)
    assert nothing == matching.Matched(0, 0)
    assert second == matching.Matched(3, 2)
    assert found == {
        ("asthma", 1, "name"),
        ("severe asthma", 1, "descendant"),
        ("metformin", 1, "name"),
        ("morphine", 9, "name"),
    }


@pytest.mark.slow
def test_every_match_says_through_what(db: Path, tmp_path: Path) -> None:
    with store.writer(db) as connection:
        _entities(connection)
        _vocabularies(connection, tmp_path)
        _trials(connection, tmp_path, ["hepatoma", "intrinsic asthma", "asthma/cough"])
        matching.match_texts(connection)
        rows = connection.execute(
            text(
                "select folded_text, match_kind, matched_part, alias_value, via from disease_match "
                "where disease_id in (1, 2)"
            )
        ).all()
    assert {tuple(row) for row in rows} == {
        ("hepatoma", "exact_synonym", None, "DOID:684", 'DOID:684 "hepatoma"'),
        ("intrinsic asthma", "descendant", None, "DOID:2841", "DOID:9360 is_a DOID:2841"),
        ("asthma/cough", "combination_member", "asthma", "asthma", None),
    }


def _alias(connection: Connection, entity: str, number: int, name: str, at: datetime) -> None:
    table = schema.metadata.tables[f"{entity}_alias"]
    row = {"kind": "synonym", "value": name, f"{entity}_id": number, "added_at": at}
    connection.execute(table.insert(), row)


def _since(connection: Connection) -> dict[tuple[str, int], datetime]:
    rows = connection.execute(
        text("select folded_text, disease_id, min(known_since) from disease_match group by all")
    )
    return {(row[0], row[1]): row[2].astimezone(UTC) for row in rows}


def _periods(connection: Connection) -> list[tuple[str, datetime, datetime | None]]:
    rows = connection.execute(
        text(
            "select match_kind, known_since, known_until from match_period "
            "where entity_kind = 'disease' order by known_since"
        )
    )
    return [
        (kind, since.astimezone(UTC), until and until.astimezone(UTC))
        for kind, since, until in rows
    ]
