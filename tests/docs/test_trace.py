"""The map of one row from a CSV file to a printed figure, followed as a reader would."""

import csv
import re
from pathlib import Path

import pytest
from evidence import study, write_json
from sqlalchemy import Connection, text
from support import ROOT, Tracker

from tracker import store
from tracker.store import catalog

GUIDE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
TRACE = GUIDE.split("{#trace}")[1].split("\n## ")[0]
STEPS = re.findall(r"^\| \d+ \| `([\w/.]+)` \| (.*) \|$", TRACE, re.M)
TUTORIAL = (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8")
ROW = re.search(r"How the row `([^`]+)`", TRACE)


def test_the_map_names_what_is_in_its_files() -> None:
    """At most ten files; each name of a step is in its file, or is a table, view or file itself."""
    assert 5 < len(STEPS) <= 10
    views = {view.name for view in catalog.read_views()}
    for name, what in STEPS:
        content = (ROOT / name).read_text(encoding="utf-8")
        for word in re.findall(r"`([\w/. -]+)`", what):
            is_file = (ROOT / word).exists() or any((ROOT / name).parent.glob(word))
            is_command = word.startswith("tracker ")
            assert word in content or word in views or is_file or is_command, (name, word)


@pytest.mark.slow
def test_the_row_of_the_map_comes_to_count(tracker: Tracker, db: Path, tmp_path: Path) -> None:
    assert ROW is not None
    candidates = TUTORIAL.split("cat > candidates.csv <<'END'\n")[1].split("END\n")[0]
    assert f"{ROW[1]}\n" in candidates
    disease, drug, _score = ROW[1].split(",")
    (tmp_path / "candidates.csv").write_text(candidates)

    def n_of(connection: Connection, relation: str) -> int:
        query = (
            f"select count(*) from {relation} inner join drug using (drug_id) "  # noqa: S608 - names of the test's own
            "inner join disease using (disease_id) "
            "where drug.name = :drug and disease.name = :disease"
        )
        return int(connection.execute(text(query), {"drug": drug, "disease": disease}).scalar_one())

    def run(*words: object) -> str:
        done = tracker(*words)
        assert done.exit_code == 0, done.output
        return done.output

    run("load", "candidates", tmp_path / "candidates.csv", "--set", "whole", "--model", "v1")
    run("slate", "freeze", "--candidates", "whole", "--replay-as-of", "2024-01-01")
    with store.reader(db) as connection:
        found = [n_of(connection, name) for name in ("stored_candidate", "prediction", "event")]
        assert found == [1, 1, 0]
        (slate,) = connection.execute(text("select slate_id from slate")).scalars()
    other = study("NCT00000009", conditions=("Asthma",), posted="2023-06-01", meshes=())
    own = study(
        "NCT00000001",
        conditions=(disease,),
        interventions=({"type": "DRUG", "name": drug},),
        start="2024-05-01",
        posted="2024-04-20",
        meshes=(),
    )
    (tmp_path / "drop").mkdir()
    (tmp_path / "tracker.toml").write_text(
        'settle_seconds = 0\n[[source]]\nkind = "trials"\npath = "drop/trials-*.json"\n'
    )
    for day, studies in (("2023-12-01", [other]), ("2024-06-01", [other, own])):
        write_json(tmp_path / "drop" / f"trials-{day}.json", studies)
    run("refresh", "--config", tmp_path / "tracker.toml")
    with store.reader(db) as connection:
        for name in ("event", "outcome", "outcome_timing", "pair_event", "pair_outcome"):
            assert n_of(connection, name) >= 1, name
        hits = connection.execute(
            text(
                "select n_hits from tier_hit_rate where tier = 'all' and population = 'all' "
                "and evidence_window = 'all'"
            )
        ).scalar_one()
        assert hits == 1
    words = ("--section", "tier_hit_rate", "--format", "csv")
    printed = csv.DictReader(run("report", slate, *words).splitlines())
    (figure,) = [
        row["value"]
        for row in printed
        if (row["evidence_window"], row["population"], row["tier"], row["metric"])
        == ("prospective", "all", "all", "n_hits")
    ]
    assert figure == "1"
