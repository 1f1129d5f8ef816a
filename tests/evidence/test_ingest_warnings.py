"""Withdrawals and boxed warnings in ChEMBL: read, in the ledger, and shown beside hits."""

from datetime import date
from pathlib import Path

import pytest
from evidence import chembl, rows, write_json
from support import Tracker, exited, ok

STORED = (
    "select record, chembl_id, parent_chembl_id, warning_type, warning_class, "
    "warning_description, warning_country, warning_year, efo_id, efo_term from drug_warning "
    "order by release_id, record"
)
EVENTS = (
    "select event_type, record, phase, event_date, public_after, public_by, detail ->> 'year', "
    "disease_id from event where event_type in ('drug_withdrawn', 'drug_warning') order by event_id"
)
MOLECULES = ((1, "ASPIRIN", "CHEMBL25"), (2, "ASPIRIN SODIUM", "CHEMBL26"))
WITHDRAWN = (7, 2, "Withdrawn", "cardiotoxicity", "United States", 2004)
BOXED = (8, 1, "Black Box Warning", "hepatotoxicity", None, None)


def version(number: int, day: str) -> tuple[str, str]:
    return (f"ChEMBL_{number}", day)


@pytest.fixture
def predicted(tracker: Tracker, tmp_path: Path) -> Tracker:
    """A slate of one pair, the drug of which is known by its ChEMBL id."""
    path = tmp_path / "candidates.csv"
    path.write_text("disease_name,drug_name,chembl_id,score\nAsthma,Aspirin,CHEMBL25,0.5\n")
    ok(tracker("load", "candidates", path, "--set", "s", "--model", "m"))
    ok(tracker("slate", "freeze", "--candidates", "s", "--description", "x"))
    return tracker


def test_warnings_are_stored_whole(tracker: Tracker, db: Path, tmp_path: Path) -> None:
    dump = chembl(
        tmp_path / "c.db",
        molecules=MOLECULES,
        hierarchy=[(1, 1), (2, 1)],
        warnings=[WITHDRAWN, BOXED, (9, None, "Withdrawn", None, None, None)],
    )
    ok(tracker("ingest", "chembl", dump))
    term = ("EFO:0000001", "a term")
    assert rows(db, STORED) == [
        ("7", "CHEMBL26", "CHEMBL25", *WITHDRAWN[2:4], "why 7", *WITHDRAWN[4:], *term),
        ("8", "CHEMBL25", "CHEMBL25", *BOXED[2:4], "why 8", None, None, *term),
    ]


def test_a_molecule_is_flagged_as_withdrawn(tracker: Tracker, db: Path, tmp_path: Path) -> None:
    """A flag says nothing more of a molecule, or of its parent, that a warning names."""
    dump = chembl(
        tmp_path / "c.db",
        molecules=[*MOLECULES, (3, "RELVIN", "CHEMBL30")],
        hierarchy=[(1, 1), (2, 1), (3, 3)],
        withdrawn=[(1, 1990, "Worldwide", "x"), (3, 1999, "Worldwide", "Hepatotoxicity")],
        warnings=[WITHDRAWN],
    )
    ok(tracker("ingest", "chembl", dump))
    flagged = ("Withdrawn", None, "Hepatotoxicity", "Worldwide", 1999, None, None)
    assert rows(db, STORED)[1:] == [("CHEMBL30", "CHEMBL30", "CHEMBL30", *flagged)]


def test_pages_of_the_web_service_have_warnings(tracker: Tracker, db: Path, tmp_path: Path) -> None:
    indications = {
        "drug_indications": [{"molecule_chembl_id": "CHEMBL25", "efo_id": "EFO:0000270"}],
        "page_meta": {"total_count": 1},
    }
    warned = {
        "warning_id": 7,
        "molecule_chembl_id": "CHEMBL26",
        "parent_molecule_chembl_id": "CHEMBL25",
        "warning_type": "Withdrawn",
        "warning_class": "cardiotoxicity",
        "warning_description": None,
        "warning_country": "United States",
        "warning_year": 2004,
        "warning_refs": [{"ref_id": "x"}],
        "efo_id": None,
        "efo_term": None,
    }
    warnings = {"drug_warnings": [warned], "page_meta": {"total_count": 1}}
    options = ("--version", "36", "--released", "2025-07-01")
    only = write_json(tmp_path / "only.json", [warnings])
    refused = exited(3, tracker("ingest", "chembl", only, *options))
    assert "has no drug_indications" in refused.output
    cut = write_json(
        tmp_path / "cut.json", [indications, {**warnings, "page_meta": {"total_count": 2}}]
    )
    refused = exited(3, tracker("ingest", "chembl", cut, *options))
    assert "has 1 of 2 warnings" in refused.output
    none = {"drug_warnings": [], "page_meta": {"total_count": 0}}
    whole = write_json(tmp_path / "whole.json", [indications, warnings, none])
    ok(tracker("ingest", "chembl", whole, *options))
    stated = ("Withdrawn", "cardiotoxicity", None, "United States", 2004, None, None)
    assert rows(db, STORED) == [("7", "CHEMBL26", "CHEMBL25", *stated)]


@pytest.mark.parametrize(
    ("warning", "problem"),
    [
        ((7, 3, "Withdrawn", None, None, None), "drug_warning 7: 'NONE' is not a ChEMBL id"),
        (
            (7, 1, "Withdrawn", None, None, "soon"),
            "drug_warning 7: warning_year 'soon' is not a year",
        ),
    ],
)
def test_a_malformed_warning_is_refused(
    warning: tuple[object, ...], problem: str, tracker: Tracker, tmp_path: Path
) -> None:
    molecules = [(1, "ASPIRIN", "CHEMBL25"), (3, "NONE", "NONE")]
    dump = chembl(tmp_path / "c.db", molecules=molecules, warnings=[warning])
    refused = exited(3, tracker("ingest", "chembl", dump))
    assert problem in refused.output


def test_a_withdrawal_is_an_event_and_no_outcome(
    predicted: Tracker, db: Path, tmp_path: Path
) -> None:
    """It is dated by the first release that states it; what is stated under another id is not new.

    The first release has no warnings, so that nothing is known of what it would have shown.
    """
    for number, day, warnings in (
        (36, "2025-07-01", None),
        (37, "2026-02-01", [BOXED]),
        (38, "2026-08-01", [BOXED, WITHDRAWN]),
        (39, "2026-10-01", [BOXED, (17, *WITHDRAWN[1:])]),
    ):
        dump = chembl(
            tmp_path / f"{number}.db",
            version=version(number, day),
            molecules=MOLECULES,
            hierarchy=[(1, 1), (2, 1)],
            warnings=warnings,
        )
        ok(predicted("ingest", "chembl", dump))
        ok(predicted("refresh", "detect"))
    feb, aug = date(2026, 2, 1), date(2026, 8, 1)
    assert rows(db, EVENTS) == [
        ("drug_warning", "8", None, feb, None, feb, None, None),
        ("drug_withdrawn", "7", None, aug, feb, aug, "2004", None),
    ]
    assert rows(db, "select outcome_type from outcome") == []
    stated = "drug withdrawn 2004 (United States; cardiotoxicity; ChEMBL warning 7)"
    assert rows(db, "select drug_withdrawn from drug_safety") == [(stated,)]
    claims = tmp_path / "outcomes.csv"
    claims.write_text(
        "disease_name,drug_name,outcome_type,source\nAsthma,Aspirin,first_trial_seen,registry\n"
    )
    ok(predicted("load", "outcomes", claims))
    assert f"Aspirin: {stated}" in " ".join(ok(predicted("outcome", "list")).output.split())
    assert stated in ok(predicted("outcome", "list", "--format", "csv")).output
