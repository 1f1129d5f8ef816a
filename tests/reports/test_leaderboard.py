"""tracker leaderboard: models by their hits against popularity, over all slates that they froze."""

import csv
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text
from support import ok, tracker_on

from tracker import slates, store
from tracker.figures import MATCHED
from tracker.store.state import scope
from tracker.uncertainty import estimates
from tracker.uncertainty.estimates import models

FIRST, LAST, UNRANKED = "lodestar-1", "mirage-1", "almanac-1"


def printed(db: Path, *words: str) -> str:
    return ok(tracker_on(db)("leaderboard", *words)).stdout


def ranked(db: Path) -> list[models.Standing]:
    with (
        store.reader(db) as connection,
        scope.of_slates(connection, *slates.all_slates(connection)),
    ):
        standings, _ = models.rank(connection)
    return standings


@pytest.fixture(scope="module")
def board(demo_registry: Path) -> dict[str, Any]:
    read: dict[str, Any] = json.loads(printed(demo_registry, "--format", "json"))
    return read


def test_models_are_ranked_with_ties_and_without_what_cannot_be_judged(
    board: dict[str, Any],
) -> None:
    standings = board["sections"]["model_standing"]
    assert [one["model_version"] for one in standings] == [FIRST, LAST, UNRANKED]
    assert [one["rank"] for one in standings] == [1, 2, None]
    assert [one["n_slates"] for one in standings] == [2, 1, 1]
    (pair,) = board["sections"]["model_pair"]
    assert (pair["model_version"], pair["versus_model_version"]) == (FIRST, LAST)
    assert pair["is_told"]
    ratio = standings[0]["enrichment"] / standings[1]["enrichment"]
    assert pair["enrichment_ratio"] == pytest.approx(ratio)
    assert f"{UNRANKED} has no rank" in " ".join(board["leaderboard"]["verdicts"])


@pytest.mark.slow
def test_a_model_of_one_slate_has_the_interval_of_the_slate(
    board: dict[str, Any], demo_registry: Path
) -> None:
    (standing,) = [one for one in board["sections"]["model_standing"] if one["rank"] == 2]
    with store.reader(demo_registry) as connection:
        (slate,) = [one for one in slates.all_slates(connection) if one.model_version == LAST]
        with scope.of_slates(connection, slate):
            (own,) = [
                one
                for one in estimates.estimate_slate(connection, slate)
                if (one.view_name, one.metric) == (MATCHED, MATCHED)
                and (one.evidence_window, one.population, one.tier)
                == ("prospective", "novel", "high")
            ]
    assert standing["enrichment"] == pytest.approx(own.value)
    assert standing["enrichment_low"] == pytest.approx(own.low)
    assert standing["enrichment_high"] == pytest.approx(own.high)


@pytest.mark.slow
def test_a_slate_that_is_frozen_twice_makes_nothing_more_certain(
    demo_registry: Path, tmp_path: Path
) -> None:
    """Its hits count twice, but their covariance tells that they are the same.

    What drugs that are in no list add to the variance is left out of covariances.
    """
    copy = Path(shutil.copy(demo_registry, tmp_path / "store.duckdb"))
    with store.reader(copy) as connection:
        (slate,) = [one for one in slates.all_slates(connection) if one.model_version == LAST]
    alone = ranked(copy)
    with store.writer(copy) as connection:
        for statement in _TWICE:
            connection.execute(text(statement), {"slate_id": str(slate.slate_id)})
    (twice,) = [one for one in ranked(copy) if one.row.model_version == LAST]
    (once,) = [one for one in alone if one.row.model_version == LAST]
    assert twice.row.n_hits == 2 * once.row.n_hits
    assert twice.row.enrichment == pytest.approx(once.row.enrichment)
    assert once.found is not None
    assert twice.found is not None
    assert twice.found.variance == pytest.approx(once.found.variance, rel=0.1)


_TWICE = (
    "insert into slate by name select * replace (uuid() as slate_id) from slate "
    "where slate_id = :slate_id",
    "insert into prediction by name select prediction.* replace (slate.slate_id as slate_id) "
    "from prediction cross join slate where prediction.slate_id = :slate_id "
    "and slate.slate_id <> :slate_id and slate.model_version = (select model_version from slate "
    "as given where given.slate_id = :slate_id)",
)


@pytest.mark.slow
def test_what_is_printed_fits_a_terminal(demo_registry: Path) -> None:
    lines = printed(demo_registry).splitlines()
    assert max(map(len, lines)) <= 80
    said = " ".join(" ".join(lines).split())
    assert f"Rank 1, {FIRST}: " in said
    assert "Lists as long of the most popular drugs have" in said


@pytest.mark.slow
def test_every_format_has_the_same_figures(board: dict[str, Any], demo_registry: Path) -> None:
    standings = board["sections"]["model_standing"]
    rows = list(csv.DictReader(printed(demo_registry, "--format", "csv").splitlines()))
    written = {row["model_version"] for row in rows if row.get("model_version")}
    assert {one["model_version"] for one in standings} <= written
    page = printed(demo_registry, "--format", "html")
    assert f"{FIRST} ranks first" in page
    assert f"{standings[0]['enrichment']:.2f} times" in page


@pytest.mark.slow
def test_a_store_without_slates_says_so(db: Path) -> None:
    assert "No slate counts yet" in printed(db)
    assert json.loads(printed(db, "--format", "json"))["leaderboard"]["verdicts"] == []
