"""Ingesting ClinicalTrials.gov: every form of its studies, versions, vanished ones, refusals."""

import csv
import json
import zipfile
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest
from evidence import rows, study, write_json
from support import Tracker, exited, ok, refused, sampled

from tracker.files.names import date_in

VERSIONS = (
    "select nct_id, overall_status, reached_phase, start_date, start_precision from trial "
    "order by trial_id"
)


def _page(folder: Path) -> Path:
    document = {"studies": [study(), study("NCT00000002")], "nextPageToken": "x"}
    return write_json(folder / "page.json", document)


def _array(folder: Path) -> Path:
    return write_json(folder / "array.json", [study(), study("NCT00000002")])


def _lines(folder: Path) -> Path:
    lines = [json.dumps(study()), "", json.dumps(study("NCT00000002"))]
    (folder / "studies.jsonl").write_text("\n".join(lines))
    return folder / "studies.jsonl"


def _folder(folder: Path) -> Path:
    (folder / "s" / "deep").mkdir(parents=True)
    write_json(folder / "s" / "NCT00000001.json", study())
    write_json(folder / "s" / "deep" / "NCT00000002.json", study("NCT00000002"))
    return folder / "s"


def _zip(folder: Path) -> Path:
    with zipfile.ZipFile(folder / "s.zip", "w") as archive:
        archive.writestr("a/1.json", json.dumps(study()))
        archive.writestr("a/2.json", json.dumps(study("NCT00000002")))
    return folder / "s.zip"


@pytest.mark.slow
@pytest.mark.parametrize("make", [_page, _array, _lines, _folder, _zip])
def test_every_form_yields_the_same_studies(
    make: Callable[[Path], Path], tracker: Tracker, db: Path, tmp_path: Path
) -> None:
    ok(tracker("ingest", "trials", make(tmp_path), "--released", "2025-02-01"))
    month = date(2026, 3, 1)
    assert rows(db, VERSIONS) == [
        ("NCT00000001", "RECRUITING", 2.0, month, "month"),
        ("NCT00000002", "RECRUITING", 2.0, month, "month"),
    ]
    assert rows(
        db,
        "select name, folded_name, is_mesh_term, mesh_id from trial_condition where trial_id = 1 "
        "order by position",
    ) == [("Asthma", "asthma", False, None), ("Asthma", "asthma", True, "MESH:D001249")]
    assert rows(
        db,
        "select completion_date, completion_precision, first_posted_on, last_update_posted_on "
        "from trial where trial_id = 1",
    ) == [(date(2028, 1, 1), "year", date(2025, 1, 1), date(2025, 1, 2))]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("phases", "reached"),
    sampled(
        [
            (["PHASE1", "PHASE2"], 2.0),
            (["PHASE2", "PHASE3"], 3.0),
            (["EARLY_PHASE1"], 0.5),
            # What the registry called it earlier, as old files of AACT have it.
            (["Phase 0"], 0.5),
            (["Phase 0", "Phase 1"], 1.0),
            (["EARLY_PHASE1", "PHASE1"], 1.0),
            (["PHASE1"], 1.0),
            (["PHASE4"], 4.0),
            (["NA"], None),
            ([], None),
        ],
        4,
    ),
)
def test_reached_phase(
    phases: list[str], reached: float | None, tracker: Tracker, db: Path, tmp_path: Path
) -> None:
    ok(tracker("ingest", "trials", write_json(tmp_path / "s.json", study(phases=phases))))
    assert rows(db, "select reached_phase from trial") == [(reached,)]


@pytest.mark.slow
def test_only_changes_are_stored_and_nothing_is_forgotten(
    tracker: Tracker, db: Path, tmp_path: Path
) -> None:
    """A status that reverses, a study that vanishes and returns: SQL can tell all of them."""
    other = study("NCT00000002", phases=["NA"], start=None)
    snapshots = [
        ("2025-01-10", [study(), other]),
        ("2025-02-10", [study(status="UNKNOWN", updated="2025-02-01")]),
        ("2025-03-10", [study(updated="2025-03-01"), other]),
        ("2025-04-10", [other, study(updated="2025-03-01")]),
    ]
    outputs = []
    for day, studies in snapshots:
        path = write_json(tmp_path / f"{day}.json", studies)
        outputs.append(
            ok(tracker("ingest", "trials", path, "--released", day, "--complete")).output
        )
    assert [line.partition("studies, ")[2].strip() for line in outputs] == [
        "2 new or changed, 0 vanished, 0 returned",
        "1 new or changed, 1 vanished, 0 returned",
        "1 new or changed, 0 vanished, 1 returned",
        "0 new or changed, 0 vanished, 0 returned",
    ]
    assert rows(
        db, "select release_id, overall_status from trial where nct_id like '%1' order by trial_id"
    ) == [(1, "RECRUITING"), (2, "UNKNOWN"), (3, "RECRUITING")]
    assert rows(
        db, "select release_id, record_key, is_present from record_presence order by 1"
    ) == [
        (2, "NCT00000002", False),
        (3, "NCT00000002", True),
    ]
    before = rows(db, "from trial")
    copied = write_json(tmp_path / "copied.json", snapshots[0][1])
    assert "nothing was added" in ok(tracker("ingest", "trials", copied)).output
    assert rows(db, "from trial") == before
    late = write_json(tmp_path / "late.json", [study("NCT00000003")])
    refused = exited(3, tracker("ingest", "trials", late, "--released", "2025-04-09"))
    assert "older than the ctgov release of 2025-04-10" in refused.output


@pytest.mark.slow
def test_a_partial_snapshot_makes_nothing_vanish(
    tracker: Tracker, db: Path, tmp_path: Path
) -> None:
    for number in (1, 2):
        path = write_json(tmp_path / f"{number}.json", study(f"NCT0000000{number}"))
        ok(tracker("ingest", "trials", path, "--released", "2025-01-10"))
    assert rows(db, "select count(*) from record_presence") == [(0,)]


@pytest.mark.slow
def test_files_of_one_name_in_two_folders(tracker: Tracker, db: Path, tmp_path: Path) -> None:
    for folder, disease, day in (("old", "Gout", "2025-01-02"), ("new", "Asthma", "2025-02-02")):
        (tmp_path / "s" / folder).mkdir(parents=True)
        document = study(conditions=[disease], updated=day)
        write_json(tmp_path / "s" / folder / "NCT00000001.json", document)
    ok(tracker("ingest", "trials", tmp_path / "s"))
    assert rows(db, "select name from trial_condition where not is_mesh_term") == [("Asthma",)]


@pytest.mark.slow
def test_the_order_of_names_is_not_a_change(tracker: Tracker, db: Path, tmp_path: Path) -> None:
    """The content's hash covers every name of a study, each as often as it occurs."""
    outputs = []
    for day, names in enumerate((["A", "B"], ["B", "A"], ["A", "A", "B"], ["A", "C"]), start=1):
        path = write_json(tmp_path / f"{day}.json", study(conditions=names))
        outputs.append(
            ok(tracker("ingest", "trials", path, "--released", f"2025-01-0{day}")).output
        )
    assert ["1 new or changed" in line for line in outputs] == [True, False, True, True]
    assert rows(db, "select count(*) from trial") == [(3,)]


@pytest.mark.slow
def test_part_of_an_export(tracker: Tracker, db: Path, tmp_path: Path) -> None:
    """Studies may be missing from studies.txt if the files are declared incomplete."""
    source = _aact(
        tmp_path / "aact", {"studies.txt": [AACT["studies.txt"][0], AACT["studies.txt"][2]]}
    )
    exited(3, tracker("ingest", "trials", source))
    ok(tracker("ingest", "trials", source, "--partial"))
    assert rows(db, "select nct_id from trial") == [("NCT00000002",)]
    assert rows(db, "select count(*) from trial_condition") == [(0,)]


# Each file's header, then its rows, as words between the pipes.
AACT: dict[str, list[list[str]]] = {
    "studies.txt": [
        [
            "nct_id",
            "brief_title",
            "study_type",
            "phase",
            "overall_status",
            "start_date",
            "start_month_year",
            "start_date_type",
            "primary_completion_date",
            "primary_completion_month_year",
            "completion_date",
            "completion_month_year",
            "study_first_posted_date",
            "last_update_posted_date",
        ],
        [
            "NCT00000001",
            'A "study" | of\nlines',
            "Interventional",
            "Phase 1/Phase 2",
            "Active, not recruiting",
            "2026-03-31",
            "March 2026",
            "Estimated",
            "",
            "",
            "2028-01-15",
            "2028-01-15",
            "2025-01-01",
            "2025-01-02",
        ],
        [
            "NCT00000002",
            "B",
            "INTERVENTIONAL",
            "EARLY_PHASE1",
            "UNKNOWN",
            "2026-03-31",
            "2026-03",
            "",
            "",
            "",
            "",
            "",
            "2025-01-01",
            "2025-01-02",
        ],
    ],
    "conditions.txt": [
        ["id", "nct_id", "name", "downcase_name"],
        ["2", "NCT00000001", "Asthma", "asthma"],
        ["1", "NCT00000001", " Café  Noir ", "café"],
    ],
    "browse_conditions.txt": [
        ["id", "nct_id", "mesh_term", "downcase_mesh_term", "mesh_type"],
        ["1", "NCT00000001", "Asthma", "asthma", "mesh-list"],
        ["2", "NCT00000001", "Lung Diseases", "lung diseases", "mesh-ancestor"],
    ],
    "interventions.txt": [
        ["id", "nct_id", "intervention_type", "name", "description"],
        ["5", "NCT00000001", "Drug", "Aspirin", ""],
    ],
    "intervention_other_names.txt": [
        ["id", "nct_id", "intervention_id", "name"],
        ["9", "NCT00000001", "5", "Aspro"],
    ],
}


def _aact(
    folder: Path, changes: dict[str, list[list[str]]] | None = None, *, is_zip: bool = False
) -> Path:
    folder.mkdir(exist_ok=True)
    for name, lines in {**AACT, **(changes or {})}.items():
        with (folder / name).open("w", encoding="utf-8", newline="") as handle:
            csv.writer(handle, delimiter="|", lineterminator="\n").writerows(lines)
    if not is_zip:
        return folder
    with zipfile.ZipFile(folder.with_suffix(".zip"), "w") as archive:
        for path in sorted(folder.iterdir()):
            archive.write(path, path.name)
    return folder.with_suffix(".zip")


@pytest.mark.slow
@pytest.mark.parametrize("is_zip", [False, True])
def test_aact(is_zip: bool, tracker: Tracker, db: Path, tmp_path: Path) -> None:
    source = _aact(tmp_path / "aact", is_zip=is_zip)
    ok(tracker("ingest", "trials", source, "--released", "2025-02-01"))
    assert rows(db, VERSIONS) == [
        ("NCT00000001", "ACTIVE_NOT_RECRUITING", 2.0, date(2026, 3, 1), "month"),
        ("NCT00000002", "UNKNOWN", 0.5, date(2026, 3, 1), "month"),
    ]
    assert rows(db, "select phase, title, start_type from trial where trial_id = 1") == [
        ("PHASE1|PHASE2", 'A "study" | of\nlines', "ESTIMATED")
    ]
    assert rows(db, "select folded_name, is_mesh_term from trial_condition order by position") == [
        ("café noir", False),
        ("asthma", False),
        ("asthma", True),
    ]
    assert rows(
        db,
        "select name, intervention_type, is_other_name from trial_intervention order by position",
    ) == [("Aspirin", "DRUG", False), ("Aspro", "DRUG", True)]
    assert rows(db, "select is_complete, form from release_coverage") == [(True, "AACT")]


@pytest.mark.slow
def test_aact_with_the_terms_of_interventions(tracker: Tracker, db: Path, tmp_path: Path) -> None:
    """The classes above the terms are left out; exports made before may lack the file."""
    terms = [
        ["id", "nct_id", "mesh_term", "downcase_mesh_term", "mesh_type"],
        ["7", "NCT00000001", "Aspirin", "aspirin", "mesh-list"],
        ["8", "NCT00000001", "Antipyretics", "antipyretics", "mesh-ancestor"],
    ]
    source = _aact(tmp_path / "aact", {"browse_interventions.txt": terms})
    ok(tracker("ingest", "trials", source, "--released", "2025-02-01"))
    assert rows(
        db, "select name, is_mesh_term, mesh_id from trial_intervention order by position"
    ) == [("Aspirin", False, None), ("Aspro", False, None), ("Aspirin", True, None)]


# An add-on trial: both arms have methotrexate, one the new drug, the other its comparator.
ARMS = (
    {
        "label": "New",
        "type": "EXPERIMENTAL",
        "interventionNames": ["Drug: Newmab", "Drug: Methotrexate", "Dietary Supplement: Folate"],
    },
    {
        "label": "Old",
        "type": "ACTIVE_COMPARATOR",
        "interventionNames": ["Drug: Oldmab", "Drug: Methotrexate"],
    },
    {"label": "Placebo", "type": "PLACEBO_COMPARATOR"},
)
IN_ARMS = (
    {"type": "DRUG", "name": "Newmab", "armGroupLabels": ["New"]},
    {"type": "DRUG", "name": "Methotrexate", "armGroupLabels": ["New", "Old", "Placebo"]},
    {"type": "DRUG", "name": "Oldmab", "armGroupLabels": ["Old"], "otherNames": ["OLD-1"]},
    {"type": "DRUG", "name": "Placebo", "armGroupLabels": ["Placebo", "An arm that is not there"]},
    {"type": "DIETARY_SUPPLEMENT", "name": "Folate"},
    {"type": "DIETARY_SUPPLEMENT", "name": "Oldmab"},
)
ROLES = "select name, arm_role from trial_intervention order by trial_id, position"


def test_a_drug_of_comparator_arms_alone_is_a_comparator(
    tracker: Tracker, db: Path, tmp_path: Path
) -> None:
    """Arms may be named on either side; one of the last two supplements is in none."""
    path = write_json(tmp_path / "s.json", study(interventions=IN_ARMS, arms=ARMS))
    ok(tracker("ingest", "trials", path))
    assert rows(db, ROLES) == [
        ("Newmab", "experimental"),
        ("Methotrexate", "background"),
        ("Oldmab", "comparator"),
        ("OLD-1", "comparator"),
        ("Placebo", "comparator"),
        ("Folate", "experimental"),
        ("Oldmab", None),
    ]


LAST_KNOWN = "select nct_id, overall_status, last_known_status from trial order by trial_id"


@pytest.mark.slow
def test_the_last_known_status_is_that_of_both_forms(
    tracker: Tracker, db: Path, tmp_path: Path
) -> None:
    """A study that is stored without one has it from its next version on."""
    header, *studies = AACT["studies.txt"]
    stated = [
        [*header, "last_known_status"],
        [*studies[0], ""],
        [*studies[1], "Not yet recruiting"],
    ]
    ok(tracker("ingest", "trials", _aact(tmp_path / "a"), "--released", "2025-01-10"))
    folder = _aact(tmp_path / "b", {"studies.txt": stated})
    ok(tracker("ingest", "trials", folder, "--released", "2025-01-11"))
    unknown = study("NCT00000003", status="UNKNOWN", last_known="ACTIVE_NOT_RECRUITING")
    path = write_json(tmp_path / "s.json", unknown)
    ok(tracker("ingest", "trials", path, "--released", "2025-01-12"))
    assert rows(db, LAST_KNOWN) == [
        ("NCT00000001", "ACTIVE_NOT_RECRUITING", None),
        ("NCT00000002", "UNKNOWN", None),
        ("NCT00000002", "UNKNOWN", "NOT_YET_RECRUITING"),
        ("NCT00000003", "UNKNOWN", "ACTIVE_NOT_RECRUITING"),
    ]


DETAILS = (
    "select nct_id, primary_purpose, why_stopped, cast(results_posted_on as varchar) from trial "
    "order by trial_id"
)


@pytest.mark.slow
def test_purpose_stop_and_results_are_those_of_both_forms(
    tracker: Tracker, db: Path, tmp_path: Path
) -> None:
    """AACT has the purpose in a file of its own, and words of its own for it."""
    header, *studies = AACT["studies.txt"]
    further = {
        "studies.txt": [
            [*header, "why_stopped", "results_first_posted_date"],
            [*studies[0], "Slow | accrual", "2025-01-01"],
            *([*row, "", ""] for row in studies[1:]),
        ],
        "designs.txt": [
            ["id", "nct_id", "primary_purpose"],
            ["1", "NCT00000001", "Educational/Counseling/Training"],
            ["2", "NCT00000002", ""],
        ],
    }
    folder = _aact(tmp_path / "aact", further)
    ok(tracker("ingest", "trials", folder, "--released", "2025-01-10"))
    assert rows(db, DETAILS) == [
        ("NCT00000001", "ECT", "Slow | accrual", "2025-01-01"),
        ("NCT00000002", None, None, None),
    ]
    path = write_json(
        tmp_path / "s.json",
        study(
            "NCT00000003",
            purpose="SUPPORTIVE_CARE",
            why_stopped=" Slow accrual ",
            results_posted="2025-01-01",
        ),
    )
    ok(tracker("ingest", "trials", path, "--released", "2025-01-11"))
    assert rows(db, DETAILS)[2:] == [
        ("NCT00000003", "SUPPORTIVE_CARE", "Slow accrual", "2025-01-01")
    ]


@pytest.mark.slow
def test_a_purpose_learned_later_is_a_new_version(
    tracker: Tracker, db: Path, tmp_path: Path
) -> None:
    """A study without one has the hash that it had before purposes were read."""
    outputs = []
    for day, purpose in (("2025-01-10", None), ("2025-02-10", None), ("2025-03-10", "TREATMENT")):
        path = write_json(tmp_path / f"{day}.json", [study(purpose=purpose), study("NCT00000002")])
        outputs.append(ok(tracker("ingest", "trials", path, "--released", day)).output)
    assert rows(db, DETAILS) == [
        ("NCT00000001", None, None, None),
        ("NCT00000002", None, None, None),
        ("NCT00000001", "TREATMENT", None, None),
    ]


@pytest.mark.slow
def test_roles_learned_later_are_no_change(tracker: Tracker, db: Path, tmp_path: Path) -> None:
    """A study stored without arms stays as it is until something else of it changes."""
    outputs = []
    for day, updated, arms in (
        ("2025-01-10", "2025-01-02", ()),
        ("2025-02-10", "2025-01-02", ARMS),
        ("2025-03-10", "2025-03-01", ARMS),
    ):
        document = study(interventions=IN_ARMS[:1], arms=arms, updated=updated)
        path = write_json(tmp_path / f"{day}.json", document)
        outputs.append(ok(tracker("ingest", "trials", path, "--released", day)).output)
    assert ["1 new or changed" in line for line in outputs] == [True, False, True]
    assert rows(db, ROLES) == [("Newmab", None), ("Newmab", "experimental")]


AACT_ARMS: dict[str, list[list[str]]] = {
    "interventions.txt": [
        *AACT["interventions.txt"],
        ["6", "NCT00000001", "Drug", "Oldmab", ""],
        ["7", "NCT00000002", "Drug", "Oldmab", ""],
    ],
    "intervention_other_names.txt": [
        *AACT["intervention_other_names.txt"],
        ["10", "NCT00000001", "6", "OLD-1"],
    ],
    "design_groups.txt": [
        ["id", "nct_id", "group_type", "title", "description"],
        ["1", "NCT00000001", "Experimental", "New", ""],
        ["2", "NCT00000001", "Active Comparator", "Old", "two\nlines"],
        ["3", "NCT00000002", "ACTIVE_COMPARATOR", "Old", ""],
    ],
    "design_group_interventions.txt": [
        ["id", "nct_id", "design_group_id", "intervention_id"],
        ["1", "NCT00000001", "1", "5"],
        ["2", "NCT00000001", "2", "5"],
        ["3", "NCT00000001", "2", "6"],
        ["4", "NCT00000002", "3", "7"],
    ],
}


@pytest.mark.slow
@pytest.mark.parametrize("is_zip", [False, True])
def test_aact_with_arms(is_zip: bool, tracker: Tracker, db: Path, tmp_path: Path) -> None:
    source = _aact(tmp_path / "aact", AACT_ARMS, is_zip=is_zip)
    ok(tracker("ingest", "trials", source, "--released", "2025-02-01"))
    assert rows(db, ROLES) == [
        ("Aspirin", "experimental"),
        ("Aspro", "experimental"),
        ("Oldmab", "comparator"),
        ("OLD-1", "comparator"),
        ("Oldmab", "experimental"),
    ]


@pytest.mark.slow
@pytest.mark.parametrize("kept", ["design_groups.txt", "design_group_interventions.txt", ""])
def test_aact_without_all_of_its_arms_has_no_roles(
    kept: str, tracker: Tracker, db: Path, tmp_path: Path
) -> None:
    source = _aact(tmp_path / "aact", {kept: AACT_ARMS[kept]} if kept else None)
    ok(tracker("ingest", "trials", source, "--released", "2025-02-01"))
    assert rows(db, ROLES) == [("Aspirin", None), ("Aspro", None)]


def _cut(folder: Path) -> list[Path]:
    path = _page(folder)
    path.write_text(path.read_text()[:-40])
    return [path]


def _cut_line(folder: Path) -> list[Path]:
    path = _lines(folder)
    path.write_text(path.read_text()[:-40])
    return [path]


def _zip_of_one(name: str) -> Callable[[Path], list[Path]]:
    def write(folder: Path) -> list[Path]:
        with zipfile.ZipFile(folder / "z.zip", "w") as archive:
            archive.writestr(name, json.dumps(study()))
        return [folder / "z.zip"]

    return write


def _zip_bomb(folder: Path) -> list[Path]:
    with zipfile.ZipFile(folder / "z.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("1.json", b" " * (40 << 20))
    return [folder / "z.zip"]


def _cut_zip(folder: Path) -> list[Path]:
    path = _zip(folder)
    path.write_bytes(path.read_bytes()[:-30])
    return [path]


def _zip_damaged(folder: Path) -> list[Path]:
    with zipfile.ZipFile(folder / "z.zip", "w", zipfile.ZIP_BZIP2) as archive:
        archive.writestr("1.json", json.dumps(study()))
    content = bytearray((folder / "z.zip").read_bytes())
    content[60:90] = bytes(30)
    (folder / "z.zip").write_bytes(content)
    return [folder / "z.zip"]


def _zip_encrypted(folder: Path) -> list[Path]:
    path = _aact(folder / "z", is_zip=True)
    content = bytearray(path.read_bytes())
    for magic, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = content.find(magic)
        while at >= 0:
            content[at + offset] |= 1
            at = content.find(magic, at + 1)
    path.write_bytes(content)
    return [path]


def _zip_of_two_exports(folder: Path) -> list[Path]:
    with zipfile.ZipFile(folder / "z.zip", "w") as archive:
        for path in sorted(_aact(folder / "aact").iterdir()):
            archive.write(path, f"old/{path.name}")
            archive.write(path, f"new/{path.name}")
    return [folder / "z.zip"]


def _raw(content: str) -> Callable[[Path], list[Path]]:
    def write(folder: Path) -> list[Path]:
        (folder / "s.json").write_text(content)
        return [folder / "s.json"]

    return write


def _aact_changed(
    name: str, change: Callable[[bytes], bytes], more: dict[str, list[list[str]]] | None = None
) -> Callable[[Path], list[Path]]:
    def write(folder: Path) -> list[Path]:
        path = _aact(folder / "aact", more) / name
        path.write_bytes(change(path.read_bytes()))
        return [folder / "aact"]

    return write


def _empty_folder(folder: Path) -> list[Path]:
    (folder / "none").mkdir()
    return [folder / "none"]


def _aact_lacks(folder: Path) -> list[Path]:
    (_aact(folder / "aact") / "conditions.txt").unlink()
    return [folder / "aact"]


BAD: dict[Callable[[Path], list[Path]], str] = {
    _cut: "page.json: is not JSON at line 1, column ",
    _cut_line: "studies.jsonl, line 3: is not JSON at line 1, column ",
    lambda f: [write_json(f / "s.json", [study(), study(None)])]: "s.json, study 2: has no NCT id",
    lambda f: [write_json(f / "s.json", [study(start="2026-13")])]: (
        "s.json, study 1, NCT00000001: start date '2026-13' is not a date"
    ),
    lambda f: [write_json(f / "s.json", [study(phases=["PHASE9"])])]: (
        "s.json, study 1, NCT00000001: phase 'PHASE9' is unknown"
    ),
    lambda f: [write_json(f / "s.json", [1, 2])]: (
        "s.json, study 1: is not a study of the ClinicalTrials.gov API"
    ),
    _zip_of_one("../../etc/1.json"): "z.zip: contains a path outside itself: ../../etc/1.json",
    _zip_bomb: "at most 200-fold is unpacked",
    _cut_zip: "s.zip: is not a zip, or is cut short",
    _empty_folder: "the folder contains no file ending in .json",
    _aact_lacks: "lacks conditions.txt",
    _aact_changed(
        "studies.txt", lambda all_: all_.replace(b"2026-03-31|2026-03|", b"2026-13-01||")
    ): "studies.txt, NCT00000002: start date '2026-13-01' is not a date",
    _aact_changed("studies.txt", lambda all_: all_.replace(b"NCT00000002", b"")): (
        "studies.txt, the study titled 'B': has no NCT id"
    ),
    lambda folder: [folder / "absent"]: "absent: no such file or folder",
    _aact_changed("design_groups.txt", lambda all_: all_[:-3], AACT_ARMS): (
        "design_groups.txt: is cut short: its last line does not end"
    ),
    _aact_changed(
        "design_groups.txt", lambda all_: all_.replace(b"group_type", b"type"), AACT_ARMS
    ): "design_groups.txt: the column group_type is missing",
    lambda f: [write_json(f / "s.json", study(arms=[{"label": 5}]))]: (
        "s.json, NCT00000001, label: 5 is not text"
    ),
    lambda f: [write_json(f / "s.json", study(interventions=[{"armGroupLabels": "A"}]))]: (
        "s.json, NCT00000001, armGroupLabels: 'A' is not a list of texts"
    ),
    _zip_of_one("."): "z.zip: the zip contains no .json",
    _zip_damaged: "z.zip: 1.json cannot be unpacked: ",
    _zip_encrypted: "z.zip: browse_conditions.txt cannot be unpacked: ",
    _zip_of_two_exports: "z.zip: contains browse_conditions.txt twice: ",
    _raw("[" * 100_000): "s.json: is nested too deeply",
    _raw(f"[{'9' * 5000}]"): "s.json: contains a number with too many digits",
    _raw(json.dumps(study("\ud800"))): "s.json: contains an incomplete character",
    lambda f: [write_json(f / "s.json", study(updated="infinity"))]: "'infinity' is not a date",
    lambda f: [write_json(f / "s.json", study(updated="2026-1-05"))]: "'2026-1-05' is not a date",
    _aact_changed("studies.txt", lambda all_: all_ + all_.splitlines(keepends=True)[-1]): (
        "studies.txt, NCT00000002: occurs twice"
    ),
    _aact_changed("interventions.txt", lambda all_: all_[:-1]): (
        "interventions.txt: is cut short: its last line does not end"
    ),
    _aact_changed("conditions.txt", lambda all_: all_ + b"9|NCT00000009|Gout|gout\n"): (
        "studies.txt: lacks 1 studies that the other files describe, NCT00000009 for one"
    ),
    _aact_changed("conditions.txt", lambda all_: all_ + b"9|NCT00000001\n"): (
        "conditions.txt, line 4: is not a row of 4 fields in UTF-8"
    ),
    _aact_changed("conditions.txt", lambda all_: all_.replace(b"downcase_name", b"name")): (
        "conditions.txt: two columns are named name"
    ),
}


@pytest.mark.parametrize(("make", "message"), sampled(BAD.items(), 4))
def test_bad_input_is_refused_in_one_line(
    make: Callable[[Path], list[Path]], message: str, tracker: Tracker, db: Path, tmp_path: Path
) -> None:
    refused(tracker, db, "ingest", "trials", *make(tmp_path), message=message)


def test_the_real_studies_have_the_roles_of_their_arms(
    tracker: Tracker, db: Path, shared: Path
) -> None:
    """Counted by hand over the arms of all 51: one drug is only what another is compared with."""
    ok(tracker("ingest", "trials", shared / "ctgov" / "studies_51.jsonl"))
    assert rows(
        db,
        "select arm_role, count(*) from trial_intervention "
        "where not is_other_name and not is_mesh_term group by arm_role order by arm_role",
    ) == [("background", 2), ("comparator", 17), ("experimental", 77), (None, 2)]
    # Given with cagrilintide, and in the comparator; a test in every arm of a trial of aflibercept.
    assert rows(
        db,
        "select folded_name, intervention_type from trial_intervention "
        "where arm_role = 'background' order by folded_name",
    ) == [("fluorescein", "DIAGNOSTIC_TEST"), ("semaglutide", "DRUG")]
    assert rows(
        db,
        "select folded_name, is_mesh_term, arm_role from trial_intervention "
        "join trial using (trial_id) "
        "where nct_id = 'NCT05827016' and not is_other_name order by position",
    ) == [
        ("iberdomide", False, "experimental"),
        ("lenalidomide", False, "comparator"),
        ("lenalidomide", True, None),
    ]


def test_the_date_in_the_name_is_the_releases(tracker: Tracker, tmp_path: Path) -> None:
    """As a refresh takes it; the digits of a trial's identifier are not a date."""
    named = write_json(tmp_path / "NCT00000001_2023-09-10.json", [study()])
    assert (
        "ingested ClinicalTrials.gov 2023-09-10 (2023-09-10)"
        in tracker("ingest", "trials", named).output
    )
    assert date_in(Path("NCT20230910.json")) is None
    assert date_in(Path("ctgov20230910.json")) == date(2023, 9, 10)
