"""Small sources in the official formats, made for the tests of ingestion."""

import json
import re
import sqlite3
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import duckdb
import openpyxl
from click.testing import Result
from support import ok

Row = Sequence[object]


def line_of(result: Result) -> str:
    """Return what a command printed, which must have succeeded, in one line."""
    return " ".join(ok(result).output.split())


def rows(db: Path, query: str) -> list[tuple[Any, ...]]:
    """Ask a store without tracker."""
    with duckdb.connect(str(db), read_only=True) as connection:
        return connection.execute(query).fetchall()


def chembl(
    path: Path,
    indications: Iterable[Row] = ((1, 1, 2, "D000001", "Asthma", "EFO:0000270", "asthma"),),
    *,
    molecules: Iterable[Row] = ((1, "ASPIRIN", "CHEMBL25"),),
    hierarchy: Iterable[Row] | None = None,
    synonyms: Iterable[Row] | None = None,
    references: Iterable[Row] | None = None,
    version: tuple[str, str] | None = ("ChEMBL_36", "2025-07-01"),
    phase: str = "numeric(2, 1)",
    structures: Iterable[Row] | None = None,
    warnings: Iterable[Row] | None = None,
    withdrawn: Iterable[Row] | None = None,
) -> Path:
    """Make a ChEMBL SQLite.

    An indication is (drugind_id, molregno, phase, mesh, heading, efo, term), a structure is
    (molregno, InChIKey), a warning (warning_id, molregno, type, class, country, year), a withdrawn
    molecule (molregno, year, country, reason). Tables whose rows are None are left out, as older
    extracts do, and the columns of withdrawn molecules likewise.
    """
    path.unlink(missing_ok=True)
    with sqlite3.connect(path) as connection:
        connection.execute(
            "create table molecule_dictionary (molregno bigint primary key, "
            "pref_name varchar(255), chembl_id varchar(20) not null unique)"
        )
        connection.executemany("insert into molecule_dictionary values (?, ?, ?)", molecules)
        connection.execute(
            "create table drug_indication (drugind_id bigint primary key, record_id bigint, "
            "molregno bigint, max_phase_for_ind " + phase + ", mesh_id varchar(20) not null, "
            "mesh_heading varchar(200) not null, efo_id varchar(20), efo_term varchar(200))"
        )
        connection.executemany(
            "insert into drug_indication values (?1, ?1, ?2, ?3, ?4, ?5, ?6, ?7)", indications
        )
        for name, columns, insert, rows in (
            (
                "molecule_hierarchy",
                "molregno bigint primary key, parent_molregno bigint, active_molregno bigint",
                "insert into molecule_hierarchy values (?1, ?2, ?2)",
                hierarchy,
            ),
            (
                "molecule_synonyms",
                "molregno bigint, syn_type varchar(50), molsyn_id bigint, synonyms varchar(250)",
                "insert into molecule_synonyms values (?, 'TRADE_NAME', ?, ?)",
                synonyms,
            ),
            (
                "compound_structures",
                "molregno bigint primary key, standard_inchi_key varchar(27)",
                "insert into compound_structures values (?, ?)",
                structures,
            ),
            (
                "indication_refs",
                "indref_id bigint, drugind_id bigint, ref_type varchar(50), ref_id varchar(4000)",
                "insert into indication_refs values (?, ?, ?, ?)",
                references,
            ),
            (
                "drug_warning",
                "warning_id bigint primary key, record_id bigint, molregno bigint, "
                "warning_type varchar(20), warning_class varchar(100), "
                "warning_description varchar(4000), warning_country varchar(1000), "
                "warning_year integer, efo_term varchar(200), efo_id varchar(20), "
                "efo_id_for_warning_class varchar(20)",
                "insert into drug_warning values "
                "(?1, ?1, ?2, ?3, ?4, 'why ' || ?1, ?5, ?6, 'a term', 'EFO:0000001', null)",
                warnings,
            ),
            (
                "version",
                "name varchar(50), creation_date datetime, comments varchar(2000)",
                "insert into version values (?, ?, null)",
                None if version is None else [("EFO 3.1", None), version],
            ),
        ):
            if rows is not None:
                connection.execute(f"create table {name} ({columns})")
                connection.executemany(insert, rows)
        if withdrawn is not None:
            for column in ("flag integer default 0", "year integer", "country text", "reason text"):
                connection.execute(f"alter table molecule_dictionary add withdrawn_{column}")
            connection.executemany(
                "update molecule_dictionary set withdrawn_flag = 1, withdrawn_year = ?2, "
                "withdrawn_country = ?3, withdrawn_reason = ?4 where molregno = ?1",
                withdrawn,
            )
    connection.close()
    return path


def study(
    nct_id: object = "NCT00000001",
    *,
    status: str = "RECRUITING",
    phases: Sequence[str] = ("PHASE2",),
    start: str | None = "2026-03",
    start_type: str | None = "ACTUAL",
    last_known: str | None = None,
    conditions: Sequence[str] = ("Asthma",),
    interventions: Sequence[Mapping[str, Any]] = ({"type": "DRUG", "name": "Aspirin"},),
    updated: str = "2025-01-02",
    study_type: str = "INTERVENTIONAL",
    completion: str | None = "2028",
    posted: str = "2025-01-01",
    meshes: Sequence[tuple[str, str]] = (("D001249", "Asthma"),),
    arms: Sequence[Mapping[str, Any]] = (),
    purpose: str | None = None,
    why_stopped: str | None = None,
    results_posted: str | None = None,
) -> dict[str, Any]:
    """Make a study in the form of the ClinicalTrials.gov API version 2."""
    return {
        "protocolSection": {
            "identificationModule": {"nctId": nct_id, "briefTitle": "A study"},
            "statusModule": {
                "overallStatus": status,
                **({"lastKnownStatus": last_known} if last_known else {}),
                "startDateStruct": {
                    **({"date": start} if start else {}),
                    **({"type": start_type} if start and start_type else {}),
                },
                "completionDateStruct": (
                    {"date": completion, "type": "ESTIMATED"} if completion else {}
                ),
                "studyFirstPostDateStruct": {"date": posted, "type": "ACTUAL"},
                "lastUpdatePostDateStruct": {"date": updated, "type": "ACTUAL"},
                **({"whyStopped": why_stopped} if why_stopped else {}),
                **(
                    {"resultsFirstPostDateStruct": {"date": results_posted, "type": "ACTUAL"}}
                    if results_posted
                    else {}
                ),
            },
            "conditionsModule": {"conditions": list(conditions)},
            "designModule": {
                "studyType": study_type,
                "phases": list(phases),
                **({"designInfo": {"primaryPurpose": purpose}} if purpose else {}),
            },
            "armsInterventionsModule": {
                **({"armGroups": list(arms)} if arms else {}),
                "interventions": list(interventions),
            },
        },
        "derivedSection": {
            "conditionBrowseModule": {
                "meshes": [{"id": mesh_id, "term": term} for mesh_id, term in meshes],
                "ancestors": [{"id": "D008171", "term": "Lung Diseases"}],
            }
        },
    }


def write_json(path: Path, document: object) -> Path:
    """Write a JSON file."""
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


FDA_HEADERS = {
    "Applications.txt": "ApplNo\tApplType\tApplPublicNotes\tSponsorName",
    "Products.txt": "ApplNo\tProductNo\tForm\tStrength\tReferenceDrug\tDrugName\t"
    "ActiveIngredient\tReferenceStandard",
    "Submissions.txt": "ApplNo\tSubmissionClassCodeID\tSubmissionType\tSubmissionNo\t"
    "SubmissionStatus\tSubmissionStatusDate\tSubmissionsPublicNotes\tReviewPriority",
    "SubmissionClass_Lookup.txt": "SubmissionClassCodeID\tSubmissionClassCode\t"
    "SubmissionClassCodeDescription",
}
FDA_ROWS = {
    "Applications.txt": ["000001\tNDA\t\tLaboratoires \u201cÉlan\u201d", "000002\tANDA\t\tB"],
    "Products.txt": [
        '000001\t001\tTABLET\t1"\t0\tMixora\tASPIRIN; CAFÉINE\t0',
        "000002\t001\tTABLET\t1MG\t0\tPlainora\tASPIRIN\t\t",
    ],
    "Submissions.txt": [
        '000001\t2\tORIG\t1\tAP\t2019-05-01 00:00:00\ta "note\tSTANDARD',
        "000002\t\tSUPPL     \t12\tTA\t\t\t",
        "000003\t2\tSUPPL\t1\tAP\t2018-01-01 00:00:00\t\t",
    ],
    "SubmissionClass_Lookup.txt": ["2\tEFFICACY\tEfficacy"],
}


def drugs_at_fda(
    path: Path,
    changes: Mapping[str, list[str] | None] | None = None,
    year: int = 2019,
    month: int = 7,
    day: int = 2,
) -> Path:
    """Make a Drugs@FDA zip: Windows-1252, CRLF; `changes` replace a file's rows or drop it."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, rows in {**FDA_ROWS, **(changes or {})}.items():
            if rows is not None:
                lines = "".join(f"{line}\r\n" for line in [FDA_HEADERS[name], *rows])
                info = zipfile.ZipInfo(name, (year, month, day, 14, 30, 0))
                archive.writestr(info, lines.encode("cp1252"))
    return path


def openfda(updated: str) -> dict[str, Any]:
    """Make openFDA's drugsfda with one approval, as of the day."""
    record = {
        "application_number": "NDA000001",
        "sponsor_name": "ACME",
        "submissions": [
            {
                "submission_type": "ORIG",
                "submission_number": "1",
                "submission_status": "AP",
                "submission_status_date": "20180501",
            }
        ],
        "products": [
            {"product_number": "001", "active_ingredients": [{"name": "ASPIRIN"}]},
        ],
    }
    meta = {"last_updated": updated, "results": {"total": 1}}
    return {"meta": meta, "results": [record]}


OBO = """format-version: 1.4
data-version: doid/releases/2026-01-15/doid.obo
ontology: doid

[Term]
id: DOID:4
name: disease

[Term]
id: DOID:13189
name: gout
alt_id: DOID:1
synonym: "podagra" EXACT []
xref: MESH:D006073
is_a: DOID:4 ! disease

"""


def obo(path: Path, text: str = OBO) -> Path:
    """Write an OBO file, without others a small one of two terms."""
    path.write_text(text, encoding="utf-8")
    return path


# The header of EMA's table of medicines, in row 9 of the spreadsheet.
EMA_HEADER = (
    "Category",
    "Name of medicine",
    "EMA product number",
    "Medicine status",
    "Opinion status",
    "Latest procedure affecting product information",
    "International non-proprietary name (INN) / common name",
    "Active substance",
    "Therapeutic area (MeSH)",
    "Species\n(veterinary)",
    "Patient safety",
    "ATC code (human)",
    "ATCvet code (veterinary)",
    "Pharmacotherapeutic group\n(human)",
    "Pharmacotherapeutic group\n(veterinary)",
    "Therapeutic indication",
    "Accelerated assessment",
    "Additional monitoring",
    "Advanced therapy",
    "Biosimilar",
    "Conditional approval",
    "Exceptional circumstances",
    "Generic or hybrid",
    "Orphan medicine",
    "PRIME: priority medicine",
    "Marketing authorisation developer / applicant / holder",
    "European Commission decision date",
    "Start of rolling review date",
    "Start of evaluation date",
    "Opinion adopted date",
    "Withdrawal of application date",
    "Marketing authorisation date",
    "Refusal of marketing authorisation date",
    "Withdrawal / expiry / revocation / lapse of marketing authorisation date",
    "Suspension of marketing authorisation date",
    "Revision number",
    "First published date",
    "Last updated date",
    "Medicine URL",
)
EMA_TITLES = {
    "category": "Category",
    "name": "Name of medicine",
    "number": "EMA product number",
    "status": "Medicine status",
    "inn": EMA_HEADER[6],
    "substance": "Active substance",
    "areas": "Therapeutic area (MeSH)",
    "indication": "Therapeutic indication",
    "biosimilar": "Biosimilar",
    "generic": "Generic or hybrid",
    "authorised": "Marketing authorisation date",
    "refused": "Refusal of marketing authorisation date",
    "application_withdrawn": "Withdrawal of application date",
    "ended": EMA_HEADER[33],
    "url": "Medicine URL",
}


def medicine(nth: int = 1, /, **cells: object) -> dict[str, object]:
    """Make a product of EMA's table, authorised for ostrava fever unless `cells` say otherwise.

    The cells are named as in EMA_TITLES; the result has the titles of the spreadsheet.
    """
    given: dict[str, object] = {
        "category": "Human",
        "name": f"Corora {nth}",
        "number": f"EMEA/H/C/{nth:06}",
        "status": "Authorised",
        "inn": "corotinib",
        "substance": "Corotinib mesilate",
        "areas": "Ostrava Fever",
        "indication": "Corora is indicated for ostrava&nbsp;fever.",
        "biosimilar": "No",
        "generic": "No",
        "authorised": "02/03/2010",
        "url": f"https://www.ema.europa.eu/en/medicines/human/EPAR/corora-{nth}",
        **cells,
    }
    return {EMA_TITLES[name]: cell for name, cell in given.items()}


def ema(
    path: Path,
    medicines: Sequence[Mapping[str, object]] = (),
    stated: str | None = "22/08/2024 - 15:06",
    header: Sequence[str] = EMA_HEADER,
) -> Path:
    """Make the spreadsheet of EMA's table: what it is of in row 1, the header in row 9."""
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    origin = "Output automatically generated from content on www.ema.europa.eu on:"
    sheet.append(["Content type:", "Medicine", origin, stated])
    rows = [dict(zip(header, header, strict=True)), *(medicines or [medicine()])]
    for number, row in enumerate(rows, start=9):
        for column, title in enumerate(header, start=1):
            sheet.cell(number, column, row.get(title))
    book.save(path)
    return path


def ema_json(
    path: Path,
    medicines: Sequence[Mapping[str, object]] = (),
    timestamp: str | None = "2024-08-22T13:06:21Z",
    total: int | None = None,
) -> Path:
    """Make EMA's table as JSON: the names of its fields are those of the columns, in one word."""
    records = []
    for row in medicines or [medicine()]:
        named = {re.sub(r"[^a-z0-9]+", "_", k.lower()).strip("_"): v for k, v in row.items()}
        full = dict.fromkeys(EMA_FIELDS, "") | {
            k.replace("_inn_", "_"): v for k, v in named.items()
        }
        records.append({k: "" if v is None else v for k, v in full.items()})
    meta = {"total_records": len(records) if total is None else total, "timestamp": timestamp}
    return write_json(path, {"meta": meta, "data": records})


EMA_FIELDS = [
    re.sub(r"[^a-z0-9]+", "_", title.lower()).strip("_").replace("_inn_", "_")
    for title in EMA_HEADER
]
