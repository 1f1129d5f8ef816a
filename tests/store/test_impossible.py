"""What tracker never writes is named by the check, whatever column it stands in."""

import shutil
from pathlib import Path

import duckdb
import pytest
import sqlalchemy as sa
import worlds
from sqlalchemy import Connection
from support import exited, sampled, tracker_on

from tracker import schema
from tracker.slates import checking

# Of each type what is farthest from a value that anyone writes.
EXTREMES = {
    sa.Date: ["'-infinity'", "'infinity'", "date '0044-03-15 (BC)'", "date '290000-01-01'"],
    sa.TIMESTAMP: ["'-infinity'", "'infinity'", "timestamptz '0044-03-15 (BC) 00:00:00+00'"],
    sa.JSON: ["'null'", "'[1]'", "'\"x\"'", "'{\"a\": [{}]}'"],
    sa.Double: ["'nan'", "'-infinity'", "1e308"],
    sa.Integer: ["-2147483648", "2147483647"],
    sa.BigInteger: ["-9223372036854775808", "9223372036854775807"],
    sa.SmallInteger: ["-32768"],
    sa.Boolean: ["null"],
    sa.Uuid: ["'00000000-0000-0000-0000-000000000000'"],
    sa.String: ["''", "chr(0)", "'\\x'", "repeat('é', 100000)"],
}
UNREADABLE = (sa.Date, sa.TIMESTAMP)
ALTERED = [
    (table.name, column.name, value)
    for table in schema.metadata.sorted_tables
    for column in table.columns
    for kind, values in EXTREMES.items()
    if type(column.type) is kind
    for value in values
]


@pytest.fixture(scope="module")
def path(demo_store: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return Path(shutil.copy(demo_store, tmp_path_factory.mktemp("altered") / "store.duckdb"))


def altered(connection: Connection, table: str, column: str, value: str) -> int | None:
    """Write the value into one row, if the table has one and its constraints let it; how many."""
    first = f"(select min(rowid) from {table})"  # noqa: S608 - names of the schema
    change = f"update {table} set {column} = {value} where rowid = {first}"  # noqa: S608
    try:
        return int(connection.execute(sa.text(change)).scalar_one())
    except sa.exc.SQLAlchemyError:
        return None


@pytest.mark.parametrize(("table", "column", "value"), sampled(ALTERED, 40, slow=True))
def test_a_check_names_what_was_written_and_does_not_stumble(
    path: Path, table: str, column: str, value: str
) -> None:
    with worlds.scratch(path) as connection:
        if not altered(connection, table, column, value):
            pytest.skip("no row, or a constraint refuses the value")
        found = checking.of_rows(connection)
    is_unreadable = type(schema.metadata.tables[table].columns[column].type) in UNREADABLE
    assert bool(found["values"]) or not is_unreadable
    assert all(isinstance(line, str) for line in found["values"])


@pytest.mark.parametrize(
    ("change", "words", "named"),
    sampled(
        [
            ("slate set created_at = '-infinity'", "slate verify", "created_at is '-infinity'"),
            (
                "slate set frozen_on = date '0044-03-15 (BC)'",
                "report",
                "frozen_on is '0044-03-15 (BC)",
            ),
            ("slate set plan = '[1]'", "assess", "plan is '[1]'"),
            (
                "log_head set peaks = '[\"x\"]'",
                "load labels labels.csv --set z",
                "peaks is '[\"x\"]'",
            ),
        ],
        4,
    ),
)
def test_a_command_that_stumbles_over_a_value_names_it(
    followed_store: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    change: str,
    words: str,
    named: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("labels.csv").write_text("disease_name,drug_name,label\nA,B,1\n")
    db = Path(shutil.copy(followed_store, tmp_path / "store.duckdb"))
    with duckdb.connect(str(db)) as other:
        other.execute(f"update {change}")
    tracker = tracker_on(db)
    checked = exited(4, tracker("check"))
    assert named in checked.output
    stumbled = exited(4, tracker(*words.split()))
    assert named in stumbled.output
    assert "see 'tracker check'" in stumbled.output
