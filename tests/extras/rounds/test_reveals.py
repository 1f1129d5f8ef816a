"""Reveals: files that were deposited become slates, and all that is wrong with others is said."""

import gzip
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from bench import table
from memory import refused_in_little_memory
from round_world import (
    AFTER,
    DISEASES,
    DRUGS,
    HEADER,
    LISTS,
    NAME,
    TOP_K,
    Played,
    at,
    at_hand,
    predictions,
)
from support import sampled

pytestmark = pytest.mark.slow

GOOD = LISTS["Good"]
FIRST = GOOD.splitlines(keepends=True)[1]


def test_a_file_is_revealed_after_the_deadline_by_its_hash(played: Played) -> None:
    played.deposit(GOOD, "Lab A")
    file = played.file(GOOD, "renamed.csv")
    reveal = ("round", "reveal", NAME, file)
    played.bench.refuse(*reveal, message=["renamed.csv: can be revealed after the deadline"])
    with at(AFTER):
        assert "Lab A: m is slate " in played.bench.accept(*reveal)
        before = played.bench.counts()
        assert "already; nothing was added" in played.bench.accept(*reveal)
        assert played.bench.counts() == before
        played.bench.accept("slate", "verify")
    ((frozen_on, plan_of, n_predictions),) = played.bench.query(
        "select slate.frozen_on < current_date + 1, slate.plan = "
        "(select plan from slate join round_entry using (slate_id) where entry_name = 'random'), "
        "n_predictions from slate join round_entry using (slate_id) where entry_kind = 'team'"
    )
    assert (frozen_on, plan_of, n_predictions) == (True, True, TOP_K * len(DISEASES))


def test_a_file_that_nobody_deposited_is_refused_and_all_with_it(played: Played) -> None:
    played.deposit(GOOD, "Lab A")
    files = [played.file(GOOD, "a.csv"), played.file(LISTS["Poor"], "b.csv")]
    with at(AFTER):
        for given in (files, files[::-1]):
            played.bench.refuse(
                "round",
                "reveal",
                NAME,
                *given,
                message=["b.csv: has SHA-256 ", "which no team deposited in round 'autumn'"],
            )
        # One more line end is another file.
        changed = played.file(GOOD + "\n", "c.csv")
        played.bench.refuse("round", "reveal", NAME, changed, message=["no team deposited"])
        absent = played.bench.folder / "absent.csv"
        played.bench.refuse("round", "reveal", NAME, absent, message=["no such file"])
        played.bench.refuse("round", "reveal", NAME, message=["Missing argument"], code=2)


def test_what_a_deposit_lacks_is_refused_at_the_reveal(played: Played) -> None:
    content = GOOD.replace(FIRST, "") + GOOD.splitlines()[-1] + "\n"
    played.deposit(content, "Lab A")
    with at(AFTER):
        played.bench.refuse(
            "round",
            "reveal",
            NAME,
            played.file(content),
            message=[
                "predictions.csv, row 2, column disease_name: disease a has 4 novel",
                "predictions.csv, row 31, column drug_name: the pair repeats row 30",
            ],
        )
    assert played.bench.query("select * from round_entry where entry_kind = 'team'") == []


def test_lists_that_are_the_same_are_noted(played: Played) -> None:
    same = GOOD.replace(HEADER, HEADER.replace("score", "score,note"))
    same = same.replace("\n", ",\n").replace("note,\n", "note\n")
    played.deposit(GOOD, "Lab A")
    played.deposit(same, "Lab B")
    played.deposit(LISTS["Poor"], "Lab C")
    for content in (GOOD, same, LISTS["Poor"]):
        played.reveal(content)
    report = played.report(AFTER)
    assert (
        "Lab A: m and Lab B: m have 100.0% of their predictions in common, 100.0% of these at "
        "equal rank." in report["warnings"]
    )
    assert len(report["sections"]["round_overlap"]) == 1


def test_no_list_is_compared_with_an_altered_set(played: Played) -> None:
    played.deposit(GOOD, "Lab A")
    played.bench.accept("candidate", "seal", "all")
    (part,) = played.bench.folder.glob("sealed-*/*/*.parquet")
    content = bytearray(part.read_bytes())
    content[len(content) // 2] ^= 1
    part.write_bytes(content)
    reveal = ("round", "reveal", NAME, played.file(GOOD))
    with at(AFTER):
        played.bench.refuse(*reveal, message=["of the sealed candidate set 1 was altered"], code=4)


BAD: dict[str, tuple[str, str]] = {
    "a foreign pair": (GOOD + "disease a,drug 99,0.1\n", "row 32, column drug_name"),
    "a foreign disease": (GOOD + "disease z,drug 01,0.1\n", "row 32, column disease_name"),
    "a repeated pair": (GOOD + FIRST, "row 32, column drug_name: the pair repeats row 2"),
    "a repeated pair in other words": (
        GOOD + FIRST.replace("disease a", "Disease  A"),
        "row 32, column drug_name: the pair repeats row 2",
    ),
    "a list not filled": (
        HEADER + FIRST,
        "row 2, column disease_name: disease a has 1 novel prediction of 5; fill the list, or",
    ),
    "NaN": (GOOD.replace("0.99\n", "NaN\n", 1), "row 3, column score"),
    "infinity": (GOOD.replace("0.99\n", "inf\n", 1), "row 3, column score"),
    "more than a double": (GOOD.replace("0.99\n", "1e999\n", 1), "row 3, column score"),
    "no score": (GOOD.replace("0.99\n", "\n", 1), "row 3: score is empty"),
    "words for a score": (GOOD.replace("0.99\n", "high\n", 1), "row 3, column score"),
    "no column of scores": ("disease_name,drug_name\ndisease a,drug 01\n", "column score"),
    "no rows": (HEADER, "no rows"),
    "nothing": ("", "empty"),
    "a row too long": (GOOD + "disease a,drug 01,0.1,0.2\n", "row 32"),
    "control characters": (GOOD + "disease a,\x1b[31mdrug,0.1\n", "row 32, column drug_name"),
    "a huge cell": (GOOD + f'disease a,"{"x" * 200_000}",0.1\n', "longer than 100 kB"),
    "10^6 columns": ("a," * 1_000_000 + "b\n", ""),
    "columns and rows": ("a," * 5_000 + "b\n" + ("1," * 5_000 + "1\n") * 100, "column"),
    "bytes": ("\0\x01\x02" * 100, ""),
}


@pytest.fixture(scope="module")
def question(opened_round: Path) -> Path:
    return at_hand(opened_round).folder


@pytest.mark.parametrize("kind", sampled(BAD, 5, slow=True))
def test_a_bad_file_is_refused_with_row_and_column(
    kind: str, question: Path, played: Played
) -> None:
    """As a reveal does it: both check by the same code."""
    content, problem = BAD[kind]
    file = played.file(content)
    complaint = played.bench.refuse(
        "round", "check", question, file, message=["predictions.csv", problem]
    )
    assert len(complaint) < 10_000
    assert len(complaint.splitlines()) < 30


def test_a_submission_is_tried_without_a_store(question: Path, played: Played) -> None:
    def check(content: str | bytes, name: str = "predictions.csv") -> str:
        return played.bench.accept("round", "check", question, played.file(content, name))

    said = check(LISTS["Partial"])
    assert "3 diseases left out: they count as misses" in said
    assert "known drugs of the probe's diseases are in the lists" in said
    assert "SHA-256 " in said
    # Whatever form tables have, and more predictions than count.
    whole = [line.split(",") for line in predictions(1, top_k=20).splitlines()]
    for suffix in (".csv.gz", ".tsv", ".jsonl", ".parquet"):
        content = table(suffix, whole[0], whole[1:])
        file = played.bench.write(f"predictions{suffix}", content)
        assert "left out" not in played.bench.accept("round", "check", question, file)
    # The known drugs of the probe are found where they are listed.
    probe = (question / "probe.csv").read_text().splitlines()[1:]
    own = [line.split(",")[:2] for line in probe]
    lists = {disease: [drug for found, drug in own if found == disease] for disease, _ in own}
    rows = [
        f"{disease},{drug},{1 / (number + 1)}\n"
        for disease, known in lists.items()
        for number, drug in enumerate([*known, *(one for one in DRUGS if one not in known)])
    ]
    n_known, n_found = len(own), sum(min(TOP_K, len(known)) for known in lists.values())
    assert f"{n_found:,} of {n_known:,} known drugs" in check(HEADER + "".join(rows))
    # Of equal scores each drug is listed by chance, whatever its id.
    equal = HEADER + "".join(f"{row.rsplit(',', 1)[0]},0.5\n" for row in rows)
    by_chance = round(n_known * TOP_K / len(DRUGS), 1)
    assert f"{by_chance:g} of {n_known:,} known drugs" in check(equal)


def _altered(name: str, change: Callable[[bytes], bytes]) -> Callable[[Path], None]:
    def alter(folder: Path) -> None:
        path = folder / name
        path.write_bytes(change(path.read_bytes()))

    return alter


def _folder_for_labels(folder: Path) -> None:
    (folder / "labels.csv").unlink()
    (folder / "labels.csv").mkdir()


FOLDERS: dict[str, tuple[Callable[[Path], None], str]] = {
    "candidates": (
        _altered("candidates.csv", lambda content: content.replace(b"drug 01", b"drug 99", 1)),
        "candidates.csv: is not the file that question.json names",
    ),
    "a candidate more": (
        _altered("candidates.csv", lambda content: content + b"disease a,,drug 99,,0\n"),
        "candidates.csv: is not the file that question.json names",
    ),
    "the probe": (
        _altered("probe.csv", lambda content: content[:-1]),
        "probe.csv: is not the file that question.json names",
    ),
    "no candidates": (lambda folder: (folder / "candidates.csv").unlink(), "candidates.csv: "),
    "candidates that are a folder": (
        _folder_for_labels,
        "labels.csv: ",
    ),
    "no question": (lambda folder: (folder / "question.json").unlink(), "question.json: "),
    "half a question": (
        _altered("question.json", lambda content: content[: len(content) // 2]),
        "question.json: is not the question of a round",
    ),
    "a list for a question": (_altered("question.json", lambda _: b"[]"), "question.json: "),
    "another format": (
        _altered("question.json", lambda one: one.replace(b'"format":1', b'"format":2')),
        "question.json, format: ",
    ),
    "a longer list": (
        _altered("question.json", lambda one: one.replace(b'"top_k":5', b'"top_k":"all"')),
        "question.json, top_k: ",
    ),
    "an endless list": (
        _altered("question.json", lambda one: one.replace(b'"top_k":5', b'"top_k":' + b"9" * 20)),
        "question.json, top_k: ",
    ),
    "names of other files": (
        _altered("question.json", lambda one: one.replace(b'"probe.csv"', b'"../probe.csv"')),
        "probe.csv: is not the file that question.json names",
    ),
    "no folder": (shutil.rmtree, "question.json: "),
}


@pytest.mark.parametrize("kind", sampled(FOLDERS, 3, slow=True))
def test_a_question_that_was_altered_is_refused(kind: str, played: Played) -> None:
    change, problem = FOLDERS[kind]
    change(played.folder)
    complaint = played.bench.refuse(
        "round", "check", played.folder, played.file(GOOD), message=[problem]
    )
    assert complaint.count("\n") == 1


def _bomb(path: Path) -> None:
    with gzip.open(path, "wb") as packed:
        packed.write(HEADER.encode() + b'disease a,"')
        for _ in range(300):
            packed.write(b"0" * 1_000_000)


def _many_columns(path: Path) -> None:
    path.write_bytes(HEADER.strip().encode() + b"," * 1_000_000 + b"\n" + FIRST.encode())


@pytest.mark.parametrize(("name", "write"), [("a.csv.gz", _bomb), ("a.csv", _many_columns)])
def test_a_bomb_takes_no_memory(
    name: str, write: Callable[[Path], None], played: Played, question: Path
) -> None:
    path = played.bench.folder / name
    write(path)
    refused_in_little_memory(played.bench, path, "round", "check", question, path)
