"""The figures of reports, from the files alone that were imported or loaded.

The reference computes them in a world that is made of the files: nothing of it is read from a
store, so that what an import or a freeze makes of files is compared, too.
"""

import csv
import random
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable
from datetime import UTC, date, datetime, time
from itertools import cycle
from operator import itemgetter
from pathlib import Path
from typing import Any
from uuid import UUID

import pandas as pd
import pytest
import reference
from support import Tracker, as_json, ok, query
from worlds import Row, World, complete, differences

SLATE = UUID(int=1)
TIERS = ("high", "moderate", "exploratory")
KINDS = ("disease", "drug")
# Those that need candidates and labels come last.
VIEWS = (
    "tier_hit_rate",
    "enrichment_vs_random",
    "precision_proxy",
    "score_calibration",
    "time_to_event",
    "median_time_to_event",
    "popularity_baseline",
    "breadth_decile_hit_rate",
    "enrichment_vs_popularity",
)


def world_of(slate: Row, **files: list[Row]) -> World:
    """Return the world of a slate and of files, whose rows name a disease and a drug."""
    of_set: dict[str, Row] = {
        "prediction": {"slate_id": SLATE},
        "outcome": {"slate_id": SLATE},
        "candidate": {"candidate_set_id": 1},
        "labeled_pair": {"label_set_id": 1},
    }
    numbers: dict[tuple[str, str], int] = {}
    world: World = {"slate": [{"slate_id": SLATE, **slate}]}
    for table, rows in files.items():
        world[table] = [
            {
                **{column: value for column, value in row.items() if column not in KINDS},
                **{
                    f"{kind}_id": numbers.setdefault((kind, row[kind].casefold()), len(numbers) + 1)
                    for kind in KINDS
                },
                **of_set[table],
            }
            for row in rows
        ]
    for kind in KINDS:
        world[kind] = [
            {f"{kind}_id": number, "name": name}
            for (of_kind, name), number in numbers.items()
            if of_kind == kind
        ]
    return complete(world)


def dated(row: Row, event: str, public: str) -> Row:
    """Return the dates of an outcome in a file, '' where one is not known."""
    event_date = date.fromisoformat(event) if event else None
    first_public_on = date.fromisoformat(public) if public else None
    return row | {"event_date": event_date, "first_public_on": first_public_on}


def assert_equal(
    report: dict[str, Any], world: World, views: Iterable[str], populations: tuple[str, ...]
) -> dict[str, list[Row]]:
    """Compare every row of the views; return those of the reference."""
    names = {kind: {row[f"{kind}_id"]: row["name"] for row in world[kind]} for kind in KINDS}
    found = {}
    for view in views:
        rows = [
            {
                **{
                    column: str(value) if isinstance(value, date) else value
                    for column, value in row.items()
                },
                **{
                    f"{kind}_name": names[kind][row[f"{kind}_id"]]
                    for kind in KINDS
                    if f"{kind}_id" in row
                },
            }
            for row in reference.rows(view, world)
            if row.get("population", "all") in populations
        ]
        shown = [
            {
                **row,
                **{
                    name: row[name].casefold()
                    for name in ("disease_name", "drug_name")
                    if name in row
                },
            }
            for row in report["sections"][view]
            if row.get("population", "all") in populations
        ]
        grain = [name.replace("_id", "_name") for name in reference.VIEWS[view][1][1:]]
        compared = rows[0].keys() & shown[0].keys()
        assert not differences(rows, shown, grain, compared), view
        found[view] = rows
    return found


# The slates published in 2026


def published(folder: Path, slate_id: str, counted_from: date) -> World:
    """Return what the files say of a slate: each pair once, at its best rank."""
    tables = [pd.read_parquet(folder / f"{name}.parquet") for name in ("registry", "outcomes")]
    rows, seen = (
        table[table["slate_id"].str.startswith(slate_id)]
        .rename(columns={"disease_name": "disease", "drug_name": "drug"})
        .fillna("")
        .to_dict("records")
        for table in tables
    )
    rows.sort(key=lambda row: (row["rank"], -row["repurposing_score"]))
    best = {(row["disease"].casefold(), row["drug"].casefold()): row for row in reversed(rows)}
    predictions = [
        {
            **{kind: row[kind] for kind in KINDS},
            "score": row["repurposing_score"],
            "rank": row["rank"],
            "tier": TIERS[bisect_left((10, 50), row["rank"])],
        }
        for row in best.values()
    ]
    # When an outcome became public is not stated: none is known to be prospective.
    outcomes = [
        dated({name: row[name] for name in (*KINDS, "outcome_type")}, row["outcome_date"], "")
        for row in seen
    ]
    stated = datetime.fromisoformat(rows[0]["created_at"])
    slate = {
        "frozen_on": stated.date(),
        "created_at": stated,
        "origin": "imported",
        # No authority has seen it: it counts from the day of the import, where that is asked for.
        "recorded_at": datetime.combine(counted_from, time(), UTC),
    }
    return world_of(slate, prediction=predictions, outcome=outcomes, timestamp_token=[])


@pytest.mark.slow
@pytest.mark.parametrize("slate_id", ["469bb270", "302b34f7"])
@pytest.mark.parametrize("dates", ["claimed", "counted"])
def test_every_row_of_a_published_slate(
    tracker: Tracker, shared: Path, slate_id: str, dates: str
) -> None:
    ok(tracker("slate", "import", shared / "exmplr_2026q1"))
    report = as_json(tracker, "report", slate_id, "--dates", dates)
    counted_from = date.fromisoformat(report["slate"]["counted_from"])
    world = published(shared / "exmplr_2026q1", slate_id, counted_from)
    assert (counted_from == world["slate"][0]["frozen_on"]) == (dates == "claimed")
    found = assert_equal(report, world, VIEWS[:6], ("all",))
    if slate_id == "469bb270":
        (high,) = (
            row
            for row in found["tier_hit_rate"]
            if (row["evidence_window"], row["tier"]) == ("all", "high")
        )
        every = found["median_time_to_event"][0]
        assert (high["n_hits"], high["n_predictions"]) == (10, 70)
        assert (every["median_days"], every["n_negative"], every["n_positive"]) == (-4474, 31, 1)


# A small world with candidates and labels

FREEZE = date(2023, 1, 15)
N_DRUGS, N_PREDICTED = 27, 14
DISEASES = ("ague", "catarrh", "dropsy", "gravel")
# A disease and a drug by their numbers, what happened, when, and when it became public.
OUTCOMES = (
    *[(0, drug, "first_trial_seen", "2023-06-01", "2023-05-20") for drug in (2, 9, 17, 25)],
    *[(1, drug, "phase_advanced", "2023-03-01", "2023-03-01") for drug in (1, 4, 11, 20, 26)],
    # Before the freeze, planned and public by it, and on the horizon's last day.
    (2, 3, "fda_approved", "2011-11-11", "2011-11-11"),
    (2, 8, "first_trial_seen", "2023-04-01", "2022-12-01"),
    (2, 14, "first_trial_seen", "2024-01-15", "2024-01-15"),
    # After the horizon, by one day and by five months; one that became public after it.
    (2, 19, "first_trial_seen", "2024-01-16", "2024-01-16"),
    (0, 5, "first_trial_seen", "2024-06-15", "2024-06-15"),
    (1, 6, "phase_advanced", "2023-12-01", "2024-02-01"),
    # Undated; dated without a first public day; a low signal alone; and twice the same pair.
    (3, 7, "fda_approved", "", ""),
    (3, 13, "first_trial_seen", "2023-05-05", ""),
    (3, 21, "status_transition", "2023-05-05", "2023-05-05"),
    (3, 24, "phase_advanced", "2023-08-01", "2023-08-01"),
    (3, 24, "fda_approved", "2023-02-01", "2023-02-01"),
)


def small_world() -> tuple[list[Row], list[Row]]:
    """Return candidates and labels; every drug has a breadth of its own, every pair its score."""
    chance = random.Random(7)  # noqa: S311 - a world is no secret
    names = [f"drug {number:02}" for number in range(N_DRUGS)]
    pairs = [{"disease": disease, "drug": drug} for disease in DISEASES for drug in names]
    places = chance.sample(range(len(pairs)), len(pairs))
    candidates = [
        pair | {"score": (1 + place / len(pairs)) / 2}
        for pair, place in zip(pairs, places, strict=True)
    ]
    labels = [
        {"disease": f"other {place:02}", "drug": drug, "label": 1}
        for breadth, drug in enumerate(chance.sample(names, N_DRUGS))
        for place in range(breadth)
    ]
    return candidates, labels


def write(path: Path, rows: list[Row]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow([f"{name}_name" if name in KINDS else name for name in rows[0]])
        writer.writerows(row.values() for row in rows)


@pytest.mark.slow
def test_every_row_of_a_small_world(tracker: Tracker, tmp_path: Path) -> None:
    candidates, labels = small_world()
    outcomes = [
        {"disease": DISEASES[disease], "drug": f"drug {drug:02}", "outcome_type": outcome_type}
        | {"event_date": event, "first_public_on": public, "source": "ctgov"}
        for disease, drug, outcome_type, event, public in OUTCOMES
    ]
    for name, rows in (("candidates", candidates), ("labels", labels), ("outcomes", outcomes)):
        write(tmp_path / f"{name}.csv", rows)
    sets = ("--candidates", "c", "--labels", "l")
    for words in (
        ("load", "candidates", tmp_path / "candidates.csv", "--set", "c", "--model", "m"),
        ("load", "labels", tmp_path / "labels.csv", "--set", "l"),
        ("slate", "freeze", *sets, "--top-k", N_PREDICTED, "--replay-as-of", FREEZE),
    ):
        ok(tracker(*words))
    (slate,) = as_json(tracker, "slate", "list")
    ok(tracker("load", "outcomes", tmp_path / "outcomes.csv", "--slate", slate["slate_id"]))
    ordered = sorted(candidates, key=lambda row: (row["disease"], -row["score"]))
    predictions = [
        row | {"rank": rank, "tier": "high" if rank <= 10 else "moderate"}
        for row, rank in zip(ordered, cycle(range(1, N_DRUGS + 1)), strict=False)
        if rank <= N_PREDICTED
    ]
    world = world_of(
        {"frozen_on": FREEZE, "candidate_set_id": 1, "label_set_id": 1},
        prediction=predictions,
        outcome=[dated(row, row["event_date"], row["first_public_on"]) for row in outcomes],
        candidate=candidates,
        labeled_pair=labels,
    )
    report = as_json(tracker, "report", slate["slate_id"])
    assert_equal(report, world, VIEWS, ("all", "novel"))
    statement = (
        "select name as drug, breadth, breadth_decile "
        "from drug_breadth join drug using (drug_id) order by drug"
    )
    stored = query(tracker, statement)
    names = {row["drug_id"]: row["name"] for row in world["drug"]}
    expected = [
        {"drug": names[row["drug_id"]]} | reference.only(row, "breadth", "breadth_decile")
        for row in reference.rows("drug_breadth", world)
    ]
    assert stored == sorted(expected, key=itemgetter("drug"))


def test_the_small_world_tells_the_rules_apart() -> None:
    """No order of equals is part of the figures; the horizon and dates keep some hits out."""
    candidates, labels = small_world()
    breadths = Counter(row["drug"] for row in labels)
    assert len({*breadths.values()}) == len(breadths) == N_DRUGS - 1
    assert len({row["score"] for row in candidates}) == len(candidates)
    assert sum(event > "2024-01-15" for _, _, _, event, _ in OUTCOMES) == 2
    assert sum(event == "" for _, _, _, event, _ in OUTCOMES) == 1
