"""Studies that ended more than a year ago, and of which no results were posted."""

from datetime import date
from pathlib import Path
from typing import Any

import pytest
from evidence import rows, study, write_json
from support import Tracker, as_json, ok

EVENTS = (
    "select record, event_date, public_after, public_by, detail ->> 'status', phase from event "
    "where event_type = 'trial_unreported' order by event_id"
)
# Its results show that the store reads results.
REPORTED = study("NCT00000002", conditions=["Gout"], results_posted="2024-01-05")


def ended(**changed: Any) -> dict[str, Any]:
    """Make a study of the pair that was completed on 2023-12-10."""
    facts = {"status": "COMPLETED", "start": "2022-01", "completion": "2023-12-10"}
    return study(**{**facts, **changed})


def show(tracker: Tracker, folder: Path, day: str, *studies: dict[str, Any]) -> None:
    """Ingest a release, with a further study, and detect."""
    further = study(f"NCT{day.replace('-', '')}", conditions=["Gout"])
    path = write_json(folder / f"trials-{day}.json", [*studies, further])
    ok(tracker("ingest", "trials", path))
    ok(tracker("refresh", "detect"))


@pytest.fixture
def predicted(tracker: Tracker, tmp_path: Path) -> Tracker:
    path = tmp_path / "candidates.csv"
    path.write_text("disease_name,drug_name,score\nAsthma,Aspirin,0.5\n")
    ok(tracker("load", "candidates", path, "--set", "s", "--model", "m"))
    ok(tracker("slate", "freeze", "--candidates", "s", "--description", "x"))
    return tracker


def test_a_study_without_results_a_year_after_its_end_is_told(
    predicted: Tracker, db: Path, tmp_path: Path
) -> None:
    """The second release is of the 365th day, the third of one after it."""
    show(predicted, tmp_path, "2024-06-01", ended(), REPORTED)
    show(predicted, tmp_path, "2024-12-09", ended(), REPORTED)
    assert rows(db, EVENTS) == []
    show(predicted, tmp_path, "2025-02-01", ended(), REPORTED)
    day = date(2024, 12, 9)
    told = ("NCT00000001", day, day, date(2025, 2, 1), "COMPLETED", None)
    assert rows(db, EVENTS) == [told]
    assert rows(db, "select record, due_on, shown_on from unreported_study") == [
        ("NCT00000001", day, date(2025, 2, 1))
    ]
    show(predicted, tmp_path, "2025-03-01", ended(), REPORTED)
    assert rows(db, EVENTS) == [told]
    assert "trial_unreported" not in ok(predicted("outcome", "list", "--format", "csv")).output
    claims = tmp_path / "outcomes.csv"
    claims.write_text(
        "disease_name,drug_name,outcome_type,source,detail\nAsthma,Aspirin,first_trial_seen,ctgov,"
        '"{""record"": ""NCT00000001""}"\n'
    )
    ok(predicted("load", "outcomes", claims))
    cards = ok(
        predicted("outcome", "show", "@latest", "Aspirin", "Asthma", "--format", "csv")
    ).output
    assert "no results posted; due 2024-12-09" in cards
    report = ok(predicted("report", "@latest", "--format", "json")).output
    assert "1 of 1 ended study of predicted pairs" in report
    posted = ended(results_posted="2025-04-10", updated="2025-04-10")
    show(predicted, tmp_path, "2025-05-01", posted, REPORTED)
    assert rows(db, EVENTS) == [told]
    assert rows(db, "from unreported_study") == []
    report = as_json(predicted, "report", "@latest")
    assert "of predicted pairs" not in " ".join(report["warnings"])
