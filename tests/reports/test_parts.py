"""The primary endpoint over time and by part of the slate, on the demo's registry."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, Row, text
from support import ok, tracker_on

from tracker import slates, store
from tracker.figures import OF_VIEW
from tracker.reports.pages.parts import PARTS
from tracker.store.state import kept, scope
from tracker.uncertainty import estimates, stats

LODESTAR = "4be1d0c2-6f3a-4c57-9d18-0a7e5b2c9f31"
FIGURE = ("n_predictions", "n_hits", "expected_hits", "enrichment_vs_matched")


@pytest.fixture
def connection(demo_registry: Path) -> Iterator[Connection]:
    with store.reader(demo_registry) as opened:
        yield opened


def headline(connection: Connection, slate_id: str) -> Row[Any]:
    return connection.execute(
        text(
            "select enrichment_vs_matched.* from enrichment_vs_matched inner join primary_endpoint"
            " using (slate_id, evidence_window, population, tier) where slate_id = :slate_id"
        ),
        {"slate_id": slate_id},
    ).one()


def rows(connection: Connection, view: str, slate_id: str = LODESTAR) -> list[Row[Any]]:
    keys = ", ".join(OF_VIEW[view].keys)
    query = text(f"select * from {view} where slate_id = :slate_id order by {keys}")  # noqa: S608 - names of the test's own
    return list(connection.execute(query, {"slate_id": slate_id}))


def figure(row: Row[Any]) -> list[Any]:
    return [getattr(row, name) for name in FIGURE]


@pytest.mark.slow
def test_the_last_month_is_the_headline_to_the_last_bit(connection: Connection) -> None:
    for slate in slates.all_slates(connection):
        with scope.of_slates(connection, slate):
            months = rows(connection, "hits_by_month", str(slate.slate_id))
            assert figure(months[-1]) == figure(headline(connection, str(slate.slate_id)))
        assert [one.month for one in months] == list(range(1, len(months) + 1))
        hits = [one.n_hits for one in months]
        assert hits == sorted(hits)
        assert hits[-1] > 0


@pytest.mark.slow
@pytest.mark.parametrize("month", [3, 6])
def test_a_month_is_the_headline_of_a_horizon_that_ends_with_it(
    connection: Connection, month: int
) -> None:
    """Nothing after the month counts, of predictions or of the candidates beside them."""
    slate = slates.find(connection, LODESTAR)
    with scope.of_slates(connection, slate):
        wanted = rows(connection, "hits_by_month")[month - 1]
    connection.exec_driver_sql(
        "create temp table slate_horizon as select slate_id, frozen_on, counted_from, "
        "horizon.months as horizon_months, "
        "cast(counted_from + to_months(horizon.months) as date) as ends_on "
        "from main.slate_horizon cross join (select ?::integer as months) as horizon",
        (month,),
    )
    # What the store keeps is of its own horizon.
    names = ("enrichment_vs_matched", "hits_by_month")
    with kept.computed(connection, [slate.slate_id], names):
        found = headline(connection, LODESTAR)
        assert figure(rows(connection, "hits_by_month")[-1]) == figure(found)
    assert found.n_hits == wanted.n_hits > 0
    assert found.expected_hits == pytest.approx(wanted.expected_hits, rel=1e-12)
    assert found.enrichment_vs_matched == pytest.approx(wanted.enrichment_vs_matched, rel=1e-12)


def test_a_list_of_a_tiers_length_is_the_tier(connection: Connection) -> None:
    """Tier high is ranks 1 to 10, and no disease has more than 50 predictions."""
    slate = slates.find(connection, LODESTAR)
    with scope.of_slates(connection, slate):
        by_k = {one.k: one for one in rows(connection, "enrichment_by_k")}
        every = connection.execute(
            text(
                "select * from enrichment_vs_matched where slate_id = :slate_id"
                " and evidence_window = 'prospective' and population = 'novel' and tier = 'all'"
            ),
            {"slate_id": LODESTAR},
        ).one()
        assert figure(by_k[10]) == figure(headline(connection, LODESTAR))
    assert sorted(by_k) == [1, 3, 5, 10, 20, 50]
    assert figure(by_k[50]) == figure(every)


def test_parts_by_what_was_known_divide_the_endpoint(connection: Connection) -> None:
    slate = slates.find(connection, LODESTAR)
    with scope.of_slates(connection, slate):
        groups = rows(connection, "enrichment_by_knowledge")
        whole = headline(connection, LODESTAR)
    for known_of in ("disease", "drug"):
        of_kind = [one for one in groups if one.known_of == known_of]
        assert len(of_kind) > 2
        assert sum(one.n_predictions for one in of_kind) == whole.n_predictions
        assert sum(one.n_hits for one in of_kind) == whole.n_hits


def test_areas_overlap_and_cover_the_endpoint(connection: Connection) -> None:
    """Of the eight kinds of disease two are in two areas, and two in none."""
    slate = slates.find(connection, LODESTAR)
    with scope.of_slates(connection, slate):
        areas = {one.area: one for one in rows(connection, "enrichment_by_area")}
        whole = headline(connection, LODESTAR)
    assert {name: one.n_diseases for name, one in areas.items()} == {
        "cardiovascular disorder": 3,
        "immune system disorder": 6,
        "infectious disease": 3,
        "kidney disorder": 3,
        "nervous system disorder": 9,
        "unknown": 6,
    }
    apart = ("immune system disorder", "infectious disease", "nervous system disorder", "unknown")
    assert sum(areas[name].n_predictions for name in apart) == whole.n_predictions
    assert sum(areas[name].n_hits for name in apart) == whole.n_hits
    # Arteritis and nephritis are disorders of the immune system, and nothing else is.
    parts = [areas["cardiovascular disorder"], areas["kidney disorder"]]
    assert sum(one.n_hits for one in parts) == areas["immune system disorder"].n_hits


@pytest.mark.slow
def test_without_a_vocabulary_a_report_says_why_there_are_no_areas(demo_store: Path) -> None:
    done = ok(tracker_on(demo_store)("report", "5c9f", "--full"))
    section = done.stdout.split("(enrichment_by_area)")[1].split("\n\n")
    assert section[2].strip() == "No rows."
    assert section[3].startswith("- No disease of the slate has an area")


def test_each_row_has_an_estimate_or_a_reason(connection: Connection) -> None:
    slate = slates.find(connection, LODESTAR)
    with scope.of_slates(connection, slate):
        found = estimates.estimate_slate(connection, slate)
        endpoint = headline(connection, LODESTAR)
        values = {view: rows(connection, view) for view in PARTS}
    key = ("enrichment_vs_matched", "prospective", "novel", "high")
    whole = next(e for e in found if not e.row_key and estimates.figure_key(e) == key)
    for view in PARTS:
        of_view = [one for one in found if one.view_name == view]
        assert [(*one.row_key.values(), one.value) for one in of_view] == [
            (*(getattr(row, name) for name in OF_VIEW[view].keys), row.enrichment_vs_matched)
            for row in values[view]
        ]
        for one in of_view:
            if one.low is None or one.high is None or one.value is None:
                assert one.reason, one
            else:
                assert one.low <= one.value <= one.high
        # In the demo's vocabulary the fevers alone are near each other: one hit is near-known.
        n_given = sum(one.low is not None for one in of_view)
        given = {"enrichment_by_nearness": {1}}
        given |= {name: {2} for name in ("information_enrichment", "enrichment_by_dating")}
        assert n_given in given.get(view, range(3, 100))
        # What has the endpoint's predictions and hits has its interval.
        same = [e for e in of_view if (e.value, e.n) == (whole.value, endpoint.n_predictions)]
        assert all(
            (e.low, e.high, e.p_value) == (whole.low, whole.high, whole.p_value) for e in same
        )
        assert same or view in (
            "enrichment_by_knowledge",
            "enrichment_by_area",
            "enrichment_by_nearness",
        )
        adjusted = [one.p_adjusted for one in of_view]
        # One figure as it grew, or as hits count, is no further test.
        if view in ("hits_by_month", "information_enrichment", "enrichment_by_dating"):
            assert set(adjusted) == {None}
        else:
            assert adjusted == stats.holm([one.p_value for one in of_view])


@pytest.mark.slow
def test_text_reports_keep_to_the_terminal(demo_registry: Path) -> None:
    words = ("report", LODESTAR, "--full", "--window", "prospective", "--population", "novel")
    done = ok(tracker_on(demo_registry)(*words))
    for view in (*PARTS, "survival_curve"):
        lines = done.stdout.split(f"({view})")[1].splitlines()
        ruled = [at for at, line in enumerate(lines) if line.startswith("====")]
        table = lines[ruled[0] : ruled[1] - 1]
        assert len(table) > 8
        assert max(map(len, table)) <= 80
    words_of = [line.split() for line in done.stdout.splitlines()]
    assert ["12", "2025-09-02", "224", "43", "16.7", "2.58"] in [line[:6] for line in words_of]
