"""The expected outcomes of a simulated world, in tiny worlds whose outcomes are plain to see."""

from dataclasses import replace
from datetime import date, timedelta
from typing import Any

import pytest
import simulated_truth
from simulated_truth import Outcome, Watch
from simulated_world import Arm, Indication, Product, Release, Study, Submission

FREEZE = date(2025, 6, 15)
PAIR = ("Arden fever", "velatinib")
WATCH = Watch(
    "tiny",
    FREEZE,
    frozenset({PAIR}),
    {},
    {PAIR[1]: {"velatinib": 0, "CHEMBL1": 0, "velo": 1}},
    {PAIR[0]: {"arden fever": 0, "EFO:1": 0, "MONDO:1": 1}},
)


def day(written: str) -> date:
    return date.fromisoformat(f"2025-{written}")


def study(number: int = 1, *, posted: str = "03-01", updated: str = "03-01", **given: Any) -> Study:
    kept: dict[str, Any] = {
        "phases": ("PHASE2",),
        "status": "RECRUITING",
        "start": "2025-04-01",
        "completion": None,
        "conditions": ("Arden Fever",),
    }
    return Study(
        f"NCT{number}",
        "INTERVENTIONAL",
        posted=day(posted),
        updated=day(updated),
        meshes=(),
        **({"interventions": (("DRUG", "Velatinib", ()),)} | kept | given),
    )


def registry(written: str, *studies: Study) -> Release:
    return Release("ctgov", day(written).toordinal(), day(written), studies=studies)


def indication(phase: float | None, *, key: int = 1, efo_id: str = "EFO_1") -> Indication:
    return Indication(key, "CHEMBL1", phase, f"MESH:{key}", "Heading", efo_id, "a term")


def chembl(written: str, *rows: Indication) -> Release:
    return Release("chembl", day(written).toordinal(), day(written), indications=rows)


def fda(written: str, *acted: str) -> Release:
    return Release(
        "fda",
        day(written).toordinal(),
        day(written),
        submissions=tuple(
            Submission("000001", "SUPPL", str(number), "AP", day(one), "EFFICACY")
            for number, one in enumerate(acted)
        ),
        products=(Product("000001", "Velo", ("VELATINIB",)),),
    )


def told(*releases: Release, watch: Watch = WATCH) -> list[tuple[str, str | None, str | None, str]]:
    """Return type, event date, end of the interval and timing of each outcome, days as MM-DD."""
    found = sorted(simulated_truth.outcomes(watch, releases), key=lambda outcome: outcome[3:5])
    return [
        (one.outcome_type, _written(one.event_date), _written(one.public_by), _timing(one, watch))
        for one in found
    ]


def _written(when: date | None) -> str | None:
    return None if when is None else f"{when:%m-%d}"


def _timing(outcome: Outcome, watch: Watch) -> str:
    return simulated_truth.timing(watch.frozen_on, *outcome[4:7])


def known(*releases: Release, watch: Watch = WATCH) -> float | None:
    found = simulated_truth.events(watch, releases)
    return simulated_truth.known_phases(watch, found).get(PAIR)


@pytest.mark.parametrize(
    ("event", "after", "by", "expected"),
    [
        (None, -5, -4, "undated"),
        (-1, 1, 2, "retrospective"),
        (0, 1, 2, "coincident"),
        (1, -2, 0, "announced"),
        (1, None, 0, "announced"),
        (1, 0, 1, "prospective"),
        (1, -1, 1, "straddles"),
        (1, None, 1, "unverified"),
        (1, None, None, "unverified"),
    ],
)
def test_timing(event: int | None, after: int | None, by: int | None, expected: str) -> None:
    days = [None if one is None else FREEZE + timedelta(days=one) for one in (event, after, by)]
    assert simulated_truth.timing(FREEZE, *days) == expected


# Trials


def test_a_trial_registered_after_the_freeze_is_the_first() -> None:
    new = study(posted="07-01", start="2025-07-20", phases=("PHASE1",))
    assert told(registry("05-01"), registry("07-10", new)) == []
    assert told(registry("05-01"), registry("07-10", new), registry("08-01", new)) == [
        ("first_trial_seen", "07-20", "07-01", "prospective"),
        ("phase_advanced", "07-20", "07-01", "prospective"),
    ]


def test_a_second_trial_is_not_the_first() -> None:
    new = study(2, posted="07-01", start="2025-07-20")
    # The older one is in phase 2 as well, so that the newer is no advance.
    assert told(registry("08-01", study(), new)) == []
    assert known(registry("08-01", study(), new)) == 2
    # What was known of it comes in late, and takes the outcomes back.
    assert len(told(registry("08-01", new))) == 2
    assert told(registry("08-01", new), registry("09-01", study(), new)) == []


def test_a_planned_trial_is_announced_and_goes_before_others() -> None:
    planned = study(start="2025-09-01")
    new = study(2, posted="07-01", start="2025-07-20")
    assert known(registry("05-01", planned)) == 2
    assert told(registry("05-01", planned), registry("08-01", planned, new)) == []
    releases = [registry("05-01", planned), registry("09-10", planned, new)]
    assert told(*releases) == [("first_trial_seen", "09-01", "03-01", "announced")]


def test_the_start_of_a_planned_trial_may_move() -> None:
    planned, moved = study(start="2025-07-01"), study(start="2025-09", updated="06-20")
    releases = [registry("05-01", planned), registry("07-05", moved), registry("08-20", moved)]
    assert told(*releases) == []
    releases.append(registry("09-01", moved))
    assert told(*releases) == [("first_trial_seen", "09-01", "03-01", "announced")]


def test_a_trial_withdrawn_before_it_began_never_starts_but_was_known() -> None:
    planned = study(start="2025-07-01")
    withdrawn = replace(planned, status="WITHDRAWN", updated=day("06-20"))
    new = study(2, posted="07-01", start="2025-07-20")
    releases = [registry("05-01", planned), registry("08-01", withdrawn, new)]
    assert told(*releases) == [("status_transition", "06-20", "06-20", "straddles")]
    assert known(*releases) == 2


def test_a_phase_of_after_the_freeze_was_not_known_with_the_registration() -> None:
    planned = study(start="2025-07-01")
    raised = replace(planned, phases=("PHASE2", "PHASE3"), updated=day("06-20"))
    releases = [registry("05-01", planned), registry("07-10", raised)]
    assert known(*releases) == 2
    assert told(*releases) == [
        ("first_trial_seen", "07-01", "03-01", "announced"),
        ("phase_advanced", "07-01", "06-20", "straddles"),
    ]
    later = replace(raised, updated=day("05-01"))
    assert told(releases[0], registry("07-10", later))[1][2:] == ("07-10", "straddles")
    assert told(releases[0], registry("06-15", planned), registry("07-10", raised))[1][3] == (
        "prospective"
    )


def test_a_trial_named_late_became_public_with_the_version_that_names_the_pair() -> None:
    other = study(conditions=("Another fever",))
    named = replace(other, conditions=("Another fever", "Arden fever"), updated=day("07-05"))
    releases = [registry("06-20", other), registry("07-10", named)]
    assert told(*releases) == [("phase_advanced", "04-01", "07-05", "retrospective")]
    assert known(*releases) is None


@pytest.mark.parametrize(
    ("completion", "updated", "status", "expected"),
    [
        # A first version: bounded by the completion, or by the posting, and then perhaps old.
        ("2025-07-20", "07-25", "COMPLETED", ("07-20", "07-25", "prospective")),
        ("2025-06-01", "07-25", "COMPLETED", None),
        ("2025-12", "07-25", "COMPLETED", None),
        ("2025-07-20", "07-25", "WITHDRAWN", None),
        (None, "06-15", "TERMINATED", None),
    ],
)
def test_the_end_of_a_trial(
    completion: str | None, updated: str, status: str, expected: tuple[str, str, str] | None
) -> None:
    over = study(status=status, completion=completion, updated=updated)
    found = [one[1:] for one in told(registry("08-01", over)) if one[0] == "status_transition"]
    assert found == ([] if expected is None else [expected])


def test_an_end_between_releases_is_news_where_it_was_not_yet_public_on_the_freeze() -> None:
    over = study(status="COMPLETED", completion="2025-06-01", updated="07-25")
    releases = [registry("06-15", study()), registry("08-01", over)]
    assert told(*releases) == [("status_transition", "06-01", "07-25", "retrospective")]
    assert told(registry("06-14", study()), releases[1]) == []


def test_a_condition_added_to_an_ended_trial_is_no_end() -> None:
    over = study(status="TERMINATED", conditions=("Another fever",), updated="06-20", start=None)
    named = replace(over, conditions=("Another fever", "Arden fever"), updated=day("07-20"))
    found = told(registry("07-01", over), registry("08-01", named))
    assert [one[0] for one in found] == ["phase_advanced"]


# Uses of a drug in a study

VELO, SALT, OTHER = ("DRUG", "Velatinib", ()), ("DRUG", "Velo", ("Velatinib",)), ("DRUG", "B", ())
TEST, SCAN = ("DIAGNOSTIC_TEST", "Velatinib", ()), ("DEVICE", "Velo", ())


@pytest.mark.parametrize(
    ("interventions", "arms", "expected"),
    [
        # Without arms nothing is known of them, and the purpose alone decides.
        ((VELO, OTHER), "", "diagnostic"),
        # An add-on: both arms have the drug, one something else as well.
        ((VELO, OTHER), "E01 A0", "background"),
        ((VELO, OTHER), "E01 N0", "background"),
        ((VELO, OTHER), "E01 A0 N", "diagnostic"),
        ((VELO, OTHER), "E01 E0", "diagnostic"),
        # Only what an experimental arm has is tested.
        ((VELO, OTHER), "E0 A01", "diagnostic"),
        ((VELO, OTHER), "A01 A0", "diagnostic"),
        ((VELO, OTHER), "E01 E01", "diagnostic"),
        ((VELO, OTHER), "E01", "diagnostic"),
        # Two doses are each in one arm only.
        ((VELO, SALT), "E0 E1", "diagnostic"),
        ((VELO, SALT, OTHER), "E012 A01", "background"),
        ((VELO, SALT, OTHER), "E012 A0", "diagnostic"),
        ((VELO, OTHER), "A0 E1", None),
        ((VELO, OTHER), "A0 O1", "diagnostic"),
        ((VELO, SALT), "A0 E1", "diagnostic"),
        # What names it in a comparator arm says nothing of its type or use.
        ((VELO, TEST), "A0 E1", "not as a drug"),
        ((TEST, SCAN), "", "not as a drug"),
        ((TEST, VELO), "", "diagnostic"),
        ((TEST, OTHER), "E01 A0", "not as a drug"),
        # Of a drug that is also a test, its use as a drug counts.
        ((VELO, TEST, OTHER), "E012 A0", "background"),
    ],
)
def test_use(interventions: Any, arms: str, expected: str | None) -> None:
    kinds = {
        "E": "EXPERIMENTAL",
        "A": "ACTIVE_COMPARATOR",
        "N": "NO_INTERVENTION",
        "O": "OTHER",
    }
    made = study(
        interventions=interventions,
        arms=tuple(Arm(kinds[one[0]], tuple(map(int, one[1:]))) for one in arms.split()),
        purpose="DIAGNOSTIC",
    )
    assert [match.use for match in WATCH.trials(made)] == ([] if expected is None else [expected])


@pytest.mark.parametrize(
    ("purpose", "counts"),
    [("TREATMENT", True), ("PREVENTION", True), (None, True), ("ECT", False), ("OTHER", False)],
)
def test_a_study_of_another_use_makes_no_outcome(purpose: str | None, counts: bool) -> None:
    new = study(posted="07-01", start="2025-07-20", purpose=purpose)
    assert len(told(registry("05-01"), registry("08-01", new))) == (2 if counts else 0)
    every = replace(WATCH, uses=simulated_truth.USES)
    assert len(told(registry("05-01"), registry("08-01", new), watch=every)) == 2


def test_a_study_of_another_use_makes_the_pair_known() -> None:
    scan = study(purpose="DIAGNOSTIC")
    new = study(2, posted="07-01", start="2025-07-20")
    assert known(registry("08-01", scan, new)) == 2
    # It is no advance, but the first trial that counts.
    assert told(registry("08-01", scan, new)) == [
        ("first_trial_seen", "07-20", "07-01", "prospective")
    ]
    later = replace(scan, posted=day("06-20"), start="2025-06-20", phases=("PHASE3",))
    assert [one[0] for one in told(registry("06-25", later), registry("08-01", later, new))] == [
        "first_trial_seen",
        "phase_advanced",
    ]


def test_the_use_is_that_of_the_version_that_showed_the_event() -> None:
    planned = study(posted="06-20", start="2025-07-01", purpose="DIAGNOSTIC")
    begun = replace(planned, purpose="TREATMENT", updated=day("07-05"))
    ended = replace(begun, status="COMPLETED", purpose="OTHER", updated=day("08-05"))
    releases = [registry("06-25", planned), registry("07-10", begun), registry("08-10", ended)]
    assert [one[0] for one in told(*releases)] == ["first_trial_seen", "phase_advanced"]
    settings = simulated_truth.pair_settings(WATCH, releases)
    assert settings == {(PAIR, "every study")}


def test_an_end_counts_by_its_own_version() -> None:
    """Whatever the study was for when it was registered."""
    begun = study(start=None, purpose="DIAGNOSTIC", phases=())
    ended = replace(begun, status="COMPLETED", purpose="TREATMENT", updated=day("07-25"))
    assert told(registry("06-20", begun), registry("08-01", ended)) == [
        ("status_transition", "07-25", "07-25", "prospective")
    ]


# ChEMBL and the FDA


def test_a_trial_of_phase_4_is_not_an_approval() -> None:
    trial = registry("05-01", study(phases=("PHASE4",)))
    releases = [trial, chembl("06-15"), chembl("07-01", indication(4))]
    assert known(*releases) == 4
    assert told(*releases) == [("fda_approved", "07-01", "07-01", "prospective")]
    assert told(trial, chembl("06-15"), chembl("07-01", indication(3))) == []


def test_a_release_that_straddles_the_freeze() -> None:
    before, after = chembl("06-01", indication(1)), chembl("07-01", indication(2))
    assert told(before, after) == [("phase_advanced", "07-01", "07-01", "straddles")]
    settled = chembl("06-15", indication(1))
    assert told(before, settled, after) == [("phase_advanced", "07-01", "07-01", "prospective")]
    assert told(before, chembl("06-15", indication(2)), after) == []
    assert told(after) == [("phase_advanced", "07-01", "07-01", "unverified")]


def test_a_new_identifier_is_not_news() -> None:
    # No alias has the first row's identifiers but those it shares with the second.
    unnamed = Indication(1, "CHEMBL1", 3, "MESH:1", "Heading", "EFO_9", "a term")
    renamed = replace(unnamed, key=2, efo_id="MONDO_1")
    releases = [chembl("06-01", unnamed), chembl("07-01", unnamed), chembl("08-01", renamed)]
    assert told(*releases) == []
    assert known(*releases) == 3
    assert told(chembl("05-01"), chembl("07-01", unnamed), releases[2]) == [
        ("phase_advanced", "07-01", "07-01", "straddles")
    ]


def test_a_trial_that_comes_in_late_takes_an_advance_in_chembl_back() -> None:
    releases = [chembl("06-15"), chembl("07-01", indication(2))]
    assert len(told(*releases)) == 1
    assert told(*releases, registry("05-01", study(phases=("PHASE1",)))) != []
    assert told(*releases, registry("05-01", study())) == []


@pytest.mark.parametrize(
    ("acted", "expected"),
    [
        (["06-20"], ("06-20", "prospective")),
        (["06-10"], ("06-10", "retrospective")),
        # On the day of the preceding release, on two days, and after the release.
        (["06-01"], ("07-01", "straddles")),
        (["06-10", "06-20"], ("07-01", "straddles")),
        (["07-02"], ("07-01", "straddles")),
        (["06-20", "07-02"], ("06-20", "prospective")),
    ],
)
def test_an_approval_takes_the_date_of_one_action(
    acted: list[str], expected: tuple[str, str]
) -> None:
    releases = [
        chembl("06-01", indication(3)),
        chembl("07-01", indication(4)),
        fda("08-01", *acted),
    ]
    found = simulated_truth.outcomes(WATCH, releases)
    assert [outcome.outcome_type for outcome in found] == ["fda_approved"]
    timed = simulated_truth.timings(found, WATCH, releases)
    assert [(_written(one[-2]), one[-1]) for one in timed] == [expected]


def test_an_action_alone_counts_where_the_plan_says_so() -> None:
    releases = [fda("08-01", "06-10", "07-02", "06-20"), fda("09-01", "06-18")]
    assert told(*releases) == []
    planned = replace(WATCH, is_drug_level=True)
    assert told(*releases, watch=planned) == [("fda_approved", "06-20", "06-20", "prospective")]
    assert told(*releases, chembl("06-01", indication(4)), watch=planned) == []


# Aliases


def test_the_alias_known_first_is_recorded_then_the_lowest() -> None:
    keys = {"b": 0, "a": 1, "c": 0}
    assert simulated_truth.first_known(keys, {"a", "c", "b"}) == "b"
    assert simulated_truth.first_known(keys, {"a", "z"}) == "a"
