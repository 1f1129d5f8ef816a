"""What is computed once for a slate, an evaluation or a submission: faster, and nothing else."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner
from sqlalchemy import Connection, TextClause, text
from sqlalchemy.exc import DBAPIError
from support import WORLD, sampled

from tracker import slates, store
from tracker.cli import main
from tracker.errors import TrackerError
from tracker.extras.retrospective import evaluation_report as report_evaluation
from tracker.extras.retrospective import evaluations
from tracker.figures import POPULATIONS, WINDOWS
from tracker.reports import assessment, build, coverage, listing
from tracker.reports.kinds import Report
from tracker.store import catalog, scope
from tracker.uncertainty import estimates
from tracker.uncertainty.estimates import comparison, endpoint

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

        def read(asked: tuple[str, ...]) -> tuple[object, ...]:
            with scope.of_slates(connection, slate, other):
                built = build.build(connection, slate)
                assessed = assessment.assess(connection, slate, found=built.found)
                cards = listing.read(connection, slate)
                return built, assessed, cards, coverage.seen_counts(connection, [slate.slate_id])

        expected = read(estimates.ASKED)
        assert read(build.ASKED) == expected
        assert all(expected)


SHARED = scope.shared(build.ASKED * 2, "slate_id")


@pytest.mark.parametrize("view", sampled(SHARED, 20, slow=True))
def test_a_view_has_the_same_rows_out_of_the_scope(view: str, connection: Connection) -> None:
    """Out of it, DuckDB plans the view with all that it reads; the rows are compared as text."""
    slate = slates.find(connection, AUTUMN)

    def rows(source: str) -> list[str]:
        return sorted(map(str, connection.execute(text(f"from {source}"))))

    with scope.of_slates(connection, slate):
        computed = rows(f"temp.{view}")
    grain = catalog.find(view).grain
    if "versus_slate_id" in grain:
        assert computed == []
        return
    # Of views of no slate, such as those of releases, all rows are computed.
    wanted = {"slate_id": str(slate.slate_id), "versus": "none"}
    own = [f"{column} = '{value}'" for column, value in wanted.items() if column in grain]
    assert computed == rows(f"main.{view}" + (f" where {' and '.join(own)}" if own else ""))


@pytest.mark.parametrize("tier", ["high", "all"])
@pytest.mark.parametrize("window", WINDOWS)
@pytest.mark.parametrize("population", POPULATIONS)
def test_an_endpoint_is_the_same_computed_alone(
    window: str, population: str, tier: str, connection: Connection
) -> None:
    slate, other = slates.find(connection, SPRING), slates.find(connection, AUTUMN)
    with endpoint.computed_once(connection, slate, other, tier=tier):
        alone = endpoint.of_slate(connection, slate, window, population, tier)
    with scope.of_slates(connection, slate):
        among_others = endpoint.of_slate(connection, slate, window, population, tier)
    assert alone is not None
    assert alone.row.n_predictions > 0
    # Their arrays are compared as text.
    assert str(alone) == str(among_others)


def test_what_is_read_once_is_not_computed() -> None:
    """DuckDB plans it once, with the one view that reads it."""
    names = scope.shared(["tier_hit_rate"], "slate_id")
    assert {"slate_event", "slate_date", "slate_sets"} <= {*names}
    assert {"pair_outcome", "tier_count", "tier_hit_rate"}.isdisjoint(names)
    # Read seven times, but not of a slate.
    assert "report_instant" in catalog.read_again(["tier_hit_rate"])
    assert "report_instant" not in names
    assert scope.shared(["tier_hit_rate"] * 2, "slate_id") == [*names, "tier_hit_rate"]


def test_rows_of_one_slate_are_those_computed_for_it_alone(connection: Connection) -> None:
    slate, other = slates.find(connection, AUTUMN), slates.find(connection, SPRING)

    def rows() -> dict[str, list[str]]:
        """Return the slate's rows of each view as text, which tells -0.0 and NULL apart."""
        return {
            name: sorted(map(str, connection.execute(of_slate(name))))
            for name in scope.shared(build.ASKED * 2, "slate_id")
        }

    def of_slate(name: str) -> TextClause:
        own = f" where slate_id = '{slate.slate_id}'"
        return text(f"from temp.{name}" + own * ("slate_id" in catalog.find(name).grain))

    with scope.of_slates(connection, slate):
        alone = rows()
    with scope.of_slates(connection, slate, other):
        assert rows() == alone
        n_slates = text("select count(distinct slate_id) from temp.tier_count")
        assert connection.execute(n_slates).scalar_one() == 2
    assert temporary(connection) == []


def test_an_evaluation_is_the_same_in_a_scope_and_out_of_it(connection: Connection) -> None:
    evaluation = evaluations.find(connection, 1)
    expected = report_evaluation.build(connection, evaluation)
    with scope.of_evaluation(connection, evaluation, report_evaluation.SECTIONS):
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
    other = slates.find(connection, SPRING)
    with scope.of_slates(connection, slate, other):
        before = temporary(connection)
        compared = scope.of_comparison(connection, slate, other, asked=comparison.ASKED)
        with pytest.raises(DBAPIError), compared:
            connection.execute(failing)
        assert sorted(temporary(connection)) == sorted(before)
    assert temporary(connection) == []


def test_what_a_reader_computes_has_statistics(connection: Connection) -> None:
    """Of the tables of an open transaction DuckDB has none, and plans the next views without."""
    slate = slates.find(connection, AUTUMN)
    known = text("select stats(n_predictions) from temp.tier_count limit 1")
    with scope.of_slates(connection, slate):
        assert "Min: NULL" not in connection.execute(known).scalar_one()


def test_what_a_writer_computes_commits_nothing_to_the_store(world: Path) -> None:
    known = text("select stats(n_known_pairs) from temp.disease_activity limit 1")
    new = text("select count(*) from drug where name = 'not yet'")

    def write_and_fail() -> None:
        with store.writer(world) as connection:
            connection.execute(text("insert into drug (drug_id, name) values (1000, 'not yet')"))
            slate = slates.find(connection, AUTUMN)
            with scope.of_slates(connection, slate):
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
