"""Blocks of columns in the log, beside a leaf made of the rows with Python's standard library."""

import hashlib
import shutil
import struct
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from sqlalchemy import Connection, text

from tracker import schema, store
from tracker.log import (
    blocks,
    leaf_data,
    tampering,
)
from tracker.store import connections

TABLE = schema.stored_candidate
# Set, disease, drug, score.
ROWS = [(1, 1, 2, 0.5), (1, 1, 3, -0.0), (1, 2, 2, 1e-300), (1, 2, 3, 0.5), (1, 7, 9, -3.25)]


@pytest.fixture
def filled(empty_store: Path, tmp_path: Path) -> Iterator[Connection]:
    """A store with a few candidates, opened as a program other than tracker would."""
    path = Path(shutil.copy(empty_store, tmp_path / "store.duckdb"))
    for rows in (ROWS[:2], ROWS[2:]):
        with store.writer(path) as connection:
            for row in rows:
                connection.execute(TABLE.insert().values(row))
    with connections.engine(path, read_only=False) as engine, engine.connect() as connection:
        yield connection


def leaf(rows: Sequence[tuple[int, int, int, float]]) -> str:
    sets, diseases, drugs, scores = zip(*rows, strict=True)
    packed = struct.pack(f"<{len(rows)}i", *sets) + struct.pack(f"<{len(rows)}i", *diseases)
    packed += struct.pack(f"<{len(rows)}i", *drugs) + struct.pack(f"<{len(rows)}d", *scores)
    header = f"\0candidate\ncolumns\n{len(rows)}\n".encode()
    return hashlib.sha256(header + packed).hexdigest()


def entries(connection: Connection) -> list[tuple[int, str]]:
    query = (
        "select n_rows, leaf_sha256 from log_entry where table_name = 'candidate' order by entry_id"
    )
    return [(row.n_rows, row.leaf_sha256) for row in connection.execute(text(query))]


def test_leaf_is_that_of_the_columns(filled: Connection) -> None:
    assert entries(filled) == [(2, leaf(ROWS[:2])), (3, leaf(ROWS[2:]))]
    assert blocks.leaves(filled, TABLE, [0, 2, 3], 5) == [
        leaf(ROWS[:2]),
        leaf(ROWS[2:3]),
        leaf(ROWS[3:]),
    ]
    assert tampering.verify(filled) == []


@pytest.mark.parametrize(
    "statement",
    [
        "update stored_candidate set score = 0.25 where drug_id = 3 and disease_id = 1",
        "update stored_candidate set drug_id = drug_id + 1 where disease_id = 7",
        "delete from stored_candidate where disease_id = 7",
        "delete from stored_candidate where disease_id = 1",
    ],
)
def test_altered_block_is_named(filled: Connection, statement: str) -> None:
    filled.execute(text(statement))
    assert any("stored_candidate" in line for line in tampering.verify(filled))


@pytest.mark.parametrize(
    "statement",
    [
        "alter table stored_candidate alter disease_id drop not null; "
        "update stored_candidate set disease_id = null where disease_id = 7",
        "create or replace table stored_candidate as from stored_candidate "
        "select * replace (disease_id::bigint as disease_id)",
        # The same bytes as the wider type would have, cut.
        "create or replace table stored_candidate as from stored_candidate "
        "select * replace (disease_id::bigint + 4294967296 as disease_id)",
    ],
)
def test_block_with_nulls_or_another_type_has_no_leaf(filled: Connection, statement: str) -> None:
    for one in statement.split("; "):
        filled.exec_driver_sql(one)
    assert blocks.leaves(filled, TABLE, [0], 5) == [None]


def test_lines_and_columns_are_both_as_they_were_sealed(filled: Connection) -> None:
    """As in a store to which a later version added candidates."""
    by_line = filled.execute(leaf_data.leaves(TABLE, 0, 2)).one().leaf_sha256
    change = "update log_entry set leaf_sha256 = :leaf where leaf_sha256 = :sealed"
    filled.execute(text(change), {"leaf": by_line, "sealed": leaf(ROWS[:2])})
    assert entries(filled)[0] == (2, by_line)
    assert not any("stored_candidate" in line for line in tampering.verify(filled))
    filled.exec_driver_sql("update stored_candidate set score = 2 where rowid = 1")
    found = [line for line in tampering.verify(filled) if "stored_candidate" in line]
    assert len(found) == 1
    assert "rows 1 to 2" in found[0]


def test_an_entry_without_a_hash_is_no_hash_of_a_block_without_a_leaf(filled: Connection) -> None:
    """An owner who drops the constraints cannot make NULL stand for any rows."""
    for statement in (
        "create or replace table log_entry as from log_entry",
        "update log_entry set leaf_sha256 = null where table_name = 'candidate' and n_rows = 3",
        "create or replace table stored_candidate as from stored_candidate "
        "select * replace (nullif(score, -3.25) as score)",
    ):
        filled.exec_driver_sql(statement)
    # Until then the rows of a new table have other numbers.
    filled.commit()
    assert any("stored_candidate" in line for line in tampering.verify(filled))
