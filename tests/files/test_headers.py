"""Names of columns in files of others: mapped by the user, or guessed where only one is meant."""

import pytest
from bench import Bench

SCORES = "disease,drug,prob\nGout,Aspirin,0.9\nGout,Ibuprofen,0.4\n"
SET = ("--set", "s", "--model", "v")


def scores_of(bench: Bench) -> list[tuple[object, ...]]:
    return bench.query(
        "select disease.name, drug.name, candidate.score from candidate "
        "inner join candidate_set using (candidate_set_id) inner join disease using (disease_id) "
        "inner join drug using (drug_id) where candidate_set.name = 's' order by score desc"
    )


def test_common_names_are_taken_and_said(bench: Bench) -> None:
    path = bench.write("scores.csv", SCORES)
    printed = bench.accept("load", "candidates", path, *SET)
    assert printed.splitlines()[0] == (
        "note: read 'disease' as disease_name, 'drug' as drug_name, 'prob' as score; "
        "--map NAME=COLUMN says otherwise"
    )
    assert scores_of(bench) == [("Gout", "Aspirin", 0.9), ("Gout", "Ibuprofen", 0.4)]


def test_names_are_taken_whatever_their_case(bench: Bench) -> None:
    path = bench.write("scores.csv", SCORES.replace("disease,drug,prob", "Disease,DRUG,pred"))
    mapping = ("--map", "Pred=score")
    assert "'DRUG' as drug_name;" in bench.accept("load", "candidates", path, *SET, *mapping)
    assert len(scores_of(bench)) == 2


@pytest.mark.slow
def test_a_name_that_may_be_two_is_not_guessed(bench: Bench) -> None:
    path = bench.write("scores.csv", "disease,drug,prob,prediction\nGout,Aspirin,0.9,1\n")
    bench.refuse("load", "candidates", path, *SET, message=["the column score is missing"])
    words = ("load", "candidates", path, *SET, "--allow-extra", "--map")
    bench.accept(*words, "prediction=score")
    assert scores_of(bench) == [("Gout", "Aspirin", 1.0)]


@pytest.mark.slow
def test_a_name_that_was_mapped_is_not_guessed_for_another_column(bench: Bench) -> None:
    path = bench.write("scores.csv", "indication,drug,disease,prob\nGout,Aspirin,0.9,x\n")
    words = ("load", "candidates", path, *SET, "--allow-extra", "--map")
    bench.refuse(*words, "indication=drug_name", message=["the column disease_name is missing"])
    bench.accept(*words, "disease=score", "--map", "indication=disease_name")
    assert scores_of(bench) == [("Gout", "Aspirin", 0.9)]


def test_errors_name_the_column_as_the_file_does(bench: Bench) -> None:
    path = bench.write("scores.csv", SCORES.replace("0.4", "high"))
    message = ["scores.csv, row 3, column prob: 'high' is not a number"]
    bench.refuse("load", "candidates", path, *SET, message=message)


@pytest.mark.parametrize(
    ("mapping", "message"),
    [
        (["drg=drug_name"], "has no column 'drg' to take for drug_name; did you mean 'drug'?"),
        (["drug=drug_nam"], "'drug_nam' is none of the columns disease_name, drug_name,"),
        (["prob=score", "disease=score"], "both 'prob' and 'disease' would be score"),
    ],
)
def test_a_mapping_that_cannot_be_is_refused(
    mapping: list[str], message: str, bench: Bench
) -> None:
    path = bench.write("scores.csv", SCORES)
    options = [word for one in mapping for word in ("--map", one)]
    bench.refuse("load", "candidates", path, *SET, *options, message=[message])


def test_a_column_that_the_file_has_is_not_replaced(bench: Bench) -> None:
    path = bench.write("scores.csv", "disease_name,drug_name,score,prob\nGout,Aspirin,0.9,0.1\n")
    message = ["both 'score' and 'prob' would be score"]
    bench.refuse("load", "candidates", path, *SET, "--map", "prob=score", message=message)


@pytest.mark.parametrize("given", ["drug", "=drug_name", "drug="])
def test_a_mapping_has_two_sides(given: str, bench: Bench) -> None:
    path = bench.write("scores.csv", SCORES)
    message = ["is not NAME=COLUMN, such as drug=drug_name"]
    bench.refuse("load", "candidates", path, *SET, "--map", given, message=message, code=2)


@pytest.mark.slow
def test_a_file_read_with_other_columns_is_another_set(bench: Bench) -> None:
    path = bench.write("scores.csv", "disease,drug,a,b\nGout,Aspirin,0.9,0.1\n")
    words = ("load", "candidates", path, *SET, "--allow-extra")
    bench.accept(*words, "--map", "a=score")
    assert "nothing was added" in bench.accept(*words, "--map", "a=score")
    message = ["'s' was loaded from this file with --map a=score; choose another name"]
    bench.refuse(*words, "--map", "b=score", message=message)
    assert scores_of(bench) == [("Gout", "Aspirin", 0.9)]


@pytest.mark.slow
def test_labels_and_outcomes_are_read_alike(bench: Bench) -> None:
    labels = bench.write("known.csv", "indication,molecule,grade\nGout,Aspirin,4\n")
    words = ("load", "labels", labels, "--set", "graded", "--map", "grade=label")
    assert "'indication' as disease_name, 'molecule' as drug_name" in bench.accept(*words)
    events = bench.write("events.csv", "disease,drug,what,source\nGout,Aspirin,fda_approved,fda\n")
    assert "1 of 1 rows are new events" in bench.accept(
        "load", "outcomes", events, "--map", "what=outcome_type"
    )


@pytest.mark.parametrize(
    ("header", "meant"),
    [("diseese,drug,score", "disease_name"), ("disease,drug_nam,score", "drug_name")],
)
def test_a_misspelled_name_is_told_with_the_column_it_stands_for(
    header: str, meant: str, bench: Bench
) -> None:
    path = bench.write("scores.csv", f"{header}\nGout,Aspirin,0.9\n")
    bench.refuse("load", "candidates", path, *SET, message=[f"did you mean '{meant}'?"])


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("s.xlsx", b"PK\x03\x04 and so on", "s.xlsx: unknown kind of file; use .csv, .tsv"),
        ("s.csv", b"PK\x03\x04 and so on", "s.csv: its content is not text, but a spreadsheet"),
        ("s.csv", b"\x89PNG\r\n", "s.csv: its content is not text, but an image"),
    ],
)
def test_what_is_no_text_is_named(name: str, content: bytes, message: str, bench: Bench) -> None:
    path = bench.write(name, content)
    bench.refuse("load", "candidates", path, *SET, message=[message])
