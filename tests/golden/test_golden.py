"""Every view, and the brute-force references, against cases worked by hand."""

import math
import pickle
import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
import reference
import worlds
from golden_case import Case, cases
from golden_view import ROWS_AS_A_WHOLE, VIEWS, computed_below, named, problems, put, types_of
from shared_world import Together, can_share, read_together
from sqlalchemy import Connection, text
from support import made_once, sampled
from worlds import Row

from tracker import schema
from tracker.evidence import detection
from tracker.store.state import kept

CASES = cases(VIEWS)
SHARING = [case for case in CASES if can_share(case)]
# A store keeps the rows of now.
NOW = [case for case in CASES if case.as_of is None]
# Ties, empty groups and undefined figures take more than one case, except in these views.
ONE_CASE = {
    "discount": "numbered positions, without groups or ties; its one case lists all of them",
    "report_instant": "one row, whatever the tables hold; a case cannot write infinity",
    **dict.fromkeys(
        (
            "comparison_stratum",
            "comparison_ratio",
            "comparison_variance",
            "comparison_influence",
            "comparison_hit_influence",
        ),
        "the SELECT of another view, which has cases, over the rows of comparisons",
    ),
}
# Lists have no rows to give; tests/evidence/test_matching.py has examples of words, the cases of
# stop_reason those of patterns.
LISTS = {
    "evidence_source",
    "match_kind",
    "match_prefix",
    "match_rewrite",
    "match_word",
    "registry_month",
    "stop_filler",
    "stop_pattern",
    "study_use",
}


@pytest.fixture
def connection(store_path: Path) -> Iterator[Connection]:
    with worlds.scratch(store_path) as connection:
        yield connection


@pytest.fixture(scope="session")
def together(request: pytest.FixtureRequest, run_folder: Path, empty_store: Path) -> Together:
    """Return what the views have for those of the chosen cases that share a store.

    It takes ten seconds: one worker reads it for all.
    """
    chosen = {item.name for item in request.session.items}
    name = test_view_returns_the_expected_rows.__name__
    sharing = [case for case in SHARING if f"{name}[{named(case)}]" in chosen]

    def make(folder: Path) -> None:
        path = Path(shutil.copy(empty_store, folder / "store.duckdb"))
        read = read_together(path, sharing or SHARING)
        (folder / "rows.pickle").write_bytes(pickle.dumps(read))

    read: Together = pickle.loads(  # noqa: S301 - written by this run
        (made_once(run_folder / "together", make) / "rows.pickle").read_bytes()
    )
    return read


@pytest.mark.parametrize("case", CASES, ids=named)
def test_view_returns_the_expected_rows(
    case: Case, connection: Connection, request: pytest.FixtureRequest
) -> None:
    """One that fails only together with others belongs to those that cannot share a store."""
    actual = None
    if case in SHARING:
        together: Together = request.getfixturevalue("together")
        actual = together.rows.get(named(case))
    if actual is None:
        actual = alone(connection, case)
    assert not problems(case, actual, types_of(connection, case.view))


def test_a_store_is_shared_without_an_error(together: Together) -> None:
    assert not together.error
    assert together.rows


@pytest.mark.parametrize("case", sampled(SHARING, 20), ids=named)
def test_view_returns_the_expected_rows_in_a_store_of_its_own(
    case: Case, connection: Connection
) -> None:
    assert not problems(case, alone(connection, case), types_of(connection, case.view))


@pytest.mark.parametrize("case", sampled(NOW, 30), ids=named)
def test_view_has_the_expected_rows_in_a_store_that_a_writer_leaves(
    case: Case, connection: Connection
) -> None:
    put(connection, case)
    kept.bring_up_to_date(connection)
    actual = [worlds.flat(row) for row in worlds.view_rows(connection, case.view)]
    assert not problems(case, actual, types_of(connection, case.view))


def alone(connection: Connection, case: Case) -> list[Row]:
    """Return the rows of a case's view in a store that has nothing but the case's world."""
    put(connection, case)
    with computed_below(connection, case.view):
        return [worlds.flat(row) for row in worlds.view_rows(connection, case.view)]


@pytest.mark.parametrize(
    "case",
    # The references read the outcomes of a case, not its evidence.
    [
        case
        for case in CASES
        if case.view in reference.VIEWS
        and not case.detected_at
        and case.given.keys().isdisjoint({"annulment", "approval", "event"})
    ],
    ids=named,
)
def test_reference_returns_the_expected_rows(case: Case, connection: Connection) -> None:
    world = worlds.complete(case.world())
    if case.as_of is not None:
        world = reference.as_of(world, case.as_of)
    actual = reference.rows(case.view, world)
    # The references compute figures; why one is missing only the views say.
    types = types_of(connection, case.view)
    assert not problems(case, actual, types, leave_out=("reason",))


def test_every_view_has_two_cases_or_a_reason_for_one() -> None:
    n_cases = Counter(case.view for case in CASES)
    assert {view for view in VIEWS if n_cases[view] < 2} == set(ONE_CASE) | LISTS
    assert not any(n_cases[view] for view in LISTS)
    assert {view: n_cases[view] for view in ONE_CASE} == dict.fromkeys(ONE_CASE, 1)


def test_views_of_evidence_have_an_empty_case_and_a_full_one() -> None:
    views = {name for name, view in VIEWS.items() if view.section in ROWS_AS_A_WHOLE} - LISTS
    empty = {case.view for case in CASES if not case.expected}
    full = {case.view for case in CASES if case.expected}
    assert (views - empty, views - full) == (set(), set())


@pytest.mark.parametrize(
    "case", [case for case in CASES if case.view == "new_event"], ids=lambda case: case.name
)
def test_what_is_detected_goes_into_the_ledger_once(case: Case, connection: Connection) -> None:
    world = worlds.complete(case.world())
    worlds.insert(connection, world)
    detection.detect(connection, [])
    detection.detect(connection, [])
    ledger = connection.execute(schema.event.select()).all()
    assert len(ledger) == len(case.expected) + len(world["event"]) + len(world["outcome"])


def test_discounts_reach_to_the_largest_cutoff(connection: Connection) -> None:
    connection.execute(text("insert into cutoff values (500)"))
    rows = connection.execute(text("select * from discount order by position")).all()
    assert [row.position for row in rows] == list(range(1, 501))
    for row in rows:
        ideal = math.fsum(1 / math.log2(p + 1) for p in range(1, row.position + 1))
        assert row.discount == pytest.approx(1 / math.log2(row.position + 1), abs=1e-15)
        assert row.ideal_dcg == pytest.approx(ideal, abs=1e-12)


@pytest.mark.parametrize("view", sorted(VIEWS))
def test_columns_have_the_types_of_the_contract(view: str, connection: Connection) -> None:
    """Counts BIGINT, rates DOUBLE, whole days BIGINT, dates DATE, instants with time zone."""
    types = types_of(connection, view)
    assert types
    wrong = [
        f"{name} is {kind}"
        for name, kind in types.items()
        if (wanted := contract_type(name)) is not None and kind != wanted
    ]
    assert not wrong


def contract_type(column: str) -> str | None:
    """Return the type that the contract requires of a column's name, None for any type."""
    if column == "n_half_wins":
        # Twice the number of pairs of items outgrows 64 bits.
        return "HUGEINT"
    if column == "versus_n_hits":
        return None
    if column.startswith("n_") or column in (
        "n",
        "tp",
        "fp",
        "breadth",
        "positive_breadth",
        "days_to_event",
        "days_to_due",
    ):
        return "BIGINT"
    if column.startswith(("is_", "has_")):
        return "BOOLEAN"
    if column.endswith("_at"):
        return "TIMESTAMP WITH TIME ZONE"
    if column.endswith(("_date", "_on")):
        return "DATE"
    is_rate = column.endswith(("_rate", "_share", "_proxy", "_gap", "_hits", "_misses"))
    if is_rate or column.startswith(("enrichment_", "mean_", "median_")):
        return "DOUBLE"
    if column in ("spearman", "auroc", "tpr"):
        return "DOUBLE"
    return None
