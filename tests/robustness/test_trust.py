"""A store is data, not code: definitions not made by tracker are refused before it is read."""

import sys
from pathlib import Path

import duckdb
import pytest
from bench import Bench, snapshot
from support import printed, ran, sampled

from tracker import store
from tracker.errors import StoreAltered, StoreBusy

TRACKER = Path(sys.executable).with_name("tracker")


@pytest.fixture
def commands(bench: Bench) -> list[list[str]]:
    """Return a command of each kind that reads or writes the store, except the check."""
    slate = bench.slate
    return [
        ["slate", "list"],
        ["slate", "verify"],
        ["slate", "export", slate, str(bench.folder / "exported")],
        ["report", slate],
        ["publish", "-o", str(bench.folder / "site")],
        ["assess", slate],
        ["report", "estimate", slate],
        ["scoreboard", slate],
        ["refresh", "detect"],
        ["sql", "select 1"],
        ["slate", "freeze", "--candidates", "base"],
    ]


# The addition to the store, the message.
FOREIGN = {
    "a macro": ("create macro sha256(x) as '00'", "the macro sha256 is not tracker's"),
    "an operator": ('create macro "||"(a, b) as a', "the macro || is not tracker's"),
    "a table macro": (
        "create macro pragma_version() as table select 1",
        "the macro table pragma_version is not tracker's",
    ),
    "the list of functions": (
        "create macro duckdb_functions() as table from range(0)",
        "the macro table duckdb_functions is not tracker's",
    ),
    "the list of views": (
        "create macro duckdb_views() as table from range(0)",
        "the macro table duckdb_views is not tracker's",
    ),
    "a view": (
        "create view stolen as from read_text('/etc/hostname')",
        "the view stolen is not tracker's",
    ),
    "a type": ("create type mood as enum ('good')", "the type mood is not tracker's"),
    "a schema": ("create schema system", "the schema system is not tracker's"),
    "a table for a view": (
        "drop view tier_hit_rate; create table tier_hit_rate as select 1.0 as hit_rate",
        "the table tier_hit_rate is not tracker's",
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("what", sampled(FOREIGN, 9))
def test_foreign_definitions_are_refused_by_name_and_dropped_on_demand(
    bench: Bench, what: str, commands: list[list[str]]
) -> None:
    statement, message = FOREIGN[what]
    bench.alter(statement)
    for words in commands:
        complaint = bench.refuse(
            *words, message=[f"store.duckdb: {message}", "init --drop-foreign"]
        )
        assert len(complaint.splitlines()) == 1
    bench.refuse("check", message=[message], code=4)
    bench.refuse("init", message=[message])
    bench.accept("init", "--drop-foreign")
    bench.accept("check")
    bench.accept("slate", "verify")


def test_nothing_that_a_store_defines_runs_before_it_is_refused(bench: Bench) -> None:
    names = ("current_setting(x)", "min(x)", '"~~*"(a, b)')
    bench.alter(*(f"create macro {name} as error('it ran')" for name in names))
    for words, code in ((["slate", "list"], 3), (["init"], 3), (["check"], 4)):
        complaint = bench.refuse(*words, message=["the macro current_setting is not"], code=code)
        assert "it ran" not in complaint
    bench.accept("init", "--drop-foreign")
    bench.accept("check")


@pytest.mark.slow
def test_every_foreign_thing_is_listed_by_check(bench: Bench) -> None:
    bench.alter(
        "create schema other",
        "create macro other.twice(a) as 2 * a",
        "create macro length(a) as 1",
        "create view other.mine as select 1 as a",
        'create view "a ""b" as select 1 as a',
        "create type other.kind as enum ('a')",
    )
    lines = bench.refuse("check", message=[], code=4).splitlines()
    named = [line.removeprefix("error: ").removeprefix("the ") for line in lines]
    assert [line.removesuffix(" is not tracker's") for line in named[:-1]] == [
        "macro length",
        "macro other.twice",
        "type other.kind",
        'view a "b',
        "view other.mine",
        "schema other",
    ]
    assert "--drop-foreign" in named[-1]
    assert "and 3 more" in bench.refuse("slate", "list", message=[])
    bench.accept("init", "--drop-foreign")
    bench.accept("check")


def test_a_schema_with_tables_is_not_dropped(bench: Bench) -> None:
    bench.alter("create schema other", "create table other.mine as select 1 as a")
    bench.refuse("init", "--drop-foreign", message=["depend"])


@pytest.mark.slow
def test_a_plain_table_and_sequence_of_the_user_may_stay(bench: Bench) -> None:
    bench.alter("create table mine as select 7 as a", "create sequence counting")
    bench.accept("check")
    bench.accept("slate", "freeze", "--candidates", "base")
    assert "7" in bench.accept("sql", "from mine")


@pytest.mark.slow
def test_what_another_program_left_in_its_log_is_found_through_a_link(bench: Bench) -> None:
    bench.accept("init")
    link = Bench(bench.write("linked", None) / "store.duckdb")
    link.db.symlink_to(bench.db)
    assert "is not as tracker" not in link.run("sql", "select 1").stderr
    with duckdb.connect(str(bench.db)) as other:
        other.execute("pragma disable_checkpoint_on_shutdown")
        # The values of the column stay, and so do its bounds.
        other.execute(
            "update prediction set score = neighbour.score from prediction as neighbour "
            "where (prediction.slate_id, prediction.disease_id) = "
            "(neighbour.slate_id, neighbour.disease_id) and prediction.rank + neighbour.rank = 3"
        )
    link.refuse("check", message=["prediction"], code=4)
    assert "store.duckdb: is not as tracker last" in link.run("sql", "select 1").stderr


def test_an_altered_slate_does_not_verify_through_a_macro(bench: Bench) -> None:
    """The attack: a macro sha256 that returned the stored hash."""
    (stored,) = bench.query(
        f"select content_sha256 from slate where slate_id = '{bench.slate}'"  # noqa: S608 - names of the test's own
    )[0]
    bench.alter(
        "update slate set description = 'altered' where origin = 'frozen'",
        "update slate set alias_sha256 = content_sha256 where origin = 'frozen'",
        "update prediction set line_checksum = left(slate.content_sha256, 16) from slate "
        "where slate.slate_id = prediction.slate_id and origin = 'frozen'",
        f"create macro sha256(x) as '{stored}'",
    )
    done = bench.run("slate", "verify")
    assert (done.exit_code, done.stdout) == (3, "")
    bench.accept("init", "--drop-foreign")
    bench.refuse("slate", "verify", message=["is not as it was frozen"], code=4)


VIEWS = {
    "another figure": "create or replace view tier_hit_rate as "
    "select slate_id, evidence_window, population, tier, 1 as n_predictions, 1 as n_hits, "
    "1.0 as hit_rate, null as reason from tier_count",
    "a file": "create or replace view outcome_card as select * from read_text('/etc/hostname')",
    "other names": "create or replace view tier_hit_rate (a, b, c, d, e, f, g, h) as "
    "from tier_hit_rate_as_it_was",
    "no view": "drop view tier_hit_rate",
}


def _definition(bench: Bench, view: str) -> list[tuple[object, ...]]:
    """Return the definition that a store has of a view."""
    found = bench.query("select view_name, sql from duckdb_views() where schema_name = 'main'")
    return [(sql,) for name, sql in found if name == view]


@pytest.mark.slow
@pytest.mark.parametrize("how", sampled(VIEWS, 4))
def test_an_altered_view_is_refused_and_rebuilt(
    bench: Bench, how: str, commands: list[list[str]]
) -> None:
    name = "outcome_card" if how == "a file" else "tier_hit_rate"
    message = f"the view {name} is not the one that tracker installed"
    before = _definition(bench, name)
    if how == "other names":
        # The same text under other names of columns.
        ((text,),) = before
        altered = str(text).replace("tier_hit_rate AS", "tier_hit_rate (a, b, c, d, e, f, g, h) AS")
        bench.alter(altered.replace("CREATE VIEW", "create or replace view"))
    else:
        bench.alter(VIEWS[how])
    for words in commands:
        if words[-1] != "detect" and words[:2] not in (["report", "estimate"], ["slate", "freeze"]):
            bench.refuse(*words, message=[f"store.duckdb: {message}", "tracker init"])
    bench.refuse("check", message=[message], code=4)
    bench.accept("init")
    assert _definition(bench, name) == before
    bench.accept("check")


@pytest.mark.slow
def test_a_writer_rebuilds_altered_views(bench: Bench) -> None:
    bench.alter(VIEWS["another figure"])
    bench.accept("slate", "freeze", "--candidates", "base")
    bench.accept("check")


# Alterations of tracker's own tables.
TABLES = {
    "a view in its place": (
        "alter table refresh rename to hidden; create view refresh as from hidden",
        "the view refresh is not tracker's",
    ),
    "a default": (
        "alter table refresh alter n_outcomes set default 1",
        "the columns of the table refresh are not as tracker made them",
    ),
    "a generated column": (
        "drop table slate_note; create table slate_note (slate_id uuid not null, "
        "note_number integer not null, kind varchar not null, disease_name varchar, "
        "drug_name varchar generated always as ('a' || kind) virtual, detail json not null)",
        # Which of the two is said depends on what a command compares first.
        "s of the table slate_note are not as tracker made them",
    ),
    "a further column": (
        "alter table view_build add column a integer",
        "the columns of the table view_build are not as tracker made them",
    ),
    "a column less": (
        "alter table scoreboard drop column refresh_digest",
        "the columns of the table scoreboard are not as tracker made them",
    ),
    "NULL allowed": (
        "alter table molecule_name alter kind drop not null",
        "the columns of the table molecule_name are not as tracker made them",
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("how", sampled(TABLES, 6))
def test_an_altered_table_is_refused(bench: Bench, how: str, commands: list[list[str]]) -> None:
    change, message = TABLES[how]
    bench.alter(change)
    for words in commands:
        bench.refuse(*words, message=["store.duckdb: the ", message])
    bench.refuse("init", message=[message])
    bench.refuse("check", message=[message], code=4)


@pytest.mark.slow
def test_a_store_of_an_older_tracker_is_brought_up_to_date(bench: Bench) -> None:
    """A view that an older tracker built under its own name is not foreign."""
    bench.alter(
        "create view bygone as select 1 as a",
        "insert into view_build values ('bygone', '00')",
    )
    bench.refuse(
        "slate", "list", message=["the view bygone is not tracker's", "'tracker init' drops it"]
    )
    bench.accept("init")
    bench.accept("check")
    assert bench.query("select count(*) from duckdb_views() where view_name = 'bygone'") == [(0,)]


def test_an_empty_file_with_a_macro_does_not_become_a_store(bench: Bench) -> None:
    bench.db.unlink()
    bench.alter("create macro sha256(x) as '00'")
    bench.refuse("init", message=["the macro sha256 is not tracker's"])


def test_a_reader_reaches_no_file_but_those_it_writes(bench: Bench, tmp_path: Path) -> None:
    own, other = tmp_path / "it's own", tmp_path / "it's own too"
    for folder in (own, other):
        folder.mkdir()
        (folder / "secret").write_text("secret")
    refused = [
        f"from read_text('{str(other / 'secret').replace(chr(39), chr(39) * 2)}')",
        "from read_text('/etc/hostname')",
        "set enable_external_access = true",
        "set allowed_directories = ['/']",
        "attach '/tmp/other.duckdb'",
        "set threads = 3",
    ]
    for writes_to in (None, own):
        with store.reader(bench.db, writes_to=writes_to) as connection:
            for statement in refused:
                with pytest.raises(duckdb.Error, match=r"Permission Error|has been locked"):
                    connection.connection.cursor().execute(statement)
                connection.rollback()
            connection.exec_driver_sql("set variable as_of = null")
            connection.exec_driver_sql("create temp table mine as select 1 as a")
    with store.reader(bench.db, writes_to=own) as connection:
        place = str(own / "a.parquet").replace("'", "''")
        connection.exec_driver_sql(f"copy drug to '{place}'")
    assert (own / "a.parquet").exists()


@pytest.mark.slow
def test_readers_of_one_process_use_utc(bench: Bench) -> None:
    """The second reader finds the settings of the first one locked."""
    script = (
        "import sys; from pathlib import Path; from tracker import store\n"
        "shown = \"select cast(timestamptz '2026-01-01 00:00:00+00' as varchar)\"\n"
        "with store.reader(Path(sys.argv[1])), store.reader(Path(sys.argv[1])) as second:\n"
        "    print(second.exec_driver_sql(shown).scalar_one())\n"
    )
    told = printed(ran(sys.executable, "-c", script, bench.db, TZ="America/New_York"))
    assert told.strip() == "2026-01-01 00:00:00+00"


@pytest.mark.slow
@pytest.mark.parametrize(
    "query",
    [
        "call enable_logging(storage = 'file', storage_path = '{}')",
        "from enable_logging(storage = 'file', storage_path = '{}')",
        "explain analyze call enable_logging(storage = 'file', storage_path = '{}')",
    ],
)
def test_a_log_cannot_be_written(bench: Bench, query: str) -> None:
    """In a separate process: DuckDB aborted it."""
    log = bench.folder / "logged"
    before = snapshot(bench.folder)
    done = ran(TRACKER, "--db", bench.db, "sql", query.format(log))
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.startswith("error: the query failed: ")
    assert len(done.stderr.splitlines()) == 1
    assert snapshot(bench.folder) == before


def test_names_in_the_message_of_an_altered_store() -> None:
    assert str(StoreAltered(["a", "b"], "out")) == "a; b; out"
    assert str(StoreAltered(["a", "b", "c", "d", "e"], "out")) == "a; b; c; and 2 more; out"


def test_another_programs_file_keeps_what_it_defines(tmp_path: Path) -> None:
    bench = Bench(tmp_path / "other.duckdb")
    with duckdb.connect(str(bench.db)) as other:
        other.execute("create view report as select 1 as a")
        other.execute("create macro twice(x) as 2 * x")
    bench.refuse("init", "--drop-foreign", message=["is a DuckDB file with other tables"])
    with duckdb.connect(str(bench.db), read_only=True) as other:
        assert other.sql("select twice(a) from report").fetchall() == [(2,)]


def test_a_second_reader_of_a_process_reports_that_it_cannot_be_confined(
    bench: Bench, tmp_path: Path
) -> None:
    busy = pytest.raises(StoreBusy, match="this process already has the store open")
    with store.reader(bench.db), busy, store.reader(bench.db, writes_to=tmp_path):
        pass
