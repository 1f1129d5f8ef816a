"""From EMA's table to outcomes: a slate frozen between two releases, and what it makes of them."""

import json
import shutil
from datetime import date
from pathlib import Path

import pytest
from evidence import chembl, ema, medicine, obo
from support import Tracker, detected, ok, query, tracker_on

pytestmark = pytest.mark.slow

FREEZE = "2024-10-01"
CANDIDATES = """disease_name,drug_name,score
Ostrava fever,Corotinib,0.9
Marlow syndrome,Corotinib,0.8
Sable lung,Corotinib,0.7
Ostrava fever,Belantrine,0.6
Marlow syndrome,Belantrine,0.5
Ostrava fever,Davolimus,0.4
"""
FIRST = [
    medicine(1, areas="Ostrava Fever"),
    medicine(2, inn="davolimus", substance="davolimus", areas="Ostrava Fever", generic="Yes"),
]
# The text changes with marlow syndrome; sable lung is EMA's new classification of another product.
SECOND = [
    medicine(1, areas="Ostrava Fever;Marlow Syndrome", indication="Fever and Marlow syndrome."),
    medicine(2, inn="davolimus", substance="davolimus", areas="Ostrava Fever", generic="Yes"),
    medicine(3, inn="belantrine", substance=None, areas="Ostrava Fever", authorised="15/11/2024"),
    medicine(
        4,
        inn="belantrine",
        substance=None,
        areas="Marlow Syndrome",
        status="Refused",
        authorised=None,
        refused="20/11/2024",
    ),
]


OUTCOMES = (
    "select drug_name, disease_name, outcome_type, counts_as, signal from outcome_card order by all"
)
RECORDS = "select drug_name, disease_name, record, match_kind from outcome_card order by all"
DAYS = "select drug_name, disease_name, event_date, public_after from outcome_card order by all"


@pytest.fixture
def frozen(empty_store: Path, tmp_path: Path) -> tuple[Tracker, Path]:
    """A store with EMA's first table and a slate frozen after it, by the default plan."""
    db = Path(shutil.copy(empty_store, tmp_path / "frozen.duckdb"))
    tracker = tracker_on(db)
    (tmp_path / "c.csv").write_text(CANDIDATES)
    ok(tracker("load", "candidates", tmp_path / "c.csv", "--set", "c", "--model", "m"))
    ok(tracker("ingest", "ema", ema(tmp_path / "first.xlsx", FIRST, "22/08/2024 - 15:06")))
    ok(tracker("refresh", "detect"))
    ok(tracker("slate", "freeze", "--candidates", "c", "--replay-as-of", FREEZE))
    return tracker, db


def test_a_second_table_shows_outcomes(frozen: tuple[Tracker, Path], tmp_path: Path) -> None:
    """What was authorised is known; an extension straddles the freeze; a generic is nothing."""
    tracker, db = frozen
    ok(tracker("ingest", "ema", ema(tmp_path / "second.xlsx", SECOND, "24/03/2025 - 10:41")))
    ok(tracker("refresh", "detect"))
    assert detected(db, OUTCOMES) == [
        ("Belantrine", "Marlow syndrome", "approval_refused", "low signal", "low"),
        ("Belantrine", "Ostrava fever", "ema_approved", "hit", "high"),
        ("Corotinib", "Marlow syndrome", "ema_approved", "straddles", "high"),
    ]
    assert detected(db, RECORDS) == [
        ("Belantrine", "Marlow syndrome", "EMEA/H/C/000004", "name"),
        ("Belantrine", "Ostrava fever", "EMEA/H/C/000003", "name"),
        ("Corotinib", "Marlow syndrome", "EMEA/H/C/000001", "name"),
    ]
    assert detected(db, DAYS) == [
        ("Belantrine", "Marlow syndrome", date(2024, 11, 20), date(2024, 11, 19)),
        ("Belantrine", "Ostrava fever", date(2024, 11, 15), date(2024, 11, 14)),
        ("Corotinib", "Marlow syndrome", date(2025, 3, 24), date(2024, 8, 22)),
    ]
    assert query(
        tracker,
        "select drug.name, is_approved from pair_known_phase join drug using (drug_id) "
        "where is_known",
    ) == [{"name": "Corotinib", "is_approved": True}]
    (evidence,) = query(
        tracker,
        "select event.detail, medicine.indication from event join medicine on "
        "record = product_number and event.release_id = medicine.release_id "
        "where event.drug_id = (select drug_id from drug where name = 'Corotinib') "
        "and public_by - public_after > 1",
    )
    assert evidence["indication"] == "Fever and Marlow syndrome."
    detail = evidence["detail"]
    assert (json.loads(detail) if isinstance(detail, str) else detail) == {
        "record": "EMEA/H/C/000001",
        "phase": 4,
        "status": None,
        "name": "Corora 1",
        "area": "Marlow Syndrome",
        "url": "https://www.ema.europa.eu/en/medicines/human/EPAR/corora-1",
        "drug_alias": "corotinib",
        "disease_alias": "marlow syndrome",
    }
    shown = ok(tracker("outcome", "show", "@1", "Belantrine", "Ostrava fever")).stdout
    assert "had an EMA approval on 2024-11-15" in " ".join(shown.split())
    # Detecting again, or the table again, adds nothing.
    n_events = query(tracker, "select count(*) as n from event")
    ok(tracker("refresh", "detect"))
    assert query(tracker, "select count(*) as n from event") == n_events


def test_a_plan_that_does_not_count_them(frozen: tuple[Tracker, Path], tmp_path: Path) -> None:
    tracker, _ = frozen
    (tmp_path / "plan.toml").write_text("ema_approvals = false\n")
    plan = ("--plan", tmp_path / "plan.toml")
    ok(tracker("slate", "freeze", "--candidates", "c", "--replay-as-of", FREEZE, *plan))
    ok(tracker("ingest", "ema", ema(tmp_path / "second.xlsx", SECOND, "24/03/2025 - 10:41")))
    ok(tracker("refresh", "detect"))
    counts = (
        "select slate_number as n, count(outcome_id) as n_outcomes, any_value(source) as source, "
        "any_value(followed) as followed from slate_number left join outcome using (slate_id) "
        "left join (select slate_id, source as followed from slate_follow_up) using (slate_id) "
        "group by n order by n"
    )
    assert query(tracker, counts) == [
        {"n": 1, "n_outcomes": 3, "source": "ema", "followed": "ema"},
        {"n": 2, "n_outcomes": 0, "source": None, "followed": None},
    ]


def test_areas_match_through_vocabularies(empty_store: Path, tmp_path: Path) -> None:
    """An area is a MeSH term, and a substance a text: only later texts are compared again."""
    db = Path(shutil.copy(empty_store, tmp_path / "s.duckdb"))
    tracker = tracker_on(db)
    (tmp_path / "c.csv").write_text("disease_name,drug_name,score\nGout,Aspirin,0.9\n")
    ok(tracker("load", "candidates", tmp_path / "c.csv", "--set", "c", "--model", "m"))
    ok(tracker("ingest", "chembl", chembl(tmp_path / "chembl_36.db")))
    ok(tracker("ingest", "vocabulary", obo(tmp_path / "doid.obo")))
    acid = medicine(1, inn="aspirin 100 mg", substance="aspirin lysine", areas="Podagra")
    ok(tracker("ingest", "ema", ema(tmp_path / "a.xlsx", [acid], "22/08/2024 - 15:06")))
    ok(tracker("refresh", "detect"))
    other = medicine(2, inn="Aspirin", substance=None, areas="Fever;Gout")
    ok(tracker("ingest", "ema", ema(tmp_path / "b.xlsx", [acid, other], "23/08/2024 - 15:06")))
    ok(tracker("refresh", "detect"))
    assert query(
        tracker, "select is_whole, last_medicine_id as last, n_texts as n from matching"
    ) == [{"is_whole": True, "last": 1, "n": 5}, {"is_whole": False, "last": 2, "n": 3}]
    assert query(
        tracker,
        "select record, drug_alias, disease_alias, match_kind from event where source = 'ema' "
        "order by record",
    ) == [
        {
            "record": "EMEA/H/C/000001",
            "drug_alias": "aspirin 100 mg",
            "disease_alias": "podagra [MeSH]",
            "match_kind": "normalised_name",
        },
        {
            "record": "EMEA/H/C/000002",
            "drug_alias": "aspirin",
            "disease_alias": "gout",
            "match_kind": "name",
        },
    ]
    ok(tracker("slate", "freeze", "--candidates", "c"))
    covered = "select source, entity_kind, match_kind from coverage where source = 'ema' order by 2"
    assert query(tracker, covered) == [
        {"source": "ema", "entity_kind": "disease", "match_kind": "name"},
        {"source": "ema", "entity_kind": "drug", "match_kind": "name"},
    ]
    ok(tracker("check"))
