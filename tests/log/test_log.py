"""The log as users meet it: sealed by every command, checked, proved to others, upgraded."""

import hashlib
import json
import os
import re
import shutil
import struct
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any
from unittest import mock
from uuid import UUID

import duckdb
import pytest
import sqlalchemy as sa
from bench import Bench
from forging import HALVED, made_anew
from sqlalchemy import text
from support import ROOT, sampled

from tracker import clock, schema, store
from tracker.log import (
    leaf_data,
    merkle,
    sealing,
    tampering,
)
from tracker.store import connections

HEADS = "select head_id, n_entries, reason from log_head order by head_id"


@pytest.fixture(scope="module")
def grown_store(attacked: Path, tmp_path_factory: pytest.TempPathFactory) -> Bench:
    """The store after one more slate; its folder has a head of before and a proof of that slate."""
    made = Bench(Path(shutil.copy(attacked, tmp_path_factory.mktemp("grown") / "store.duckdb")))
    first = head_of(made)
    first_slate = made.slate
    made.accept("slate", "freeze", "--candidates", "base")
    made.accept("log", "prove", first_slate, "--from", first, "-o", made.folder / "proof.json")
    return made


@pytest.fixture
def grown(grown_store: Bench, tmp_path: Path) -> Bench:
    """A copy of that store in its own folder, with the head and the proof."""
    folder = Path(shutil.copytree(grown_store.folder, tmp_path / "grown"))
    return Bench(folder / "store.duckdb")


@pytest.mark.slow
def test_each_command_that_writes_adds_a_head(bench: Bench) -> None:
    before = bench.query(HEADS)
    assert [row[2] for row in before] == ["created", *["written"] * (len(before) - 1)]
    bench.accept("check")
    bench.accept("init")
    bench.accept("slate", "list")
    assert bench.query(HEADS) == before, "nothing was written"
    bench.accept("slate", "freeze", "--candidates", "base")
    after = bench.query(HEADS)
    assert len(after) == len(before) + 1
    ((n_entries,),) = bench.query("select count(*) from log_entry")
    assert after[-1] == (len(after), n_entries, "written")
    bench.accept("check")


def test_every_row_is_in_a_leaf_and_the_root_is_theirs(bench: Bench) -> None:
    """The whole log by other means: rows as Python reads them, JSON as Python writes it."""
    entries: list[Any] = bench.query("from log_entry order by entry_id")
    n_covered = dict.fromkeys(leaf_data.stored_names(), 0)
    leaves = []
    with store.reader(bench.db) as connection:
        for _, name, first_row, n_rows, leaf_sha256 in entries:
            table = schema.metadata.tables[leaf_data.stored_names()[name]]
            select = sa.select(table).order_by(text("rowid")).offset(first_row).limit(n_rows)
            rows = [row._mapping for row in connection.execute(select)]
            data = plain_columns(rows) if name == "candidate" else plain_lines(rows, table)
            leaf = hashlib.sha256(f"\0{name}\n".encode() + data).digest()
            assert leaf.hex() == leaf_sha256, (name, rows)
            assert first_row == n_covered[name]
            n_covered[name] += len(rows)
            leaves.append(leaf)
        counts = sealing.row_counts(connection)
        head = sealing.last_head(connection)
    # The last head is sealed with the next rows.
    assert {**n_covered, "log_head": n_covered["log_head"] + 1} == counts
    assert head is not None
    assert merkle.root(leaves).hex() == head.root_sha256


def plain_columns(rows: Sequence[Any]) -> bytes:
    types = {"candidate_set_id": "i", "disease_id": "i", "drug_id": "i", "score": "d"}
    columns = [
        struct.pack(f"<{len(rows)}{kind}", *(row[name] for row in rows))
        for name, kind in types.items()
    ]
    return b"".join([f"columns\n{len(rows)}\n".encode(), *columns])


def plain_lines(rows: Sequence[Any], table: sa.Table) -> bytes:
    return "\n".join(plain_line(row, table) for row in rows).encode()


def plain_line(row: Any, table: sa.Table) -> str:
    fields = {}
    for column in table.c:
        # A prediction's checksum stands for what it covers.
        in_checksum = ("slate_id", "disease_id", "drug_id", "line_checksum")
        if table.name == "prediction" and column.name not in in_checksum:
            continue
        value = row[column.name]
        if isinstance(value, datetime):
            since = value.astimezone(UTC) - datetime(1970, 1, 1, tzinfo=UTC)
            value = since // timedelta(microseconds=1)
        elif isinstance(value, date | UUID):
            value = str(value)
        elif isinstance(column.type, sa.JSON) and value is not None:
            # As the commands write JSON.
            value = json.dumps(value)
        if value is not None:
            fields[column.name] = value
    return json.dumps(fields, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


# What another program does, and what check says of it.
ALTERATIONS = {
    "a score": (
        ["update stored_candidate set score = score / 2 where score = 0.9"],
        "one or more of the rows 1 to 6 of stored_candidate (candidate_set_id 1) was altered after",
    ),
    "the hash of a set": (
        ["update candidate_set set sha256 = repeat('0', 64)"],
        "candidate_set 1 was altered after it was sealed on ",
    ),
    "a label": (
        ["update labeled_pair set label = 3 where label = 4"],
        "one or more of the rows 1 to 2 of labeled_pair (label_set_id 1) was altered after",
    ),
    "the date of a slate": (
        ["update slate set recorded_at = recorded_at - interval 1 day where origin = 'published'"],
        "slate 469bb270-0000-4000-8000-000000000001 was altered after it was sealed on ",
    ),
    "the last slate": (
        [
            "delete from prediction where slate_id = '469bb270-0000-4000-8000-000000000002'",
            "delete from slate where slate_id = '469bb270-0000-4000-8000-000000000002'",
        ],
        "slate has 2 rows, 3 were sealed: the row that stood after slate 469bb270-0000-4000-8000-"
        "000000000001, sealed on ",
    ),
    "a drug": (
        ["insert into drug values (99, null, 'Omega')"],
        "drug has 6 rows, 5 were sealed: drug 99 was inserted by another program",
    ),
    "an estimate": (
        ["update estimate set value = 1 where estimate_id = 1"],
        "estimate 1 was altered after it was sealed on ",
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("what", sampled(ALTERATIONS, 3))
def test_check_names_what_another_program_changed(what: str, bench: Bench) -> None:
    statements, words = ALTERATIONS[what]
    bench.alter(*statements)
    complaint = bench.refuse("check", message=["log: ", words], code=4)
    assert len([line for line in complaint.splitlines() if "log: " in line]) <= len(statements)


@pytest.mark.slow
def test_a_command_does_not_seal_what_another_program_added_or_removed(bench: Bench) -> None:
    copy = bench.folder / "copy.duckdb"
    shutil.copy(bench.db, copy)
    cases = {
        "insert into drug values (99, null, 'Omega')": "the table drug has 6 rows and 5 were "
        "sealed: another program added rows; run 'tracker check'",
        "delete from estimate where estimate_id = 1": "were sealed: another program removed rows",
        "delete from log_entry where entry_id = 0": "were sealed: another program added rows",
        "delete from log_head": "the log of this store is missing: another program removed it",
    }
    for statement, words in cases.items():
        shutil.copy(copy, bench.db)
        bench.alter(statement)
        for command in (("init",), ("slate", "freeze", "--candidates", "base")):
            complaint = bench.refuse(*command, message=[words], code=4)
            assert len(complaint.splitlines()) == 1


def head_of(bench: Bench, name: str = "head.json") -> Path:
    bench.accept("log", "head", "-o", bench.folder / name)
    return bench.folder / name


@pytest.mark.slow
def test_a_head_is_one_line_whose_hash_is_that_of_its_file(bench: Bench, grown: Bench) -> None:
    path = head_of(bench)
    assert path.read_text() == bench.accept("log", "head")
    ((stored,),) = bench.query("select head_sha256 from log_head order by head_id desc limit 1")
    assert hashlib.sha256(path.read_bytes()).hexdigest() == stored
    listed = bench.read("log", "list")
    assert listed[-1]["head_sha256"] == stored
    assert "the log of this store begins with head" in bench.accept("verify", path)
    assert "0 entries are later" not in grown.accept("verify", path)


@pytest.mark.slow
def test_a_store_set_back_is_revealed_by_a_head(bench: Bench, grown: Bench) -> None:
    """The earlier store is in the place of the grown one."""
    head = head_of(grown)
    shutil.copy(bench.db, grown.db)
    grown.accept("check")
    grown.refuse("verify", head, message=["head.json: has ", "the store was set back"], code=4)


@pytest.mark.slow
@pytest.mark.parametrize("keeps_identity", [False, True])
def test_a_log_made_anew_is_revealed_by_a_head(keeps_identity: bool, bench: Bench) -> None:
    """Whoever can write the file can alter a row and seal all as tracker would."""
    head = head_of(bench)
    made_anew(bench, HALVED, log_id=None if keeps_identity else UUID(int=7))
    bench.accept("check")
    words = "it was made anew"
    if keeps_identity:
        bench.refuse("verify", head, message=["or its log was started again"], code=4)
        for _ in range(3):
            bench.accept("slate", "freeze", "--candidates", "base")
        words = "has another root than the first"
    bench.refuse("verify", head, message=["head.json: ", words], code=4)


@pytest.mark.slow
def test_a_proof_needs_no_store(grown: Bench, tmp_path: Path) -> None:
    first, path = grown.folder / "head.json", grown.folder / "proof.json"
    proof = json.loads(path.read_text())
    assert json.loads(proof["line"])["slate_id"] == grown.slate
    lines = grown.accept("verify", path).splitlines()
    assert lines[0].startswith(f"slate {grown.slate} ")
    assert lines[1].startswith("the log has only grown since ")
    assert lines[2].startswith("the log of this store begins with head ")
    elsewhere = Bench(tmp_path / "nowhere.duckdb")
    assert elsewhere.accept("verify", path).splitlines() == lines[:2]
    elsewhere.refuse("verify", first, message=["head.json: is a head, which is compared"])
    grown.accept("log", "prove", grown.slate, "-o", path)
    assert len(grown.accept("verify", path).splitlines()) == 2


def _with(**fields: object) -> Callable[[dict[str, Any]], object]:
    return lambda proof: proof.update(fields)


# How a proof is altered, the exit code, the message.
PROOFS: dict[str, tuple[Callable[[dict[str, Any]], object], int, str]] = {
    "the line": (
        lambda proof: proof.update(line=proof["line"].replace("frozen", "Frozen")),
        4,
        "the line is not entry ",
    ),
    "the index": (_with(leaf_index=1), 4, "the line is not entry 1 "),
    "no path": (_with(inclusion_path=[]), 4, "the line is not entry "),
    "the older root": (
        lambda proof: proof["from_head"].update(root_sha256="0" * 64),
        4,
        "the log of head does not begin with that of from_head",
    ),
    "another log": (
        lambda proof: proof["from_head"].update(log_id=str(UUID(int=1))),
        4,
        "the log of head does not begin with that of from_head",
    ),
    "no way between": (_with(consistency_path=[]), 4, "does not begin with that of from_head"),
    "a path of words": (_with(inclusion_path=["a"]), 3, "inclusion_path[1]: 'a' is not a SHA-256"),
    "no head": (lambda proof: proof.pop("head"), 3, "proof.json, head: is missing"),
    "a head of words": (
        _with(head={"n_entries": "all"}),
        3,
        "proof.json, head.head_id: is missing",
    ),
    "a negative index": (_with(leaf_index=-1), 3, "leaf_index: -1 is not a whole number"),
    "no consistency": (
        lambda proof: proof.pop("consistency_path"),
        3,
        "consistency_path: is missing",
    ),
}


@pytest.mark.parametrize("how", sampled(PROOFS, 3))
def test_an_altered_proof_is_refused(how: str, grown: Bench) -> None:
    change, code, words = PROOFS[how]
    path = grown.folder / "proof.json"
    proof = json.loads(path.read_text())
    change(proof)
    path.write_text(json.dumps(proof))
    grown.refuse("verify", path, message=["proof.json", words], code=code)


@pytest.mark.parametrize(
    "change",
    [
        "update slate set description = 'altered' where origin = 'frozen'",
        "delete from log_entry where table_name = 'slate'",
        "update log_entry set entry_id = entry_id + 1000 where table_name = 'slate'",
    ],
)
def test_an_altered_slate_is_not_proved(bench: Bench, change: str) -> None:
    bench.alter(change)
    bench.refuse("log", "prove", bench.slate, message=["is not as it was sealed"], code=4)


@pytest.mark.slow
def test_a_clock_that_was_accepted_is_told_by_its_head(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows written under a clock set back are dated before others: their head says why."""
    past = datetime.now(UTC) - timedelta(days=30)
    with mock.patch.object(clock, "read", return_value=past):
        bench.refuse("slate", "freeze", "--candidates", "base", message=[clock.ACCEPT])
        monkeypatch.setenv(clock.ACCEPT, "1")
        bench.accept("slate", "freeze", "--candidates", "base")
    assert os.environ[clock.ACCEPT] == "1"
    assert bench.query(HEADS)[-1][2] == "clock_accepted"
    bench.accept("check")


def test_the_tables_outside_the_log_are_those_of_the_documentation() -> None:
    page = (ROOT / "docs" / "threat-model.md").read_text(encoding="utf-8")
    section = page.split("{#not-sealed}")[1].split("\n## ")[0]
    listed = dict(re.findall(r"^\| `(\w+)` \| (.+) \|$", section, re.M))
    assert listed == leaf_data.NOT_COVERED
    tables = schema.metadata.tables.keys()
    assert listed.keys() < tables
    assert listed.keys() | {table.name for table in leaf_data.tables()} == tables
    assert tables >= leaf_data.BY_ROW
    assert not leaf_data.BY_ROW & listed.keys()


@pytest.mark.slow
def test_rows_keep_their_numbers(empty_store: Path, tmp_path: Path) -> None:
    """Through inserts by several threads, checkpoints, a copy, reopening, and a new column."""
    path = Path(shutil.copy(empty_store, tmp_path / "store.duckdb"))
    fill = (
        "insert into stored_candidate select :set, n, n % 7, n / 3 "
        "from range(:first, :last) as t (n)"
    )
    steps = [(0, 400_000), (400_000, 400_001), (400_001, 400_300), (400_300, 900_000)]
    for number, (first, last) in enumerate(steps):
        with store.writer(path) as connection:
            connection.execute(text(fill), {"set": number, "first": first, "last": last})
    moved = "select count(*) from stored_candidate where rowid <> disease_id"
    for statement in (
        "checkpoint",
        "alter table stored_candidate add column note varchar",
        "insert into stored_candidate select 9, n, 1, 0.5, null "
        "from range(900000, 900100) as t (n)",
        "force checkpoint",
        "alter table stored_candidate drop column note",
    ):
        with duckdb.connect(str(path)) as other:
            other.execute(statement)
            assert other.execute(moved).fetchone() == (0,)
    copy = shutil.copy(path, tmp_path / "copy.duckdb")
    with duckdb.connect(str(copy), read_only=True) as other:
        assert other.execute(moved).fetchone() == (0,)
    with connections.engine(path, read_only=True) as engine, engine.connect() as connection:
        (found,) = tampering.verify(connection)
    assert found == (
        "stored_candidate has 900,100 rows, 900,000 were sealed: row 900,001 of stored_candidate "
        "was inserted by another program"
    )
