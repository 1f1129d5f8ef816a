"""What is computed once for a slate, an evaluation or a submission: faster, and nothing else."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner
from sqlalchemy import Connection, text
from sqlalchemy.exc import DBAPIError
from support import WORLD

from tracker import slates, store
from tracker.cli import main
from tracker.errors import TrackerError
from tracker.evaluation import evaluations
from tracker.report import assessment, build, coverage, listing
from tracker.report import evaluation as report_evaluation
from tracker.report.kinds import Report
from tracker.store import catalog, scope

pytestmark = pytest.mark.slow

SPRING, AUTUMN = "5c9f4a52", "a07e"


@pytest.fixture(scope="module")
def world(empty_store: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with two slates that have outcomes, and an evaluation."""
    path = Path(shutil.copy(empty_store, tmp_path_factory.mktemp("scope") / "store.duckdb"))
    for words in (
        f"load candidates {WORLD}/candidates.csv --set world --model fable-1",
        f"load labels {WORLD}/labels.csv --set known",
        f"slate import {WORLD}/spring_slate",
        f"slate import {WORLD}/autumn_slate",
        f"load outcomes {WORLD}/spring_outcomes.csv --slate {SPRING}",
        f"load outcomes {WORLD}/autumn_outcomes.csv --slate {AUTUMN}",
        "retrospective evaluate --candidates world --labels known",
    ):
        done = CliRunner().invoke(main, ["--db", str(path), *words.split()])
        assert done.exit_code == 0, done.output
    return path


@pytest.fixture
def connection(world: Path) -> Iterator[Connection]:
    with store.reader(world) as connection:
        yield connection


def temporary(connection: Connection) -> list[str]:
    rows = connection.execute(
        text(
            "select table_name from duckdb_tables() where temporary "
            "union all select view_name from duckdb_views() where temporary and not internal"
        )
    )
    return list(rows.scalars())


@pytest.mark.slow
def test_a_report_is_the_same_in_its_own_scope_and_in_a_wider_one(connection: Connection) -> None:
    """Every query names its slate, so rows of the other one in the scope are not counted."""
    slate, other = slates.find(connection, AUTUMN), slates.find(connection, SPRING)

    def reports() -> list[Report]:
        built = build.build(connection, slate)
        return [built, assessment.assess(connection, slate, found=built.found)]

    with scope.of_slates(connection, slate):
        expected = reports()
    with scope.of_slates(connection, slate, other):
        assert reports() == expected
        assert assessment.assess(connection, slate) == expected[1]
    assert len(expected[0].sections) > 20
    assert temporary(connection) == []


def test_a_page_is_the_same_with_more_computed_once(demo_store: Path) -> None:
    with store.reader(demo_store) as connection:
        slate, other = slates.find(connection, AUTUMN), slates.find(connection, SPRING)

        def read(names: tuple[str, ...]) -> tuple[object, ...]:
            with scope.of_slates(connection, slate, other, names=names):
                built = build.build(connection, slate)
                assessed = assessment.assess(connection, slate, found=built.found)
                cards = listing.read(connection, slate)
                return built, assessed, cards, coverage.seen_counts(connection, [slate.slate_id])

        expected = read(scope.SLATE_VIEWS)
        assert read(scope.REPORT_VIEWS) == expected
        assert all(expected)


def test_rows_of_one_slate_are_those_computed_for_it_alone(connection: Connection) -> None:
    slate, other = slates.find(connection, AUTUMN), slates.find(connection, SPRING)

    def rows() -> dict[str, list[str]]:
        """Return the rows of each view as text, which tells -0.0 and NULL apart."""
        return {
            name: sorted(map(str, connection.execute(text(f"from temp.{name}"))))
            for name in scope.REPORT_VIEWS
        }

    with scope.of_slates(connection, slate, names=scope.REPORT_VIEWS):
        alone = rows()
    with scope.of_slates(connection, slate, other, names=scope.REPORT_VIEWS):
        both = rows()
        with scope.of_one(connection, slate, scope.REPORT_VIEWS):
            assert rows() == alone
        assert rows() == both
        with (
            pytest.raises(ZeroDivisionError),
            scope.of_one(connection, other, scope.REPORT_VIEWS),
        ):
            raise ZeroDivisionError
        assert rows() == both
    assert alone != both
    assert temporary(connection) == []


def test_an_evaluation_is_the_same_in_a_scope_and_out_of_it(connection: Connection) -> None:
    evaluation = evaluations.find(connection, 1)
    expected = report_evaluation.build(connection, evaluation)
    with scope.of_evaluation(connection, evaluation):
        assert report_evaluation.build(connection, evaluation) == expected
    assert temporary(connection) == []


def test_rows_of_other_slates_are_not_computed(connection: Connection) -> None:
    slate = slates.find(connection, AUTUMN)
    count = text("select count(distinct slate_id) from tier_count")
    assert connection.execute(count).scalar_one() == 2
    with scope.of_slates(connection, slate):
        assert connection.execute(count).scalar_one() == 1
    assert connection.execute(count).scalar_one() == 2


def test_an_error_in_a_scope_ends_it(connection: Connection) -> None:
    slate = slates.find(connection, AUTUMN)
    with pytest.raises(ZeroDivisionError), scope.of_slates(connection, slate):
        raise ZeroDivisionError
    assert temporary(connection) == []


def test_a_query_that_fails_in_a_scope_ends_it(connection: Connection) -> None:
    """DuckDB then aborts the transaction, in which nothing can be dropped any more."""
    slate = slates.find(connection, AUTUMN)
    failing = text("select error('no')")
    with pytest.raises(DBAPIError), scope.of_slates(connection, slate):
        connection.execute(failing)
    assert temporary(connection) == []
    with scope.of_slates(connection, slate):
        before = temporary(connection)
        with pytest.raises(DBAPIError), scope.of_one(connection, slate, scope.SLATE_VIEWS):
            connection.execute(failing)
        assert sorted(temporary(connection)) == sorted(before)
    assert temporary(connection) == []


def test_what_a_reader_computes_has_statistics(connection: Connection) -> None:
    """Of the tables of an open transaction DuckDB has none, and plans the next views without."""
    slate = slates.find(connection, AUTUMN)
    known = text("select stats(n_predictions) from temp.tier_count limit 1")
    with scope.of_slates(connection, slate, slates.find(connection, SPRING)):
        assert "Min: NULL" not in connection.execute(known).scalar_one()
        with scope.of_one(connection, slate, scope.SLATE_VIEWS):
            assert "Min: NULL" not in connection.execute(known).scalar_one()


def test_what_a_writer_computes_commits_nothing_to_the_store(world: Path) -> None:
    known = text("select stats(n_known_pairs) from temp.disease_activity limit 1")
    new = text("select count(*) from drug where name = 'not yet'")

    def write_and_fail() -> None:
        with store.writer(world) as connection:
            connection.execute(text("insert into drug (drug_id, name) values (1000, 'not yet')"))
            slate = slates.find(connection, AUTUMN)
            with scope.of_slates(connection, slate, names=scope.POWER_VIEWS):
                assert "Min: NULL" not in connection.execute(known).scalar_one()
            assert connection.execute(new).scalar_one() == 1
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        write_and_fail()
    with store.reader(world) as connection:
        assert connection.execute(new).scalar_one() == 0


def test_views_are_computed_after_those_they_read() -> None:
    order = catalog.in_reading_order(["tier_hit_rate", "pair_outcome", "outcome_timing"])
    assert order == ["outcome_timing", "pair_outcome", "tier_hit_rate"]
    with pytest.raises(TrackerError, match="no such view: nothing"):
        catalog.in_reading_order(["nothing"])
