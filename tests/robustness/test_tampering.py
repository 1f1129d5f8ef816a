"""Whatever another program changes in a store is found and named by its log.

Alterations are made with plain DuckDB in a store that has a row in every covered table and none
of tracker's constraints: someone who can write the file can make such a copy, and nothing but the
log then stands between them and any column.
"""

import re
import shutil
from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path
from string import Template
from typing import Any
from uuid import UUID

import duckdb
import pytest
import sqlalchemy as sa
from sqlalchemy import Connection, text
from support import sampled

from tracker import schema, store
from tracker.errors import CheckFailed
from tracker.log import (
    leaf_data,
    sealing,
    tampering,
)
from tracker.slates import checking, frozen
from tracker.store import connections


def filled(statement: str, **parts: object) -> str:
    """Return a statement with names and texts of this module put into it."""
    return Template(statement).substitute(parts)


def unbound(source: Path, target: Path, wanted: str = "") -> Path:
    """Copy the tables of a store without keys and constraints, and the rows that are wanted."""
    with duckdb.connect(str(target)) as copy:
        copy.execute(f"attach '{source}' as source (read_only)")
        for name in schema.metadata.tables:
            columns = copy.execute(
                "select column_name, data_type, is_nullable from duckdb_columns() "
                "where database_name = 'source' and schema_name = 'main' and table_name = ? "
                "order by column_index",
                [name],
            ).fetchall()
            listed = ", ".join(
                f'"{column}" {kind}{"" if is_nullable else " not null"}'
                for column, kind, is_nullable in columns
            )
            copy.execute(filled("create table $name ($listed)", name=name, listed=listed))
            insert = "insert into $name from source.$name $wanted order by rowid"
            copy.execute(filled(insert, name=name, wanted=wanted))
        copy.execute("detach source")
    return target


def value(column: sa.Column[Any], number: int) -> object:
    """Return a value for a column of a row that no command wrote."""
    kind = column.type
    if isinstance(kind, sa.Boolean):
        return bool(number % 2)
    if isinstance(kind, sa.TIMESTAMP):
        return datetime.now(UTC)
    if isinstance(kind, sa.Date):
        return date(2026, 1, number)
    if isinstance(kind, sa.Uuid):
        return UUID(int=number)
    if isinstance(kind, sa.JSON):
        return {"number": number}
    if isinstance(kind, sa.Double):
        return number / 7
    return number if isinstance(kind, sa.Integer) else f'line {number}\nsaid "{number}" \\ é'


@pytest.fixture(scope="module")
def sealed(demo_store: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo's store without constraints and with two rows at least in every covered table."""
    path = unbound(demo_store, tmp_path_factory.mktemp("sealed") / "store.duckdb")
    with connections.engine(path, read_only=False) as engine:
        with engine.begin() as connection:
            for name, n_rows in sealing.row_counts(connection).items():
                table = schema.metadata.tables[leaf_data.stored_names()[name]]
                for number in range(1, 3 - n_rows):
                    row = {column.name: value(column, number) for column in table.c}
                    connection.execute(table.insert(), row)
        with engine.begin() as connection:
            sealing.seal(connection)
    return path


@pytest.fixture
def opened(sealed: Path, tmp_path: Path) -> Iterator[Connection]:
    """A connection that writes a copy of that store; nothing needs to be rolled back."""
    path = Path(shutil.copy(sealed, tmp_path / "store.duckdb"))
    with connections.engine(path, read_only=False) as engine, engine.connect() as connection:
        yield connection


def changed(column: sa.Column[Any]) -> str:
    """Return SQL for another value of a column, whatever it is and also where it is NULL."""
    kind, name = column.type, f'"{column.name}"'
    if isinstance(kind, sa.Boolean):
        return f"coalesce(not {name}, true)"
    if isinstance(kind, sa.TIMESTAMP):
        return f"coalesce({name} + interval 1 microsecond, now())"
    if isinstance(kind, sa.Date):
        return f"coalesce({name} + 1, current_date)"
    if isinstance(kind, sa.Uuid):
        return "gen_random_uuid()"
    if isinstance(kind, sa.JSON):
        return """'{"altered": true}'"""
    if isinstance(kind, sa.Double):
        # The next number: what a rounded text would not show.
        return f"coalesce(nextafter({name}, cast(1e9 as double)), 0.5)"
    if isinstance(kind, sa.Integer):
        return f"coalesce({name} + 1, 1)"
    return f"coalesce({name} || ' ', '')"


ROUNDS = range(max(len(table.c) for table in leaf_data.tables()))
ENDS = {"first": "min", "last": "max"}
ROWS = [table for table in leaf_data.tables() if table.name != "log_head"]


def test_every_covered_table_has_rows_and_is_sound(opened: Connection) -> None:
    assert min(sealing.row_counts(opened).values()) >= 2
    assert tampering.verify(opened) == []


@pytest.mark.slow
@pytest.mark.parametrize("number", sampled(ROUNDS, 4))
def test_an_altered_column_is_found_in_every_table(number: int, opened: Connection) -> None:
    """In round n, the n-th column of each table is altered in one row."""
    expected = {}
    for table in ROWS:
        if number >= len(table.c):
            continue
        column = [*table.c][number]
        n_rows = opened.execute(sa.select(sa.func.count()).select_from(table)).scalar_one()
        place = (31 * number + 17) % n_rows
        if column.name not in leaf_data.BY_CHECKSUM.get(table.name, table.c):
            continue
        one = {"name": table.name, "column": column.name, "place": place}
        update = 'update $name set "$column" = $other where rowid = $place'
        opened.execute(text(filled(update, other=changed(column), **one)))
        keys = ", ".join(f'"{key.name}"' for key in table.primary_key)
        expected[table.name] = f"row {place + 1:,} of {table.name} "
        if keys:
            key = opened.execute(
                text(filled("select $keys from $name where rowid = $place", keys=keys, **one))
            ).one()
            expected[table.name] = f"{table.name} {', '.join(map(str, key))} "
    found = tampering.verify(opened)
    for name, words in expected.items():
        start = words if name in leaf_data.BY_ROW else "one or more of the rows"
        ours = [line for line in found if f"{name} " in line and "altered after" in line]
        assert any(line.startswith((start, words)) for line in ours), (name, words, ours)
    assert len(found) >= len(expected)


@pytest.mark.slow
def test_an_altered_column_is_found_by_the_checksum_that_the_log_covers(
    demo_store: Path, tmp_path: Path
) -> None:
    """Of a table whose rows have one; the slate's hash finds a row altered with its checksum."""
    path = Path(shutil.copy(demo_store, tmp_path / "store.duckdb"))
    within_constraints = {
        "tier": "if(tier = 'high', 'moderate', 'high')",
        "criterion": "if(criterion = 'monitor', 'reach_phase', 'monitor')",
        "known_label": "coalesce(1 - known_label % 2, 1)",
        "known_max_phase": "coalesce(nextafter(known_max_phase, 0), 0)",
    }
    for name in {*schema.prediction.c.keys()} - {*leaf_data.BY_CHECKSUM["prediction"]}:
        other = within_constraints.get(name, changed(schema.prediction.c[name]))
        with connections.engine(path, read_only=False) as engine, engine.connect() as connection:
            parts = {"column": name, "other": other}
            update = 'update prediction set "$column" = $other where rowid = 17'
            connection.execute(text(filled(update, **parts)))
            assert tampering.verify(connection) == []
            (line,) = frozen.problems(connection)
            assert " is not as it was frozen" in line, name
            rehash = (
                "update prediction set line_checksum = left(sha256(prediction_line.line), 16) "
                "from prediction_line where prediction.rowid = 17 "
                "and prediction_line.slate_id = prediction.slate_id "
                "and prediction_line.disease_id = prediction.disease_id "
                "and prediction_line.drug_id = prediction.drug_id"
            )
            connection.execute(text(rehash))
            (line,) = tampering.verify(connection)
            assert " of prediction (" in line
            (line,) = frozen.problems(connection)
            is_named = name.endswith("_identifier")
            assert ("to another " if is_named else "together with its checksum") in line, name
    with store.reader(demo_store) as connection:
        found = checking.of_rows(connection)
    assert {"slates", "log", "prediction_rank_unique"} <= {*found}
    assert not any(found.values())


def test_a_removed_row_is_found_in_every_table(opened: Connection) -> None:
    for table in ROWS:
        opened.execute(text(filled("delete from $name where rowid = 1", name=table.name)))
    found = tampering.verify(opened)
    for table in ROWS:
        ours = [line for line in found if line.startswith(f"{table.name} has ")]
        assert [("removed" in line) for line in ours] == [True], table.name


@pytest.mark.slow
@pytest.mark.parametrize("how", ["gap", "closed"])
def test_a_first_row_that_was_removed_is_named(
    how: str, sealed: Path, tmp_path: Path, opened: Connection
) -> None:
    """Also where the file was written anew, so that all rows after it have other numbers."""
    if how == "gap":
        for table in ROWS:
            opened.execute(text(filled("delete from $name where rowid = 0", name=table.name)))
        found = tampering.verify(opened)
    else:
        path = unbound(sealed, tmp_path / "closed.duckdb", "where rowid > 0")
        with duckdb.connect(str(path)) as copy:
            copy.execute(f"attach '{sealed}' as source (read_only)")
            for name in ("log_entry", "log_head"):
                copy.execute(filled("delete from $name", name=name))
                again = "insert into $name from source.$name order by rowid"
                copy.execute(filled(again, name=name))
        with connections.engine(path, read_only=True) as engine, engine.connect() as connection:
            found = tampering.verify(connection)
    named = {line.split(" ", 1)[0]: line for line in found}
    for table in ROWS:
        assert " were sealed: " in named[table.name]
        if table.name in leaf_data.BY_ROW:
            assert "the row that stood first, sealed on " in named[table.name]


def test_an_inserted_row_is_found_in_every_table(opened: Connection) -> None:
    for table in ROWS:
        again = "insert into $name from $name limit 1"
        opened.execute(text(filled(again, name=table.name)))
    found = tampering.verify(opened)
    for table in ROWS:
        ours = [line for line in found if line.startswith(f"{table.name} has ")]
        assert len(ours) == 1, table.name
        assert "inserted by another program" in ours[0] or "another row" in ours[0]


@pytest.mark.slow
def test_swapped_rows_are_found_in_every_table(opened: Connection) -> None:
    for table in ROWS:
        columns = ", ".join(f'"{column.name}" = other."{column.name}"' for column in table.c)
        swap = (
            "update $name set $columns from (select 1 - rowid as place, * from $name "
            "where rowid < 2) as other where $name.rowid = place"
        )
        opened.execute(text(filled(swap, name=table.name, columns=columns)))
    found = " ".join(tampering.verify(opened))
    for table in ROWS:
        same = opened.execute(
            text(filled("select count(distinct t) from $name as t", name=table.name))
        ).scalar_one()
        assert f"{table.name} " in found or same == 1, table.name


def test_a_row_replaced_by_another_is_found(opened: Connection) -> None:
    """As many rows as before, the new one at the end: how DuckDB changes a row with a key."""
    opened.execute(text("create temp table kept as from event where event_id = 100"))
    opened.execute(text("delete from event where event_id = 100"))
    opened.execute(text("update kept set source = source || ' '"))
    opened.execute(text("insert into event from kept"))
    (found,) = tampering.verify(opened)
    assert found.startswith("event 100 was altered after it was sealed on ")
    assert found.endswith("(or put in place of the row that stood after event 99)")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("column", "which"),
    sampled([(column.name, which) for column in schema.log_head.c for which in ENDS], 4),
)
def test_an_altered_head_is_found(column: str, which: str, opened: Connection) -> None:
    other = changed(schema.log_head.c[column])
    update = (
        "update log_head set $column = $other where head_id = (select $end(head_id) from log_head)"
    )
    opened.execute(text(filled(update, column=column, other=other, end=ENDS[which])))
    found = tampering.verify(opened)
    assert "of the log was altered" in found[0]
    if which == "first":
        assert any(line.startswith("log_head ") for line in found)


@pytest.mark.parametrize(
    ("column", "which"),
    sampled([(column.name, which) for column in schema.log_entry.c for which in ENDS], 3),
)
def test_an_altered_entry_is_found(column: str, which: str, opened: Connection) -> None:
    other = changed(schema.log_entry.c[column])
    if column == "leaf_sha256":
        other = "sha256(leaf_sha256)"
    update = (
        "update log_entry set $column = $other "
        "where entry_id = (select $end(entry_id) from log_entry)"
    )
    opened.execute(text(filled(update, column=column, other=other, end=ENDS[which])))
    found = tampering.verify(opened)
    if column == "leaf_sha256":
        assert " of the log, sealed on " in found[0]
        assert "were altered: head " in found[0]
        assert " differs from its entry, sealed on " in found[1]
    else:
        assert re.match(r"entry [\d,]+ of the log was altered|\w+ has .* of the log says", found[0])


@pytest.mark.slow
def test_removed_entries_and_heads_are_found(opened: Connection) -> None:
    cases = {
        "delete from log_entry where entry_id = 100": "entry 100 of the log was altered",
        "delete from log_entry where entry_id > 2000": "entries of the log, sealed on ",
        "insert into log_entry select max(entry_id) + 1, 'event', "
        "max(first_row) filter (where table_name = 'event') + 1, 1, any_value(leaf_sha256) "
        "from log_entry": "entries were added to the log after its last head (1)",
        "delete from log_head where head_id = 3": "head 3 of the log was altered",
        "delete from log_head where head_id > 10": "entries were added to the log after its last",
        "delete from log_head": "the log is missing",
    }
    for statement, words in cases.items():
        with opened.begin_nested() if opened.in_transaction() else opened.begin() as step:
            opened.execute(text(statement))
            assert tampering.verify(opened)[0].startswith(words)
            step.rollback()


@pytest.mark.slow
def test_what_is_dated_outside_its_writing_is_found(sealed: Path, tmp_path: Path) -> None:
    """A row written and sealed by someone who knows how, but dated at will."""
    for shift, words in (
        ("- interval 3 hour", "before the write ahead of it, which ended "),
        ("+ interval 3 hour", "after it was sealed on "),
    ):
        path = Path(shutil.copy(sealed, tmp_path / "store.duckdb"))
        with connections.engine(path, read_only=False) as engine:
            with engine.begin() as connection:
                insert = (
                    "insert into event by name select * replace (event_id + 9000 as event_id, "
                    "now() $shift as recorded_at) from event where event_id = 5"
                )
                connection.execute(text(filled(insert, shift=shift)))
            with engine.begin() as connection:
                sealing.seal(connection)
            with engine.begin() as connection:
                head = sealing.last_head(connection)
                assert head is not None
                dated = {**vars(head), "sealed_at": datetime.now(UTC)}
                del dated["head_sha256"]
                digest = sealing.head_sha256(sealing.head_line(sealing.Head(**dated)))
                connection.execute(
                    schema.log_head.update()
                    .where(schema.log_head.c.head_id == head.head_id)
                    .values(sealed_at=dated["sealed_at"], head_sha256=digest)
                )
                (found,) = tampering.verify(connection)
        assert found.startswith("event 9005 is dated ")
        assert words in found


@pytest.mark.slow
def test_rows_of_a_long_table_are_narrowed_down(empty_store: Path, tmp_path: Path) -> None:
    path = Path(shutil.copy(empty_store, tmp_path / "store.duckdb"))
    fill = (
        "insert into stored_candidate select :set, n // 100, n % 100, n / 7 from range(:n) as t (n)"
    )
    for number, n_rows in ((1, 150_000), (2, 70_000)):
        with store.writer(path) as connection:
            connection.execute(text(fill), {"set": number, "n": n_rows})
    with connections.engine(path, read_only=False) as engine, engine.connect() as connection:
        entries = connection.execute(
            text(
                "select first_row, n_rows from log_entry where table_name = 'candidate' "
                "order by entry_id"
            )
        )
        assert [*map(tuple, entries)] == [
            (0, 65_536),
            (65_536, 65_536),
            (131_072, 18_928),
            (150_000, 65_536),
            (215_536, 4_464),
        ]
        assert tampering.verify(connection) == []
        connection.commit()
        cases = {
            "update stored_candidate set score = 0 where rowid = 70000": "one or more of the "
            "rows 65,537 to 131,072 of stored_candidate (candidate_set_id 1) "
            "was altered after it was sealed on ",
            "delete from stored_candidate where rowid = 70000": "stored_candidate has "
            "219,999 rows, 220,000 were sealed: row 70,001 of stored_candidate "
            "was removed after it was sealed on ",
            "insert into stored_candidate values (3, 1, 1, 0.5)": "stored_candidate has "
            "220,001 rows, 220,000 were sealed: row 220,001 of stored_candidate "
            "was inserted by another program",
        }
        for statement, words in cases.items():
            connection.execute(text(statement))
            if statement.startswith("insert"):
                # Until then a row has another number.
                connection.commit()
            (found,) = tampering.verify(connection)
            assert found.startswith(words)
            connection.rollback()


def test_rows_that_stand_elsewhere_are_not_sealed_over(opened: Connection) -> None:
    """As many rows as were sealed, but one was removed and another put at the end.

    DuckDB may number the rows anew at any checkpoint, so either the seal or the check finds it.
    """
    n_sealed = sealing.sealed_counts(opened)["event"]
    for statement in (
        "delete from event where event_id = 100",
        "insert into event by name select * replace (9100 as event_id) from event limit 1",
        "insert into event by name select * replace (9101 as event_id) from event limit 1",
    ):
        opened.execute(text(statement))
        opened.commit()
    if sealing.extent(opened, schema.event)[1] > n_sealed:
        with pytest.raises(CheckFailed, match="rows of the table event were removed by another"):
            sealing.seal(opened)
    else:
        sealing.seal(opened)
        assert tampering.verify(opened)[0].startswith("event 9100 was altered after it was sealed")
