"""A report says where an enrichment rests on so few drugs, diseases or hits that it misleads.

The numbers are those from which the bias stays within 5% in tests/speed/endpoint_worlds.py.
"""

from datetime import date
from pathlib import Path
from uuid import UUID

import pytest
from worlds import World, complete, insert, scratch

from tracker import slates
from tracker.reports import slate_warnings
from tracker.store.state import scope

SLATE = UUID(int=1)
FREEZE = date(2026, 1, 1)
DRUGS = (
    "With 299 candidate drugs, fewer than 300, a high enrichment versus equally popular drugs "
    "reads about 10% too high."
)
DISEASES = (
    "With 3 diseases, fewer than 4, a high enrichment versus equally popular drugs reads about 20% "
    "too high."
)


def world_of(n_drugs: int, n_diseases: int, hit_drug: int) -> World:
    """Return a world with drugs 1 and 2 predicted everywhere, and hits of `hit_drug` and 3."""
    diseases = range(1, n_diseases + 1)
    pairs = [(disease, drug) for disease in diseases for drug in range(1, n_drugs + 1)]
    return complete(
        {
            "slate": [
                {
                    "slate_id": SLATE,
                    "frozen_on": FREEZE,
                    "candidate_set_id": 1,
                    "label_set_id": 1,
                }
            ],
            "candidate": [
                {"candidate_set_id": 1, "disease_id": disease, "drug_id": drug}
                for disease, drug in pairs
            ],
            "labeled_pair": [{"label_set_id": 1, "disease_id": 1, "drug_id": 9, "label": 1}],
            "prediction": [
                {"slate_id": SLATE, "disease_id": disease, "drug_id": drug, "tier": "high"}
                for disease, drug in pairs
                if drug <= 2
            ],
            "outcome": [
                {
                    "outcome_id": number,
                    "slate_id": SLATE,
                    "disease_id": disease,
                    "drug_id": drug,
                    "outcome_type": "phase_advanced",
                    "event_date": date(2026, 2, 1),
                    "first_public_on": date(2026, 2, 1),
                }
                for number, (disease, drug) in enumerate(
                    ((disease, drug) for disease in diseases for drug in (hit_drug, 3)), start=1
                )
            ],
        }
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n_drugs", "n_diseases", "hit_drug", "said"),
    [
        pytest.param(299, 4, 1, [DRUGS], id="few drugs"),
        pytest.param(300, 3, 1, [DISEASES], id="few diseases"),
        pytest.param(299, 3, 1, [DRUGS, DISEASES], id="few of both"),
        pytest.param(300, 4, 1, [], id="enough"),
        pytest.param(299, 3, 4, [], id="no enrichment above 1"),
    ],
)
def test_few_drugs_or_diseases_are_named_where_an_enrichment_is_above_1(
    store_path: Path, n_drugs: int, n_diseases: int, hit_drug: int, said: list[str]
) -> None:
    words = warnings_of(store_path, world_of(n_drugs, n_diseases, hit_drug))
    assert [line for line in words if line.startswith("With ")] == said


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n_diseases", "hit_drug", "n_other_hits"),
    [(4, 1, 4), (5, 1, None), (2, 4, 4), (3, 4, None)],
    ids=["four", "five", "four, and no hit", "six"],
)
def test_few_hits_of_other_candidates_are_named(
    store_path: Path, n_diseases: int, hit_drug: int, n_other_hits: int | None
) -> None:
    """Of each disease drug 3 is one, and drug 4 where it and not a prediction came true."""
    words = warnings_of(store_path, world_of(20, n_diseases, hit_drug))
    found = [line for line in words if "of other candidates" in line]
    rests = f"rests on {n_other_hits} hits of other candidates: one more or less changes it much."
    expected = [] if n_other_hits is None else [f"The primary endpoint's enrichment {rests}"]
    assert found == expected


def warnings_of(store_path: Path, world: World) -> list[str]:
    with scratch(store_path) as connection:
        insert(connection, world)
        slate = slates.find(connection, str(SLATE))
        with scope.of_slates(connection, slate):
            return slate_warnings.of_slate(connection, slate)
