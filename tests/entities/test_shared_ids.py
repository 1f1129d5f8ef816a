"""Several names of one drug or disease in a file: refused in a line for each, or merged."""

import json
from pathlib import Path

import pytest
from evidence import rows
from support import Tracker, as_json, exited, ok

IDENTIFIED = "disease_name,drug_name,disease_id,chembl_id,"
SCORED = IDENTIFIED + "score\n"
LABELED = IDENTIFIED + "label,max_phase,approval_year\n"
# Three names of one drug and two of one disease; Gout has a drug of each kind.
CANDIDATES = SCORED + (
    "Gout,Colchicine,EFO:1,CHEMBL1,0.5\n"
    "Gout,Colcrys,EFO:1,chembl1,0.8\n"
    "Gout,Mitigare,EFO:1,CHEMBL1,0.1\n"
    "Podagra,Colchicine,EFO_1,CHEMBL1,0.6\n"
    "Gout,Aspirin,EFO:1,CHEMBL2,0.4\n"
    "Asthma,Colcrys,EFO:2,CHEMBL1,0.7\n"
)
ADVICE = "correct the ids, or merge the names with --shared-ids merge"


def write(folder: Path, content: str) -> Path:
    path = folder / "file.csv"
    path.write_text(content, encoding="utf-8")
    return path


def candidates(path: Path, *options: str) -> tuple[object, ...]:
    return ("load", "candidates", path, "--set", "s", "--model", "m", *options)


def labels(path: Path, *options: str) -> tuple[object, ...]:
    return ("load", "labels", path, "--set", "s", *options)


PAIRS = (
    "select disease.name, drug.name, score from candidate join disease using (disease_id) "
    "join drug using (drug_id) order by all"
)
# A disease has the name that comes first in the alphabet, of those that the file gives it.
MERGED = [
    ("Asthma", "Colchicine", 0.7),
    ("Gout", "Aspirin", 0.4),
    ("Gout", "Colchicine", 0.8),
]


def test_each_shared_id_is_said_once_and_nothing_is_stored(
    tracker: Tracker, db: Path, tmp_path: Path
) -> None:
    before = db.read_bytes()
    refused = exited(3, tracker(*candidates(write(tmp_path, CANDIDATES))))
    assert refused.stderr.removeprefix("error: ").splitlines() == [
        "file.csv, row 2, column chembl_id: 3 names share CHEMBL1: 'Colchicine', 'Colcrys', "
        f"'Mitigare'; {ADVICE}",
        f"file.csv, row 2, column disease_id: 2 names share EFO:1: 'Gout', 'Podagra'; {ADVICE}",
    ]
    assert db.read_bytes() == before


@pytest.mark.slow
def test_the_best_score_of_merged_names_counts(tracker: Tracker, db: Path, tmp_path: Path) -> None:
    done = ok(tracker(*candidates(write(tmp_path, CANDIDATES), "--shared-ids", "merge")))
    assert done.stdout.splitlines() == [
        "loaded 3 candidates as 's' (2 new drugs, 2 new diseases)",
        "merged 3 of 6 rows, keeping the highest score of a pair: 3 names of 1 drug, 2 names of "
        "1 disease (table merged_name)",
    ]
    assert rows(db, PAIRS) == MERGED
    assert rows(db, "select n_pairs from candidate_set") == [(3,)]
    assert rows(db, "select candidate_set_id, label_set_id, n_merged_rows from merged_set") == [
        (1, None, 3)
    ]
    assert rows(
        db,
        "select position, disease.name, drug.name, merged_name.name from merged_name "
        "left join disease using (disease_id) left join drug using (drug_id) order by position",
    ) == [
        (1, "Gout", None, "Gout"),
        (2, "Gout", None, "Podagra"),
        (3, None, "Colchicine", "Colchicine"),
        (4, None, "Colchicine", "Colcrys"),
        (5, None, "Colchicine", "Mitigare"),
    ]
    # Evidence finds the drug and the disease by every name that was merged.
    assert rows(
        db,
        "select value from drug_alias where kind = 'name' and drug_id = 1 union all "
        "select value from disease_alias where kind = 'name' and disease_id = 1 order by 1",
    ) == [("colchicine",), ("colcrys",), ("gout",), ("mitigare",), ("podagra",)]
    ok(tracker("check"))


@pytest.mark.slow
def test_a_merged_file_again(tracker: Tracker, db: Path, tmp_path: Path) -> None:
    path = write(tmp_path, CANDIDATES)
    ok(tracker(*candidates(path, "--shared-ids", "merge")))
    before = rows(db, "from merged_name")
    again = tracker(*candidates(path, "--shared-ids", "merge"))
    assert (again.exit_code, again.stdout) == (
        0,
        "'s' already holds the same; nothing was added\n",
    )
    assert rows(db, "from merged_name") == before
    for options in ((), ("--shared-ids", "refuse")):
        refused = exited(3, tracker(*candidates(path, *options)))
        assert refused.stderr == (
            "error: candidate set 's' was loaded from this file with --shared-ids merge (rows "
            "merged: 3); give that option, or another name\n"
        )


@pytest.mark.slow
@pytest.mark.parametrize("make", [candidates, labels])
def test_a_file_without_shared_ids_is_loaded_alike_either_way(
    make: object, tracker: Tracker, db: Path, tmp_path: Path
) -> None:
    assert callable(make)
    header, value = (SCORED, "0.5") if make is candidates else (LABELED, "4,,")
    # Two names of one drug in different diseases make no pair twice.
    rows_given = f"Gout,Colchicine,,CHEMBL1,{value}\nAsthma,Colcrys,,CHEMBL1,{value}\n"
    path = write(tmp_path, header + rows_given)
    for options in (("--shared-ids", "merge"), (), ("--shared-ids", "merge")):
        done = ok(tracker(*make(path, *options)))
        assert "merged" not in done.output
    assert rows(db, "select count(*) from merged_set") == [(0,)]


@pytest.mark.slow
def test_a_true_repeat_is_refused_either_way(tracker: Tracker, db: Path, tmp_path: Path) -> None:
    before = db.read_bytes()
    path = write(
        tmp_path, CANDIDATES + "gout,COLCRYS,,,0.9\nAsthma,Aspirin,,,1\nAsthma,aspirin,,,1\n"
    )
    repeats = [
        "file.csv, row 8, column drug_name: the pair 'gout', 'COLCRYS' repeats row 3",
        "file.csv, row 10, column drug_name: the pair 'Asthma', 'aspirin' repeats row 9",
    ]
    refused = exited(3, tracker(*candidates(path, "--shared-ids", "merge")))
    assert refused.stderr.removeprefix("error: ").splitlines() == repeats
    refused = exited(3, tracker(*candidates(path)))
    lines = refused.stderr.removeprefix("error: ").splitlines()
    assert [line.split(":")[0] for line in lines[:2]] == [
        "file.csv, row 2, column chembl_id",
        "file.csv, row 2, column disease_id",
    ]
    assert lines[2:] == repeats
    assert db.read_bytes() == before


@pytest.mark.slow
def test_the_first_twenty_shared_ids_are_listed(tracker: Tracker, tmp_path: Path) -> None:
    given = "".join(
        f"Gout,drug {number} {salt},,CHEMBL{number},0.5\n"
        for number in range(100, 130)
        for salt in "abcdefg"
    )
    refused = tracker(*candidates(write(tmp_path, SCORED + given)))
    lines = refused.stderr.removeprefix("error: ").splitlines()
    assert lines[0] == (
        "file.csv, row 2, column chembl_id: 7 names share CHEMBL100: 'drug 100 a', 'drug 100 b', "
        f"'drug 100 c', 'drug 100 d', 'drug 100 e' and 2 more; {ADVICE}"
    )
    assert len(lines) == 21
    assert lines[20] == "and 10 more problems (30 in all)"


@pytest.mark.slow
def test_names_that_the_store_knows_as_one_drug(tracker: Tracker, tmp_path: Path) -> None:
    """Without an id in the file, or in the store, a drug is named by its own name."""
    content = "disease_name,drug_name,score\nGout,Aspirin,0.5\n"
    tracker("load", "candidates", write(tmp_path, content), "--set", "a", "--model", "m")
    alias = write(tmp_path, "entity,name,kind,value\ndrug,Aspirin,synonym,ASA\n")
    ok(tracker("load", "aliases", alias))
    path = write(tmp_path, content + "Gout,ASA,0.6\n")
    refused = tracker(*candidates(path))
    assert refused.stderr == (
        "error: file.csv, row 2, column drug_name: 2 names share the drug 'aspirin': 'ASA', "
        f"'Aspirin'; {ADVICE}\n"
    )
    ok(tracker(*candidates(path, "--shared-ids", "merge")))


@pytest.mark.slow
def test_labels_keep_the_highest(tracker: Tracker, db: Path, tmp_path: Path) -> None:
    """sql/statements/loads/merged_label.sql has the rule, its golden cases the arithmetic."""
    path = write(
        tmp_path,
        LABELED + "Gout,Colchicine,,CHEMBL1,4,,1961\n"
        "Gout,Colcrys,,CHEMBL1,4,4,2009\n"
        "Gout,Mitigare,,CHEMBL1,2,2,1950\n",
    )
    refused = exited(3, tracker(*labels(path)))
    assert "3 names share CHEMBL1" in refused.stderr
    done = ok(tracker(*labels(path, "--shared-ids", "merge")))
    assert done.stdout.splitlines() == [
        "loaded 1 labeled pairs as 's' (1 new drugs, 1 new diseases)",
        "merged 2 of 3 rows, keeping the highest label of a pair: 3 names of 1 drug "
        "(table merged_name)",
    ]
    assert rows(db, "select label, max_phase, approval_year from labeled_pair") == [(4, 4.0, 1961)]
    assert rows(db, "select candidate_set_id, label_set_id from merged_set") == [(None, 1)]


@pytest.mark.slow
def test_a_slate_says_what_was_merged(tracker: Tracker, tmp_path: Path) -> None:
    """The note travels with the slate to other stores and is in its report."""
    path = write(tmp_path, CANDIDATES)
    ok(tracker(*candidates(path, "--shared-ids", "merge")))
    known = write(
        tmp_path, LABELED + "Gout,Colcrys,EFO:1,CHEMBL1,4,,\nGout,Mitigare,EFO:1,CHEMBL1,1,,\n"
    )
    ok(tracker(*labels(known, "--shared-ids", "merge")))
    ok(tracker("slate", "freeze", "--candidates", "s", "--labels", "s"))
    slate = as_json(tracker, "slate", "list")[0]["slate_id"]
    warning = (
        "Several names in the files share an identifier and were merged; the highest score and "
        "label of a pair were kept: Gout, Podagra (candidates); Colchicine, Colcrys, Mitigare "
        "(candidates); Colcrys, Mitigare (labels)."
    )
    assert warning in as_json(tracker, "report", slate)["warnings"]
    ok(tracker("slate", "export", slate, tmp_path / "export"))
    other = tmp_path / "other.duckdb"
    for words in (("init",), ("slate", "import", tmp_path / "export")):
        ok(tracker("--db", other, *words))
    report = tracker("--db", other, "report", slate, "--format", "json")
    assert warning in json.loads(report.stdout)["warnings"]


@pytest.mark.slow
def test_an_evaluation_says_what_was_merged(tracker: Tracker, tmp_path: Path) -> None:
    ok(tracker(*candidates(write(tmp_path, CANDIDATES), "--shared-ids", "merge")))
    known = write(tmp_path, LABELED + "Gout,Aspirin,EFO:1,CHEMBL2,4,,\n")
    ok(tracker(*labels(known)))
    ok(tracker("retrospective", "evaluate", "--candidates", "s", "--labels", "s"))
    report = as_json(tracker, "retrospective", "report", 1)
    assert (
        "3 rows of the candidates gave way to others, because 5 names share 2 identifiers; the "
        "highest score of a pair was kept."
    ) in report["warnings"]
