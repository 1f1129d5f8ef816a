"""tracker coverage as a new user meets it: common names, what is unseen, aliases, hits."""

import csv
import shutil
from datetime import date
from pathlib import Path
from uuid import UUID

import pytest
from evidence import chembl, study, write_json
from support import Tracker, as_json, ok, query, tracker_on

from tracker import store
from tracker.reports import coverage
from tracker.slates import freezing, plans

CANDIDATES = """disease_name,drug_name,score
Asthma,Aspirin,0.9
Asthma,Jorantrin,0.8
Asthma,Nowhereline,0.7
Gout,Aspirin,0.6
"""


@pytest.fixture(scope="module")
def loaded_folder(empty_store: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of a store with candidates by common names and two snapshots of trials."""
    folder = tmp_path_factory.mktemp("loaded")
    tracker = tracker_on(Path(shutil.copy(empty_store, folder / "store.duckdb")))
    (folder / "candidates.csv").write_text(CANDIDATES)
    ok(tracker("load", "candidates", folder / "candidates.csv", "--set", "own", "--model", "m"))
    trials = [
        study("NCT00000001", start="2023-07", posted="2023-06-30", updated="2023-06-30"),
        study(
            "NCT00000002",
            start="2025-07",
            posted="2025-06-30",
            updated="2025-06-30",
            interventions=[{"type": "DRUG", "name": "Jorantrine"}],
        ),
    ]
    for day, shown in (("2023-08-01", trials[:1]), ("2025-08-01", trials)):
        path = write_json(folder / f"ctgov-{day}.json", shown)
        assert tracker("ingest", "trials", path, "--released", day).exit_code == 0
    return folder


@pytest.fixture
def loaded(loaded_folder: Path, db: Path, tmp_path: Path) -> Path:
    """A copy of that store is the test's; returns the test's folder."""
    shutil.copy(loaded_folder / "store.duckdb", db)
    return tmp_path


@pytest.mark.slow
def test_names_that_nothing_sees_are_found_reviewed_and_loaded(
    loaded: Path, tracker: Tracker, db: Path
) -> None:
    before = ok(tracker("coverage", "--candidates", "own", "--aliases", loaded / "suggested.csv"))
    assert "No source in the store names 2 drugs and 1 disease" in before.stdout
    with (loaded / "suggested.csv").open() as file:
        suggested = list(csv.DictReader(file))
    assert suggested == [
        {"entity": "drug", "name": "Jorantrin", "kind": "synonym", "value": "jorantrine"}
    ]
    assert tracker("load", "aliases", loaded / "suggested.csv").exit_code == 0
    with store.writer(db) as connection:
        frozen = freezing.freeze(
            connection, candidates="own", labels=None, replay_as_of=date(2025, 1, 1)
        )
    assert tracker("refresh", "detect").exit_code == 0
    hits = query(
        tracker,
        "select drug.name from pair_outcome inner join drug using (drug_id) "
        "where is_hit and evidence_window = 'prospective'",
    )
    assert hits == [{"name": "Jorantrin"}]
    document = as_json(tracker, "coverage", frozen.slate.slate_id)
    unseen = [row["name"] for row in document["sections"]["unseen_name"]]
    assert unseen == ["Gout", "Nowhereline"]
    kinds = {
        (row["entity_kind"], row["match_kind"]): row["n_entities"]
        for row in document["sections"]["coverage"]
    }
    assert kinds == {
        ("disease", "name"): 1,
        ("disease", "none"): 1,
        ("drug", "name"): 1,
        ("drug", "exact_synonym"): 1,
        ("drug", "none"): 1,
    }


@pytest.mark.slow
def test_a_name_of_two_terms_is_told_with_the_alias_that_settles_it(
    loaded: Path, tracker: Tracker
) -> None:
    (loaded / "doid.obo").write_text(
        "format-version: 1.4\ndata-version: 2023-01-01\nontology: doid\n\n"
        '[Term]\nid: DOID:1\nname: crystal gout\nsynonym: "gout" EXACT []\n'
        'synonym: "podagra" EXACT []\n\n'
        '[Term]\nid: DOID:2\nname: lead gout\nsynonym: "gout" EXACT []\n'
    )
    assert tracker("ingest", "vocabulary", loaded / "doid.obo").exit_code == 0
    write_json(loaded / "study.json", study("NCT00000003", conditions=("Podagra",)))
    ok(tracker("ingest", "trials", loaded / "study.json", "--released", "2025-08-02"))
    assert tracker("refresh", "detect").exit_code == 0
    told = _told(tracker)
    assert told["ambiguous_name"] == [
        {
            "entity_kind": "disease",
            "name": "Gout",
            "value": "gout",
            "claimant": f'DOID:{number} "{label}"',
            "alias_kind": "efo_id",
            "alias_value": f"DOID:{number}",
        }
        for number, label in ((1, "crystal gout"), (2, "lead gout"))
    ]
    assert "Gout" in [row["name"] for row in told["unseen_name"]]
    (loaded / "aliases.csv").write_text("entity,name,kind,value\ndisease,Gout,efo_id,DOID:1\n")
    assert tracker("load", "aliases", loaded / "aliases.csv").exit_code == 0
    assert tracker("refresh", "detect").exit_code == 0
    told = _told(tracker)
    assert told["ambiguous_name"] == []
    assert "Gout" not in [row["name"] for row in told["unseen_name"]]


def _told(tracker: Tracker) -> dict[str, list[dict[str, object]]]:
    told = as_json(tracker, "coverage", "--candidates", "own")
    sections: dict[str, list[dict[str, object]]] = told["sections"]
    return sections


@pytest.mark.slow
def test_aliases_that_come_after_the_freeze_are_late(
    loaded: Path, tracker: Tracker, db: Path
) -> None:
    with store.writer(db) as connection:
        frozen = freezing.freeze(
            connection, candidates="own", labels=None, replay_as_of=date(2025, 1, 1)
        )
    (loaded / "aliases.csv").write_text(
        "entity,name,kind,value\ndrug,Jorantrin,synonym,Jorantrine\n"
    )
    assert tracker("load", "aliases", loaded / "aliases.csv").exit_code == 0
    assert tracker("refresh", "detect").exit_code == 0
    shown = as_json(tracker, "coverage", frozen.slate.slate_id)
    assert [
        (row["cause"], row["match_kind"], row["n_pairs"])
        for row in shown["sections"]["uncounted_event"]
    ] == [("late", "exact_synonym", 1)]


@pytest.mark.slow
def test_chembl_is_seen_by_identifiers_alone(loaded: Path, tracker: Tracker) -> None:
    """Names reach ChEMBL through the identifiers that its molecules add to the drugs."""
    assert tracker("ingest", "chembl", chembl(loaded / "chembl_36.db")).exit_code == 0
    shown = _told(tracker)
    kinds = {
        row["match_kind"]
        for row in shown["coverage"]
        if (row["entity_kind"], row["source"]) == ("drug", "chembl")
    }
    assert kinds == {"identifier", "none"}


MAPPINGS = """# curie_map:
#   MONDO: http://purl.obolibrary.org/obo/MONDO_
# mapping_set_id: http://purl.obolibrary.org/obo/mondo/mappings/mondo_efo.sssom.tsv
# mapping_set_version: "2025-01-01"
subject_id\tsubject_label\tpredicate_id\tobject_id\tobject_label
MONDO:0004979\tasthma\tskos:exactMatch\tEFO:0000270\tasthma
"""


@pytest.mark.slow
def test_indications_are_reached_through_a_mapping(
    tmp_path: Path, tracker: Tracker, db: Path
) -> None:
    """A disease that is given by its MONDO id and a name of its own, ChEMBL's by EFO's."""
    (tmp_path / "candidates.csv").write_text(
        "disease_name,drug_name,score,disease_id,chembl_id\n"
        "Wheezing of ours,Aspirin,0.9,MONDO:0004979,CHEMBL25\n"
    )
    (tmp_path / "mondo.sssom.tsv").write_text(MAPPINGS)
    loading = ("load", "candidates", tmp_path / "candidates.csv", "--set", "own", "--model", "m")
    assert tracker(*loading).exit_code == 0
    for release, phase, day in ((35, 1, "2024-06-01"), (36, 2, "2025-07-01")):
        indications = [(1, 1, phase, "D001249", "Asthma", "EFO:0000270", "asthma")]
        version = (f"ChEMBL_{release}", day)
        path = chembl(tmp_path / f"chembl_{release}.db", indications, version=version)
        if release == 36:
            assert tracker("ingest", "vocabulary", tmp_path / "mondo.sssom.tsv").exit_code == 0
            with store.writer(db) as connection:
                for plan, name in ((None, "all kinds"), ("[matching]\nkinds = []", "aliases")):
                    (tmp_path / "plan.toml").write_text(plan or "")
                    freezing.freeze(
                        connection,
                        candidates="own",
                        labels=None,
                        description=name,
                        plan=plans.read(tmp_path / "plan.toml"),
                        replay_as_of=date(2024, 12, 31),
                    )
        assert tracker("ingest", "chembl", path).exit_code == 0
    assert tracker("refresh", "detect").exit_code == 0
    found = query(
        tracker,
        "select slate.description, outcome_type, phase, timing, match_kind "
        "from outcome_timing inner join slate using (slate_id)",
    )
    known = query(
        tracker,
        "select slate.description, known_phase from pair_known_phase "
        "inner join slate using (slate_id) where is_known",
    )
    assert [tuple(row.values()) for row in found] == [
        ("all kinds", "phase_advanced", 2.0, "straddles", "exact_cross_reference")
    ]
    assert [tuple(row.values()) for row in known] == [("all kinds", 1.0)]


@pytest.mark.slow
@pytest.mark.usefixtures("loaded")
def test_detection_says_what_the_sources_can_see(tracker: Tracker) -> None:
    freeze = ("slate", "freeze", "--candidates", "own", "--top-k")
    slates = []
    for top_k, description in ((1, "one"), (9, "all")):
        done = tracker(*freeze, top_k, "--description", description)
        slates.append(done.stdout.split("slate ")[1][:8])
    one, every = slates
    # Aspirin and asthma are named, jorantrin, nowhereline and gout are not.
    of_one = f"slate {one}: sources see 1 of 1 drug, 1 of 2 diseases"
    of_every = f"slate {every}: sources see 1 of 3 drugs, 1 of 2 diseases"
    hint = "names missing from every source can never score a hit: tracker coverage "
    assert tracker("refresh", "detect", one).stdout.splitlines()[-2:] == [of_one, hint + one]
    of_all = tracker("refresh", "detect").stdout.splitlines()[-3:]
    assert of_all == [of_one, of_every, hint + "SLATE"]


@pytest.mark.slow
def test_a_refresh_says_it_when_it_has_detected(loaded: Path, tracker: Tracker) -> None:
    done = tracker("slate", "freeze", "--candidates", "own", "--disease", "Asthma", "--top-k", 1)
    slate = done.stdout.split("slate ")[1][:36]
    (loaded / "tracker.toml").write_text('[[source]]\nkind = "chembl"\npath = "none"\n')
    words = ("refresh", "--config", loaded / "tracker.toml")
    lines = tracker(*words).stdout.splitlines()
    assert lines == [
        f"slate {slate[:8]}: sources see 1 of 1 drug, 1 of 1 disease",
        "releases: none; no new outcomes in 1 slate",
    ]
    # Nothing new: nothing is computed.
    assert tracker(*words).stdout == "releases: none; no new outcomes in 1 slate\n"
    assert as_json(tracker, *words)["coverage"] == []
    again = tracker("slate", "freeze", "--candidates", "own").stdout.split("slate ")[1][:36]
    document = as_json(tracker, *words)
    seen = {"n_drugs": 3, "n_seen_drugs": 1, "n_diseases": 2, "n_seen_diseases": 1}
    assert document["coverage"][1] == {"slate_id": again, **seen}


@pytest.mark.slow
def test_without_evidence_there_is_nothing_to_see(tmp_path: Path, tracker: Tracker) -> None:
    (tmp_path / "candidates.csv").write_text(CANDIDATES)
    loading = ("load", "candidates", tmp_path / "candidates.csv", "--set", "own", "--model", "m")
    assert tracker(*loading).exit_code == 0
    assert tracker("slate", "freeze", "--candidates", "own").exit_code == 0
    assert tracker("refresh", "detect").stdout == "detection finished: no new events\n"
    shown = tracker("coverage", "--candidates", "own")
    assert "No evidence yet; run 'tracker ingest'." in shown.stdout


def test_the_lines_fit_a_terminal() -> None:
    largest = coverage.Seen(UUID(int=2**128 - 1), 3_000, 2_999, 22_000, 21_999)
    lines = coverage.seen_lines([largest])
    assert len(lines) == 2
    assert all(len(line) <= 80 for line in lines)


@pytest.mark.parametrize(
    ("words", "exit_code", "message"),
    [
        ([], 2, "give a slate or --candidates, and not both"),
        (["469b", "--candidates", "own"], 2, "give a slate or --candidates, and not both"),
        (["469b"], 3, "no slate begins with '469b'"),
        (["--candidates", "other"], 3, "no candidate set is named 'other'; known: own"),
        (["--candidates", "own", "--aliases", "no/such/folder.csv"], 3, "no/such"),
    ],
)
def test_wrong_words_are_refused(
    loaded: Path, tracker: Tracker, words: list[str], exit_code: int, message: str
) -> None:
    refused = tracker("coverage", *words)
    assert refused.exit_code == exit_code
    assert message in refused.output
    assert not (loaded / "suggested.csv").exists()
