"""tracker load labels --from-evidence: what releases showed on a day, as a label set."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from evidence import chembl, study, write_json
from sqlalchemy import text
from support import Tracker, exited, ok

from tracker import store

pytestmark = pytest.mark.usefixtures("ingested")

CANDIDATES = """disease_name,drug_name,score,disease_id,chembl_id
Asthma,Aspirin,0.9,EFO:0000270,CHEMBL25
Gout,Aspirin,0.8,,CHEMBL25
"""


@pytest.fixture
def ingested(tmp_path: Path, tracker: Tracker) -> None:
    """A store with two releases of ChEMBL and one snapshot of trials."""
    (tmp_path / "candidates.csv").write_text(CANDIDATES)
    for words in (
        ("load", "candidates", tmp_path / "candidates.csv", "--set", "base", "--model", "m"),
        ("ingest", "chembl", chembl(tmp_path / "chembl_36.db")),
        (
            "ingest",
            "chembl",
            chembl(
                tmp_path / "chembl_37.db",
                [(1, 1, 4, "D000001", "Asthma", "EFO:0000270", "asthma")],
                version=("ChEMBL_37", "2026-01-15"),
            ),
        ),
        (
            "ingest",
            "trials",
            write_json(
                tmp_path / "ctgov.json",
                [study(conditions=["Gout"], meshes=[], posted="2024-01-01", phases=["NA"])],
            ),
            "--released",
            "2025-08-01",
        ),
    ):
        ok(tracker(*words))


def labeled(db: Path, name: str) -> list[tuple[object, ...]]:
    query = text(
        "select disease.name, drug.name, label, max_phase, approval_year from labeled_pair "
        "join label_set using (label_set_id) join disease using (disease_id) "
        "join drug using (drug_id) where label_set.name = :name order by disease.name"
    )
    with store.reader(db) as connection:
        return [tuple(row) for row in connection.execute(query, {"name": name})]


@pytest.mark.slow
def test_each_day_has_its_labels(tracker: Tracker, db: Path) -> None:
    for day in ("2024-06-01", "2025-12-31", "2026-01-15"):
        ok(tracker("load", "labels", "--from-evidence", "--set", day, "--as-of", day))
    assert labeled(db, "2024-06-01") == [("Gout", "Aspirin", 1, None, None)]
    assert labeled(db, "2025-12-31") == [
        ("Asthma", "Aspirin", 2, 2.0, None),
        ("Gout", "Aspirin", 1, None, None),
    ]
    assert labeled(db, "2026-01-15") == [
        ("Asthma", "Aspirin", 4, 4.0, 2026),
        ("Gout", "Aspirin", 1, None, None),
    ]


@pytest.mark.slow
def test_the_same_labels_add_nothing(tracker: Tracker, db: Path) -> None:
    words = ("load", "labels", "--from-evidence", "--set", "known", "--as-of", "2025-12-31")
    assert "loaded 2 labeled pairs as 'known'" in tracker(*words).stdout
    assert "nothing was added" in tracker(*words).stdout
    other = exited(3, tracker(*words[:-1], "2026-01-15"))
    assert "label set 'known' holds different labels (evidence as of 2025-12-31)" in other.output
    assert len(labeled(db, "known")) == 2


@pytest.mark.slow
def test_wrong_words_are_refused(tracker: Tracker, db: Path) -> None:
    tomorrow = f"{datetime.now(UTC).date() + timedelta(days=2)}"
    evidence = ("load", "labels", "--from-evidence", "--set", "known")
    for words, exit_code, message in (
        (("load", "labels", "--set", "known"), 2, "give a file or --from-evidence"),
        ((*evidence, "labels.csv"), 2, "give a file or --from-evidence"),
        (("load", "labels", "f.csv", "--set", "k", "--as-of", "2020-01-01"), 2, "--as-of needs"),
        ((*evidence, "--as-of", tomorrow), 3, f"--as-of {tomorrow} is in the future"),
        ((*evidence, "--as-of", "2001-01-01"), 3, "shows no pair by 2001-01-01"),
        (("load", "labels", "--from-evidence", "--set", " "), 3, "name of a set cannot be empty"),
    ):
        refused = tracker(*words)
        assert (refused.exit_code, message in refused.output) == (exit_code, True), refused.output
    with store.reader(db) as connection:
        assert connection.execute(text("select count(*) from label_set")).scalar_one() == 0
