"""Worlds with a past: what happened in the years before a freeze, and the power stated from it.

The chances of a world of null_world are those of three years. It is aged by as many, in which
unknown pairs become known, in diseases that are not of the slate too, and chances grow with the
breadth of drugs; then a model chooses among what is still unknown. `stated` puts the past into
tables in memory and asks the project's own views what is to be expected of the predictions, and the
closed form of power which enrichment they can show. `realised` is the same by the true chances.
"""

from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

import numpy as np
import sqlalchemy as sa
from null_world import (
    MOST_LIKELY,
    NO_TIE_NAMES,
    Array,
    Model,
    Setting,
    Slate,
    World,
    breadth_class,
    create,
    draw_slate,
    draw_world,
    slate_id,
)
from numpy.random import Generator
from sqlalchemy import Row

from tracker.store import catalog
from tracker.uncertainty.estimates import power as recorded
from tracker.uncertainty.stats import power

FREEZE = date(2020, 1, 1)
MONTHS = 36
# NumPy has no plain dates that the engine reads.
_DATES = (
    ("slate_date", "counted_from"),
    *(
        (table, column)
        for table in ("slate_event", "event")
        for column in ("public_after", "public_by")
    ),
)
N_UNIVERSE = 400
VIEWS = ("disease_activity", "past_drug_count", "freeze_expectation", "freeze_base_rate")


@dataclass(frozen=True)
class Past:
    """A world at its freeze, and what became known in the years before, of shape (drugs, diseases).

    `elsewhere`, of shape (n_drugs,), counts what became known in diseases not of the slate.
    """

    world: World
    became_known: Array
    elsewhere: Array


@dataclass(frozen=True)
class Stated:
    """What is said of all predictions: hits in three years and the smallest enrichment."""

    expected_hits: float
    drug_spread: float
    smallest: float | None
    own_share: float | None = None


def draw_past(setting: Setting, rng: Generator) -> Past:
    """Return a world three years on; breadth, degree and chances grow with what became known."""
    world = draw_world(setting, rng)
    chance = np.minimum(world.chance, MOST_LIKELY)
    became_known = (rng.random(chance.shape) < chance) & ~world.is_known
    # The universe's other diseases grow alike.
    new = became_known.sum(axis=1)
    per_disease = chance.sum(axis=1) / setting.n_diseases
    elsewhere = rng.poisson((N_UNIVERSE - setting.n_diseases) * per_disease)
    breadth = world.breadth + new + elsewhere
    aged = world._replace(
        breadth=breadth,
        degree=world.degree + became_known.sum(axis=0),
        is_known=world.is_known | became_known,
        chance=world.chance * (((1.0 + breadth) / (1.0 + world.breadth)) ** 0.8)[:, None],
    )
    return Past(aged, became_known, elsewhere)


def draw(past: Past, model: Model, rng: Generator) -> Slate:
    """Return a model's slate and its hits within three years of the freeze."""
    return draw_slate(past.world, model, rng)[0]


def stated(past: Past, slate: Slate) -> Stated:
    """Return what the views and the closed form of power say of the slate's predictions."""
    row, design = designed(past, slate)
    expected = float((1 - (1 - design.rate) ** (MONTHS / 12)).sum())
    smallest = power.smallest_enrichment(design, MONTHS)
    return Stated(expected, design.drug_spread, smallest, row.own_share)


def designed(past: Past, slate: Slate) -> tuple[Row[Any], power.Design]:
    """Return the row of freeze_base_rate of all predictions of a slate, and their design."""
    engine = sa.create_engine("duckdb:///:memory:")
    with engine.connect() as connection:
        for name, columns in _tables(past, slate).items():
            create(connection, name, {"slate": np.ones(len(_first(columns)), int), **columns})
        connection.exec_driver_sql(NO_TIE_NAMES)
        for table, column in _DATES:
            connection.exec_driver_sql(f"alter table {table} alter {column} type date")
        views = {view.name: view for view in catalog.read_views()}
        for name in catalog.in_reading_order(VIEWS):
            connection.exec_driver_sql(f"create table {name} as\n{views[name].select}")
        key = {"slate_id": str(slate_id(1))}
        row = next(row for row in connection.execute(recorded.BASE_RATES, key) if row.tier == "all")
        design = recorded.design(connection, row)
    engine.dispose()
    return row, design


def realised(past: Past, slate: Slate) -> Stated:
    """Return what would be said of the slate's novel predictions if all chances were known."""
    is_novel, level = ~slate.is_known, breadth_class(past.world.breadth)
    chance = np.minimum(past.world.chance, MOST_LIKELY)
    # A row per class of breadth and a column per disease.
    of_class = (level == np.unique(level)[:, None]).astype(float)
    n, n_predicted = of_class @ is_novel, of_class @ (slate.is_predicted & is_novel)
    drug, disease = np.nonzero(slate.is_predicted & is_novel)
    place = np.unique(level, return_inverse=True)[1][drug]
    mean = (of_class @ (chance * is_novel))[place, disease] / n[place, disease]
    design = power.Design(
        1 - (1 - mean) ** (12 / MONTHS),
        n[place, disease],
        (n_predicted / np.maximum(n, 1))[place, disease],
        np.unique(disease, return_inverse=True)[1],
        np.unique(drug, return_inverse=True)[1],
        np.unique(place, return_inverse=True)[1],
        0.0,
    )
    expected = float(chance[drug, disease].sum())
    return Stated(expected, 0.0, power.smallest_enrichment(design, MONTHS))


def _first(columns: dict[str, Array]) -> Array:
    return next(iter(columns.values()))


def _tables(past: Past, slate: Slate) -> dict[str, dict[str, Array]]:
    """Return the tables that the views read; every known pair has a label, every event a day."""
    n_drugs, n_diseases = slate.is_known.shape
    pair_drug, pair_disease = (place.astype(np.int32) for place in np.indices(slate.is_known.shape))
    known_drug, known_disease = (place.astype(np.int32) for place in np.nonzero(slate.is_known))
    new_drug, new_disease = (place.astype(np.int32) for place in np.nonzero(past.became_known))
    drug, disease = (place.astype(np.int32) for place in np.nonzero(slate.is_predicted))
    other_drug = np.repeat(np.arange(n_drugs, dtype=np.int32), past.elsewhere)
    # Any diseases that are not of the slate, each once.
    other_disease = n_diseases + np.arange(len(other_drug), dtype=np.int32)
    after = np.datetime64(FREEZE - timedelta(days=400), "us")
    by = after + np.timedelta64(1, "D")
    return {
        "slate": {"frozen_on": np.array([FREEZE], dtype="datetime64[us]")},
        "disease": {"disease_id": np.arange(n_diseases, dtype=np.int32)},
        "drug": {"drug_id": np.arange(n_drugs, dtype=np.int32)},
        "slate_date": {"counted_from": np.array([FREEZE], dtype="datetime64[us]")},
        "breadth_cell": _cells(slate),
        "slate_sets": {
            "label_set_id": np.array([1]),
            "candidate_set_id": np.array([1]),
            "reason": np.array([None], dtype=object),
        },
        "prediction": {
            "disease_id": disease,
            "drug_id": drug,
            "tier": np.full(len(drug), "high"),
        },
        "candidate": {
            "candidate_set_id": np.ones(n_drugs * n_diseases, int),
            "disease_id": pair_disease.ravel(),
            "drug_id": pair_drug.ravel(),
        },
        "labeled_pair": {
            "label_set_id": np.ones(len(known_drug) + len(other_drug), int),
            "disease_id": np.concatenate([known_disease, other_disease]),
            "drug_id": np.concatenate([known_drug, other_drug]),
            "label": np.full(len(known_drug) + len(other_drug), 2),
            "approval_year": np.full(len(known_drug) + len(other_drug), FREEZE.year),
        },
        "pair_known_phase": {
            "disease_id": known_disease,
            "drug_id": known_drug,
            "is_known": np.ones(len(known_drug), dtype=np.bool_),
            "is_learned_later": np.zeros(len(known_drug), dtype=np.bool_),
        },
        "drug_breadth": {
            "drug_id": np.arange(n_drugs, dtype=np.int32),
            "breadth": past.world.breadth.astype(np.int64),
            "breadth_class": breadth_class(past.world.breadth),
        },
        "slate_event": {
            "disease_id": new_disease,
            "drug_id": new_drug,
            "is_public_by_freeze": np.ones(len(new_drug), dtype=np.bool_),
            "public_after": np.full(len(new_drug), after),
            "public_by": np.full(len(new_drug), by),
        },
        "annulled_event": {"event_id": np.array([], dtype=np.int64)},
        "event": {
            "event_id": np.arange(len(new_drug) + len(other_drug)),
            "disease_id": np.concatenate([new_disease, other_disease]),
            "drug_id": np.concatenate([new_drug, other_drug]),
            "public_after": np.full(len(new_drug) + len(other_drug), after),
            "public_by": np.full(len(new_drug) + len(other_drug), by),
            "event_date": np.full(len(new_drug) + len(other_drug), by),
            "recorded_at": np.full(len(new_drug) + len(other_drug), after),
        },
        "report_instant": {"as_of": np.array([FREEZE], dtype="datetime64[us]")},
    }


def _cells(slate: Slate) -> dict[str, Array]:
    """Return the columns of the view breadth_cell, of diseases with a prediction."""
    breadths, breadth = np.unique(slate.breadth, return_inverse=True)
    n_diseases = slate.is_known.shape[1]
    cell = breadth[:, None] * n_diseases + np.arange(n_diseases)
    n_cells = len(breadths) * n_diseases
    wide = np.repeat(breadths.astype(np.int64), n_diseases)
    cells: dict[str, Array] = {
        "disease_id": np.tile(np.arange(n_diseases, dtype=np.int32), len(breadths)),
        "breadth": wide,
        "breadth_class": breadth_class(wide),
        "n_candidates": np.bincount(cell.ravel(), minlength=n_cells),
        "n_known": np.bincount(cell[slate.is_known], minlength=n_cells),
    }
    is_listed = np.tile(slate.is_predicted.any(axis=0), len(breadths))
    return {name: values[is_listed] for name, values in cells.items()}
