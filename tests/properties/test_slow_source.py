"""Where one source is months behind the others, no figure takes silence for an answer.

A world of known truth has two sources, each with events of its own, of which one ends long before
the other. Until version 0.2.0 the curve of pairs with an event then rose to 100 %.
"""

import contextlib
import math
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path
from uuid import UUID

import numpy as np
import pytest
import reference
from numpy.typing import NDArray
from sqlalchemy import Connection, text
from test_prospective_properties import deviations, fixed_worlds
from worlds import Row, World, complete, insert, scratch, view_rows

from tracker import slates
from tracker.reports import slate_warnings
from tracker.store import catalog, opening
from tracker.store.state import kept, scope

FREEZE = date(2026, 1, 1)
SLATE = UUID(int=1)
N_DISEASES, N_DRUGS = 12, 40
# Days on which the newest releases of the two sources end, and mean days to an event in each.
SLOW_END, FAST_END = 90, 400
SLOW_MEAN, FAST_MEAN = 500, 900
CHECK = next(check for check in catalog.read_checks() if check.name == "survival_agreement")
VIEWS = {view.name: view.select for view in catalog.read_views()}

# Read by the views of the curve, which alone are computed here.
READ = (
    "slate_event",
    "pair_known_phase",
    "outcome",
    "outcome_timing",
    "slate_follow_up",
    "pair_event",
    "pair_outcome",
    "tier_count",
    "follow_up_end",
)

Days = NDArray[np.int64]


@contextlib.contextmanager
def viewed(path: Path, world: World) -> Iterator[Connection]:
    with scratch(path) as connection:
        insert(connection, world)
        with kept.computed(connection, names=READ), scope.computed_once(connection, READ):
            yield connection


def true_days(seed: int) -> tuple[Days, Days]:
    """Return the day of each pair's event in the slow source and in the fast one."""
    rng = np.random.default_rng(seed)
    shape = (N_DISEASES, N_DRUGS)
    return (
        np.ceil(rng.exponential(SLOW_MEAN, shape)).astype(np.int64),
        np.ceil(rng.exponential(FAST_MEAN, shape)).astype(np.int64),
    )


def world_of(slow: Days, fast: Days) -> World:
    """Return a world in which each source shows the events up to its newest release."""
    outcomes: list[Row] = []
    pairs = [(disease, drug) for disease in range(N_DISEASES) for drug in range(N_DRUGS)]
    for source, days, end in (("chembl", slow, SLOW_END), ("ctgov", fast, FAST_END)):
        outcomes += [
            {
                "outcome_id": len(outcomes) + number,
                "slate_id": SLATE,
                "disease_id": disease + 1,
                "drug_id": drug + 1,
                "outcome_type": "phase_advanced",
                "event_date": FREEZE + timedelta(days=int(days[disease, drug])),
                "public_after": FREEZE + timedelta(days=int(days[disease, drug]) - 1),
                "public_by": FREEZE + timedelta(days=int(days[disease, drug])),
                "source": source,
            }
            for number, (disease, drug) in enumerate(
                (pair for pair in pairs if days[pair] <= end), start=1
            )
        ]
    return complete(
        {
            "slate": [
                {
                    "slate_id": SLATE,
                    "frozen_on": FREEZE,
                    "plan": {"horizon_months": 6, "scores": {"are": "probabilities"}},
                }
            ],
            "prediction": [
                {
                    "slate_id": SLATE,
                    "disease_id": disease + 1,
                    "drug_id": drug + 1,
                    "tier": "high",
                    "score": 0.25,
                    "rank": drug + 1,
                }
                for disease, drug in pairs
            ],
            "outcome": outcomes,
            "release": [
                {
                    "release_id": number,
                    "source": source,
                    "released_on": FREEZE + timedelta(days=end),
                }
                for number, (source, end) in enumerate(
                    (("chembl", SLOW_END), ("ctgov", FAST_END)), start=1
                )
            ],
        }
    )


def curve_of(connection: Connection) -> list[tuple[int, float]]:
    rows = connection.execute(
        text("select day, share_with_event from survival_curve where tier = 'all' order by day")
    )
    return [(row.day, row.share_with_event) for row in rows]


def share_by(day: int) -> float:
    """Return the chance of a first event in either source by the end of a day."""
    return 1 - math.exp(-day / SLOW_MEAN - day / FAST_MEAN)


@pytest.fixture(scope="module")
def followed(store_path: Path) -> Iterator[tuple[Connection, World]]:
    world = world_of(*true_days(1))
    with viewed(store_path, world) as connection:
        yield connection, world


@pytest.mark.slow
@pytest.mark.parametrize(
    "view", ["survival_curve", "follow_up_gap", "probability_follow_up", "tier_hit_rate"]
)
def test_figures_of_a_slow_source_are_those_of_the_reference(
    followed: tuple[Connection, World], view: str
) -> None:
    assert not deviations(followed[0], view, followed[1])


@pytest.mark.slow
def test_the_curve_ends_where_the_slow_source_does(followed: tuple[Connection, World]) -> None:
    """What came later is left out and named; no pair is a miss for want of news."""
    connection, world = followed
    (gap,) = reference.rows("follow_up_gap", world)
    hidden = gap["n_later_events"]
    assert hidden > 50
    assert (gap["source"], gap["newest_source"]) == ("chembl", "ctgov")
    assert gap["days_behind"] == FAST_END - SLOW_END
    assert max(day for day, _ in curve_of(connection)) == SLOW_END
    states = {row["state"] for row in reference.rows("probability_follow_up", world)}
    assert states == {"hit", "censored"}
    assert opening.violations(connection, CHECK, 5) == []
    slate = slates.find(connection, str(SLATE))
    words = slate_warnings.of_slate(connection, slate)
    assert (
        "Behind: evidence of ChEMBL reaches 2026-04-01, 310 days less far than that of "
        "ClinicalTrials.gov. The curve of pairs with an event ends there and leaves out the first "
        f"events of {hidden} predictions, which came later (follow_up_gap)."
    ) in words


def test_the_rule_before_rose_above_the_truth_and_is_found(store_path: Path) -> None:
    """Later events counted as such, while pairs without one were censored on the last day."""
    select = VIEWS["follow_up_pair"]
    before = select.replace(
        "least(coalesce(first_event_date, last_day), last_day)",
        "coalesce(first_event_date, last_day)",
    ).replace("coalesce(first_event_date <= last_day, false)", "first_event_date is not null")
    assert before.count("first_event_date is not null") == 2
    with viewed(store_path, world_of(*true_days(1))) as connection:
        connection.execute(text(f"create or replace view follow_up_pair as {before}"))
        day, share = curve_of(connection)[-1]
        assert day > SLOW_END
        assert share == 1 > share_by(FAST_END) + 0.2
        assert opening.violations(connection, CHECK, 5)


@pytest.mark.slow
def test_the_curve_is_unbiased(store_path: Path) -> None:
    """Over worlds, its mean on each day is within four standard errors of the true chance."""
    n_worlds, days = 12, (10, 30, 60, SLOW_END)
    shares = np.zeros((n_worlds, len(days)))
    for seed in range(n_worlds):
        with viewed(store_path, world_of(*true_days(100 + seed))) as connection:
            curve = curve_of(connection)
        shares[seed] = [max(share for on, share in curve if on <= day) for day in days]
    n_pairs = n_worlds * N_DISEASES * N_DRUGS
    for day, mean in zip(days, shares.mean(axis=0), strict=True):
        chance = share_by(day)
        assert abs(mean - chance) < 4 * math.sqrt(chance * (1 - chance) / n_pairs)


def without_later_outcomes(world: World) -> World:
    """Return the world without what is dated, or became public, after a slate's last day."""
    ends = {
        slate["slate_id"]: reference.last_day_of(world, slate)
        for slate in reference.dated(world)["slate"]
    }
    return world | {
        "outcome": [
            row
            for row in world["outcome"]
            if row["event_date"] is None
            or row["event_date"] <= ends[row["slate_id"]]
            # An undated hit beside it leaves the pair out of the curve.
            or any(
                other["event_date"] is None
                for other in world["outcome"]
                if (other["slate_id"], other["disease_id"], other["drug_id"])
                == (row["slate_id"], row["disease_id"], row["drug_id"])
            )
        ]
    }


@pytest.mark.slow
@pytest.mark.parametrize("view", ["survival_curve", "probability_follow_up"])
def test_what_came_after_the_last_day_changes_nothing(store_path: Path, view: str) -> None:
    """Nor does the check find anything in random worlds, with undated and early events."""
    n_dropped = 0
    for world in fixed_worlds(6):
        fewer = without_later_outcomes(world)
        n_dropped += len(world["outcome"]) - len(fewer["outcome"])
        found = []
        for one in (world, fewer):
            with viewed(store_path, one) as connection:
                assert opening.violations(connection, CHECK, 5) == []
                found.append(sorted(view_rows(connection, view), key=repr))
        assert found[0] == found[1]
    assert n_dropped > 0
