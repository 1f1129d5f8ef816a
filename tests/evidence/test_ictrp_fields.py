"""What is read in the dialects of the registries: dates, phases, drugs, conditions, numbers."""

from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tracker.evidence.ictrp import fields, interventions
from tracker.evidence.trials import numbers
from tracker.evidence.trials.numbers import Registered

CTGOV = "ClinicalTrials.gov"


@pytest.mark.parametrize(
    ("given_as", "registry", "expected"),
    [
        ("January 25, 2020", CTGOV, "2020-01-25"),
        ("February 2020", CTGOV, "2020-02"),
        # Of "February 2020" Excel made the first of the month, of no day of that registry.
        (datetime(2020, 2, 1), CTGOV, "2020-02"),
        (datetime(2020, 2, 1), "ChiCTR", "2020-02-01"),
        ("2020-02-16", "ChiCTR", "2020-02-16"),
        ("2020/02/01", "JPRN", "2020-02-01"),
        ("20200110", "", "2020-01-10"),
        ("05/03/2020", "ANZCTR", "2020-03-05"),
        ("27/01/2020", "an unknown registry", "2020-01-27"),
        ("01/27/2020", "an unknown registry", "2020-01-27"),
        # Either could be the month, and nothing says which.
        ("05/03/2020", "an unknown registry", None),
        ("05/05/2020", "an unknown registry", "2020-05-05"),
        ("3 February 2020", "", "2020-02-03"),
        ("2641-06-14", "IRCT", None),
        ("31/02/2020", "ISRCTN", None),
        ("soon", "ISRCTN", None),
        ("", "ISRCTN", None),
        (None, "ISRCTN", None),
    ],
)
def test_dates(given_as: object, registry: str, expected: str | None) -> None:
    assert fields.day(given_as, registry) == expected


def eudract(*stated: str) -> str:
    names = (
        "Human pharmacology (Phase I)",
        "Therapeutic exploratory (Phase II)",
        "Therapeutic confirmatory - (Phase III)",
        "Therapeutic use (Phase IV)",
    )
    return "\n".join(f"{name}: {word}" for name, word in zip(names, stated, strict=True))


@pytest.mark.parametrize(
    ("given_as", "expected"),
    [
        ("Phase 2/Phase 3", "PHASE2|PHASE3"),
        ("Phase 1 / Phase 2", "PHASE1|PHASE2"),
        ("Phase II/III", "PHASE2|PHASE3"),
        ("II-III", "PHASE2|PHASE3"),
        ("2-3", "PHASE2|PHASE3"),
        (datetime(2020, 3, 2), "PHASE2|PHASE3"),
        ("2020-03-02 00:00:00", "PHASE2|PHASE3"),
        ("2-Mar", "PHASE2|PHASE3"),
        ("Phase-3", "PHASE3"),
        ("Phase2", "PHASE2"),
        ("IIb", "PHASE2"),
        ("IV", "PHASE4"),
        ("0", "EARLY_PHASE1"),
        ("0 (exploratory trials)", "EARLY_PHASE1"),
        ("Early Phase 1", "EARLY_PHASE1"),
        (eudract("no", "yes", "no", "no"), "PHASE2"),
        (eudract("", "yes", "yes", "no"), "PHASE2|PHASE3"),
        (eudract("no", "no", "no", "no"), None),
        # No such pair of phases.
        (datetime(2020, 11, 4), None),
        ("Phase 1/Phase 4", None),
        ("N/A", None),
        ("Retrospective study", None),
        ("", None),
        (None, None),
    ],
)
def test_phases(given_as: object, expected: str | None) -> None:
    assert fields.phase(given_as) == expected


@pytest.mark.parametrize(
    ("given_as", "expected"),
    [
        (eudract("no", "no", "no", "no"), True),
        (eudract("", "no", "", "no"), True),
        # Two that do not follow one another are a text that is not understood.
        (eudract("yes", "no", "yes", "no"), False),
        ("Not applicable", True),
        (None, True),
        ("so-so", False),
    ],
)
def test_texts_that_state_no_phase(given_as: object, expected: bool) -> None:
    assert fields.is_without_phase(given_as) == expected


@pytest.mark.parametrize(
    ("given_as", "expected"),
    [
        ("Interventional clinical trial of medicinal product", "INTERVENTIONAL"),
        ("interventional", "INTERVENTIONAL"),
        ("Treatment study", "INTERVENTIONAL"),
        ("Observational [Patient Registry]", "OBSERVATIONAL"),
        ("Expanded Access", "EXPANDED_ACCESS"),
        ("Diagnostic test", "DIAGNOSTIC_TEST"),
        ("", None),
    ],
)
def test_study_types(given_as: str, expected: str | None) -> None:
    assert fields.study_type(given_as) == expected


@pytest.mark.parametrize(
    ("given_as", "expected"),
    [
        ("Recruiting", "RECRUITING"),
        ("Not Recruiting", "NOT_RECRUITING"),
        ("Not recruiting", "NOT_RECRUITING"),
        ("Authorised-recruitment may be ongoing or finished", "AUTHORISED"),
        ("Pending", "NOT_YET_RECRUITING"),
        ("Completed", "COMPLETED"),
        ("", None),
    ],
)
def test_statuses(given_as: str, expected: str | None) -> None:
    assert fields.status(given_as) == expected


@pytest.mark.parametrize(
    ("given_as", "expected"),
    [
        ("Masking: None. Primary purpose: Health Services Research. ", "HEALTH_SERVICES_RESEARCH"),
        ("Blinding: Not blinded, Assignment: Single, Purpose: Treatment.", "TREATMENT"),
        ("parallel assignment, treatment purpose", "TREATMENT"),
        ("Study design purpose: Prevention;", "PREVENTION"),
        ("Purpose: Psychosocial", None),
        ("Parallel", None),
    ],
)
def test_purposes(given_as: str, expected: str | None) -> None:
    assert fields.purpose(given_as) == expected


def drugs_in(text: str) -> list[str]:
    """Return the names that a text gives in arms that are not compared with others."""
    return [
        name
        for arm in interventions.arms(text)
        for one in arm.interventions
        for name in one.names
        if arm.arm_type != interventions.COMPARATOR
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Drug: Alphanib;Device: Pump", ["Alphanib", "Pump"]),
        ("Drug: Alphanib 75mg", ["Alphanib 75mg", "Alphanib"]),
        (
            "experimental group:alphanib+conventional treatment;control group:betamab;",
            ["alphanib"],
        ),
        ("Control intervention 1: betamab", []),
        (
            "Intervention1: alphanib: 5 mg daily<br>Control Intervention1: betamab: 5 mg daily",
            ["alphanib"],
        ),
        ("Intervention group: Beside standard care, alphanib tablets (5 mg)", ["alphanib"]),
        ("Intervention group: Standard care plus low dose alphanib(200 mcg/kg)", ["alphanib"]),
        (
            "Intervention 1: Intervention group: 50 mg three times daily of alphanib for 5 days. "
            "Intervention 2: Control group: placebo.",
            ["alphanib"],
        ),
        ("Group 1: Oral alphanib 0.5 mg tablets; Group 2: betamab", ["alphanib", "betamab"]),
        (
            "<br>Trade Name: Alphana 5 mg<br>Pharmaceutical Form: Tablet<br>"
            "INN or Proposed INN: ALPHANIB<br><br>Product Name: betamab<br>",
            ["Alphana 5 mg", "Alphana", "ALPHANIB", "betamab"],
        ),
        (
            "Intervention name : alphanib<br>INN of the intervention : alphanib<br>"
            "Control intervention name : betamab",
            ["alphanib"],
        ),
        # What all receive is not tested, however it is listed.
        (
            "Intervention group: standard drugs of the protocol (betamab 200 mg (two tablets), "
            "gammacin) plus alphanib",
            ["alphanib"],
        ),
        ("Patients receive usual care including betamab and gammacin.", []),
        ("alphanib dissolved with water", ["alphanib dissolved"]),
        ("Patients receive alphanib with 100 ml saline", ["alphanib"]),
        # Nothing is given here.
        ("The app helps those who live with anxiety, alcohol, stress and doubts of any kind", []),
        ("no alphanib", []),
        ("alphanib placebo", []),
        ("", []),
    ],
)
def test_drugs_in_texts(text: str, expected: list[str]) -> None:
    assert drugs_in(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Asthma;Gout", ["Asthma", "Gout"]),
        ("Asthma. <br>Asthma;J45.9", ["Asthma", "J45.9"]),
        ("Condition 1: Asthma. Condition 2: Gout.", ["Asthma", "Gout"]),
        (
            "Bad asthma <br>MedDRA version: 20.0\nLevel: PT\nClassification code 1\nTerm: Asthma\n"
            "System Organ Class: 1;Therapeutic area: Diseases [C]",
            ["Asthma", "Bad asthma"],
        ),
        ("Asthma_x000D_\n;asthma", ["Asthma"]),
        (" ", []),
    ],
)
def test_conditions(text: str, expected: list[str]) -> None:
    assert interventions.conditions(text) == expected


@given(st.text(alphabet="abc :;.,()+0123 mgroup<br>\n", max_size=200))
def test_any_text_is_read(text: str) -> None:
    assert all(len(name) <= 200 for name in drugs_in(text))
    assert all(interventions.conditions(text))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-000001-10", ["EUCTR2026-000001-10"]),
        ("EUCTR2026-000001-10-ES; nct00000001", ["EUCTR2026-000001-10", "NCT00000001"]),
        ("UMIN000012345, JPRN-UMIN000012345", ["JPRN-UMIN000012345"]),
        ("CTRI/2026/01/000001", ["CTRI/2026/01/000001"]),
        ("2026-500001-10-00, CTIS2026-500001-10-01", ["CTIS2026-500001-10"]),
        ("protocol 12, XNCT00000001", []),
        # Each in the letter case of its registry.
        ("isrctn12345678, ISRCTN12345678", ["ISRCTN12345678"]),
        ("chictr2600000001", ["ChiCTR2600000001"]),
        ("jprn-JRCTS012345678", ["JPRN-jRCTs012345678"]),
        ("umin000012345", ["JPRN-UMIN000012345"]),
        ("rbr-2ABC3D", ["RBR-2abc3d"]),
    ],
)
def test_numbers_in_texts(text: str, expected: list[str]) -> None:
    assert numbers.numbers_in(text) == expected


def records(*given: tuple[str, ...]) -> list[Registered]:
    return [Registered(f"{own} here", own, own, tuple(others), "") for own, *others in given]


@pytest.mark.parametrize(
    ("given_as", "held", "expected"),
    [
        # A number of ClinicalTrials.gov wins, whether its record is there or not.
        ([("ISRCTN1", "NCT00000001")], {}, ["NCT00000001"]),
        ([("ISRCTN1", "EUCTR1"), ("EUCTR1", "NCT00000002")], {}, ["NCT00000002"] * 2),
        # Its records are never one, whatever they have in common.
        (
            [("NCT00000001", "EUCTR1"), ("NCT00000002", "EUCTR1")],
            {},
            ["NCT00000001", "NCT00000002"],
        ),
        # A study stays where it is stored, else it is under the first of its numbers.
        ([("ISRCTN1", "EUCTR1")], {"EUCTR1": "EUCTR1"}, ["EUCTR1"]),
        ([("ISRCTN1", "DRKS1"), ("DRKS1",)], {}, ["DRKS1", "DRKS1"]),
        # What the platform itself calls a record is never a study's number.
        ([("ISRCTN1", "ICTRP 7")], {}, ["ISRCTN1"]),
        ([("ISRCTN2", "ICTRP 7")], {"ICTRP 7": "ISRCTN1"}, ["ISRCTN1"]),
        ([("ISRCTN1",)], {}, ["ISRCTN1"]),
    ],
)
def test_studies_of_records(
    given_as: list[tuple[str, ...]], held: dict[str, str], expected: list[str]
) -> None:
    for order in (given_as, given_as[::-1]):
        found = numbers.studies(records(*order), held)
        assert [found[f"{one[0]} here"] for one in given_as] == expected
