"""The store: constraints, migrations, safe writing, readers alongside writers."""

import os
import shutil
import sys
import threading
from collections.abc import Collection
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import duckdb
import pytest
import sqlalchemy as sa
from alembic import command
from alembic.script import ScriptDirectory
from bench import Bench
from filelock import FileLock
from sqlalchemy import Connection, text
from support import WORLD, ok, printed, ran
from worlds import scratch

from tracker import (
    clock,
    schema,
    store,
    temp_tables,
)
from tracker.errors import CheckFailed, InputRefused, StoreBusy
from tracker.log import tampering
from tracker.slates import freezing, loads
from tracker.store import revisions
from tracker.store.state import scope

NOW = datetime(2026, 1, 1, tzinfo=UTC)
SLATE = "00000000-0000-0000-0000-000000000001"


def _sound(table: sa.Table) -> dict[str, Any]:
    """A value of its type for each column that must have one."""
    values: list[tuple[type[sa.types.TypeEngine[Any]], Any]] = [
        (sa.Boolean, False),
        (sa.Integer, 1),
        (sa.Double, 0.5),
        (sa.DateTime, NOW),
        (sa.Date, NOW.date()),
        (sa.Uuid, SLATE),
        (sa.JSON, "{}"),
        (sa.String, "0"),
    ]
    return {
        column.name: next(value for kind, value in values if isinstance(column.type, kind))
        for column in table.columns
        if not column.nullable
    }


# What a table's constraints allow or need besides, and what a violation changes.
FURTHER: dict[str, dict[str, Any]] = {
    "drug_alias": {"kind": "name"},
    "disease_alias": {"kind": "name"},
    "moved_entry": {"n_rows": 0},
    "merged_set": {"candidate_set_id": 1},
    "merged_name": {"drug_id": 1},
    "slate": {"origin": "frozen"},
    "prediction": {"tier": "high", "criterion": "monitor"},
    "slate_attachment": {"set_kind": "labels", "label_set_id": 1},
    "release_coverage": {"is_complete": True},
    "record_presence": {"kind": "trial"},
    "indication": {"chembl_id": "CHEMBL1"},
    "molecule_key": {"kind": "inchi_key"},
    "drug_warning": {"chembl_id": "CHEMBL1"},
    "molecule_name": {"kind": "name"},
    "vocabulary_name": {"scope": "exact"},
    "trial": {"nct_id": "NCT00000001", "start_date": NOW.date(), "start_precision": "month"},
    "medicine": {"category": "human"},
    "disease_match": {"match_kind": "name"},
    "drug_match": {"match_kind": "name"},
    "shared_name": {"entity_kind": "drug"},
    "event": {
        "slate_id": SLATE,
        "disease_id": 1,
        "event_type": "fda_approved",
        "public_by": NOW.date(),
        "event_origin": "loaded",
    },
    "annulment": {"annulled_at": NOW + timedelta(days=1)},
    "round_entry": {"entry_kind": "team", "deposit_id": 1},
    "estimate": {
        "slate_id": SLATE,
        "value": 0.5,
        "low": 0.25,
        "high": 0.75,
        "level": 0.95,
        "p_value": 0.5,
        "p_adjusted": 0.5,
    },
    "scoreboard": {"value": 0.5, "low": 0.25, "high": 0.75},
    "cutoff": {"k": 3},
    "recall_target": {"recall": 0.9},
    "evaluation": {"positive_min_label": 4},
    "ranker_run": {"procedure": "leave_one_out", "cutoff_year": 0},
    "loo_trial": {"rank": 2, "n_candidates": 5},
    "backtest_influence": {"drug_id": 1},
    "benchmark": {"kind": "regression"},
    "submission": {"track": "test"},
    "submission_note": {"kind": "leakage"},
}
# Of these a store has rows of its own.
OWN = {"log_entry", "log_head", "outcome_type", "view_build"}
# A row that every constraint allows, per table; violations change one value of it.
SOUND = {
    table.name: _sound(table) | FURTHER.get(table.name, {})
    for table in schema.metadata.sorted_tables
    if table.name not in OWN
}


def _no_key(column: sa.Column[Any]) -> Any:
    """A value that no row has in a key."""
    return SLATE[:-1] + "9" if isinstance(column.type, sa.Uuid) else 9


SEALED = {"sealed_set", "sealed_part", "sealed_address", "moved_entry"}

VIOLATIONS = [
    ("drug_alias", {"kind": "nickname"}),
    ("disease_alias", {"kind": "chembl_id"}),
    ("merged_set", {"candidate_set_id": None}),
    ("merged_set", {"label_set_id": 1}),
    ("merged_set", {"n_merged_rows": 0}),
    ("merged_name", {"position": 2, "drug_id": None}),
    ("merged_name", {"position": 2, "disease_id": 1}),
    ("labeled_pair", {"label": 5}),
    ("labeled_pair", {"label": -1}),
    ("labeled_pair", {"max_phase": 4.5}),
    ("labeled_pair", {"approval_year": 20204}),
    ("stored_candidate", {"score": float("nan")}),
    ("stored_candidate", {"score": float("inf")}),
    ("sealed_set", {"n_parts": 0}),
    ("sealed_part", {"part_number": 0}),
    ("sealed_part", {"n_rows": 0}),
    ("sealed_part", {"n_bytes": 0}),
    ("moved_entry", {"n_rows": -1}),
    ("moved_entry", {"n_rows": 1}),
    ("moved_entry", {"leaf_sha256": "0"}),
    ("slate", {"origin": "guessed"}),
    ("slate", {"n_predictions": 0}),
    ("slate_attachment", {"set_kind": "aliases"}),
    ("slate_attachment", {"set_kind": "candidates"}),
    ("slate_attachment", {"candidate_set_id": 1}),
    ("slate_attachment", {"label_set_id": None}),
    ("slate_attachment", {"set_kind": "candidates", "label_set_id": None}),
    ("prediction", {"score": float("-inf")}),
    ("prediction", {"rank": 0}),
    ("prediction", {"tier": "top"}),
    ("prediction", {"known_label": 7}),
    ("prediction", {"known_max_phase": 5.0}),
    ("prediction", {"criterion": "hope"}),
    ("release_coverage", {"release_id": 9, "n_versions": 2}),
    ("release_coverage", {"n_records": -1}),
    ("release_coverage", {"is_complete": False, "n_vanished": 1}),
    ("record_presence", {"kind": "rumour"}),
    ("indication", {"max_phase": 4.5}),
    ("indication", {"max_phase": -2.0}),
    ("indication", {"chembl_id": "aspirin"}),
    ("molecule_key", {"kind": "nickname"}),
    ("drug_warning", {"chembl_id": "aspirin"}),
    ("molecule_name", {"kind": "nickname"}),
    ("vocabulary_release", {"n_terms": 0}),
    ("vocabulary_term", {"label": "A"}),
    ("vocabulary_name", {"scope": "nickname"}),
    ("trial", {"nct_id": "NCT 00000001"}),
    ("trial", {"reached_phase": 2.5}),
    ("trial", {"start_precision": "week"}),
    ("trial", {"start_precision": None}),
    ("trial", {"completion_precision": "hour"}),
    ("trial_condition", {"position": 0}),
    ("trial_condition", {"position": 2, "mesh_id": "MESH:D000001"}),
    ("trial_intervention", {"position": 0}),
    ("trial_intervention", {"arm_role": "placebo"}),
    ("matching", {"last_trial_id": -1}),
    ("matching", {"last_medicine_id": -1}),
    ("matching", {"n_texts": -1}),
    ("matching", {"n_matches": -1}),
    ("disease_match", {"match_kind": "guess"}),
    ("disease_match", {"mesh_id": "MESH:D000001"}),
    ("drug_match", {"match_kind": "guess"}),
    ("drug_match", {"mesh_id": "MESH:D000001"}),
    ("shared_name", {"entity_kind": "gene"}),
    ("approval_product", {"n_ingredients": -1}),
    ("product_ingredient", {"position": 0}),
    ("medicine", {"category": "herbal"}),
    ("medicine", {"n_substances": -1}),
    ("medicine_substance", {"position": 0}),
    ("medicine_area", {"position": 0}),
    ("annulment", {"reason": " "}),
    ("round_extension", {"reason": " "}),
    ("round_entry", {"entry_kind": "judge"}),
    ("round_entry", {"entry_kind": "judge", "deposit_id": None}),
    ("round_entry", {"entry_kind": "baseline"}),
    ("round_entry", {"entry_kind": "all teams"}),
    ("round_entry", {"deposit_id": None}),
    ("event", {"event_type": "rumour"}),
    ("event", {"disease_id": None}),
    ("event", {"phase": 4.5}),
    ("event", {"public_after": NOW.date()}),
    ("event", {"public_after": NOW.date() - timedelta(days=1), "public_by": None}),
    ("event", {"recorded_at": NOW - timedelta(microseconds=1)}),
    ("event", {"event_origin": "guessed"}),
    ("estimate", {"slate_id": None}),
    ("estimate", {"evaluation_id": 1}),
    ("estimate", {"value": float("nan")}),
    ("estimate", {"low": float("-inf")}),
    ("estimate", {"low": 0.8}),
    ("estimate", {"high": float("inf")}),
    ("estimate", {"level": 1.0}),
    ("estimate", {"p_value": 0.0}),
    ("estimate", {"p_value": 0.6}),
    ("estimate", {"p_adjusted": 1.5}),
    ("scoreboard", {"value": float("nan")}),
    ("scoreboard", {"low": 0.8}),
    ("scoreboard", {"high": float("inf")}),
    ("cutoff", {"k": 0}),
    ("recall_target", {"recall": 0.0}),
    ("recall_target", {"recall": 1.5}),
    ("evaluation", {"positive_min_label": 0}),
    ("ranker_run", {"procedure": "guess"}),
    ("ranker_run", {"procedure": "temporal", "cutoff_year": 2015}),
    (
        "ranker_run",
        {"procedure": "temporal", "cutoff_year": 2015, "first_year": 2015, "last_year": 2016},
    ),
    ("loo_trial", {"rank": 0.5}),
    ("loo_trial", {"rank": 6}),
    ("loo_trial", {"rank": 2, "rank_optimistic": 3}),
    ("loo_trial", {"rank": 3, "rank_pessimistic": 2}),
    ("loo_trial", {"rank": 2, "filtered_rank": 3, "n_candidates_filtered": 4}),
    ("loo_trial", {"filtered_rank": 1, "n_candidates_filtered": 6}),
    ("temporal_score", {"score": float("nan")}),
    ("temporal_score", {"score": float("inf")}),
    ("benchmark", {"kind": "guess"}),
    ("benchmark_item", {"name": ""}),
    ("benchmark_item", {"fold": "average"}),
    ("benchmark_label", {"frequency": -1}),
    ("benchmark_label", {"decile": 11}),
    ("truth", {"value": float("-inf")}),
    ("submission_value", {"value": float("nan")}),
    ("submission_value", {"value": float("inf")}),
    ("submission_note", {"kind": "gossip"}),
    ("ranked_prediction", {"position": 501}),
    ("ranked_prediction", {"position": 0}),
    ("ranked_prediction", {"score": float("nan")}),
]


def _insert(connection: Connection, table: str, row: dict[str, Any]) -> None:
    names = ", ".join(row)
    binds = ", ".join(f":{name}" for name in row)
    connection.execute(text(f"insert into {table} ({names}) values ({binds})"), row)  # noqa: S608 - names of the test's own


@pytest.fixture(scope="module")
def sound_store(empty_store: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with a row in each table, except of sealed sets: it has no files of any."""
    path = Path(shutil.copy(empty_store, tmp_path_factory.mktemp("sound") / "store.duckdb"))
    _fill(path, SOUND.keys() - SEALED)
    return path


@pytest.fixture(scope="module")
def altered(sound_store: Path) -> Path:
    """A copy that has the rows of sealed sets, too; what is altered in it is rolled back."""
    path = Path(shutil.copy(sound_store, sound_store.with_name("altered.duckdb")))
    _fill(path, SEALED)
    return path


def _fill(path: Path, tables: Collection[str]) -> None:
    with store.writer(path, run_checks=False) as connection:
        for table, row in SOUND.items():
            if table in tables:
                _insert(connection, table, row)


REFERENCED = {
    key.column.table.name for table in schema.metadata.tables.values() for key in table.foreign_keys
}


def _other_key(table: str) -> dict[str, Any]:
    """The primary key of another row than the sound one."""
    return {key.name: _no_key(key) for key in schema.metadata.tables[table].primary_key}


def _other_names(table: str) -> dict[str, Any]:
    """Other texts where a further key has any, so that the row repeats no other."""
    return {
        column.name: "another"
        for constraint in schema.metadata.tables[table].constraints
        if isinstance(constraint, sa.UniqueConstraint)
        for column in constraint.columns
        if isinstance(column.type, sa.String)
    }


def _refuses(altered: Path, table: str, change: dict[str, Any]) -> None:
    """Insert the sound row with a change, which must not be possible."""
    row = SOUND[table]
    with scratch(altered) as connection:
        # The sound row gives way, or keeps its key, so that only the changed value can be at fault.
        if table in REFERENCED:
            row = row | _other_key(table) | _other_names(table)
        else:
            connection.execute(text(f"delete from {table}"))  # noqa: S608 - names of the test's own
        with pytest.raises(sa.exc.DBAPIError, match="onstraint") as refused:
            _insert(connection, table, row | change)
    assert "uplicate" not in str(refused.value), change


@pytest.mark.parametrize(("table", "change"), VIOLATIONS)
def test_a_violating_row_is_refused(altered: Path, table: str, change: dict[str, Any]) -> None:
    _refuses(altered, table, change)


@pytest.mark.parametrize("table", SOUND)
def test_no_value_is_missing_and_no_key_refers_to_nothing(altered: Path, table: str) -> None:
    for column in schema.metadata.tables[table].columns:
        if not column.nullable:
            _refuses(altered, table, {column.name: None})
        if column.foreign_keys:
            _refuses(altered, table, {column.name: _no_key(column)})


@pytest.mark.parametrize(
    "table",
    [
        "approval",
        "approval_product",
        "benchmark",
        "benchmark_label",
        "benchmark_target",
        "medicine",
        "timestamp_token",
        "round",
    ],
)
def test_no_row_repeats_another_under_a_further_number(altered: Path, table: str) -> None:
    with scratch(altered) as connection, pytest.raises(sa.exc.DBAPIError, match="Duplicate key"):
        _insert(connection, table, SOUND[table] | _other_key(table))


# Indexes over many rows cost too much; checks find what keys would refuse in the other tables.
KEYED = [name for name in SOUND if schema.metadata.tables[name].primary_key]


@pytest.mark.parametrize("table", KEYED)
def test_a_key_is_unique(altered: Path, table: str) -> None:
    with (
        scratch(altered) as connection,
        pytest.raises(sa.exc.DBAPIError, match=r"[Dd]uplicate key"),
    ):
        _insert(connection, table, SOUND[table])


def test_keys_begin_at_1_and_go_on_after_the_greatest(db: Path) -> None:
    release = schema.release
    row = {"source": "chembl", "version": "1", "released_on": datetime(2026, 1, 1, tzinfo=UTC)}
    row |= {"ingested_at": datetime(2026, 1, 2, tzinfo=UTC), "sha256": "0" * 64, "origin": "file"}
    with store.writer(db) as connection:
        assert temp_tables.next_key(connection, release.c.release_id) == 1
        connection.execute(release.insert(), {"release_id": 7, "n_rows": 0, **row})
        assert temp_tables.next_key(connection, release.c.release_id) == 8


def test_alembic_check_is_clean(db: Path) -> None:
    with store.writer(db) as connection:
        config = store.alembic_config()
        config.attributes["connection"] = connection
        command.check(config)


def test_the_known_revisions_are_those_of_alembic() -> None:
    script = ScriptDirectory.from_config(store.alembic_config())
    assert [one.revision for one in script.walk_revisions()] == [*reversed(revisions.known())]


@pytest.mark.slow
def test_a_downgrade_leaves_nothing(db: Path) -> None:
    with store.writer(db) as connection:
        config = store.alembic_config()
        config.attributes["connection"] = connection
        command.upgrade(config, "head")
        command.downgrade(config, "base")
        left = set(sa.inspect(connection).get_table_names()) - {"alembic_version"}
        store.upgrade(connection)
    assert left == set()


@pytest.mark.slow
def test_a_store_of_the_first_revision_upgrades_and_keeps_its_data(db: Path) -> None:
    db.unlink()
    engine = sa.create_engine(f"duckdb:///{db}")
    with engine.begin() as connection:
        store.upgrade(connection, "0001")
        for table in ("drug", "disease", "candidate_set", "slate", "prediction"):
            _insert(connection, table, SOUND[table])
        _insert(connection, "candidate", SOUND["stored_candidate"])
        assert not sa.inspect(connection).has_table("event")
    engine.dispose()
    with pytest.raises(InputRefused, match="tracker init"), store.reader(db):
        pass
    with store.writer(db):
        pass
    with store.reader(db) as connection:
        for table in ("stored_candidate", "prediction"):
            kept = connection.execute(sa.select(schema.metadata.tables[table])).mappings().one()
            assert kept["score"] == 0.5
        rate = connection.execute(text("select hit_rate from tier_hit_rate")).scalars().all()
        assert set(rate) == {0.0}


@pytest.mark.slow
def test_interventions_survive_the_columns_of_roles_and_mesh_terms(db: Path) -> None:
    """Of those of 0.2.0 none has either."""
    kept = text("select name, is_other_name from trial_intervention")
    with store.writer(db, run_checks=False) as connection:
        _insert(connection, "trial_intervention", {**SOUND["trial_intervention"], "trial_id": 7})
        config = store.alembic_config()
        config.attributes["connection"] = connection
        command.downgrade(config, "0009")
        assert connection.execute(kept).all() == [("0", False)]
        store.upgrade(connection)
        assert connection.execute(kept).all() == [("0", False)]
        added = text("select arm_role, is_mesh_term, mesh_id from trial_intervention")
        assert connection.execute(added).all() == [(None, False, None)]


@pytest.mark.slow
def test_a_slate_survives_the_table_of_its_attachments(db: Path) -> None:
    """A store of 0.2.0 has none: its slates have the sets they were frozen with."""
    sets = text("select candidate_set_id, label_set_id, is_candidates_attached from slate_sets")
    with store.writer(db, run_checks=False) as connection:
        for table in ("label_set", "candidate_set"):
            _insert(connection, table, SOUND[table])
        _insert(connection, "slate", {**SOUND["slate"], "candidate_set_id": 1})
        config = store.alembic_config()
        config.attributes["connection"] = connection
        command.downgrade(config, "0009")
        assert not sa.inspect(connection).has_table("slate_attachment")
        store.upgrade(connection)
        assert connection.execute(sets).all() == [(1, None, False)]
        _insert(connection, "slate_attachment", SOUND["slate_attachment"])
        assert connection.execute(sets).all() == [(1, 1, False)]


@pytest.mark.slow
def test_predictions_survive_the_loss_of_their_key_in_their_order(
    demo_store: Path, tmp_path: Path
) -> None:
    """A store of 0.2.0 has keys, and the log counts rows by their places."""
    path = Path(shutil.copy(demo_store, tmp_path / "store.duckdb"))
    rows = text("select rowid, prediction.* from prediction order by rowid")
    keyed = text(
        "select count(*) from duckdb_constraints() where table_name = 'prediction' "
        "and constraint_type in ('PRIMARY KEY', 'FOREIGN KEY')"
    )
    with store.reader(path) as connection:
        before = connection.execute(rows).all()
        assert before
        assert connection.execute(keyed).scalar_one() == 0
    engine = sa.create_engine(f"duckdb:///{path}")
    with engine.begin() as connection:
        config = store.alembic_config()
        config.attributes["connection"] = connection
        command.downgrade(config, "0009")
    with engine.begin() as connection:
        assert connection.execute(keyed).scalar_one() == 4
        assert connection.execute(rows).all() == before
    engine.dispose()
    with store.writer(path):
        pass
    with store.reader(path) as connection:
        assert connection.execute(keyed).scalar_one() == 0
        assert connection.execute(rows).all() == before
        assert list(tampering.verify(connection)) == []


@pytest.mark.slow
def test_a_newer_store_is_refused_and_left_alone(db: Path) -> None:
    with store.writer(db) as connection:
        connection.execute(text("update alembic_version set version_num = '9999'"))
    before = db.read_bytes()
    for opened in (store.writer(db), store.reader(db)):
        with pytest.raises(InputRefused, match="newer tracker"), opened:
            pass
    assert db.read_bytes() == before


def test_foreign_files_are_refused_and_left_alone(tmp_path: Path) -> None:
    text_file = tmp_path / "notes.duckdb"
    text_file.write_text("not a database, only words of some length")
    other = tmp_path / "other.duckdb"
    with duckdb.connect(str(other)) as connection:
        connection.execute("create table mine (a integer)")
    for path, reason in ((text_file, "not a DuckDB file"), (other, "not a tracker store")):
        before = path.read_bytes()
        for opened in (store.writer(path), store.reader(path)):
            with pytest.raises(InputRefused, match=reason), opened:
                pass
        assert path.read_bytes() == before


def test_a_failed_check_changes_nothing(sound_store: Path, tmp_path: Path) -> None:
    path = tmp_path / "copy.duckdb"
    path.write_bytes(sound_store.read_bytes())
    before = path.read_bytes()
    row = {**SOUND["event"], "event_id": 2, "source": "chembl", "drug_id": 1}

    def write() -> None:
        with store.writer(path) as connection:
            _insert(connection, "event", row)
            _insert(connection, "event", {**row, "event_id": 3})

    with pytest.raises(CheckFailed, match="event_unique"):
        write()
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir() if ".part" in p.name] == []


def test_a_second_writer_waits_and_gives_up(db: Path) -> None:
    with store.writer(db):
        pass
    with FileLock(f"{db}.lock"), pytest.raises(StoreBusy), store.writer(db, wait=0.05):
        pass


def test_one_thread_reads_a_store_of_small_tables(db: Path) -> None:
    asked = text("select current_setting('threads')")
    with store.reader(db) as connection:
        assert connection.execute(asked).scalar_one() == 1
    with duckdb.connect(db) as connection:
        connection.execute("create table own as from range(122881)")
        usual = connection.sql("select current_setting('threads')").fetchall()
    with store.reader(db) as connection:
        assert [tuple(row) for row in connection.execute(asked)] == usual


@pytest.mark.slow
def test_readers_are_never_blocked(db: Path) -> None:
    with store.writer(db) as connection:
        loads.load_candidates(connection, WORLD / "candidates.csv", "world", "m")
    count = text("select count(*) from candidate_set")
    writing, proceed = threading.Event(), threading.Event()

    def write() -> None:
        with store.writer(db) as connection:
            loads.load_candidates(connection, WORLD / "candidates.csv", "again", "m")
            writing.set()
            assert proceed.wait(30)

    writer = threading.Thread(target=write)
    with store.reader(db) as before:
        writer.start()
        assert writing.wait(30)
        with store.reader(db) as during:
            assert during.execute(count).scalar_one() == 1
        proceed.set()
        writer.join()
        assert before.execute(count).scalar_one() == 1
    with store.reader(db) as after:
        assert after.execute(count).scalar_one() == 2


@pytest.mark.slow
def test_a_log_left_by_another_client_is_not_lost(db: Path) -> None:
    with store.writer(db) as connection:
        loads.load_candidates(connection, WORLD / "candidates.csv", "world", "m")
    child = os.fork()
    if child == 0:
        other = duckdb.connect(str(db))
        other.execute("set wal_autocheckpoint = '1GB'")
        # A table to which users may add rows.
        other.execute("insert into cutoff values (999)")
        os._exit(0)
    os.waitpid(child, 0)
    assert Path(f"{db}.wal").exists()
    with store.writer(db) as connection:
        freezing.freeze(connection, candidates="world", labels=None)
    assert not Path(f"{db}.wal").exists()
    with store.reader(db) as connection:
        kept = connection.execute(text("select count(*) from cutoff where k = 999")).scalar_one()
    assert kept == 1


@pytest.mark.parametrize("ends", ["other.close()", "os._exit(0)"])
def test_what_another_client_writes_meanwhile_is_not_lost(db: Path, ends: str) -> None:
    """Committed to the file, or to a log beside it."""
    opens = "import duckdb, os, sys; other = duckdb.connect(sys.argv[1])"
    writes = "other.execute('insert into cutoff values (999)')"
    with store.writer(db):
        pass
    with pytest.raises(StoreBusy, match="was written by a program outside"), store.writer(db):
        printed(ran(sys.executable, "-c", f"{opens}; {writes}; {ends}", db))
    with store.writer(db) as connection:
        asked = text("select count(*) from cutoff where k = 999")
        assert connection.execute(asked).scalar_one() == 1


def test_as_of_is_the_end_of_nothing_before_it(sound_store: Path) -> None:
    for as_of, expected in ((NOW, 1), (datetime(2025, 12, 31, tzinfo=UTC), 0)):
        with (
            store.reader(sound_store, as_of=as_of) as connection,
            scope.of_views(connection, "outcome_timing"),
        ):
            seen = connection.execute(text("select count(*) from outcome_timing")).scalar_one()
        assert seen == expected


@pytest.fixture
def ahead(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> Bench:
    """Return a store to which one load was made while the clock showed 2036."""
    with monkeypatch.context() as patch:
        patch.setattr(clock, "read", lambda: datetime(2036, 1, 1, tzinfo=UTC))
        scores = bench.write("more.csv", "disease_name,drug_name,score\nAsthma,Late,0.9\n")
        bench.accept("load", "candidates", scores, "--set", "late", "--model", "m")
    return bench


@pytest.mark.slow
def test_a_store_ahead_of_the_clock_is_not_written(ahead: Bench) -> None:
    year = str(datetime.now(UTC).year)
    for words in (["slate", "freeze", "--candidates", "late"], ["init"]):
        complaint = ahead.refuse(
            *words,
            message=["store.duckdb: has rows written at 2036-01-01 00:00:00 UTC", year, "clock"],
        )
        assert "TRACKER_ACCEPT_CLOCK=1" in complaint
        assert len(complaint.splitlines()) == 1
    ahead.accept("slate", "verify")


@pytest.mark.slow
def test_a_store_ahead_of_the_clock_goes_on_with_true_dates(
    ahead: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRACKER_ACCEPT_CLOCK", "1")
    before = datetime.now(UTC)
    ahead.accept("slate", "freeze", "--candidates", "late", "--description", "true")
    frozen: Any = ahead.query(
        "select slate_id, created_at, frozen_on, recorded_at from slate where description = 'true'"
    )[0]
    slate, created_at, frozen_on, recorded_at = frozen
    assert before <= created_at <= datetime.now(UTC)
    assert frozen_on == created_at.date()
    # In order: the aliases that were loaded in 2036 were in the store at the freeze.
    assert recorded_at > datetime(2036, 1, 1, tzinfo=UTC)
    seen = ahead.write(
        "seen.csv",
        "disease_name,drug_name,outcome_type,source,event_date,first_public_on\n"
        f"Asthma,Late,first_trial_seen,ctgov,{frozen_on},{frozen_on}\n",
    )
    ahead.accept("load", "outcomes", seen, "--slate", slate)
    timing = "select timing, observed_at from outcome_timing"
    recorded: Any = ahead.query(timing)
    ((found_timing, observed_at),) = recorded
    assert found_timing == "coincident"
    assert before <= observed_at <= datetime.now(UTC)
    # Aliases that come later are not taken for some that existed at the freeze.
    aliases = ahead.write("aliases.csv", "entity,name,kind,value\ndrug,Late,synonym,Latest\n")
    ahead.accept("load", "aliases", aliases)
    ahead.accept("slate", "freeze", "--candidates", "base")
    ahead.accept("slate", "verify")
    ahead.accept("check")
    ahead.accept("slate", "export", slate, ahead.folder / "exported")
    monkeypatch.delenv("TRACKER_ACCEPT_CLOCK")
    other = Bench(ahead.folder / "other.duckdb")
    other.accept("slate", "import", ahead.folder / "exported")
    other.accept("slate", "verify")
    assert [row[0] for row in other.query(timing)] == ["coincident"]


@pytest.mark.slow
def test_a_site_of_a_store_ahead_of_the_clock_is_of_today(ahead: Bench) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TRACKER_ACCEPT_CLOCK", "1")
        ahead.accept("slate", "freeze", "--candidates", "late")
    published = ok(ahead.run("publish", "-o", ahead.folder / "site"))
    assert f"as known on {datetime.now(UTC).date()}" in published.stdout
    assert "not sealed in the log: " in published.stderr
    assert "but the clock of this machine shows" in published.stderr


def test_a_long_query_prints_nothing(db: Path) -> None:
    """Under `python -c`, as in a notebook, DuckDB would draw a bar where a report is written."""
    code = (
        "import sys; from pathlib import Path; from tracker import store\n"
        "with store.reader(Path(sys.argv[1])) as reader:\n"
        """    asked = "select current_setting('enable_progress_bar')"\n"""
        "    print(reader.exec_driver_sql(asked).scalar_one())"
    )
    assert printed(ran(sys.executable, "-c", code, db)) == "False\n"
