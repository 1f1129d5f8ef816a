"""A ChEMBL in PostgreSQL or MariaDB is ingested as its SQLite dump is, by a user who may read."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import databases
import pytest
import sqlalchemy as sa
from databases import Server
from evidence import chembl

from tracker import evidence, store

TABLES = {
    "release": "source, version, released_on, n_rows",
    "indication": "* exclude (release_id)",
    "indication_reference": "*",
    "molecule": "*",
    "molecule_name": "*",
    "drug_alias": "* exclude (added_at)",
}
N_SYNONYMS = 120_000
# Ingests from a server, and kills it when the first rows of many have come; prints the refusal.
LOSING = """
import os, signal, sys
from pathlib import Path
from tracker import evidence, store, temp_tables
from tracker.errors import InputRefused

db, target, server = sys.argv[1:]
insert_frame = temp_tables.insert_frame

def lost(connection, table, frame):
    insert_frame(connection, table, frame)
    if table.name == "staged_name" and len(frame) > 10_000:
        os.kill(int(server), signal.SIGKILL)

temp_tables.insert_frame = lost
try:
    with store.writer(Path(db)) as connection:
        evidence.ingest_chembl(connection, target)
except InputRefused as error:
    print(error)
"""


@pytest.fixture(scope="module")
def dump(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release with every table, texts of all kinds, and more rows than come at a time."""
    return chembl(
        tmp_path_factory.mktemp("dump") / "chembl_36.db",
        [
            (1, 1, 2, "D000001", "Asthma", "EFO:0000270", "asthma"),
            (2, 1, 0.5, "D006073", "Gout", None, None),
            (3, 2, 4, "D000002", "Ménière's disease \N{GREEK SMALL LETTER BETA}", "EFO:1", "ü"),
            (4, 3, -1, "D000003", "Tab\tand line\nbreak", "EFO:2", ""),
        ],
        molecules=[(1, "ASPIRIN", "CHEMBL25"), (2, "ÉLAN", "CHEMBL2"), (3, None, "CHEMBL3")],
        hierarchy=[(1, 1), (2, 1), (3, 3)],
        synonyms=[
            (1, 1, "Acetylsalicylic acid"),
            (2, 2, "\N{GRINNING FACE} Mix"),
            *((3, number, f"Name {number}") for number in range(3, N_SYNONYMS)),
        ],
        references=[(1, 1, "ClinicalTrials", "NCT00000001,NCT00000002"), (2, 2, "DailyMed", "x")],
    )


@pytest.fixture(scope="module", params=["postgresql", "mariadb"])
def server(
    request: pytest.FixtureRequest, dump: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Server]:
    """A server with the release."""
    reason = databases.missing(request.param)
    if reason is not None:
        pytest.skip(reason)
    with databases.running(request.param, tmp_path_factory.mktemp(request.param)) as found:
        databases.fill(found, dump)
        yield found


def ingested(path: Path, target: str) -> dict[str, list[tuple[Any, ...]]]:
    """Ingest a release, twice; the rows it makes."""
    with store.writer(path) as connection:
        assert evidence.ingest_chembl(connection, target).is_new
    with store.writer(path) as connection:
        assert not evidence.ingest_chembl(connection, target).is_new
    with store.reader(path) as connection:
        return {
            table: _rows(connection, f"select {columns} from {table} order by all")  # noqa: S608 - names of the test's own
            for table, columns in TABLES.items()
        }


def _rows(connection: sa.Connection, query: str) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in connection.execute(sa.text(query))]


@pytest.mark.slow
def test_a_database_is_ingested_as_its_dump(server: Server, dump: Path, tmp_path: Path) -> None:
    of_dump = ingested(tmp_path / "dump.duckdb", str(dump))
    assert len(of_dump["molecule_name"]) > N_SYNONYMS
    assert ingested(tmp_path / "server.duckdb", server.url) == of_dump


@pytest.mark.slow
def test_the_user_may_only_read(server: Server) -> None:
    """So that what was ingested above was read without writing anything."""
    engine = sa.create_engine(server.url)
    with engine.connect() as connection, pytest.raises(sa.exc.DBAPIError, match="denied"):
        connection.exec_driver_sql("delete from drug_indication")
    engine.dispose()


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["postgresql", "mariadb"])
def test_a_connection_that_is_lost_half_way_leaves_nothing(
    kind: str, dump: Path, db: Path, tmp_path: Path
) -> None:
    """In a process of its own: cursors of a lost server complain whenever they are collected."""
    reason = databases.missing(kind)
    if reason is not None:
        pytest.skip(reason)
    before = db.read_bytes()
    with databases.running(kind, tmp_path / "server") as server:
        databases.fill(server, dump)
        done = subprocess.run(
            [sys.executable, "-c", LOSING, db, server.url, str(server.process.pid)],
            capture_output=True,
            text=True,
            check=False,
        )
    assert "cannot be read" in done.stdout, done.stderr
    assert db.read_bytes() == before
