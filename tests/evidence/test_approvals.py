"""What dates an approval: new molecular entities and new uses alone; the rest is said to be so.

A slate is frozen between two releases of ChEMBL, the second of which shows the pair in phase 4; the
FDA's actions of that interval say on which day, or nothing.
"""

import shutil
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from evidence import chembl, drugs_at_fda, write_json
from sqlalchemy import text
from support import Tracker, as_json, detected, ok, query, tracker_on

from tracker import store

pytestmark = pytest.mark.slow

FREEZE = "2025-10-01"
ACTED = "2025-10-20"
GOUT = ("D006073", "Gout", "EFO:0004274", "gout")


def submission(
    application: str, code: str | None, day: str = ACTED, kind: str = "ORIG", status: str = "AP"
) -> dict[str, Any]:
    """One application of openFDA with one submission and the product Orvane."""
    made = {
        "submission_type": kind,
        "submission_number": "1",
        "submission_status": status,
        "submission_status_date": day.replace("-", ""),
    }
    if code is not None:
        made["submission_class_code"] = code
    product = {"product_number": "001", "active_ingredients": [{"name": "ORVANE"}]}
    return {"application_number": application, "submissions": [made], "products": [product]}


def approvals(path: Path, updated: str, *records: dict[str, Any]) -> Path:
    meta = {"last_updated": updated, "results": {"total": len(records)}}
    return write_json(path, {"meta": meta, "results": list(records)})


@pytest.fixture(scope="module")
def frozen_store(empty_store: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A store with a slate of orvane in gout, in phase 2 before the freeze and in phase 4 after it.

    A second slate has a plan that takes drug-level actions; the id is that of the first.
    """
    folder = tmp_path_factory.mktemp("frozen")
    db = Path(shutil.copy(empty_store, folder / "store.duckdb"))
    tracker = tracker_on(db)
    (folder / "c.csv").write_text("disease_name,drug_name,score\nGout,Orvane,0.9\n")
    for version, day, phase in ((35, "2025-03-01", 2), (36, "2025-11-10", 4)):
        chembl(
            folder / f"{version}.db",
            [(1, 1, phase, *GOUT)],
            molecules=[(1, "ORVANE", "CHEMBL1")],
            version=(f"ChEMBL_{version}", day),
        )
    (folder / "plan.toml").write_text("fda_drug_level = true\n")
    ok(tracker("load", "candidates", folder / "c.csv", "--set", "c", "--model", "m"))
    ok(tracker("ingest", "chembl", folder / "35.db"))
    for name in ("pair", "drug"):
        plan = () if name == "pair" else ("--plan", folder / "plan.toml")
        options = ("--replay-as-of", FREEZE, "--description", name, *plan)
        ok(tracker("slate", "freeze", "--candidates", "c", *options))
    ok(tracker("ingest", "chembl", folder / "36.db"))
    slates = query(tracker, "select slate_id from slate where description = 'pair'")
    return db, str(slates[0]["slate_id"])


@pytest.fixture
def frozen(frozen_store: tuple[Path, str], db: Path) -> str:
    """A copy of that store is the test's; returns the slate without a plan."""
    made, slate_id = frozen_store
    shutil.copy(made, db)
    return slate_id


# The approvals by slate, source, date and timing.
TIMING = (
    "select description, source, event_date::varchar as event_date, timing from outcome_timing "
    "join slate using (slate_id) where outcome_type = 'fda_approved' order by all"
)


def timing(tracker: Tracker) -> list[tuple[Any, ...]]:
    return [tuple(row.values()) for row in query(tracker, TIMING)]


CHEMBL_ALONE = [
    ("drug", "chembl", "2025-11-10", "straddles"),
    ("pair", "chembl", "2025-11-10", "straddles"),
]
DATED = [
    ("drug", "chembl", ACTED, "prospective"),
    ("drug", "fda", ACTED, "prospective"),
    ("pair", "chembl", ACTED, "prospective"),
]


@pytest.mark.usefixtures("frozen")
def test_a_second_day_that_may_be_the_approval_leaves_the_interval(
    tracker: Tracker, db: Path, tmp_path: Path
) -> None:
    """A new combination on another day may be what ChEMBL shows; a generic cannot be."""
    supplement = submission("NDA000001", "EFFICACY", kind="SUPPL")
    generic = submission("ANDA000009", None, "2025-10-25")
    ok(tracker("ingest", "fda", approvals(tmp_path / "a.json", "2025-11-12", supplement, generic)))
    assert detected(db, TIMING) == DATED
    other = submission("NDA000003", "TYPE 4", "2025-10-28")
    path = approvals(tmp_path / "b.json", "2025-11-13", supplement, generic, other)
    ok(tracker("ingest", "fda", path))
    assert [row for row in detected(db, TIMING) if row[1] == "chembl"] == CHEMBL_ALONE


def test_what_dates_nothing_is_listed(frozen: str, tracker: Tracker, tmp_path: Path) -> None:
    path = approvals(
        tmp_path / "fda.json",
        "2025-11-12",
        submission("NDA000001", "TYPE 1", "2015-03-10"),
        submission("ANDA000002", None),
        submission("NDA000003", None),
    )
    told = ok(tracker("ingest", "fda", path)).stdout
    assert "the others date no approval: 1 generic, 1 original of unknown class" in told
    document = as_json(tracker, "coverage", frozen[:8])
    assert [
        (row["source"], row["kind"], row["n_records"], row["reason"])
        for row in document["sections"]["uncounted_action"]
    ] == [
        ("fda", "generic", 1, "approves no new molecular entity and no new use"),
        (
            "fda",
            "original of unknown class",
            1,
            "the FDA's class does not say that a new use was approved",
        ),
    ]


def _record_as_before(db: Path) -> datetime:
    """Append to the ledger what versions before recorded of the generic; return when."""
    with store.writer(db) as connection:
        moment = store.now(connection)
        connection.execute(
            text(
                "insert into event by name select "
                "1 + (select coalesce(max(event_id), 0) from event) as event_id, "
                "entity_id as drug_id, "
                "'drug_approval' as event_type, 4 as phase, status_date as event_date, "
                "status_date - 1 as public_after, status_date as public_by, 'fda' as source, "
                "release_id, record, name as drug_alias, "
                "json_object('phase', 4, 'record', record, 'drug_alias', name) as detail, "
                "'name' as match_kind, cast(:moment as timestamptz) as observed_at, "
                "cast(:moment as timestamptz) as recorded_at, 'detected' as event_origin "
                "from approval_action join entity_key on name = value "
                "where entity_kind = 'drug' and record = 'ANDA000002/ORIG/1'"
            ),
            {"moment": moment},
        )
    return moment


def test_what_an_earlier_version_recorded_is_corrected_by_a_further_row(
    frozen: str, tracker: Tracker, db: Path, tmp_path: Path
) -> None:
    generic = submission("ANDA000002", None)
    ok(tracker("ingest", "fda", approvals(tmp_path / "fda.json", "2025-11-12", generic)))
    with store.reader(db) as connection:
        approved = "select count(*) from event where event_type = 'drug_approval'"
        before = connection.execute(text(approved)).scalar_one()
    assert before == 0
    recorded = _record_as_before(db)
    # What that version's detection of the pair recorded, too.
    with store.writer(db) as connection:
        connection.execute(
            text(
                "insert into event by name select "
                "(select max(event_id) from event) + row_number() over () as event_id, "
                "* exclude (event_id), "
                "cast(:moment as timestamptz) as observed_at, "
                "cast(:moment as timestamptz) as recorded_at, 'detected' as event_origin "
                "from (select null as event_id, * from new_event where phase is not null)"
            ),
            {"moment": store.now(connection)},
        )
    assert timing(tracker) == DATED
    told = ok(tracker("refresh", "detect")).stdout
    assert told.startswith(
        "1 recorded FDA approval was corrected: not of a new molecular entity or a new use\n"
    )
    assert timing(tracker) == CHEMBL_ALONE
    ledger = query(
        tracker,
        "select event_id, phase, record, detail ->> 'kind' as kind from event "
        "where event_type = 'drug_approval' order by event_id",
    )
    assert [tuple(row.values())[1:] for row in ledger] == [
        (4.0, "ANDA000002/ORIG/1", None),
        (None, "ANDA000002/ORIG/1", "generic"),
    ]
    assert ok(tracker("refresh", "detect")).stdout.startswith("detection finished: no new events\n")
    assert ok(tracker("check")).stdout
    corrected = query(tracker, "select corrected_at from event_correction")[0]["corrected_at"]
    assert datetime.fromisoformat(corrected) > recorded
    # A report as of an instant before the correction says what it said then.
    for as_of, expected in ((corrected, 0), (_just_before(corrected), 1)):
        shown = as_json(tracker, "report", frozen, "--as-of", as_of)
        hits = [
            row["n_hits"]
            for row in shown["sections"]["tier_hit_rate"]
            if (row["evidence_window"], row["population"], row["tier"])
            == ("prospective", "all", "all")
        ]
        assert hits == [expected]
    explained = as_json(tracker, "report", frozen, "--explain", _just_before(corrected))
    assert [row["record"] for row in explained["sections"]["event_correction"]] == [
        "ANDA000002/ORIG/1"
    ]


def _just_before(instant: str) -> str:
    return (datetime.fromisoformat(instant) - timedelta(microseconds=1)).isoformat()


def test_the_download_of_2019(tracker: Tracker, shared: Path) -> None:
    """Of the approved originals and efficacy supplements since 2015, most date no approval."""
    ok(tracker("ingest", "fda", shared / "fda" / "drugsatfda.zip"))
    kinds = query(
        tracker,
        "select meaning, submission_kind, count(*) as n "
        "from approval join submission_kind using (approval_id) "
        "where submission_status = 'AP' and status_date >= '2015-01-01' "
        "and (submission_type = 'ORIG' or submission_class = 'EFFICACY') "
        "group by all order by n desc, submission_kind",
    )
    assert [tuple(row.values()) for row in kinds] == [
        ("other", "generic", 3330),
        ("approval", "efficacy supplement", 875),
        ("approval", "new molecular entity", 192),
        ("other", "new formulation or manufacturer", 152),
        ("other", "new dosage form", 114),
        ("uncertain", "new combination", 53),
        ("uncertain", "new active ingredient", 16),
        ("uncertain", "original of unknown class", 15),
        ("approval", "new indication", 11),
        ("approval", "efficacy original", 10),
        ("uncertain", "medical gas", 10),
        ("uncertain", "marketed before without approval", 9),
        ("other", "switch to over the counter", 3),
    ]
    assert sum(row["n"] for row in kinds) == 4790
    assert sum(row["n"] for row in kinds if row["meaning"] == "approval") == 1088


def test_drugs_at_fda_states_the_class_by_its_number(tracker: Tracker, tmp_path: Path) -> None:
    rows = {
        "Applications.txt": ["000001\tNDA\t\tA", "000002\tANDA\t\tB"],
        "Submissions.txt": ["000002\t2\tSUPPL\t1\tAP\t2025-05-01 00:00:00\t\tSTANDARD"],
    }
    told = ok(tracker("ingest", "fda", drugs_at_fda(tmp_path / "d.zip", rows, 2025))).stdout
    assert "0 of 1 new or changed actions approve" in told
