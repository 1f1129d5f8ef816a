"""From files to outcomes: releases ingested, detected once, listed, shown; the real ones too."""

import csv
import io
import json
import shutil
import sqlite3
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from bench import Bench
from evidence import chembl, drugs_at_fda, study, write_json
from support import Tracker, as_json, ok, query, sampled

# Its releases are ingested first.
pytestmark = pytest.mark.slow

FREEZE = "2025-03-01"
CANDIDATES = """disease_name,drug_name,score,disease_id,chembl_id
Asthma,Aspirin,0.9,EFO:0000270,CHEMBL25
Asthma,Caffeine,0.8,EFO:0000270,CHEMBL113
COPD,Aspirin,0.2,EFO:0000341,CHEMBL25
COPD,Caffeine,0.7,EFO:0000341,CHEMBL113
"""
MOLECULES = [(1, "ASPIRIN", "CHEMBL25"), (2, "CAFFEINE", "CHEMBL113")]
ASTHMA = ("D001249", "Asthma", "EFO:0000270", "asthma")
DRUG = {"type": "DRUG"}
FIRST_STUDY: dict[str, Any] = {"phases": ("PHASE1",), "start": "2024-05"}
# The outcomes of the slate's pairs in the releases of `followed_store`; see there. Aspirin in COPD
# is scored too low to be predicted: its outcomes are of the candidate set.
OUTCOMES = {
    ("Asthma", "Aspirin", "fda_approved", "chembl", "2025-05-01", "prospective", "1"),
    ("Asthma", "Aspirin", "status_transition", "ctgov", "2025-07-20", "straddles", "NCT00000001"),
    ("Asthma", "Caffeine", "first_trial_seen", "ctgov", "2025-04-10", "announced", "NCT00000003"),
    ("COPD", "Aspirin", "first_trial_seen", "ctgov", "2025-06-01", "prospective", "NCT00000002"),
    ("COPD", "Aspirin", "phase_advanced", "ctgov", "2025-06-01", "prospective", "NCT00000002"),
}


def freeze(tracker: Tracker, description: str, *options: object) -> str:
    """Freeze the candidate set 'c' as of FREEZE or by the options; return the slate's id."""
    words = options or ("--replay-as-of", FREEZE)
    ok(tracker("slate", "freeze", "--candidates", "c", "--description", description, *words))
    rows = query(tracker, "select slate_id, description from slate")
    return next(str(row["slate_id"]) for row in rows if row["description"] == description)


def load(tracker: Tracker, folder: Path, candidates: str) -> None:
    (folder / "candidates.csv").write_text(candidates)
    ok(tracker("load", "candidates", folder / "candidates.csv", "--set", "c", "--model", "m"))


def listed(tracker: Tracker, slate: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = as_json(tracker, "outcome", "list", slate)
    return rows


def outcomes(tracker: Tracker, slate: str) -> set[tuple[Any, ...]]:
    names = (
        "disease_name",
        "drug_name",
        "outcome_type",
        "source",
        "event_date",
        "timing",
        "record",
    )
    return {tuple(row[name] for name in names) for row in listed(tracker, slate)}


def snapshot(tracker: Tracker, folder: Path, day: str, *studies: dict[str, Any]) -> None:
    path = write_json(folder / f"trials-{day}.json", list(studies))
    ok(tracker("ingest", "trials", path, "--released", day))


def new_study(number: int, posted: str, **options: Any) -> dict[str, Any]:
    made = study(f"NCT0000000{number}", **options)
    made["protocolSection"]["statusModule"]["studyFirstPostDateStruct"]["date"] = posted
    return made


def release(tracker: Tracker, folder: Path, version: int, day: str, phase: float) -> None:
    """Ingest a ChEMBL release with aspirin in asthma; from 36 on it has a synonym, Aspro."""
    dump = chembl(
        folder / f"chembl_{version}.db",
        [(1, 1, phase, *ASTHMA), (2, 2, 0.5 if version > 35 else 0, *ASTHMA)],
        molecules=MOLECULES,
        synonyms=[(1, 1, "Aspro")] if version > 35 else None,
        version=(f"ChEMBL_{version}", day),
    )
    ok(tracker("ingest", "chembl", dump))


@pytest.fixture(scope="module")
def followed_store(empty_store: Path, tmp_path_factory: pytest.TempPathFactory) -> Bench:
    """A slate frozen between releases of three sources, nothing detected.

    Before: aspirin in asthma in phase 2 (ChEMBL 35) and in a phase 1 trial. After: ChEMBL 36 has it
    in phase 4, the FDA having acted on 2025-05-01, and caffeine's recoding 0 to 0.5; the trial has
    ended; trial 2 gives aspirin in asthma, where it is neither the first trial nor an advance, and
    in COPD; trial 3, posted before the freeze, gives caffeine; trial 4, in COPD, names aspirin by a
    synonym that the store learned after the freeze.
    """
    made = Bench(
        Path(shutil.copy(empty_store, tmp_path_factory.mktemp("followed") / "store.duckdb"))
    )
    load(made.run, made.folder, CANDIDATES)
    release(made.run, made.folder, 35, "2024-12-01", 2)
    snapshot(made.run, made.folder, "2025-02-20", new_study(1, "2024-05-01", **FIRST_STUDY))
    freeze(made.run, "followed")
    release(made.run, made.folder, 36, "2025-07-01", 4)
    ended = {"status": "COMPLETED", "updated": "2025-07-20"}
    snapshot(
        made.run,
        made.folder,
        "2025-08-01",
        new_study(1, "2024-05-01", **FIRST_STUDY, **ended),
        new_study(2, "2025-05-01", start="2025-06", conditions=("Asthma", "copd")),
        new_study(3, "2025-02-25", start="2025-04-10", interventions=[DRUG | {"name": "Caffeine"}]),
        new_study(
            4,
            "2025-05-01",
            start="2025-05-20",
            conditions=("copd",),
            interventions=[DRUG | {"name": "Aspro"}],
        ),
    )
    approved = {
        "Applications.txt": ["000001\tNDA\t\tA", "000002\tNDA\t\tB"],
        "Submissions.txt": ["000002\t2\tORIG\t1\tAP\t2025-05-01 00:00:00\t\tSTANDARD"],
    }
    made.accept("ingest", "fda", drugs_at_fda(made.folder / "fda.zip", approved, 2025))
    assert listed(made.run, made.slate) == []
    return made


@pytest.fixture(scope="module")
def detected_store(followed_store: Bench, tmp_path_factory: pytest.TempPathFactory) -> Bench:
    """The same, with its outcomes in the ledger."""
    path = tmp_path_factory.mktemp("detected") / "store.duckdb"
    made = Bench(Path(shutil.copy(followed_store.db, path)))
    made.accept("refresh", "detect")
    return made


@pytest.fixture(scope="module")
def ledger(detected_store: Bench) -> list[dict[str, Any]]:
    """The outcomes of that store, as they are listed in JSON."""
    return listed(detected_store.run, detected_store.slate)


@pytest.fixture
def followed(followed_store: Bench, db: Path) -> str:
    """A copy of the store in which nothing was detected is the test's; return its slate."""
    shutil.copy(followed_store.db, db)
    return followed_store.slate


@pytest.fixture
def detected(detected_store: Bench, db: Path) -> str:
    """A copy of the store with outcomes is the test's; return its slate."""
    shutil.copy(detected_store.db, db)
    return detected_store.slate


def test_releases_become_outcomes_once(followed: str, tracker: Tracker) -> None:
    *found, seen = ok(tracker("refresh", "detect", followed)).stdout.splitlines()
    assert seen == f"slate {followed[:8]}: sources see 2 of 2 drugs, 2 of 2 diseases"
    assert found == [
        f"slate {followed[:8]}: 1 fda_approved, 2 first_trial_seen, 1 phase_advanced, "
        "1 status_transition",
        "5 new outcomes of 3 pairs in 1 slate, from 5 events, 3 studies",
    ]
    assert outcomes(tracker, followed) == OUTCOMES
    ledger = listed(tracker, followed)
    assert ok(tracker("refresh", "detect")).stdout.startswith("detection finished: no new events\n")
    assert listed(tracker, followed) == ledger
    assert ok(tracker("check")).stdout


def test_a_slate_is_matched_through_the_aliases_of_its_time(
    followed: str, tracker: Tracker, tmp_path: Path
) -> None:
    """A replay made after ChEMBL 36 has the synonym Aspro; its plan takes drug-level actions."""
    (tmp_path / "plan.toml").write_text("fda_drug_level = true\n")
    options = ("--replay-as-of", FREEZE, "--plan", tmp_path / "plan.toml")
    later = freeze(tracker, "later", *options)
    ok(tracker("refresh", "detect"))
    assert outcomes(tracker, followed) == OUTCOMES
    # Trial 4 starts before trial 2, so it is the pair's first and, among equals, the advance's.
    replaced = {entry for entry in OUTCOMES if entry[-1] == "NCT00000002"}
    aspro = {(*entry[:4], "2025-05-20", entry[5], "NCT00000004") for entry in replaced}
    drug_level = {
        (disease, "Aspirin", "fda_approved", "fda", "2025-05-01", "prospective", "NDA000002/ORIG/1")
        for disease in ("Asthma", "COPD")
    }
    assert len(replaced) == 2
    assert outcomes(tracker, later) == OUTCOMES - replaced | aspro | drug_level


def test_outcomes_that_a_source_withdraws_stay_in_the_ledger(
    detected: str, tracker: Tracker, tmp_path: Path
) -> None:
    """Phase 4 goes down to 3 and up again, COMPLETED becomes RECRUITING and COMPLETED again."""
    release(tracker, tmp_path, 37, "2025-09-01", 3)
    reversed_study = new_study(1, "2024-05-01", **FIRST_STUDY, updated="2025-09-01")
    snapshot(tracker, tmp_path, "2025-09-02", reversed_study)
    assert ok(tracker("refresh", "detect")).stdout.startswith("detection finished: no new events\n")
    assert outcomes(tracker, detected) == OUTCOMES
    found = {
        row["record"]: row["withdrawal"] for row in listed(tracker, detected) if row["withdrawal"]
    }
    assert found == {
        "1": "ChEMBL 37 shows phase 3.0",
        "NCT00000001": "NCT00000001 is now RECRUITING",
    }
    corrections = "select kind, record, before, after from evidence_correction order by kind"
    assert query(tracker, corrections) == [
        {
            "kind": "phase down",
            "record": "1 CHEMBL25 EFO:0000270 MESH:D001249",
            "before": "4.0",
            "after": "3.0",
        },
        {
            "kind": "status reversed",
            "record": "NCT00000001",
            "before": "COMPLETED",
            "after": "RECRUITING",
        },
    ]
    release(tracker, tmp_path, 38, "2025-10-01", 4)
    again = {"status": "COMPLETED", "updated": "2025-10-01"}
    snapshot(tracker, tmp_path, "2025-10-02", new_study(1, "2024-05-01", **FIRST_STUDY, **again))
    assert ok(tracker("refresh", "detect")).stdout.startswith("detection finished: no new events\n")
    assert [row["withdrawal"] for row in listed(tracker, detected)] == [None] * len(OUTCOMES)


@pytest.mark.parametrize("form", sampled(["json", "csv", "table", "markdown"], 4))
def test_the_ledger_in_every_format(
    form: str, ledger: list[dict[str, Any]], detected: str, tracker: Tracker
) -> None:
    printed = ok(tracker("outcome", "list", detected, "--format", form)).stdout
    assert len(ledger) == len(OUTCOMES)
    if form == "json":
        assert json.loads(printed) == ledger
    elif form == "csv":
        rows = list(csv.DictReader(io.StringIO(printed)))
        assert rows == [{name: str(cell or "") for name, cell in row.items()} for row in ledger]
    else:
        for row in ledger:
            named = ("outcome_id", "drug_name", "counts_as", "event_date")
            cells = [str(row[name]) for name in named]
            lines = [line for line in printed.splitlines() if all(cell in line for cell in cells)]
            assert lines, (row, printed)


@pytest.mark.parametrize("form", sampled(["json", "csv", "table", "markdown"], 4))
@pytest.mark.usefixtures("detected")
def test_a_card_in_every_format(
    form: str,
    ledger: list[dict[str, Any]],
    detected_store: Bench,
    tracker: Tracker,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The card of the approval: ChEMBL's row and hash, the aliases, the day of the FDA's action."""
    # A narrower terminal takes two lines for the hash.
    monkeypatch.setenv("COLUMNS", "100")
    approval = next(row for row in ledger if row["outcome_type"] == "fda_approved")
    ((sha256,),) = detected_store.query("select sha256 from release where version = '36'")
    card = {
        "disease_name": "Asthma",
        "drug_name": "Aspirin",
        "signal": "high",
        "timing": "prospective",
        "event_date": "2025-05-01",
        "first_public_on": "2025-05-01",
        "frozen_on": FREEZE,
        "source": "chembl",
        "version": "36",
        "released_on": "2025-07-01",
        "origin": "chembl_36.db",
        "sha256": sha256,
        "record": "1",
        "drug_alias": "CHEMBL25",
        "disease_alias": "EFO:0000270",
    }
    printed = ok(tracker("outcome", "show", approval["outcome_id"], "--format", form)).stdout
    if form == "json":
        shown = json.loads(printed)[0]
        assert card.items() <= shown.items()
        detail = json.loads(shown["detail"])
        assert (detail["phase"], detail["mesh_id"]) == (4, "MESH:D001249")
        assert shown["withdrawal"] is None
    elif form == "csv":
        assert card.items() <= next(csv.DictReader(io.StringIO(printed))).items()
    else:
        lines = {tuple(line.replace("|", " ").split()) for line in printed.splitlines()}
        assert set(card.items()) <= lines


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("outcome", "show", "999"), 3, "the store has no outcome 999; see 'tracker outcome list'"),
        (("outcome", "show", "0"), 2, "give the number of an outcome"),
        (("outcome", "show", "first"), 2, "or a slate, a drug and a disease"),
        (("outcome", "list", "ffff"), 3, "no slate begins with 'ffff'; see 'tracker slate list'"),
        (("refresh", "detect", "ffff"), 3, "no slate begins with 'ffff'; see 'tracker slate list'"),
    ],
    ids=["outcome", "zero", "word", "slate", "detect"],
)
@pytest.mark.usefixtures("followed")
def test_unknown_outcomes_and_slates_are_refused(
    words: tuple[str, ...], code: int, message: str, tracker: Tracker, db: Path
) -> None:
    before = db.read_bytes()
    refused = tracker(*words)
    assert (refused.exit_code, refused.stdout) == (code, "")
    assert message in refused.stderr
    # Byte for byte the store of which no outcome is listed.
    assert db.read_bytes() == before


def test_without_a_slate_there_is_no_outcome(tracker: Tracker, tmp_path: Path) -> None:
    release(tracker, tmp_path, 36, "2025-07-01", 4)
    assert ok(tracker("refresh", "detect")).stdout.startswith("detection finished: no new events\n")
    assert query(tracker, "select * from outcome") == []


# The 8 indications of ChEMBL 32 whose molecule had neither the ontology id nor the MeSH id in 31,
# less aspirin in 'Aging' and 'Liver Diseases, Alcoholic', which are in phase 0.5; and the two
# phases that rose past 0.5. Read off the two files with sqlite3.
ADVANCES_OF_32 = {
    ("CHEMBL11359", "Carcinoma, Large Cell", 2),
    ("CHEMBL11359", "Carcinoma, Small Cell", 2),
    ("CHEMBL11359", "Primary Myelofibrosis", 1),
    ("CHEMBL1006", "Brain Neoplasms", 2),
    ("CHEMBL25", "Influenza, Human", 3),
    ("CHEMBL25", "Multiple Sclerosis", 3),
    ("CHEMBL25", "Pulmonary Disease, Chronic Obstructive", 3),
    ("CHEMBL25", "Pneumonia", 3),
}


def every_pair(dumps: list[Path]) -> str:
    """Return candidates of every molecule with every disease of the releases, by MeSH id."""
    molecules, diseases = set(), set()
    for dump in dumps:
        with sqlite3.connect(dump) as connection:
            molecules |= set(connection.execute("select chembl_id from molecule_dictionary"))
            diseases |= set(connection.execute("select mesh_id, mesh_heading from drug_indication"))
        connection.close()
    written = io.StringIO()
    writer = csv.writer(written)
    writer.writerow(["disease_name", "drug_name", "score", "disease_id", "chembl_id"])
    for mesh_id, heading in sorted(diseases):
        writer.writerows([heading, key, 0.5, mesh_id, key] for (key,) in sorted(molecules))
    return written.getvalue()


def test_real_releases_of_chembl(tracker: Tracker, shared: Path, tmp_path: Path) -> None:
    """31, a freeze, 32, 33: new and advanced pairs, not recoded or renumbered ones."""
    dumps = {version: shared / "chembl" / f"chembl_{version}.db" for version in (31, 32, 33)}
    load(tracker, tmp_path, every_pair(list(dumps.values())))
    days = {31: "2022-07-12", 32: "2023-01-26", 33: "2023-05-31"}

    def ingest(version: int) -> None:
        words = ("--version", version, "--released", days[version])
        ok(tracker("ingest", "chembl", dumps[version], *words))

    ingest(31)
    slate = freeze(tracker, "between", "--replay-as-of", "2022-10-01")
    assert ok(tracker("refresh", "detect")).stdout.startswith("detection finished: no new events\n")
    ingest(32)
    assert ok(tracker("refresh", "detect")).stdout.startswith(
        f"slate {slate[:8]}: 8 phase_advanced\n"
    )
    ingest(33)
    assert ok(tracker("refresh", "detect")).stdout.startswith("detection finished: no new events\n")
    rows = query(
        tracker,
        "select drug_name, disease_name, (detail ->> 'phase')::double as phase, "
        "timing, version, withdrawal from outcome_card",
    )
    names = ("drug_name", "disease_name", "phase")
    assert {tuple(row[name] for name in names) for row in rows} == ADVANCES_OF_32
    assert {(row["timing"], row["version"], row["withdrawal"]) for row in rows} == {
        ("straddles", "32", None)
    }


def test_the_real_study_in_two_versions(tracker: Tracker, shared: Path, tmp_path: Path) -> None:
    """NCT04267848: phase 3, posted 2020-02-13, begun 2020-06-16; recruiting in both snapshots.

    It adds pembrolizumab to chemotherapy: every arm has carboplatin.
    """
    diseases = {"D002289": "Carcinoma, Non-Small-Cell Lung", "D008175": "Lung Neoplasms"}
    lines = ["disease_name,drug_name,score,disease_id"]
    for mesh_id, name in {**diseases, "D001249": "Asthma"}.items():
        lines += [f'"{name}",{drug},0.5,{mesh_id}' for drug in ("Pembrolizumab", "Carboplatin")]
    load(tracker, tmp_path, "\n".join(lines))
    slates = {
        day: freeze(tracker, day, "--replay-as-of", day)
        for day in ("2020-01-01", "2020-03-01", "2024-01-01")
    }
    for day in ("2023-09-10", "2025-09-10"):
        path = shared / "ctgov" / f"NCT04267848_{day}.json"
        ok(tracker("ingest", "trials", path, "--released", day))
    ok(tracker("refresh", "detect"))
    # Before the posting the trial is news; between posting and start its phase was known and the
    # start announced; and of 2024 the first snapshot was known, to which the second adds neither
    # phase nor status.
    kinds = {
        ("2020-01-01", "first_trial_seen", "prospective"),
        ("2020-01-01", "phase_advanced", "prospective"),
        ("2020-03-01", "first_trial_seen", "announced"),
    }
    for day in ("2020-01-01", "2020-03-01"):
        assert outcomes(tracker, slates[day]) == {
            (name, "Pembrolizumab", kind, "ctgov", "2020-06-16", timing, "NCT04267848")
            for name in diseases.values()
            for frozen, kind, timing in kinds
            if frozen == day
        }
    assert outcomes(tracker, slates["2024-01-01"]) == set()
    counts = Counter(row["release_id"] for row in query(tracker, "select release_id from outcome"))
    assert counts == {1: 6}
    others = "select distinct drug.name, study_kind from uncounted_study join drug using (drug_id)"
    assert query(tracker, others) == [{"name": "Carboplatin", "study_kind": "background"}]
