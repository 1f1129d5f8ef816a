"""What a freeze takes as known: all evidence that was ingested, whether or not it was detected."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from evidence import chembl, study, write_json

import tracker
from tracker.api.stores import Store
from tracker.errors import InputRefused

FREEZE = "2025-03-01"
DRUGS = ("Aspirin", "Caffeine", "Ibuprofen", "Metformin", "Quinine", "Zinc")
MOLECULES = [(at, name.upper(), f"CHEMBL{at}") for at, name in enumerate(DRUGS, start=1)]
ASTHMA = ("D001249", "Asthma", "EFO:0000270", "asthma")


@pytest.fixture(scope="module")
def ingested(empty_store: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a store with candidates in asthma and, not yet detected, what releases show of them.

    ChEMBL of 2025-01 has aspirin in phase 4 and caffeine in phase 2, that of 2025-06, after the
    freeze, ibuprofen in phase 3. The registry has metformin in a trial of phase 4 and quinine in
    one without a phase. Of zinc nothing is known.
    """
    folder = tmp_path_factory.mktemp("ingested")
    path = Path(shutil.copy(empty_store, folder / "store.duckdb"))
    scores = [1 - at / 10 for at, _ in enumerate(DRUGS)]
    candidates = pd.DataFrame({"disease_name": "Asthma", "drug_name": DRUGS, "score": scores})
    candidates["disease_id"] = "EFO:0000270"
    candidates["chembl_id"] = [f"CHEMBL{at}" for at, _ in enumerate(DRUGS, start=1)]
    known = [(1, 1, 4, *ASTHMA), (2, 2, 2, *ASTHMA)]
    drug = {"type": "DRUG"}
    studies = [
        study(
            "NCT00000001",
            phases=("PHASE4",),
            start="2024-05",
            interventions=[{**drug, "name": "Metformin"}],
        ),
        study(
            "NCT00000002",
            phases=("NA",),
            start="2024-05",
            interventions=[{**drug, "name": "Quinine"}],
        ),
    ]
    with tracker.open(path, write=True) as opened:
        opened.load.candidates(candidates, "c", "m")
        for version, day, rows in (
            ("ChEMBL_35", "2025-01-01", known),
            ("ChEMBL_36", "2025-06-01", [*known, (3, 3, 3, *ASTHMA)]),
        ):
            dump = chembl(
                folder / f"{version}.db", rows, molecules=MOLECULES, version=(version, day)
            )
            opened.ingest.chembl(dump)
        opened.ingest.trials(write_json(folder / "trials.json", studies), released_on="2025-02-01")
    return path


@pytest.fixture
def opened(ingested: Path, tmp_path: Path) -> Iterator[Store]:
    path = shutil.copy(ingested, tmp_path / "store.duckdb")
    with tracker.open(path, write=True) as found:
        yield found


def _figures(slate: Any) -> tuple[Any, ...]:
    drawn = slate.opened.sql(
        "select knowledge, n_predictions from known_at_freeze "  # noqa: S608 - an id of the store
        f"where slate_id = '{slate}' and tier = 'all' order by all"
    )
    return slate.frozen.to_csv(), slate.power, drawn.to_dict("records")


@pytest.mark.slow
def test_a_freeze_says_the_same_before_detection_and_after(opened: Store) -> None:
    before = opened.freeze(candidates="c", replay_as_of=FREEZE)
    assert before.n_recorded > 0
    assert opened.sql("select * from new_event").empty
    opened.detect()
    after = opened.freeze(candidates="c", replay_as_of=FREEZE)
    assert after.n_recorded == 0
    assert _figures(before) == _figures(after)
    knowledge = {one["knowledge"] for one in _figures(before)[2]}
    assert knowledge == {"approved", "in trials", "in trials, phase unknown", "nothing"}


@pytest.mark.slow
def test_criteria_rest_on_what_evidence_showed_by_the_freeze(opened: Store) -> None:
    slate = opened.freeze(candidates="c", top_k=6, replay_as_of=FREEZE)
    found = slate.frozen.set_index("drug_name")
    criteria = {
        name: (row.criterion, None if pd.isna(row.criterion_min_phase) else row.criterion_min_phase)
        for name, row in found.iterrows()
    }
    # Ibuprofen's phase 3 became public after the freeze.
    assert criteria == {
        "Aspirin": ("monitor", None),
        "Caffeine": ("exceed_phase", 2),
        "Ibuprofen": ("reach_phase", 2),
        "Metformin": ("exceed_phase", 4),
        "Quinine": ("reach_phase", 2),
        "Zinc": ("reach_phase", 2),
    }
    later = opened.freeze(candidates="c", replay_as_of="2025-06-01").frozen.set_index("drug_name")
    assert later.criterion["Ibuprofen"] == "exceed_phase"
    assert later.criterion_min_phase["Ibuprofen"] == 3
    opened.slate(slate.slate_id).verify()


@pytest.mark.slow
@pytest.mark.parametrize("plan", [None, {"matching": {"kinds": []}}])
def test_a_freeze_knows_what_the_view_says_of_its_slate(
    opened: Store, plan: dict[str, Any] | None
) -> None:
    slate = opened.freeze(candidates="c", plan=plan, replay_as_of=FREEZE)
    found = opened.sql(
        "select prediction.criterion = 'monitor' as is_monitored, is_approved, "  # noqa: S608 - an id of the store
        "coalesce(if(criterion = 'exceed_phase', criterion_min_phase, 0), 0) as stated, "
        "if(is_approved, 0, known_phase) as known_phase "
        "from prediction inner join pair_known_phase using (slate_id, disease_id, drug_id) "
        f"where slate_id = '{slate}'"
    )
    assert len(found) == len(DRUGS)
    assert list(found["is_monitored"]) == list(found["is_approved"])
    assert list(found["stated"]) == list(found["known_phase"])
    assert found["known_phase"].max() == 4


@pytest.mark.slow
def test_a_slate_of_novel_pairs_lists_as_many_as_were_asked_for(opened: Store) -> None:
    """Without what was known the best two are ibuprofen, shown after the freeze, and zinc."""
    slate = opened.freeze(candidates="c", top_k=2, novel_only=True, replay_as_of=FREEZE)
    assert list(slate.frozen["drug_name"]) == ["Ibuprofen", "Zinc"]
    assert list(slate.frozen["rank"]) == [1, 2]
    assert slate.facts["parameters"]["novel_only"] is True
    assert slate.left_out == {
        "n_low": 0,
        "n_diseases": 0,
        "n_beyond": 0,
        "n_candidates": 6,
        "n_known": 4,
    }
    slate.verify()
    # What becomes known later changes nothing of what was left out.
    opened.load.outcomes(
        pd.DataFrame(
            {
                "disease_name": ["Asthma"],
                "drug_name": ["Zinc"],
                "outcome_type": ["first_trial_seen"],
                "source": ["ctgov"],
                "event_date": ["2025-01-01"],
                "first_public_on": ["2025-01-01"],
            }
        )
    )
    assert opened.slate(slate.slate_id).left_out["n_known"] == 4
    assert "of novel pairs alone" in opened.slate(slate.slate_id).report().text("html")
    with pytest.raises(InputRefused, match="that was not known"):
        opened.freeze(candidates="c", novel_only=True, min_score=0.9, replay_as_of=FREEZE)


@pytest.mark.slow
def test_labels_make_pairs_known_and_a_slate_of_all_pairs_is_as_before(opened: Store) -> None:
    opened.load.labels(
        pd.DataFrame(
            {"disease_name": "Asthma", "drug_name": ["Zinc", "Ibuprofen"], "label": [1, 0]}
        ),
        "l",
    )
    slate = opened.freeze(candidates="c", labels="l", novel_only=True, replay_as_of=FREEZE)
    assert list(slate.frozen["drug_name"]) == ["Ibuprofen"]
    every = opened.freeze(candidates="c", labels="l", top_k=2, replay_as_of=FREEZE)
    assert list(every.frozen["drug_name"]) == ["Aspirin", "Caffeine"]
    assert "novel_only" not in every.facts["parameters"]
