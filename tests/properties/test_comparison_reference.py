"""The views that compare slates against the brute-force reference, on random small worlds.

Two to four slates predict drugs of a few diseases. They were frozen on different days, look
forward for different times, and share sets or lack them. Events are dated around the freezes and
the ends of horizons of either slate, since there the rules divide.
"""

import random
from datetime import date, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import comparison_reference
import pytest
import reference
from worlds import (
    FREEZE,
    SIGNALS,
    Row,
    World,
    complete,
    differences,
    insert,
    partly_proved,
    scratch,
    view_rows,
    view_types,
)

from tracker.store.state import kept, scope

# What the views of comparisons read, computed once: that adds speed, not correctness.
READ = (
    "slate_event",
    "pair_known_phase",
    "outcome",
    "outcome_timing",
    "slate_follow_up",
    "pair_event",
    "marked_candidate",
    "pair_outcome",
    "tier_count",
    "drug_breadth",
    "breadth_cell",
    "comparison_list",
    "comparison_member",
    "comparison_stratum",
)
# Of the first worlds those for every run: together they depend on each rule, some of which, like
# the order of events of one day, matter in few worlds.
SEEDS = (2, 9, 14, 15, 35, 49, 60, 72, 82, 88)
OTHERS = sorted({*range(96)} - {*SEEDS})
# Some horizons end on the day of another freeze.
FREEZES = (-500, -365, -92, 0, 0, 0, 0, 0, 0, 31, 200)
PLANS: tuple[Any, ...] = (
    None,
    None,
    None,
    None,
    {"horizon_months": 3},
    {"horizon_months": 24},
    {"fda_drug_level": True},
    {"horizon_months": 6, "fda_drug_level": True},
)
SOURCES = ((), ("fda",), ("chembl", "fda"), ("chembl", "ctgov"))
TIERS = (("high",), ("high", "moderate"), ("high", "moderate", "exploratory"))
LABELS = ((0, None), (0, 0.5), (1, None), (4, 4.0))
# High signals are likelier, so that there are hits to compare.
TYPES = (*SIGNALS, "phase_advanced", "first_trial_seen")


def random_world(rng: random.Random) -> World:
    """Return a complete world; most slates predict candidates of theirs, as a freeze makes them."""
    diseases = list(range(1, rng.randint(1, 3) + 1))
    drugs = list(range(1, rng.choice((4, 8, 16)) + 1))
    world: World = {
        "drug": [{"drug_id": drug_id} for drug_id in drugs],
        "label_set": [{"label_set_id": number} for number in (1, 2)],
        "candidate_set": [{"candidate_set_id": number} for number in (1, 2)],
        "release": [
            {
                "release_id": number,
                "source": source,
                "released_on": FREEZE + timedelta(days=rng.choice((-600, 90, 365, 900))),
            }
            for number, source in enumerate(rng.choice(SOURCES), start=1)
        ],
        "labeled_pair": [],
        "candidate": [],
        "slate": [],
        "prediction": [],
        "outcome": [],
    }
    for number in (1, 2):
        # With few labels many drugs are equally popular, so that there are others to compare with.
        density = rng.choice((0, 1, 1, 4))
        for disease_id in (*diseases, 8, 9):
            for drug_id in drugs:
                pair = {"disease_id": disease_id, "drug_id": drug_id}
                if rng.randint(1, 10) <= density:
                    label, phase = rng.choice(LABELS)
                    world["labeled_pair"].append(
                        {"label_set_id": number, **pair, "label": label, "max_phase": phase}
                    )
                if disease_id != 9 and rng.randint(1, 10) <= 9:
                    world["candidate"].append({"candidate_set_id": number, **pair})
    for number in range(1, rng.choice((2, 3, 4, 4, 4)) + 1):
        slate: Row = {
            "slate_id": UUID(int=number),
            "frozen_on": FREEZE + timedelta(days=rng.choice(FREEZES)),
            "label_set_id": rng.choice((1, 1, 1, 1, 2, None)),
            "candidate_set_id": rng.choice((1, 1, 1, 1, 2, None)),
            "plan": rng.choice(PLANS),
        }
        predictions = _predictions(rng, world, slate, diseases, drugs)
        if predictions:
            world["slate"].append(slate)
            world["prediction"] += predictions
    outcomes = _outcomes(rng, world["slate"], diseases, drugs) if world["slate"] else []
    world["outcome"] = [row for row in outcomes if row["slate_id"] is not None]
    world["event"] = [_stated(row) for row in outcomes if row["slate_id"] is None]
    # Slates that count from unlike days are rarely compared in full.
    return complete(world) if rng.random() < 0.75 else partly_proved(rng, complete(world))


def _predictions(
    rng: random.Random, world: World, slate: Row, diseases: list[int], drugs: list[int]
) -> list[Row]:
    """Return predictions for some of the diseases, of which ranks may tie and tiers may lack."""
    candidates = reference.candidates_of(world | {"slate_attachment": []}, slate)
    if candidates is None or rng.randint(1, 6) == 1:
        candidates = {(disease, drug) for disease in diseases for drug in drugs}
    tiers, share = rng.choice(TIERS), rng.choice((1, 3, 6))
    found = []
    for disease_id in rng.sample(diseases, rng.randint(1, len(diseases))):
        chosen = [
            drug
            for drug in drugs
            if (disease_id, drug) in candidates and rng.randint(1, 10) <= share
        ]
        rng.shuffle(chosen)
        ties = rng.choice((1, 1, 2))
        for number, drug_id in enumerate(chosen):
            label, phase = rng.choice(LABELS) if rng.randint(1, 8) == 1 else (None, None)
            found.append(
                {
                    "slate_id": slate["slate_id"],
                    "disease_id": disease_id,
                    "drug_id": drug_id,
                    "rank": 1 + number // ties,
                    "tier": rng.choice(tiers),
                    "known_label": label,
                    "known_max_phase": phase,
                }
            )
    return found


def _outcomes(
    rng: random.Random, slates: list[Row], diseases: list[int], drugs: list[int]
) -> list[Row]:
    """Return outcomes, numbered in no order; those of no slate count for each with the pair."""
    edges = [day for row in slates for day in (row["frozen_on"], reference.horizon_end_of(row))]
    owners = [*(row["slate_id"] for row in slates), None]
    ids = rng.sample(range(1, 200), rng.choice((5, 30, 60)))
    found: list[Row] = []
    for outcome_id in ids:
        disease_id, drug_id, event_date = rng.choice(diseases), rng.choice(drugs), _near(rng, edges)
        if found and rng.randint(1, 3) == 1:
            # Of several on one day the publication decides, then the number.
            last = found[-1]
            disease_id, drug_id = last["disease_id"], last["drug_id"]
            event_date = last["event_date"] or event_date
        after, by = _interval(rng, edges, event_date)
        found.append(
            {
                "outcome_id": outcome_id,
                "slate_id": rng.choice(owners),
                "disease_id": disease_id,
                "drug_id": drug_id,
                "outcome_type": rng.choice(TYPES),
                "event_date": rng.choice((event_date,) * 9 + (None,)),
                "public_after": after,
                "public_by": by,
                "source": rng.choice(("ctgov", "chembl")),
                "detail": rng.choice((None, {"phase": 2}, {"record": f"NCT{outcome_id}"})),
                "outcome_origin": "loaded",
            }
        )
    return found


def _stated(outcome: Row) -> Row:
    """Return the event of a file that claims this for whichever slates have the pair."""
    renamed = {"event_id": "outcome_id", "event_type": "outcome_type"}
    columns = ("disease_id", "drug_id", "event_date", "public_after", "public_by", "source")
    return {name: outcome[name] for name in columns} | {
        **{name: outcome[column] for name, column in renamed.items()},
        "record": (outcome["detail"] or {}).get("record"),
        "event_origin": "loaded",
    }


def seen(world: World) -> World:
    """Return the world with the outcomes that the events of no slate are for each slate."""
    outcomes = [
        {
            **row,
            "slate_id": slate["slate_id"],
            "outcome_id": row["event_id"],
            "outcome_type": row["event_type"],
            "detail": {"record": row["record"]},
        }
        for slate in world["slate"]
        for row in world["event"]
        if reference.pair_of(row) in _pairs_of(world, slate)
    ]
    return world | {"outcome": [*world["outcome"], *outcomes]}


def _pairs_of(world: World, slate: Row) -> set[reference.Pair]:
    """Return the pairs that the slate predicts, or scored for a disease it predicts."""
    predicted = reference.predicted_pairs(world, slate)
    return reference.slate_candidates_of(world, slate).union(predicted)


def _near(rng: random.Random, edges: list[date]) -> date:
    return rng.choice(edges) + timedelta(days=rng.choice((-40, -1, 0, 0, 1, 1, 2, 20)))


def _interval(
    rng: random.Random, edges: list[date], event_date: date
) -> tuple[date | None, date | None]:
    """Return when it became public: on a day, in an interval, by a day, or not stated."""
    by = rng.choice((event_date, event_date, event_date + timedelta(days=3), _near(rng, edges)))
    length = rng.choice((1, 1, 1, 1, 2, 30, None, 0))
    if length is None:
        return None, by
    return (None, None) if length == 0 else (by - timedelta(days=length), by)


def fixed_world(seed: int) -> World:
    return random_world(random.Random(seed))  # noqa: S311 - a test's data


def deviations(store_path: Path, world: World) -> list[str]:
    """Return what differs between the views and the reference, view name first."""
    expected, found = comparison_reference.rows(seen(world)), []
    with scratch(store_path) as connection:
        insert(connection, world)
        asked = (*READ, *comparison_reference.VIEWS)
        with kept.computed(connection), scope.computed_once(connection, asked):
            for view, (_, grain) in comparison_reference.VIEWS.items():
                columns = list(view_types(connection, view))
                lines = differences(expected[view], view_rows(connection, view), grain, columns)
                found += [f"{view}: {line}" for line in lines]
    return found


@pytest.mark.parametrize(
    "seed",
    [
        *(pytest.param(seed, marks=pytest.mark.slow) for seed in SEEDS),
        *(pytest.param(seed, marks=pytest.mark.exhaustive) for seed in OTHERS),
    ],
)
def test_comparisons_agree_with_the_reference(store_path: Path, seed: int) -> None:
    found = deviations(store_path, fixed_world(seed))
    assert not found, "\n".join(found[:20])


def test_the_worlds_of_every_run_have_what_divides_comparisons() -> None:
    """No rule agrees for want of a world that it matters in."""
    found: dict[str, list[Row]] = {view: [] for view in comparison_reference.VIEWS}
    is_seen_by_both = False
    for seed in SEEDS:
        world = seen(fixed_world(seed))
        rows = comparison_reference.rows(world)
        for view in found:
            found[view] += rows[view]
        sights = {(row["outcome_id"], row["slate_id"]) for row in world["outcome"]}
        is_seen_by_both |= any(
            {(row["outcome_id"], row[name]) for name in ("slate_id", "versus_slate_id")} <= sights
            for row in rows["comparison_hit"]
        )
    assert is_seen_by_both
    compared, predicted = found["comparison"], found["comparison_prediction"]
    assert {row["reason"] for row in compared} == {
        None,
        comparison_reference.NO_WINDOW,
        comparison_reference.NO_PREDICTION,
    }
    why_not = {row["ratio_reason"] for row in compared}
    assert {None if one is None else one.split(":")[0] for one in why_not} == {
        None,
        comparison_reference.NOTHING_COMPARED,
        comparison_reference.OWN_UNKNOWN.removesuffix(": "),
        comparison_reference.OTHER_UNKNOWN.removesuffix(": "),
        comparison_reference.NO_OTHER_HIT,
    }
    assert {row["is_interim"] for row in compared} == {True, False}
    assert {row["followed_until"] is None for row in compared} == {True, False}
    # Enrichments other than 1, and ratios of them.
    assert len({row["enrichment_ratio"] for row in compared}) > 5
    for column in ("n_better", "n_worse", "n_cut", "n_versus_cut", "n_shared_hits"):
        assert any(row[column] for row in compared), column
    combinations = {
        (row["is_listed"], row["is_listed_by_both"], row["is_hit"]) for row in predicted
    }
    # What is cut is not shared.
    assert len(combinations) == 6
