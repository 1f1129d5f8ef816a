"""An outcome is called a hit or none in a sentence with its reason."""

from datetime import date
from uuid import UUID

import pytest

from tracker.reports.outcome_words import counted

CARD = {
    "slate_id": UUID(int=7),
    "drug_name": "corotinib",
    "disease_name": "Ostrava fever",
    "rank": 3,
    "tier": "high",
    "outcome_type": "first_trial_seen",
    "counted_from": date(2026, 1, 1),
    "event_date": date(2026, 5, 1),
    "public_after": date(2025, 12, 1),
    "public_by": date(2026, 2, 1),
    "source": "ctgov",
    "version": "2026-05-20",
    "released_on": date(2026, 5, 20),
    "failure": None,
    "drug_withdrawn": None,
    "reference_types": None,
    "undated_reason": None,
}


def test_a_hit_is_told_with_rank_event_and_dates() -> None:
    assert counted({**CARD, "counts_as": "hit"}) == (
        "A hit of slate 00000000: corotinib for Ostrava fever, predicted at rank 3 (high tier), "
        "had a first trial on 2026-05-01, after the freeze of 2026-01-01."
    )


def test_a_hit_that_failed_since_says_so() -> None:
    failure = "trial failed 2026-08-01 for lack of efficacy (NCT00000001)"
    assert counted({**CARD, "counts_as": "hit", "failure": failure}).endswith(
        "after the freeze of 2026-01-01. Of the pair, a trial failed 2026-08-01 for lack of "
        "efficacy (NCT00000001)."
    )


def test_a_hit_of_a_withdrawn_drug_says_so() -> None:
    withdrawn = "drug withdrawn 2004 (France; ChEMBL warning 7)"
    assert counted({**CARD, "counts_as": "hit", "drug_withdrawn": withdrawn}).endswith(
        "after the freeze of 2026-01-01. In ChEMBL: drug withdrawn 2004 (France; ChEMBL warning 7)."
    )


def test_a_date_that_is_only_the_release_s_is_told_as_that() -> None:
    shown = {"outcome_type": "fda_approved", "source": "chembl", "version": "36"}
    card = {**CARD, **shown, "counts_as": "hit", "event_date": date(2026, 5, 20)}
    shown_by = "first shown by ChEMBL 36 of 2026-05-20, after"
    assert f"had an approval (ChEMBL phase 4, without references) {shown_by}" in counted(card)
    # An agency's decision gives the day itself.
    assert "references) on 2026-04-02" in counted(card | {"event_date": date(2026, 4, 2)})


@pytest.mark.parametrize("outcome_type", ["fda_approved", "approved"])
def test_an_approval_in_chembl_names_only_whom_chembl_refers_to(outcome_type: str) -> None:
    shown = {"outcome_type": outcome_type, "source": "chembl", "reference_types": "ATC, EMA"}
    told = counted({**CARD, **shown, "counts_as": "hit"})
    assert "had an approval (ChEMBL phase 4, with references to ATC, EMA) on 2026-05-01" in told
    assert "FDA" not in told


def test_an_approval_that_nothing_dates_says_why() -> None:
    reason = "the drug was first approved in 1957, and nothing since dates this approval"
    told = counted({**CARD, "counts_as": "unverified", "undated_reason": reason})
    assert told.endswith(f"does not count, since {reason}.")


@pytest.mark.parametrize(
    ("counts_as", "reason"),
    [
        ("not predicted", "the slate scored the pair, but did not predict it"),
        ("retrospective", "it happened on 2026-05-01, before the freeze of 2026-01-01"),
        ("coincident", "it happened on 2026-05-01, the day of the freeze"),
        ("announced", "it was already public at the freeze of 2026-01-01"),
        ("straddles", "between 2025-12-01 and 2026-02-01, and the freeze of 2026-01-01 lies"),
        ("unverified", "nothing shows that it was not yet public at the freeze of 2026-01-01"),
        ("undated", "its date is not known"),
        ("low signal", "only a first trial, a phase advance or an approval is one"),
        ("later hit", "it came on 2026-05-01, after the end of the horizon"),
    ],
)
def test_what_is_no_hit_is_told_with_its_reason(counts_as: str, reason: str) -> None:
    told = counted({**CARD, "counts_as": counts_as})
    assert told.startswith(
        "Not a hit of slate 00000000: the first trial of corotinib for Ostrava fever does not "
        "count, since "
    )
    assert reason in told
