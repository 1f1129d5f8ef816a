"""A molecule that ChEMBL gives another identifier stays the same drug, and nothing else does.

A slate is frozen after ChEMBL 34, in which orvane (CHEMBL1) is in phase 2; later releases show it
under another identifier.
"""

import json
import shutil
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from evidence import chembl, study, write_json
from support import Tracker, detected, ok, tracker_on

from tracker import evidence, store

pytestmark = pytest.mark.slow

GOUT = ("D006073", "Gout", "EFO:0004274", "gout")
DAYS = {34: "2025-03-01", 35: "2025-06-01", 36: "2025-11-10"}
RELVIN = (2, "RELVIN", "CHEMBL2")


def query(tracker: Tracker, statement: str) -> list[tuple[Any, ...]]:
    found = json.loads(ok(tracker("sql", statement, "--format", "json")).stdout)
    return [tuple(row.values()) for row in found]


def dump(
    folder: Path,
    version: int,
    phase: float,
    *molecules: tuple[int, str | None, str],
    structures: Sequence[tuple[int, str]] | None = None,
) -> Path:
    """A release in which the first molecule is in gout in this phase, and relvin in phase 1."""
    return chembl(
        folder / f"chembl_{version}.db",
        [(1, molecules[0][0], phase, *GOUT), (2, 2, 1, *GOUT)],
        molecules=[*molecules, RELVIN],
        version=(f"ChEMBL_{version}", DAYS[version]),
        structures=structures,
    )


@pytest.fixture(scope="module")
def frozen_store(empty_store: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with ChEMBL 34 and a slate of orvane and relvin in gout."""
    folder = tmp_path_factory.mktemp("frozen")
    db = Path(shutil.copy(empty_store, folder / "store.duckdb"))
    tracker = tracker_on(db)
    first = dump(folder, 34, 2, (1, "ORVANE", "CHEMBL1"), structures=[(1, "AAA")])
    ok(tracker("ingest", "chembl", first))
    freeze(tracker, folder)
    return db


@pytest.fixture
def frozen(frozen_store: Path, db: Path, tmp_path: Path) -> Path:
    """A copy of that store is the test's; returns the test's folder."""
    shutil.copy(frozen_store, db)
    return tmp_path


def freeze(tracker: Tracker, folder: Path) -> None:
    (folder / "c.csv").write_text(
        "disease_name,drug_name,score,chembl_id\nGout,Orvane,0.9,CHEMBL1\nGout,Relvin,0.8,CHEMBL2\n"
    )
    ok(tracker("load", "candidates", folder / "c.csv", "--set", "c", "--model", "m"))
    options = ("--replay-as-of", "2025-04-01", "--description", "d")
    ok(tracker("slate", "freeze", "--candidates", "c", *options))


# The advances in the ledger.
ADVANCES = (
    "select drug.name, event_date::varchar as event_date, timing "
    "from outcome_timing join drug using (drug_id) "
    "where outcome_type = 'phase_advanced' order by all"
)


def advances(db: Path) -> list[tuple[Any, ...]]:
    return detected(db, ADVANCES)


def test_an_advance_under_another_identifier_is_the_drugs(
    frozen: Path, tracker: Tracker, db: Path
) -> None:
    """35 renumbers the molecule in the same phase, which is no news; 36 has it in phase 3."""
    other = (11, "ORVANE", "CHEMBL11")
    told = ok(tracker("ingest", "chembl", dump(frozen, 35, 2, other))).stdout
    assert (
        "1 molecule has another identifier, and stays the same: CHEMBL1 is now CHEMBL11 (same name)"
    ) in told
    assert advances(db) == []
    assert "identifier" not in ok(tracker("ingest", "chembl", dump(frozen, 36, 3, other))).stdout
    told, found = ok(tracker("refresh", "detect")).stdout, query(tracker, ADVANCES)
    assert found == [("Orvane", "2025-11-10", "prospective")]
    assert "sources see 2 of 2 drugs" in told
    # The ledger knows it by the identifier of the slate's time.
    assert query(
        tracker,
        "select drug_alias, detail ->> 'chembl_id' from event where phase = 3",
    ) == [("CHEMBL1", "CHEMBL11")]
    assert ok(tracker("check")).stdout


@pytest.mark.parametrize("identifier", ["CHEMBL1", "CHEMBL11"])
def test_files_find_the_drug_by_either_identifier(
    identifier: str, frozen: Path, tracker: Tracker
) -> None:
    ok(tracker("ingest", "chembl", dump(frozen, 35, 2, (11, "ORVANE", "CHEMBL11"))))
    path = frozen / "later.csv"
    path.write_text(f"disease_name,drug_name,score,chembl_id\nGout,Orvane,0.9,{identifier}\n")
    told = ok(tracker("load", "candidates", path, "--set", "later", "--model", "m")).stdout
    assert "0 new drugs" in told
    path.write_text(f"disease_name,drug_name,score,chembl_id\nGout,Another name,0.9,{identifier}\n")
    assert (
        "0 new drugs"
        in ok(tracker("load", "candidates", path, "--set", "named", "--model", "m")).stdout
    )


@pytest.mark.parametrize("order", ["34, 35, candidates", "34, candidates, 35"])
def test_a_drug_known_by_name_is_the_molecule_under_both_identifiers(
    order: str, tracker: Tracker, tmp_path: Path
) -> None:
    ok(tracker("init"))
    path = tmp_path / "c.csv"
    path.write_text("disease_name,drug_name,score\nGout,Orvane,0.9\n")
    words = {
        "34": ("ingest", "chembl", dump(tmp_path, 34, 2, (1, "ORVANE", "CHEMBL1"))),
        "35": ("ingest", "chembl", dump(tmp_path, 35, 2, (11, "ORVANE", "CHEMBL11"))),
        "candidates": ("load", "candidates", path, "--set", "c", "--model", "m"),
    }
    for step in order.split(", "):
        ok(tracker(*words[step]))
    held = "select value from drug_alias where kind = 'chembl_id' order by value"
    assert query(tracker, held) == [("CHEMBL1",), ("CHEMBL11",)]


def test_a_molecule_that_may_be_two_others_is_gone(frozen: Path, tracker: Tracker) -> None:
    path = dump(frozen, 36, 3, (11, "ORVANE", "CHEMBL11"), (12, "ORVANE", "CHEMBL12"))
    told = ok(tracker("ingest", "chembl", path)).stdout
    assert "another identifier" not in told
    assert "1 drug of the store is gone from ChEMBL: Orvane" in told
    seen, found = ok(tracker("refresh", "detect")).stdout, query(tracker, ADVANCES)
    assert found == []
    # No indication of the newest release names it.
    assert "sources see 1 of 2 drugs" in seen


def test_the_structure_outweighs_a_new_name(frozen: Path, tracker: Tracker, db: Path) -> None:
    other = (11, "ORVANIDE", "CHEMBL11")
    path = dump(frozen, 36, 3, other, structures=[(11, "AAA")])
    assert "CHEMBL1 is now CHEMBL11 (same InChIKey)" in ok(tracker("ingest", "chembl", path)).stdout
    assert advances(db) == [("Orvane", "2025-11-10", "straddles")]


def test_a_substance_is_known_by_its_unii(frozen: Path, tracker: Tracker) -> None:
    """Neither release has structures; the names differ, the column unii agrees."""
    for version, molecule in ((35, (1, "ORVANE", "CHEMBL1")), (36, (11, "OTHER", "CHEMBL11"))):
        path = dump(frozen, version, 2, molecule)
        with sqlite3.connect(path) as database:
            database.execute("alter table molecule_dictionary add column unii varchar(10)")
            database.execute("update molecule_dictionary set unii = 'U1' where molregno <> 2")
        database.close()
        told = ok(tracker("ingest", "chembl", path)).stdout
    assert "CHEMBL1 is now CHEMBL11 (same UNII)" in told


def test_a_release_that_an_earlier_version_ingested_has_no_keys(
    tracker: Tracker, db: Path, tmp_path: Path
) -> None:
    """What its indications name is followed by name."""
    first = dump(tmp_path, 34, 2, (1, "ORVANE", "CHEMBL1"))
    with store.writer(db) as connection:
        evidence.ingest_chembl(connection, str(first), keeps_keys=False)
    assert query(tracker, "select count(*) from molecule_key") == [(0,)]
    freeze(tracker, tmp_path)
    told = ok(tracker("ingest", "chembl", dump(tmp_path, 36, 3, (11, "ORVANE", "CHEMBL11")))).stdout
    assert "CHEMBL1 is now CHEMBL11 (same name)" in told
    assert advances(db) == [("Orvane", "2025-11-10", "straddles")]


def test_a_table_of_indications_says_of_no_molecule_that_it_is_gone(
    frozen: Path, tracker: Tracker
) -> None:
    path = frozen / "table.csv"
    path.write_text("molecule_chembl_id,efo_id,max_phase_for_ind\nCHEMBL2,EFO:0004274,1\n")
    options = ("--version", "36", "--released", DAYS[36])
    told = ok(tracker("ingest", "chembl", path, *options)).stdout
    assert "gone" not in told
    assert "another" not in told


def test_studies_that_make_no_event_are_said_to_be_left_out(frozen: Path, tracker: Tracker) -> None:
    """Expanded access that ended with the drug's approval, and an observational study."""
    drug = [{"type": "DRUG", "name": "Orvane"}]
    made = [
        study(f"NCT0000000{number}", status=status, conditions=("Gout",), interventions=drug)
        for number, status in ((1, "APPROVED_FOR_MARKETING"), (2, "RECRUITING"), (3, "RECRUITING"))
    ]
    for one, kind in zip(made, ("EXPANDED_ACCESS", "OBSERVATIONAL", "INTERVENTIONAL"), strict=True):
        one["protocolSection"]["designModule"]["studyType"] = kind
    path = write_json(frozen / "trials.json", made)
    told = ok(tracker("ingest", "trials", path, "--released", "2025-12-01")).stdout
    assert (
        "left out, since only interventional studies of a condition and an intervention make "
        "events: 1 expanded access, approved for marketing; 1 observational"
    ) in told
    ok(tracker("refresh", "detect"))
    assert query(tracker, "select distinct record from event where source = 'ctgov'") == [
        ("NCT00000003",)
    ]
    (slate,) = query(tracker, "select slate_id from slate")[0]
    shown = json.loads(ok(tracker("coverage", slate, "--format", "json")).stdout)["sections"]
    assert [
        (row["kind"], row["n_records"], row["n_pairs"], row["reason"])
        for row in shown["uncounted_action"]
    ] == [
        (
            "expanded access, approved for marketing",
            1,
            1,
            "states neither the day of the approval nor its use",
        ),
        ("observational", 1, 1, "is no interventional study"),
    ]
