"""What ChEMBL of 2026 shows as new since 2020, dated by references as a reader would date it."""

import csv
import json
from datetime import date
from pathlib import Path
from typing import NamedTuple

import pytest
from support import Tracker, ok

from tracker import Store
from tracker.slates import plans

FROZEN_ON = date(2020, 6, 30)
RELEASED = {"31": "2022-07-12", "32": "2023-01-26", "37": "2026-06-01"}


class Dated(NamedTuple):
    """An indication of 2026 with a reference, and the interval in which it became public.

    `public_after` and `public_by` were read by hand: of a number in the table of months, of a study
    in its record.
    """

    chembl_id: str
    efo_id: str
    reference: str
    dated_by: str
    public_after: str
    public_by: str


# Numbers of studies that the store does not have.
BY_NUMBER = [
    Dated(chembl_id, efo_id, number, "number", after, by)
    for chembl_id, efo_id, number, after, by in (
        ("CHEMBL25", "EFO:0000275", "NCT00558961", "2007-10-31", "2007-12-31"),
        ("CHEMBL25", "EFO:0000537", "NCT00768755", "2008-09-30", "2008-12-01"),
        ("CHEMBL25", "EFO:0004265", "NCT00312377", "2006-03-31", "2006-05-31"),
        ("CHEMBL25", "EFO:0000545", "NCT01183559", "2010-07-31", "2010-10-01"),
        ("CHEMBL11359", "EFO:0000181", "NCT01663857", "2012-07-31", "2012-10-01"),
        ("CHEMBL11359", "EFO:0000313", "NCT00398983", "2006-10-31", "2006-12-31"),
        ("CHEMBL11359", "EFO:0000707", "NCT00290719", "2006-01-31", "2006-03-31"),
        ("CHEMBL11359", "EFO:0000756", "NCT00218465", "2005-08-31", "2005-10-31"),
        ("CHEMBL11359", "EFO:0001061", "NCT00074139", "2003-11-30", "2004-01-31"),
        ("CHEMBL1431", "EFO:0004593", "NCT01209533", "2010-08-31", "2010-10-31"),
        ("CHEMBL1431", "EFO:0000195", "NCT02151851", "2014-04-30", "2014-07-01"),
        ("CHEMBL1431", "EFO:0000660", "NCT00702923", "2008-05-31", "2008-07-31"),
        ("CHEMBL1431", "EFO:0001073", "NCT00180713", "2005-08-31", "2005-10-31"),
        ("CHEMBL121", "EFO:1000783", "NCT00535925", "2007-08-31", "2007-10-31"),
    )
]
# Studies of the registry's snapshot, by the day of their first posting.
BY_POSTING = [
    Dated(chembl_id, efo_id, number, "registry", after, by)
    for chembl_id, efo_id, number, after, by in (
        ("CHEMBL2108724", "EFO:0003095", "NCT05813925", "2023-04-13", "2023-04-14"),
        ("CHEMBL2108724", "EFO:0001645", "NCT05861427", "2023-05-15", "2023-05-16"),
        ("CHEMBL2108724", "MONDO:0005147", "NCT05883644", "2023-05-31", "2023-06-01"),
        ("CHEMBL3622821", "EFO:0000274", "NCT05843643", "2023-05-05", "2023-05-06"),
        ("CHEMBL3622821", "EFO:0000384", "NCT05818137", "2023-04-17", "2023-04-18"),
        ("CHEMBL3622821", "EFO:0000729", "NCT05814159", "2023-04-13", "2023-04-14"),
        ("CHEMBL3622821", "EFO:0003898", "NCT05827016", "2023-04-23", "2023-04-24"),
        ("CHEMBL2181927", "EFO:0003144", "NCT05887817", "2023-06-04", "2023-06-05"),
        ("CHEMBL2181927", "EFO:0000401", "NCT05850520", "2023-05-08", "2023-05-09"),
        ("CHEMBL848", "EFO:0000095", "NCT05869903", "2023-05-21", "2023-05-22"),
    )
]
# Approvals: by EMA's table of 2025, by the year of the first approval, and by nothing.
APPROVED = [
    Dated("CHEMBL2181927", "EFO:0003884", "EMA", "EMA", "2022-02-15", "2022-02-16"),
    Dated("CHEMBL2108724", "EFO:0001073", "EMA", "EMA", "2022-01-05", "2022-01-06"),
    Dated("CHEMBL3991065", "MONDO:0005277", "EMA", "EMA", "2023-08-10", "2023-08-11"),
    Dated("CHEMBL2181927", "EFO:0000319", "FDA", "first approval", "2020-12-31", "2026-06-01"),
    Dated("CHEMBL1095", "EFO:0000474", "FDA", "release", "", "2026-06-01"),
    Dated("CHEMBL1095", "HP:0001250", "DailyMed", "release", "", "2026-06-01"),
]
MESH = {
    "EFO:0003884": "Renal Insufficiency, Chronic",
    "EFO:0001073": "Obesity",
    "MONDO:0005277": "Migraine Disorders",
}
NAMES = {
    "CHEMBL2181927": "finerenone",
    "CHEMBL2108724": "semaglutide",
    "CHEMBL3991065": "atogepant",
}


@pytest.fixture
def followed(tracker: Tracker, db: Path, shared: Path, tmp_path: Path) -> Store:
    """Return a store whose slate of 2020 predicts the pairs, followed to ChEMBL of 2026."""
    cases = [*BY_NUMBER, *BY_POSTING, *APPROVED]
    assert len(cases) == 30
    with (shared / "chembl" / "approval_years_2026.csv").open(encoding="utf-8") as given:
        years = {row["drug_id"]: row["first_approval"] for row in csv.DictReader(given)}
    wanted = {one.chembl_id for one in cases}
    references = {(one.chembl_id, one.efo_id): one.reference for one in cases}
    indications = tmp_path / "indications_37.jsonl"
    with (
        (shared / "chembl" / "indications_2026.csv").open(encoding="utf-8") as given,
        indications.open("w", encoding="utf-8") as written,
    ):
        for row in csv.DictReader(given):
            if row["molecule_chembl_id"] not in wanted:
                continue
            reference = references.get((row["molecule_chembl_id"], row["efo_id"]))
            kind = "ClinicalTrials" if reference and reference.startswith("NCT") else reference
            refs = [{"ref_type": kind, "ref_id": reference, "ref_url": ""}] if reference else []
            year = years.get(row["molecule_chembl_id"])
            told = {**row, "indication_refs": refs, "first_approval": year}
            written.write(json.dumps(told) + "\n")
    candidates, labels = tmp_path / "candidates.csv", tmp_path / "labels.csv"
    diseases = {one.efo_id for one in cases}
    with candidates.open("w", encoding="utf-8", newline="") as handle:
        writer = csv.writer(handle)
        writer.writerow(["disease_name", "disease_id", "drug_name", "chembl_id", "score"])
        for number, (drug, disease) in enumerate((g, d) for g in sorted(wanted) for d in diseases):
            score = 1 + number / 1000 if (drug, disease) in references else 0.5
            name = MESH.get(disease, f"disease {disease}")
            writer.writerow([name, disease, NAMES.get(drug, f"drug {drug}"), drug, score])
    labels.write_text("disease_name,drug_name,label\nanother disease,drug CHEMBL25,4\n")
    ok(tracker("load", "candidates", candidates, "--set", "pairs", "--model", "m"))
    ok(tracker("load", "labels", labels, "--set", "known"))
    for version in ("31", "32"):
        path = shared / "chembl" / f"chembl_{version}.db"
        day = ("--version", version, "--released", RELEASED[version])
        ok(tracker("ingest", "chembl", path, *day))
    studies = shared / "ctgov" / "studies_51.jsonl"
    ok(tracker("ingest", "trials", studies, "--released", "2023-07-01"))
    ema = shared / "ema" / "medicines_output_medicines_en_2025-03-24.xlsx"
    ok(tracker("ingest", "ema", ema))
    ok(tracker("ingest", "fda", shared / "fda" / "drugsatfda.zip"))
    ok(tracker("ingest", "chembl", indications, "--version", "37", "--released", RELEASED["37"]))
    plan = tmp_path / "plan.toml"
    default = Path(plans.__file__).with_name("default_plan.toml").read_text(encoding="utf-8")
    plan.write_text(default.replace("horizon_months = 12", "horizon_months = 72"), encoding="utf-8")
    frozen = ("--candidates", "pairs", "--labels", "known", "--min-score", "0.9", "--plan", plan)
    ok(tracker("slate", "freeze", *frozen, "--replay-as-of", FROZEN_ON.isoformat()))
    ok(tracker("refresh", "detect"))
    return Store(db)


@pytest.mark.slow
def test_each_pair_has_the_date_that_a_reader_finds_and_no_hit_is_old(followed: Store) -> None:
    with followed as store:
        studies = {
            (row["drug"], row["disease"]): (row["dated_by"], row["after"], row["by"])
            for row in store.sql(
                "select drug_alias as drug, disease_alias as disease, detail ->> 'dated_by' as "
                "dated_by, cast(public_after as varchar) as after, cast(public_by as varchar) as "
                "by from event where event_type = 'indication_phase' and phase is null "
                "and (detail ->> 'study') is not null"
            ).to_dict("records")
        }
        approvals = {
            (row["drug"], row["disease"]): (row["dated_by"], row["after"], row["by"])
            for row in store.sql(
                "select event.drug_alias as drug, event.disease_alias as disease, dated_by, "
                "coalesce(cast(outcome_timing.public_after as varchar), '') as after, "
                "cast(outcome_timing.public_by as varchar) as by from outcome_timing "
                "inner join event on outcome_id = event_id "
                "where outcome_type in ('fda_approved', 'approved')"
            ).to_dict("records")
        }
        hits = store.sql(
            "select drug_alias as drug, disease_alias as disease from outcome_card "
            "where counts_as = 'hit' and source = 'chembl'"
        )
        unverified = store.sql("from outcome_timing where timing = 'unverified'")
    for one in (*BY_NUMBER, *BY_POSTING):
        found = studies[one.chembl_id, one.efo_id]
        assert found == (one.dated_by, one.public_after, one.public_by), one
    for one in APPROVED:
        found = approvals[one.chembl_id, one.efo_id]
        assert found == (one.dated_by, one.public_after, one.public_by), one
    late = {(one.chembl_id, one.efo_id) for one in (*BY_POSTING, *APPROVED[:4])}
    told = set(zip(hits["drug"], hits["disease"], strict=True))
    assert told == late
    assert len(unverified) >= len(APPROVED[4:])
