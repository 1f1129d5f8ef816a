"""Rows that a store keeps of views: those of their definition, whoever asks, or none."""

import shutil
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import duckdb
import pytest
from kept_rows import wrong
from sqlalchemy import Connection, text
from sqlalchemy.exc import DBAPIError
from support import ENDPOINT, WORLD, exited, ok, sampled, tracker_on

from tracker import schema, slates, store, temp_tables
from tracker.errors import InputRefused, TrackerError
from tracker.extras.retrospective import evaluation_report as report_evaluation
from tracker.extras.retrospective import evaluations
from tracker.reports import assessment, build
from tracker.reports.kinds import Report
from tracker.store import (
    catalog,
    connections,
    statements,
)
from tracker.store.state import (
    kept,
    narrowing,
    scope,
)
from tracker.uncertainty.estimates import comparison

SPRING, AUTUMN = "5c9f4a52", "a07e"
COMMANDS = (
    f"load candidates {WORLD}/candidates.csv --set world --model fable-1",
    f"load labels {WORLD}/labels.csv --set known",
    f"slate import {WORLD}/spring_slate",
    f"slate import {WORLD}/autumn_slate",
    f"load outcomes {WORLD}/spring_outcomes.csv --slate {SPRING}",
    f"load outcomes {WORLD}/autumn_outcomes.csv --slate {AUTUMN}",
    "retrospective evaluate --candidates world --labels known",
)
NAMES = [view.name for view in kept.views()]


def run(path: Path, words: str) -> str:
    done = ok(tracker_on(path)(*words.split()))
    return done.output


@pytest.fixture(scope="module")
def world(empty_store: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with two slates that have outcomes, and an evaluation."""
    path = Path(shutil.copy(empty_store, tmp_path_factory.mktemp("state") / "store.duckdb"))
    for words in COMMANDS:
        run(path, words)
    return path


@pytest.fixture
def copied(world: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(world, tmp_path / "store.duckdb"))


@pytest.fixture
def connection(world: Path) -> Iterator[Connection]:
    with store.reader(world) as connection:
        yield connection


def kept_rows(path: Path) -> dict[str, list[Any]]:
    """Return the rows that a store keeps, by view."""
    with duckdb.connect(str(path), read_only=True) as client:
        return {
            name: client.execute(f"from state.{name} order by all").fetchall() for name in NAMES
        }


@pytest.mark.slow
def test_rows_are_those_of_their_definition_after_each_command(
    empty_store: Path, tmp_path: Path
) -> None:
    path = Path(shutil.copy(empty_store, tmp_path / "store.duckdb"))
    later = (
        f"load candidates {WORLD}/candidates.csv --set more --model fable-2",
        "slate freeze --candidates more --labels known --description third",
        f"load outcomes {WORLD}/autumn_outcomes.csv --slate {SPRING}",
    )
    for words in (*COMMANDS, *later):
        run(path, words)
        assert wrong(path) == [], words
    assert all(kept_rows(path)[name] for name in ("slate_event", "counted_hit", "list_stratum"))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["demo_store", "demo_registry"])
def test_rows_of_the_demo_are_those_of_their_definition(
    name: str, request: pytest.FixtureRequest
) -> None:
    assert wrong(request.getfixturevalue(name)) == []


def test_what_touches_one_slate_leaves_the_rows_of_the_others(copied: Path) -> None:
    with store.reader(copied) as connection:
        others = {slates.find(connection, one).slate_id for one in (AUTUMN, SPRING)}
    before = kept_rows(copied)
    run(copied, "slate freeze --candidates world --labels known --description third")
    after = kept_rows(copied)
    assert wrong(copied) == []
    for name in NAMES:
        assert before[name] == [row for row in after[name] if not others.isdisjoint(row)], name
    assert len(after["pair_outcome"]) > len(before["pair_outcome"])


@pytest.mark.parametrize("words", ["init", COMMANDS[0], COMMANDS[-1]])
def test_a_command_that_changes_nothing_leaves_the_file_as_it_is(copied: Path, words: str) -> None:
    before = copied.read_bytes()
    run(copied, words)
    assert copied.read_bytes() == before


@pytest.mark.parametrize("setting", ["as_of = timestamptz '2026-03-31'", "dates = 'claimed'"])
@pytest.mark.parametrize("name", ["pair_outcome", ENDPOINT])
def test_another_client_is_told_where_to_ask_for_other_rows(
    world: Path, setting: str, name: str
) -> None:
    with duckdb.connect(str(world), read_only=True) as client:
        assert client.execute(f"from {name}").fetchall()
        client.execute(f"set variable {setting}")
        with pytest.raises(duckdb.InvalidInputException, match="keeps the rows of now: 'tracker"):
            client.execute(f"from {name}").fetchall()


def test_a_store_whose_views_say_it_otherwise_is_of_another_version(
    copied: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was not altered: a later tracker words it otherwise."""
    monkeypatch.setattr(catalog, "_IS_NOW", catalog._IS_NOW.replace("keeps", "has"))
    with pytest.raises(InputRefused, match="a store of another version"), store.reader(copied):
        pass
    run(copied, "init")
    with store.reader(copied):
        pass


@pytest.mark.parametrize(
    "asked",
    [
        "select count(*) filter (where has_any_outcome) as n from pair_outcome",
        "select count(*) filter (where has_any_outcome) as n from results.pair_outcome",
    ],
)
def test_as_of_an_instant_queries_have_the_rows_of_then(copied: Path, asked: str) -> None:
    answer = ["sql", asked, "--format", "csv"]
    with store.reader(copied) as connection:
        last = connection.execute(text("select max(recorded_at) from event")).scalar_one()
    before = (last - timedelta(microseconds=1)).isoformat()
    now = tracker_on(copied)(*answer).output
    then = tracker_on(copied)(*answer, "--as-of", before).output
    assert int(now.split()[1]) > int(then.split()[1]) > 0


@pytest.mark.parametrize(
    "change",
    [
        "update state.pair_outcome set is_hit = not is_hit where slate_id = '{}' and rank = 1",
        "delete from state.pair_outcome where slate_id = '{}' and rank = 1",
        "insert into state.pair_outcome from state.pair_outcome where slate_id = '{}' limit 1",
    ],
)
def test_a_check_names_the_view_and_the_slate_of_altered_rows(copied: Path, change: str) -> None:
    with store.reader(copied) as connection:
        slate_id = slates.find(connection, AUTUMN).slate_id
    with duckdb.connect(str(copied)) as client:
        client.execute(change.format(slate_id))
    done = exited(4, tracker_on(copied)("check"))
    assert f"view pair_outcome: the rows kept of slate {slate_id}" in " ".join(done.output.split())
    run(copied, "init")
    assert wrong(copied) == []
    run(copied, "check")


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ("create table state.mine (a integer)", "table state.mine"),
        ("create view state.mine as select 1", "view state.mine"),
        ("create macro state.mine(a) as a", "macro state.mine"),
        ("drop table state.marked_candidate", "table state.marked_candidate"),
        ("create index mine on state.marked_candidate (drug_id)", "table state.marked_candidate"),
        (
            "alter table state.marked_candidate alter drug_id set default 1",
            "table state.marked_candidate",
        ),
    ],
)
def test_what_another_program_defines_there_is_refused(
    copied: Path, change: str, named: str
) -> None:
    with duckdb.connect(str(copied)) as client:
        client.execute(change)
    done = exited(3, tracker_on(copied)("slate", "list"))
    assert named in done.output


def test_altered_rows_beside_a_table_of_the_user_are_made_anew(copied: Path) -> None:
    with duckdb.connect(str(copied)) as client:
        client.execute("create table mine as select 7 as a")
        client.execute("update state.pair_outcome set is_hit = not is_hit where rank = 1")
        client.execute("update state.made_from set n_rows = null where table_name = 'prediction'")
    run(copied, "init")
    assert wrong(copied) == []


def test_a_dropped_table_is_made_anew(copied: Path) -> None:
    with duckdb.connect(str(copied)) as client:
        client.execute("drop table state.marked_candidate")
    run(copied, "init")
    assert wrong(copied) == []


def test_a_writer_reads_no_rows_of_before_what_it_wrote(copied: Path) -> None:
    count = text("select count(*) from pair_outcome")
    with store.writer(copied) as connection:
        with pytest.raises(DBAPIError, match="keeps the rows of now"):
            connection.execute(count)
        connection.rollback()
    with store.writer(copied) as connection:
        with kept.up_to_date(connection):
            assert connection.execute(count).scalar_one() > 0
        with scope.of_slates(connection):
            assert connection.execute(count).scalar_one() > 0


def test_rows_are_not_brought_up_to_date_where_some_are_in_the_way(copied: Path) -> None:
    with store.writer(copied) as connection:
        connection.execute(text("insert into drug (drug_id, name) values (1000, 'new')"))
        slate = slates.find(connection, AUTUMN)
        with (
            narrowing.to_slates(connection, [slate.slate_id], ["prediction"]),
            pytest.raises(TrackerError, match="not all rows can be read of prediction"),
            kept.up_to_date(connection),
        ):
            pass


@pytest.mark.slow
def test_a_report_is_the_same_in_its_own_scope_and_in_a_wider_one(world: Path) -> None:
    """Every query names its slate, so rows of the other one in the scope are not counted."""
    for as_of in (None, datetime.now(UTC)):
        with store.reader(world, as_of=as_of) as connection:
            slate, other = slates.find(connection, AUTUMN), slates.find(connection, SPRING)

            def reports(connection: Connection = connection, slate: Any = slate) -> list[Report]:
                built = build.build(connection, slate)
                return [built, assessment.assess(connection, slate, found=built.found)]

            with scope.of_slates(connection, slate):
                expected = reports()
            with scope.of_slates(connection, slate, other):
                assert reports() == expected
                assert assessment.assess(connection, slate) == expected[1]
            assert len(expected[0].sections) > 20
            assert narrowing.held(connection) == frozenset()


@pytest.mark.parametrize("name", sampled(NAMES, 5, slow=True))
def test_rows_of_one_slate_are_those_computed_for_it_alone(name: str, world: Path) -> None:
    with store.reader(world, from_rows=True) as connection:
        slate, other = slates.find(connection, AUTUMN), slates.find(connection, SPRING)

        def rows() -> list[str]:
            """Return the slate's rows as text, which tells -0.0 and NULL apart."""
            own = f" where slate_id = '{slate.slate_id}'"
            return sorted(map(str, connection.execute(text(f"from temp.{name}{own}"))))

        with scope.of_slates(connection, slate):
            alone = rows()
        with scope.of_slates(connection, slate, other):
            assert rows() == alone


@pytest.mark.slow
def test_an_evaluation_is_the_same_in_a_scope_and_out_of_it(connection: Connection) -> None:
    evaluation = evaluations.find(connection, 1)
    expected = report_evaluation.build(connection, evaluation)
    with scope.of_evaluation(connection, evaluation, report_evaluation.SECTIONS):
        assert report_evaluation.build(connection, evaluation) == expected
    assert narrowing.held(connection) == frozenset()


def test_an_error_in_a_scope_ends_it(connection: Connection) -> None:
    slate = slates.find(connection, AUTUMN)
    with pytest.raises(ZeroDivisionError), scope.of_slates(connection, slate):
        raise ZeroDivisionError
    assert narrowing.held(connection) == frozenset()


@pytest.mark.slow
def test_a_query_that_fails_in_a_scope_ends_it(world: Path) -> None:
    """DuckDB then aborts the transaction, in which nothing can be dropped any more."""
    failing = text("select error('no')")
    with store.reader(world, as_of=datetime.now(UTC)) as connection:
        slate, other = slates.find(connection, AUTUMN), slates.find(connection, SPRING)
        with pytest.raises(DBAPIError), scope.of_slates(connection, slate):
            connection.execute(failing)
        assert narrowing.held(connection) == frozenset()
        with scope.of_slates(connection, slate, other):
            before = narrowing.held(connection)
            compared = scope.of_comparison(connection, slate, other, asked=comparison.VIEWS_READ)
            with pytest.raises(DBAPIError), compared:
                connection.execute(failing)
            assert narrowing.held(connection) == before
        assert narrowing.held(connection) == frozenset()


def test_a_block_has_its_candidates_back_after_one_within(connection: Connection) -> None:
    count = text("select count(*) from candidate")
    with narrowing.to_candidates(connection, [1]):
        n_candidates = connection.execute(count).scalar_one()
        with narrowing.to_candidates(connection, []):
            assert connection.execute(count).scalar_one() == 0
        assert connection.execute(count).scalar_one() == n_candidates > 0
    assert narrowing.held(connection) == frozenset()


def test_what_a_writer_computes_commits_nothing_to_the_store(copied: Path) -> None:
    new = text("select count(*) from drug where name = 'not yet'")

    def write_and_fail() -> None:
        with store.writer(copied) as connection:
            connection.execute(text("insert into drug (drug_id, name) values (1000, 'not yet')"))
            with scope.of_slates(connection, slates.find(connection, AUTUMN)):
                pass
            assert connection.execute(new).scalar_one() == 1
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        write_and_fail()
    with store.reader(copied) as connection:
        assert connection.execute(new).scalar_one() == 0


def test_views_are_computed_after_those_they_read() -> None:
    order = catalog.in_reading_order(["tier_hit_rate", "pair_outcome", "outcome_timing"])
    assert order == ["outcome_timing", "pair_outcome", "tier_hit_rate"]
    with pytest.raises(TrackerError, match="no such view: nothing"):
        catalog.in_reading_order(["nothing"])


# How many views a figure reads down to those whose rows are kept, and on how many levels.
MOST = {ENDPOINT: (12, 6), "tier_hit_rate": (6, 4), "headline_figure": (40, 8)}
MOST_COPIES = 300


def read(name: str) -> tuple[set[str], int, int]:
    """Return the views that a view reads down to kept ones, its levels, and the copies planned."""
    below = catalog.reads()
    found, levels, copies = {name}, 0, 1
    for one in sorted(below[name] & below.keys()):
        if one in NAMES:
            names, n_levels, n_copies = {one}, 1, 1
        else:
            names, n_levels, n_copies = read(one)
        found |= names
        levels = max(levels, n_levels)
        copies += n_copies
    return found, levels + 1, copies


@pytest.mark.parametrize("name", MOST)
def test_a_figure_is_a_few_views_above_those_that_are_kept(name: str) -> None:
    names, levels, _ = read(name)
    assert (len(names), levels) <= MOST[name]
    assert levels <= MOST[name][1]


@pytest.mark.parametrize("view", catalog.read_views(), ids=lambda view: view.name)
def test_a_view_is_planned_in_few_copies(view: catalog.View) -> None:
    assert read(view.name)[2] <= MOST_COPIES


def test_what_is_read_of_one_slate_costs_no_rows_of_others(world: Path) -> None:
    counted = text("select count(distinct slate_id), count(*) from setting_outcome")
    with store.reader(world) as connection:
        one, other = slates.find(connection, AUTUMN), slates.find(connection, SPRING)
        (n_slates, n_rows) = connection.execute(counted).one()
        with scope.of_slates(connection, one):
            assert connection.execute(counted).one()[0] == 1
            with scope.of_slates(connection, other):
                assert connection.execute(counted).one()[0] == 1
            with scope.of_slates(connection, one, other):
                assert tuple(connection.execute(counted).one()) == (n_slates, n_rows)
            assert connection.execute(counted).one()[0] == 1
        with pytest.raises(DBAPIError):
            connection.execute(text("select error('no')"))
        connections.recover(connection)
        assert tuple(connection.execute(counted).one()) == (n_slates, n_rows)
        assert narrowing.held(connection) == frozenset()


@pytest.mark.slow
def test_a_site_is_drawn_again_from_what_came_after_all_outcomes(
    copied: Path, tmp_path: Path
) -> None:
    """Names that are loaded last make pairs near-known, in the rows that are kept, too."""
    before = kept_rows(copied)["nearness"]
    with store.writer(copied) as connection:
        added_at = store.now(connection)
        drugs = connection.execute(text("select drug_id from drug order by name limit 8")).scalars()
        rows = [
            {
                "drug_id": drug,
                "kind": "parent_chembl_id",
                "value": "CHEMBL4242",
                "added_at": added_at,
            }
            for drug in drugs
        ]
        temp_tables.insert_rows(connection, schema.drug_alias, rows)
    site = tmp_path / "site"
    assert len(kept_rows(copied)["nearness"]) > len(before)
    run(copied, f"publish -o {site}")
    run(copied, f"verify {site} --render")


def test_a_site_is_of_an_instant_after_all_that_rows_are_computed_from() -> None:
    """Else those that its check computed, as of now, would not be those of the site."""
    read = {one for name in NAMES for one in kept.reads(name)} & schema.metadata.tables.keys()
    dated = {
        name
        for name in read
        if any(column.name.endswith("_at") for column in schema.metadata.tables[name].c)
    }
    # No view compares the instant of a head with that of a report.
    assert dated - {"log_head"} <= {*statements.find("latest_instant").reads}
