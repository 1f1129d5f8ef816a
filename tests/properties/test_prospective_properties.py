"""Every view against the brute-force reference on random small worlds, and an identity.

A world has two or three slates that share sets, lack sets or repeat one another; scores, breadths
and dates are drawn from few values so that ties are the rule; every kind of timing occurs, dates
go missing, and some slates have only hits or none. Scores are multiples of 1/8: sums are exact.
"""

import math
import os
import random
from collections import Counter
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
import reference
from hypothesis import HealthCheck, Phase, event, given, settings
from hypothesis import strategies as st
from sqlalchemy import Connection
from support import ENDPOINT, n_examples, sampled
from worlds import (
    FREEZE,
    SHARED,
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
    viewed,
)

from tracker import schema, store
from tracker.store.state import kept, scope

settings.register_profile(
    "tracker",
    deadline=None,
    derandomize=bool(os.environ.get("CI")),
    database=None,
    # Without the phase 'explain', which runs a failing world hundreds of times more.
    phases=(Phase.explicit, Phase.generate, Phase.shrink),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
SETTINGS = settings(settings.get_profile("tracker"), max_examples=n_examples(20))
TYPES = tuple(SIGNALS)
OBSERVED = [datetime(2026, month, 1, 12, tzinfo=UTC) for month in range(2, 7)]
DAYS = (-40, -1, 0, 1, 1, 2, 30, 1800)
DETAILS: tuple[Any, ...] = (
    None,
    {},
    [2],
    {"phase": 2},
    {"phase": "3"},
    {"phase": 0.5},
    {"phase": 4},
    {"phase": "NaN"},
    {"phase": 7},
)
NAMES = ("Relvin", "RELVIN sodium", "rel-vin", "Tosk acetate", "sodium", "Tosk citrate sulfate")
PLANS: tuple[dict[str, Any] | None, ...] = (
    None,
    None,
    {"horizon_months": 3, "scores": {"are": "probabilities"}},
    {"horizon_months": 120, "fda_drug_level": True, "breadth_span": 2},
)
SEEDS = st.randoms(use_true_random=False)


# Random worlds


def random_world(rng: random.Random, *, is_matched: bool = True) -> World:
    """Return a complete world; its two candidate and label sets are shared by its slates.

    Slates of a matched world predict only candidates and know what their label set knows, as a
    freeze makes them. Slates of an unmatched world, as imports may bring, do neither.
    """
    diseases = range(1, rng.randint(1, 3) + 1)
    drugs = range(1, rng.choice((1, 3, 6, 12, 23)) + 1)
    world: World = {
        "drug": [{"drug_id": drug_id, "name": rng.choice(NAMES)} for drug_id in drugs],
        "label_set": [{"label_set_id": number} for number in (1, 2)],
        "candidate_set": [{"candidate_set_id": number} for number in (1, 2)],
        "release": [
            {"release_id": 1, "source": "ctgov", "released_on": FREEZE + timedelta(days=60)},
            *(
                {
                    "release_id": 2 + number,
                    "source": source,
                    "released_on": FREEZE + timedelta(days=rng.choice((-400, 0, 800))),
                }
                for number, source in enumerate(rng.sample(("chembl", "fda", "ctgov"), 2))
            ),
        ],
        "labeled_pair": [],
        "candidate": [],
        "slate": [],
        "slate_attachment": [],
        "prediction": [],
        "outcome": [],
    }
    for label_set_id in (1, 2):
        density = rng.choice((0, 2, 6))
        for disease_id in (*diseases, 8, 9):
            for drug_id in drugs:
                if rng.randint(0, 9) < density:
                    world["labeled_pair"].append(
                        {
                            "label_set_id": label_set_id,
                            "disease_id": disease_id,
                            "drug_id": drug_id,
                            "label": rng.choice((0, 0, 1, 4)),
                            "max_phase": rng.choice((None, -1.0, 0.0, 0.5, 4.0)),
                            "approval_year": rng.choice((None, 1999, 2016, 2025)),
                        }
                    )
    for candidate_set_id in (1, 2):
        for disease_id in (*diseases, 7):
            for drug_id in drugs:
                if rng.randint(0, 9) < 7:
                    world["candidate"].append(
                        {
                            "candidate_set_id": candidate_set_id,
                            "disease_id": disease_id,
                            "drug_id": drug_id,
                            "score": rng.randint(-2, 8) / 8,
                        }
                    )
    outcome_ids = list(range(1, 200))
    rng.shuffle(outcome_ids)
    for number in range(1, rng.randint(2, 3) + 1):
        slate: Row = {
            "slate_id": UUID(int=number),
            # Long ago, the due dates of the criteria have passed.
            "frozen_on": FREEZE + timedelta(days=rng.choice((-2500, -1, 0))),
            "label_set_id": rng.choice((1, 1, 2, None)),
            "candidate_set_id": rng.choice((1, 1, 2, None)),
            "plan": rng.choice(PLANS),
        }
        attached = _attach_sets(rng, slate)
        world["slate_attachment"] += attached
        if _add_predictions(rng, world, slate, list(diseases), list(drugs), is_matched):
            world["slate"].append(slate)
            _add_outcomes(rng, world, slate, list(diseases), list(drugs), outcome_ids)
        else:
            world["slate_attachment"] = [
                row for row in world["slate_attachment"] if row not in attached
            ]
    return _with_vocabulary(rng, partly_proved(rng, complete(world)))


def _with_vocabulary(rng: random.Random, world: World) -> World:
    """Return a complete world with a tree of diseases and with salts.

    Most diseases are terms, two may be the same; a class may be too broad for siblings or at all.
    """
    terms, parents = {"MONDO:1": "disease", "MONDO:2": "area"}, {("MONDO:2", "MONDO:1")}
    classes = ["MONDO:2"]
    of_disease: dict[int, str] = {}
    for disease_id in sorted(row["disease_id"] for row in world["disease"]):
        if rng.random() < 0.9:
            is_same = of_disease and rng.random() < 0.1
            own = f"MONDO:{100 + disease_id}"
            of_disease[disease_id] = rng.choice([*of_disease.values()]) if is_same else own
    for number, term in enumerate(["MONDO:3", *sorted({*of_disease.values()})]):
        terms[term] = f"term {number}"
        parents |= {(term, rng.choice(classes)) for _ in range(rng.choice((1, 1, 2)))}
        classes.append(term)
    broad, n_below = rng.choice(classes), rng.choice((0, 0, 0, 60, 110))
    terms |= {f"MONDO:{1000 + number}": f"kind {number}" for number in range(n_below)}
    parents |= {(f"MONDO:{1000 + number}", broad) for number in range(n_below)}
    release = {"release_id": 50}
    more = complete(
        {
            "release": [release | {"source": "mondo", "released_on": FREEZE}],
            "vocabulary_release": [release],
            "vocabulary_term": [
                release | {"term_id": term, "label": label} for term, label in terms.items()
            ],
            "vocabulary_parent": [
                release | {"term_id": term, "parent_term_id": parent}
                for term, parent in sorted(parents)
            ],
            "disease_alias": [
                {"disease_id": disease_id, "kind": "mondo_id", "value": term}
                for disease_id, term in of_disease.items()
            ],
            "drug_alias": [
                {
                    "drug_id": row["drug_id"],
                    "kind": "parent_chembl_id",
                    "value": f"CHEMBL{rng.randint(1, 6)}",
                }
                for row in world["drug"]
                if rng.random() < 0.4
            ],
        }
    )
    added = ("release", *(name for name in more if name.startswith("vocabulary")))
    return world | {
        name: world[name] + more[name] for name in (*added, "disease_alias", "drug_alias")
    }


def _attach_sets(rng: random.Random, slate: Row) -> list[Row]:
    """Take sets from the slate, now and then, and return them as attached after its freeze."""
    moved = []
    for set_kind, column in (("candidates", "candidate_set_id"), ("labels", "label_set_id")):
        if slate[column] is not None and rng.randint(0, 3) == 0:
            moved.append(
                {"slate_id": slate["slate_id"], "set_kind": set_kind, column: slate[column]}
            )
            slate[column] = None
    return [dict.fromkeys(("candidate_set_id", "label_set_id")) | row for row in moved]


def _add_predictions(
    rng: random.Random,
    world: World,
    slate: Row,
    diseases: list[int],
    drugs: list[int],
    is_matched: bool,
) -> int:
    """Add predictions and return how many; a slate of none cannot be frozen and is left out."""
    candidates = reference.candidates_of(world, slate) if is_matched else None
    labels = reference.labels_of(world, slate) if is_matched else None
    pairs = sorted(
        {(disease, drug) for disease in diseases for drug in drugs}
        if candidates is None
        else {pair for pair in candidates if pair[0] in diseases}
    )
    share = rng.choice((2, 5, 10))
    tiers = rng.choice((("high",), ("high", "moderate"), ("high", "moderate", "exploratory")))
    chosen = [pair for pair in pairs if rng.randint(1, 10) <= share]
    for number, (disease_id, drug_id) in enumerate(chosen, start=1):
        # What was known at freeze comes from the slate's label set, where it has one.
        if labels is None:
            label, phase = rng.choice(((None, None), (0, -1.0), (0, 0.5), (3, None), (4, 4.0)))
        else:
            known = labels.get((disease_id, drug_id), {"label": None, "max_phase": None})
            label, phase = known["label"], known["max_phase"]
        world["prediction"].append(
            {
                "slate_id": slate["slate_id"],
                "disease_id": disease_id,
                "drug_id": drug_id,
                "score": rng.randint(-2, 8) / 8,
                "rank": number,
                "tier": rng.choice(tiers),
                "known_label": label,
                "known_max_phase": phase,
                "first_approval_year": rng.choice((None, 1999)),
                "criterion": rng.choice(schema.CRITERIA),
                "criterion_min_phase": rng.choice((None, 0.5, 2.0, 4.0)),
                "criterion_horizon_years": rng.choice((None, 3, 5)),
            }
        )
    return len(chosen)


def _add_outcomes(
    rng: random.Random,
    world: World,
    slate: Row,
    diseases: list[int],
    drugs: list[int],
    outcome_ids: list[int],
) -> None:
    mood = rng.choice(("none", "few", "many", "low only", "every pair"))
    pairs = [(disease, drug) for disease in diseases for drug in drugs]
    chosen = {
        "none": [],
        "few": [rng.choice(pairs) for _ in range(3)],
        "many": [rng.choice(pairs) for _ in range(20)],
        "low only": [rng.choice(pairs) for _ in range(5)],
        "every pair": pairs[:60],
    }[mood]
    for disease_id, drug_id in chosen:
        event_date = _day(rng, slate["frozen_on"])
        after, by = _interval(rng, slate["frozen_on"])
        if mood == "every pair":
            after, by = slate["frozen_on"], slate["frozen_on"] + timedelta(days=1)
            event_date = by
        observed_at = rng.choice(OBSERVED)
        world["outcome"].append(
            {
                "outcome_id": outcome_ids.pop(),
                "slate_id": slate["slate_id"],
                "disease_id": disease_id,
                "drug_id": drug_id,
                "outcome_type": "status_transition" if mood == "low only" else rng.choice(TYPES),
                "event_date": event_date,
                "public_after": after,
                "public_by": by,
                "source": rng.choice(("ctgov", "chembl")),
                "detail": rng.choice(DETAILS),
                "release_id": rng.choice((None, 1)),
                "observed_at": observed_at,
                # A claim is never of a later instant than the recording.
                "recorded_at": max(observed_at, rng.choice(OBSERVED)),
                # What is detected belongs to no slate.
                "outcome_origin": rng.choice(("loaded", "imported")),
            }
        )


def _day(rng: random.Random, freeze: date) -> date | None:
    offset = rng.choice((*DAYS, None))
    return None if offset is None else freeze + timedelta(days=offset)


def _interval(rng: random.Random, freeze: date) -> tuple[date | None, date | None]:
    """Return when a claim became public: never stated, on one day, by a day, or in an interval."""
    by = freeze + timedelta(days=rng.choice(DAYS))
    length = rng.choice((None, 0, 1, 1, 2, 30, 3000))
    if length is None:
        return None, by
    return (None, None) if length == 0 else (by - timedelta(days=length), by)


def fixed_worlds(n_worlds: int, *, is_matched: bool = True) -> list[World]:
    """Return worlds of fixed seeds, for tests that need no shrinking; any seeds do."""
    return [
        random_world(random.Random(seed), is_matched=is_matched)  # noqa: S311 - a test's data
        for seed in range(n_worlds)
    ]


# The store that all worlds of this module visit


def deviations(connection: Connection, view: str, world: World) -> list[str]:
    """Return what differs between the view and the reference, view name first."""
    _, grain = reference.VIEWS[view]
    expected, actual = reference.rows(view, world), view_rows(connection, view)
    columns = list(expected[0]) if expected else []
    # Means of eighths may differ in the last bit, and differences near 0 by more.
    inexact = ("score_calibration", "headline_figure", "popularity_sensitivity")
    absolute = 1e-15 if view in inexact else 0.0
    return [f"{view}: {line}" for line in differences(expected, actual, grain, columns, absolute)]


# Views against the reference


def assert_agreement(store_path: Path, world: World) -> None:
    with viewed(store_path, world) as connection:
        found = [line for view in reference.VIEWS for line in deviations(connection, view, world)]
    assert not found, "\n".join(found[:20])


@pytest.mark.slow
@SETTINGS
@given(rng=SEEDS)
def test_every_view_agrees_with_the_reference(store_path: Path, rng: random.Random) -> None:
    world = random_world(rng)
    note_coverage(world)
    assert_agreement(store_path, world)


@pytest.fixture(scope="module")
def unmatched_rows(store_path: Path) -> list[dict[str, list[Row]]]:
    """Return the rows of every view in worlds whose slates do not match their sets."""
    made = fixed_worlds(24, is_matched=False)
    seen = []
    # Only the last has approvals dated so that there is a base rate.
    for world in [*made[:9], made[-1]]:
        with viewed(store_path, world) as connection:
            seen.append({view: view_rows(connection, view) for view in reference.VIEWS})
    return seen


@pytest.mark.slow
@pytest.mark.parametrize("number", sampled(range(10), 5))
def test_views_agree_where_a_slate_does_not_match_its_sets(store_path: Path, number: int) -> None:
    assert_agreement(store_path, fixed_worlds(10, is_matched=False)[number])


@pytest.mark.exhaustive
@pytest.mark.parametrize("view", sorted(reference.VIEWS))
def test_no_view_returns_nan_or_infinity(
    unmatched_rows: list[dict[str, list[Row]]], view: str, store_path: Path
) -> None:
    n_floats = 0
    for rows in unmatched_rows:
        for row in rows[view]:
            floats = [value for value in row.values() if isinstance(value, float)]
            n_floats += len(floats)
            assert all(math.isfinite(value) for value in floats), row
    with scratch(store_path) as connection:
        has_floats = "DOUBLE" in view_types(connection, view).values()
    assert (n_floats > 0) == has_floats


def note_coverage(world: World) -> None:
    """Tell hypothesis (--hypothesis-show-statistics) which situations the example covers."""
    for slate in world["slate"]:
        sets = ("label_set_id", "candidate_set_id")
        missing = [name for name in sets if reference.set_of(world, slate, name) is None]
        event(f"without {' and '.join(missing) or 'nothing'}")
        for outcome in reference.outcome_timing(world, slate):
            event(f"timing {outcome['timing']}")
        for row in reference.known_at_freeze(world, slate):
            event(f"knowledge {row['knowledge']}")


@pytest.mark.exhaustive
def test_a_null_ratio_has_a_reason(store_path: Path) -> None:
    n_null: Counter[str] = Counter()
    n_value: Counter[str] = Counter()
    for world in fixed_worlds(40):
        with viewed(store_path, world) as connection:
            for view, headline in reference.HEADLINES.items():
                for row in view_rows(connection, view):
                    if row[headline] is None:
                        n_null[view] += 1
                        assert row["reason"], (view, row)
                    elif "no fair comparison" in (row["reason"] or ""):
                        # The one reason that explains a value: what the endpoint falls to.
                        assert row.get("metric", "") in ("", ENDPOINT), (view, row)
                    elif row.get("enrichment_vs_popularity_tie_safe", 1) is not None:
                        n_value[view] += 1
                        assert row["reason"] is None, (view, row)
    assert n_null.keys() == n_value.keys() == reference.HEADLINES.keys()


@pytest.mark.parametrize("n_pairs", sampled([49, 98, 103, 107, 161, 187, 196, 197], 2))
def test_enrichment_is_exactly_one_where_division_rounds(store_path: Path, n_pairs: int) -> None:
    """Group sizes such as 49, where 49 * (1 / 49) is not 1 in doubles: the sum must stay exact."""
    pairs = [{"disease_id": disease_id, "drug_id": 1} for disease_id in range(1, n_pairs + 1)]
    later = FREEZE + timedelta(days=1)
    world = complete(
        {
            "slate": [{"slate_id": UUID(int=1), "label_set_id": 1, "candidate_set_id": 1}],
            "label_set": [{"label_set_id": 1}],
            "candidate": [{"candidate_set_id": 1} | pair for pair in pairs],
            "prediction": [{"slate_id": UUID(int=1)} | pair for pair in pairs],
            "outcome": [
                {"slate_id": UUID(int=1), "event_date": later, "first_public_on": later} | pair
                for pair in pairs[:1]
            ],
        }
    )
    with viewed(store_path, world) as connection:
        rows = [
            row
            for row in view_rows(connection, "enrichment_vs_popularity")
            if row["evidence_window"] == "all"
        ]
    assert len(rows) == 4
    for row in rows:
        assert row["expected_hits"] == 1.0
        assert row["enrichment_vs_popularity"] == 1.0
        assert row["enrichment_vs_popularity_tie_safe"] == 1.0


@SETTINGS
@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=40))
def test_prediction_line_prints_floats_as_python_does(
    store_path: Path, scores: list[float]
) -> None:
    world = complete(
        {
            "prediction": [
                {"slate_id": UUID(int=1), "disease_id": 1, "drug_id": number, "score": score}
                for number, score in enumerate(scores, start=1)
            ]
        }
    )
    with scratch(store_path) as connection:
        insert(connection, world)
        printed = {
            row["drug_id"]: row["line"].split("\t")[2]
            for row in view_rows(connection, "prediction_line")
        }
    assert printed == {number: repr(score) for number, score in enumerate(scores, start=1)}


# Replay


@pytest.fixture(scope="module")
def replay_worlds() -> list[World]:
    """Return five worlds of many outcomes."""
    return [world for world in fixed_worlds(100) if len(world["outcome"]) >= 25][:5]


@pytest.mark.parametrize("number", sampled(range(5), 3, slow=True))
def test_as_of_equals_a_ledger_cut_at_that_instant(
    number: int, replay_worlds: list[World], tmp_path: Path
) -> None:
    world = replay_worlds[number]
    path = tmp_path / "store.tracker"
    with store.writer(path, run_checks=False) as connection:
        insert(connection, world)
    second = timedelta(seconds=1)
    instants = [OBSERVED[0] - second, OBSERVED[1], OBSERVED[2] - second, OBSERVED[-1]]
    sizes = set()
    for instant in instants:
        cut = reference.as_of(world, instant)
        sizes.add(len(cut["outcome"]))
        with (
            store.reader(path, as_of=instant) as connection,
            kept.computed(connection),
            scope.computed_once(connection, SHARED),
        ):
            found = [line for view in reference.VIEWS for line in deviations(connection, view, cut)]
        assert not found, "\n".join(found[:20])
    assert len(sizes) >= 3


@pytest.mark.slow
def test_as_of_is_an_instant_whatever_its_time_zone(
    replay_worlds: list[World], tmp_path: Path
) -> None:
    world = replay_worlds[0]
    path = tmp_path / "store.tracker"
    with store.writer(path, run_checks=False) as connection:
        insert(connection, world)
    local = OBSERVED[1].astimezone(datetime.strptime("+0530", "%z").tzinfo)
    cut = reference.as_of(world, OBSERVED[1])
    expected = {row["outcome_id"] for row in reference.rows("outcome_timing", cut)}
    with (
        store.reader(path, as_of=local) as connection,
        scope.of_views(connection, "outcome_timing"),
    ):
        actual = {row["outcome_id"] for row in view_rows(connection, "outcome_timing")}
    assert actual == expected
    assert len(actual) < len(reference.rows("outcome_timing", world))
