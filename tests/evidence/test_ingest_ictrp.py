"""Ingesting exports of ICTRP: three forms, one study once, refusals, the real exports."""

from collections.abc import Callable, Mapping
from datetime import date, datetime
from pathlib import Path

import ictrp
import pytest
from evidence import line_of, rows, study, write_json
from support import SHARED, Tracker, exited, ok

EXPORTS = SHARED / "ictrp"
real = pytest.mark.skipif(not EXPORTS.is_dir(), reason="../shared is absent")


STUDIES = [
    ictrp.record("ISRCTN00000001", Secondary_ID="Nil known"),
    ictrp.record(
        "ChiCTR2600000002",
        Source_Register="ChiCTR",
        Date_enrollement="2026-02-01",
        Phase="2-3",
        Condition="Asthma\r<br>Gout",
        Intervention="experimental group:alphanib+usual care;control group:betamab;",
        Recruitment_Status="Not Recruiting",
    ),
    ictrp.record(
        "NCT00000003",
        Source_Register="ClinicalTrials.gov",
        Date_enrollement="February 2026",
        Study_design="Allocation: Randomized. Primary purpose: Prevention. ",
        Phase="Phase 2/Phase 3",
        Intervention="Drug: Alphanib 75mg;Device: Pump",
    ),
    ictrp.record("DRKS00000004", Study_type="Observational", Intervention=""),
]


@pytest.mark.parametrize("name", ["e.xml", "e.xml.gz", "e.csv", "e.xlsx"])
def test_each_form_has_the_same_studies(
    name: str, tracker: Tracker, db: Path, tmp_path: Path
) -> None:
    write = ictrp.xml if "xml" in name else ictrp.table
    out = line_of(tracker("ingest", "ictrp", write(tmp_path / name, STUDIES)))
    assert "ingested ICTRP 2026-03-02 (2026-03-02): 4 studies, 4 new or changed" in out
    assert "events: 1 observational" in out
    assert rows(
        db, "select nct_id, study_type, phase, reached_phase, primary_purpose from trial order by 1"
    ) == [
        ("ChiCTR2600000002", "INTERVENTIONAL", "PHASE2|PHASE3", 3, None),
        ("DRKS00000004", "OBSERVATIONAL", "PHASE2", 2, None),
        ("ISRCTN00000001", "INTERVENTIONAL", "PHASE2", 2, None),
        ("NCT00000003", "INTERVENTIONAL", "PHASE2|PHASE3", 3, "PREVENTION"),
    ]
    assert rows(
        db, "select overall_status, start_date, start_precision from trial order by nct_id"
    ) == [
        ("NOT_RECRUITING", date(2026, 2, 1), "day"),
        ("RECRUITING", date(2026, 1, 15), "day"),
        ("RECRUITING", date(2026, 1, 15), "day"),
        ("RECRUITING", date(2026, 2, 1), "month"),
    ]
    assert rows(db, "select distinct first_posted_on from trial") == [(date(2026, 1, 10),)]
    assert rows(
        db,
        "select nct_id, intervention_type, trial_intervention.name, is_other_name, arm_role "
        "from trial_intervention join trial using (trial_id) order by nct_id, position",
    ) == [
        ("ChiCTR2600000002", None, "alphanib", False, "experimental"),
        ("ChiCTR2600000002", None, "betamab", False, "comparator"),
        ("ISRCTN00000001", None, "Aspirin", False, None),
        ("NCT00000003", "DRUG", "Alphanib 75mg", False, None),
        ("NCT00000003", "DRUG", "Alphanib", True, None),
        ("NCT00000003", "DEVICE", "Pump", False, None),
    ]
    assert rows(
        db,
        "select list(trial_condition.name order by position) from trial_condition join trial "
        "using (trial_id) where nct_id = 'ChiCTR2600000002'",
    ) == [(["Asthma", "Gout"],)]
    assert "already in the store" in line_of(tracker("ingest", "ictrp", tmp_path / name))


@pytest.mark.slow
def test_dates_that_excel_made(tracker: Tracker, db: Path, tmp_path: Path) -> None:
    given = [
        ictrp.record(
            "NCT00000001",
            Source_Register="ClinicalTrials.gov",
            Date_enrollement=datetime(2026, 2, 1),
            Phase=datetime(2020, 3, 2),
        ),
        ictrp.record("IRCT20260101000001N1", Date_enrollement=datetime(2641, 6, 14), Phase="so-so"),
    ]
    out = line_of(tracker("ingest", "ictrp", ictrp.table(tmp_path / "e.xlsx", given)))
    assert "1 of the records state a start date that cannot be read" in out
    assert "IRCT20260101000001N1 has '2641-06-14', for one" in out
    assert "state a phase that cannot be read, and have none: IRCT20260101000001N1" in out
    assert rows(db, "select phase, start_precision from trial order by nct_id desc") == [
        ("PHASE2|PHASE3", "month"),
        (None, None),
    ]


@pytest.mark.slow
def test_a_study_of_several_registries_counts_once(
    tracker: Tracker, db: Path, tmp_path: Path
) -> None:
    """Whatever the order of the records, that of ClinicalTrials.gov stands for the study."""
    given = [
        ictrp.record("EUCTR2026-000001-10-ES", Secondary_ID="NCT00000001"),
        ictrp.record("EUCTR2026-000001-10-IT"),
        ictrp.record("ISRCTN00000001", Secondary_ID="2026-000001-10; DRKS00000009"),
        ictrp.record("NCT00000001", Source_Register="ClinicalTrials.gov"),
        ictrp.record("DRKS00000002", Secondary_ID="isrctn00000003"),
        ictrp.record("ISRCTN00000003", Date_registration3="20260101"),
        # Of its countries the first registered, then the first by name; one without a date is last.
        ictrp.record("EUCTR2026-000002-10-GB", Date_registration3=""),
        ictrp.record("EUCTR2026-000002-10-SE"),
        ictrp.record("EUCTR2026-000002-10-FR"),
    ]
    given.insert(0, given.pop(3))
    out = line_of(tracker("ingest", "ictrp", ictrp.xml(tmp_path / "e.xml", given)))
    assert "records: 9, of which 3 stand for a study;" in out
    assert rows(db, "select nct_id, title from trial order by nct_id") == [
        ("DRKS00000002", "A study, DRKS00000002"),
        ("EUCTR2026-000002-10", "A study, EUCTR2026-000002-10-FR"),
        ("NCT00000001", "A study, NCT00000001"),
    ]
    assert rows(db, "select nct_id, number from study_number order by all") == [
        ("DRKS00000002", "DRKS00000002"),
        ("DRKS00000002", "ISRCTN00000003"),
        ("EUCTR2026-000002-10", "EUCTR2026-000002-10"),
        ("NCT00000001", "DRKS00000009"),
        ("NCT00000001", "EUCTR2026-000001-10"),
        ("NCT00000001", "ISRCTN00000001"),
        ("NCT00000001", "NCT00000001"),
    ]


@pytest.mark.parametrize(
    ("option", "phases"), [((), ["PHASE2"]), (("--complete",), ["PHASE2", "PHASE3"])]
)
def test_a_search_that_lacks_the_record_of_a_study_changes_nothing_of_it(
    option: tuple[str, ...], phases: list[str], tracker: Tracker, db: Path, tmp_path: Path
) -> None:
    """Two registries state two phases: without the one that stands there is no advance."""
    standing = ictrp.record("DRKS00000002", Secondary_ID="ISRCTN00000003", Phase="Phase 2")
    other = ictrp.record("ISRCTN00000003", Phase="Phase 3", Export_date="4/2/2026 10:40:56 AM")
    ok(tracker("ingest", "ictrp", ictrp.xml(tmp_path / "a.xml", [standing, other])))
    ok(tracker("ingest", "ictrp", ictrp.xml(tmp_path / "b.xml", [other]), *option))
    found = rows(db, "select nct_id, phase from trial order by trial_id")
    assert found == [("DRKS00000002", phase) for phase in phases]


def _candidates(tracker: Tracker, tmp_path: Path) -> None:
    scores = tmp_path / "scores.csv"
    scores.write_text("disease_name,drug_name,score\nAsthma,Aspirin,0.9\nGout,Aspirin,0.1\n")
    ok(tracker("load", "candidates", scores, "--set", "c", "--model", "m"))


@pytest.mark.slow
def test_a_registry_that_is_named_later(tracker: Tracker, db: Path, tmp_path: Path) -> None:
    """A hit stays on record under the number it had, and says what the number is now."""
    _candidates(tracker, tmp_path)
    ok(tracker("slate", "freeze", "--candidates", "c", "--replay-as-of", "2026-01-01", "-y"))
    first = ictrp.record("EUCTR2026-000001-10-ES", Recruitment_Status="Authorised")
    ok(tracker("ingest", "ictrp", ictrp.xml(tmp_path / "a.xml", [first])))
    ok(tracker("refresh", "detect"))
    later = {**first, "Secondary ID": "NCT00000001", "Export date": "4/2/2026 10:40:56 AM"}
    out = line_of(tracker("ingest", "ictrp", ictrp.xml(tmp_path / "b.xml", [later])))
    assert "kept under another number from now on: 1 study" in out
    ok(tracker("refresh", "detect"))
    found = rows(
        db,
        "select distinct record, source, withdrawal, other_numbers from outcome_card where "
        "counts_as = 'hit' order by all",
    )
    assert found == [
        ("EUCTR2026-000001-10", "ictrp", "EUCTR2026-000001-10 is NCT00000001 now", None)
    ]
    # The start under the new number is of the same study, and no second hit.
    assert rows(
        db, "select distinct record from event where event_type = 'trial_started' order by all"
    ) == [
        ("EUCTR2026-000001-10",),
        ("NCT00000001",),
    ]
    ok(tracker("check"))


@pytest.mark.slow
def test_the_record_of_clinicaltrials_wins(tracker: Tracker, db: Path, tmp_path: Path) -> None:
    """Its own version replaces ICTRP's, and no later export replaces it."""
    _candidates(tracker, tmp_path)
    given = ictrp.record("NCT00000001", Source_Register="ClinicalTrials.gov", Phase="Phase 3")
    ok(tracker("ingest", "ictrp", ictrp.xml(tmp_path / "a.xml", [given])))
    path = write_json(tmp_path / "trials-2026-03-20.json", [study("NCT00000001", start="2026-01")])
    ok(tracker("ingest", "trials", path, "--complete"))
    other = ictrp.record("ISRCTN00000001", Secondary_ID="NCT00000001", Phase="Phase 4")
    again = {**given, "Export date": "4/2/2026 10:40:56 AM", "Phase": "Phase 4"}
    out = line_of(tracker("ingest", "ictrp", ictrp.xml(tmp_path / "b.xml", [again, other])))
    assert "0 studies, 0 new or changed" in out
    assert "records: 2, of which 0 stand for a study;" in out
    assert rows(db, "select trial_id, reached_phase from trial order by all") == [(1, 3), (2, 2)]
    assert rows(db, "select nct_id, trial_id from trial_state where until_position is null") == [
        ("NCT00000001", 2)
    ]


@pytest.mark.slow
def test_studies_of_clinicaltrials_stay_apart(tracker: Tracker, db: Path, tmp_path: Path) -> None:
    """A record that names two of its numbers is of one of them, and the other stays a study."""
    given = [
        ictrp.record("NCT00000001", Source_Register="ClinicalTrials.gov"),
        ictrp.record("NCT00000002", Source_Register="ClinicalTrials.gov"),
        ictrp.record("NCT00000003", Secondary_ID="NCT00000002"),
    ]
    ok(tracker("ingest", "ictrp", ictrp.xml(tmp_path / "a.xml", given)))
    later = ictrp.record(
        "ISRCTN00000001",
        Secondary_ID="NCT00000002; NCT00000001",
        Export_date="4/2/2026 10:40:56 AM",
    )
    ok(tracker("ingest", "ictrp", ictrp.xml(tmp_path / "b.xml", [later])))
    assert rows(db, "select * from record_presence") == []
    assert rows(db, "select nct_id, number from study_number where number <> nct_id") == [
        ("NCT00000001", "ISRCTN00000001")
    ]
    assert rows(db, "select nct_id from trial_state where until_position is null order by all") == [
        ("NCT00000001",),
        ("NCT00000002",),
        ("NCT00000003",),
    ]


@pytest.mark.slow
def test_clinicaltrials_names_a_number_of_another_registry(
    tracker: Tracker, db: Path, tmp_path: Path
) -> None:
    """Which of the two names the other, and which came first, is all the same."""
    own = study("NCT00000001", start="2026-01")
    own["protocolSection"]["identificationModule"]["secondaryIdInfos"] = [
        {"id": "2026-000001-10", "type": "EUDRACT_NUMBER"},
        {"id": "a protocol"},
        {"id": "NCT00000002"},
    ]
    path = write_json(tmp_path / "trials-2026-03-20.json", [own, study("NCT00000002")])
    first = ictrp.record("EUCTR2026-000001-10-ES")
    ok(tracker("ingest", "ictrp", ictrp.xml(tmp_path / "a.xml", [first])))
    out = line_of(tracker("ingest", "trials", path))
    assert "kept under another number from now on: 1 study" in out
    later = {**first, "Export date": "4/2/2026 10:40:56 AM"}
    out = line_of(tracker("ingest", "ictrp", ictrp.xml(tmp_path / "b.xml", [later])))
    assert "records: 1, of which 0 stand for a study;" in out
    assert rows(db, "select nct_id from trial_state where until_position is null order by all") == [
        ("NCT00000001",),
        ("NCT00000002",),
    ]
    ok(tracker("check"))


@pytest.mark.slow
def test_a_complete_export_lacks_what_has_vanished(
    tracker: Tracker, db: Path, tmp_path: Path
) -> None:
    path = write_json(tmp_path / "trials-2026-03-01.json", [study("NCT00000009")])
    ok(tracker("ingest", "trials", path))
    ok(tracker("ingest", "ictrp", ictrp.xml(tmp_path / "a.xml", STUDIES)))
    later = [{**one, "Export date": "4/2/2026 10:40:56 AM"} for one in STUDIES[:1]]
    path = ictrp.xml(tmp_path / "b.xml", later)
    assert "0 vanished" in line_of(tracker("ingest", "ictrp", path))
    later = [{**one, "Export date": "5/2/2026 10:40:56 AM"} for one in STUDIES[1:2]]
    path = ictrp.xml(tmp_path / "c.xml", later)
    assert "3 vanished" in line_of(tracker("ingest", "ictrp", path, "--complete"))
    assert rows(db, "select count(*) from record_presence where record_key = 'NCT00000009'") == [
        (0,)
    ]


def _cut(path: Path) -> Path:
    path.write_bytes(ictrp.xml(path, STUDIES).read_bytes()[:-40])
    return path


def _entities(path: Path) -> Path:
    path.write_text(
        '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>'
        "<Trials_downloaded_from_ICTRP><Trial><TrialID>&b;</TrialID></Trial>"
        "</Trials_downloaded_from_ICTRP>"
    )
    return path


def _text(text: str) -> Callable[[Path], Path]:
    def write(path: Path) -> Path:
        path.write_text(text)
        return path

    return write


def _records(*given: Mapping[str, object]) -> Callable[[Path], Path]:
    return lambda path: (ictrp.xml if path.suffix == ".xml" else ictrp.table)(path, given)


@pytest.mark.parametrize(
    ("name", "write", "problem"),
    [
        ("e.xml", _cut, "e.xml, line 77: is not complete XML"),
        ("e.xml", _entities, "e.xml, line 1: uses the entity 'a'; XML with entities is not read"),
        (
            "e.xml",
            _text("<studies><study/></studies>"),
            "e.xml, line 1: is not an export of ICTRP: the document is a studies, not a "
            "Trials_downloaded_from_ICTRP",
        ),
        (
            "e.xml",
            _records({**STUDIES[0], "Condition": "a" * 20_000_000}),
            "e.xml, line 15: the record has more than 20,000,000 characters",
        ),
        (
            "e.xml",
            _text("<Trials_downloaded_from_ICTRP></Trials_downloaded_from_ICTRP>"),
            "e.xml: states no day of export; give it with --released",
        ),
        (
            "e.csv",
            _text("a,b\n1,2\n"),
            "e.csv, row 1: is not an export of ICTRP: a column trialid is",
        ),
        ("e.csv", _text(""), "e.csv: the file is empty"),
        (
            "e.csv",
            _records(STUDIES[0], {**STUDIES[1], "TrialID": "two words"}),
            "e.csv, row 3: trialid: 'two words' is no number of a study",
        ),
        (
            "e.xml",
            _records(STUDIES[0], STUDIES[0]),
            "e.xml, study 2, ISRCTN00000001: stands in e.xml, study 1 too",
        ),
        (
            "e.xml",
            _records(STUDIES[0], {**STUDIES[0], "TrialID": "isrctn00000001"}),
            "e.xml, study 2, isrctn00000001: stands in e.xml, study 1 too",
        ),
        (
            "e.xml",
            _records({**STUDIES[0], "Export date": "1/2/2999 1:00:00 AM"}),
            "the release date 2999-01-02 is in the future",
        ),
    ],
)
def test_bad_input(
    name: str,
    write: Callable[[Path], Path],
    problem: str,
    tracker: Tracker,
    db: Path,
    tmp_path: Path,
) -> None:
    done = tracker("ingest", "ictrp", write(tmp_path / name))
    assert done.exit_code in (3, 4, 5), done.output
    assert problem in done.stderr
    assert rows(db, "select count(*) from release") == [(0,)]


@pytest.mark.parametrize("text", ["Intervention group:", "standard (", "1,", "group "])
def test_texts_made_to_keep_patterns_busy(
    text: str, tracker: Tracker, db: Path, tmp_path: Path
) -> None:
    """A text as long as an export may have takes no longer than one as long as a cell."""
    long = ictrp.record(Intervention=text * 200_000, Condition=text * 200_000, Secondary_ID=text)
    ok(tracker("ingest", "ictrp", ictrp.xml(tmp_path / "a.xml", [long])))
    assert rows(db, "select count(*) from trial") == [(1,)]


def test_two_exports_of_one_day_that_differ(tracker: Tracker, db: Path, tmp_path: Path) -> None:
    ok(tracker("ingest", "ictrp", ictrp.xml(tmp_path / "a.xml", STUDIES)))
    # Another search of the day may have found other studies, and the same as they were.
    others = [STUDIES[0], ictrp.record("TCTR20260101001")]
    ok(tracker("ingest", "ictrp", ictrp.xml(tmp_path / "b.xml", others)))
    differing = [ictrp.record("TCTR20260101002"), {**STUDIES[0], "Phase": "Phase 3"}]
    done = exited(3, tracker("ingest", "ictrp", ictrp.xml(tmp_path / "c.xml", differing)))
    assert (
        "c.xml, study 2, ISRCTN00000001: differs from what a.xml, an export of the" in done.stderr
    )
    assert rows(db, "select count(*), max(release_id) from release") == [(2, 2)]


@pytest.mark.parametrize("names", ["ab", "ba"])
def test_an_export_that_lacks_the_change_of_the_day(
    names: str, tracker: Tracker, db: Path, tmp_path: Path
) -> None:
    """It repeats what stood before, and the change counts, whichever of the two comes first."""
    on = {"Export date": "4/2/2026 10:40:56 AM"}
    ok(tracker("ingest", "ictrp", ictrp.xml(tmp_path / "e.xml", STUDIES[:1])))
    ictrp.xml(tmp_path / "a.xml", [{**STUDIES[0], **on}])
    ictrp.xml(tmp_path / "b.xml", [{**STUDIES[0], **on, "Phase": "Phase 3"}])
    for name in names:
        ok(tracker("ingest", "ictrp", tmp_path / f"{name}.xml"))
    assert rows(db, "select phase from trial order by trial_id") == [("PHASE2",), ("PHASE3",)]


def test_a_study_whose_number_changed(tracker: Tracker, db: Path, tmp_path: Path) -> None:
    """The platform's own number tells that it is the same study."""
    first = ictrp.record("TCTR20260101001", Internal_Number="77")
    ok(tracker("ingest", "ictrp", ictrp.xml(tmp_path / "a.xml", [first])))
    later = ictrp.record(
        "TCTR20260101999", Internal_Number="77", Export_date="4/2/2026 10:40:56 AM"
    )
    ok(tracker("ingest", "ictrp", ictrp.xml(tmp_path / "b.xml", [later])))
    assert rows(db, "select nct_id, count(*) from trial group by all") == [("TCTR20260101001", 2)]
    assert rows(db, "select number from study_number order by all") == [
        ("ICTRP 77",),
        ("TCTR20260101001",),
        ("TCTR20260101999",),
    ]


@pytest.mark.slow
def test_exports_come_in_the_order_of_their_dates(tracker: Tracker, tmp_path: Path) -> None:
    later = ictrp.record("ISRCTN00000001", Export_date="4/2/2026 10:40:56 AM")
    paths = [
        ictrp.xml(tmp_path / "a.xml", [later]),
        ictrp.xml(tmp_path / "b.xml", STUDIES),
    ]
    out = line_of(tracker("ingest", "ictrp", *paths))
    assert out.index("ICTRP 2026-03-02") < out.index("ICTRP 2026-04-02")
    older = ictrp.record("ISRCTN00000001", Export_date="3/20/2026 10:40:56 AM")
    done = exited(3, tracker("ingest", "ictrp", ictrp.xml(tmp_path / "c.xml", [older])))
    assert "older than the ictrp release of 2026-04-02" in done.stderr


@pytest.mark.slow
def test_a_refresh_follows_a_folder_of_exports(
    tracker: Tracker, db: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("tracker.toml").write_text(
        'settle_seconds = 0\n[[source]]\nkind = "ictrp"\npath = "exports/*"\n'
    )
    Path("exports").mkdir()
    ictrp.table(Path("exports/b.csv"), [{**STUDIES[0], "Export date": "4/2/2026 1:00:00 AM"}])
    ictrp.xml(Path("exports/a.xml"), STUDIES)
    _candidates(tracker, tmp_path)
    ok(tracker("refresh"))
    assert rows(db, "select origin from release order by release_id") == [("a.xml",), ("b.csv",)]


@real
@pytest.mark.slow
def test_the_real_exports(tracker: Tracker, db: Path) -> None:
    """Every record is a study or another record of one; every study is told by what it is."""
    paths = sorted(EXPORTS.iterdir(), key=lambda path: path.name)
    out = line_of(tracker("ingest", "ictrp", *paths))
    assert rows(db, "select list(version order by version) from release") == [
        (["2020-03-18", "2020-04-07", "2020-04-22", "2020-06-19"],)
    ]
    assert "ICTRP 2020-06-19 (2020-06-19): 3,642 studies" in out
    assert "records: 3,650, of which 3,642 stand for a study;" in out
    assert rows(db, "select count(distinct left(number, 4)) > 15 from study_number") == [(True,)]
    assert {phase for (phase,) in rows(db, "select phase from trial")} <= {
        None,
        "EARLY_PHASE1",
        "PHASE1",
        "PHASE1|PHASE2",
        "PHASE2",
        "PHASE2|PHASE3",
        "PHASE3",
        "PHASE3|PHASE4",
        "PHASE4",
    }
    both = "select count(*) > 100 from trial where release_id = 4 and phase = 'PHASE2|PHASE3'"
    assert rows(db, both) == [(True,)]
