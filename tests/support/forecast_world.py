"""Probabilities of known truth, some of them censored, as the project's own views judge them.

Follow-up of a store ends for all pairs of a slate on one day; here it may end on a day of its own
for each, which the views are written for. A trial stands for the population 'all' of a slate.
"""

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import sqlalchemy as sa
from null_world import create, slate_id
from numpy.random import Generator
from numpy.typing import NDArray
from scipy import special
from sqlalchemy import Connection, Row

from tracker.store import catalog
from tracker.uncertainty.estimates import Estimate, probabilities

Array = NDArray[Any]

VIEWS = ("probability_pair", "reliability_bin", "brier_score", "log_score")
HORIZON = 365
PLAN = {"scores": {"are": "probabilities"}}


@dataclass(frozen=True)
class Forecast:
    """Pairs of drugs and diseases; every array has shape (n,).

    `hit_day` is the day of the first hit, above HORIZON where none comes in time; `last_day` is the
    last day on which the pair is followed.
    """

    probability: Array
    drug: Array
    disease: Array
    hit_day: Array
    last_day: Array

    @property
    def state(self) -> Array:
        """What is known of each pair at the horizon."""
        is_hit = (self.hit_day <= HORIZON) & (self.hit_day <= self.last_day)
        return np.where(
            is_hit,
            "hit",
            np.where((self.last_day >= HORIZON) & (self.hit_day > HORIZON), "miss", "censored"),
        )

    @property
    def follow_up_days(self) -> Array:
        """The days until the hit, the end of the horizon, or the last day of follow-up."""
        return np.minimum(np.minimum(self.hit_day, self.last_day), HORIZON)

    @property
    def is_hit(self) -> Array:
        """Whether a hit comes by the horizon, seen or not."""
        return np.asarray(self.hit_day <= HORIZON)

    def followed(self) -> "Forecast":
        """Return the same pairs, all of them followed to the horizon."""
        return replace(self, last_day=np.full(len(self.last_day), HORIZON))


@dataclass(frozen=True)
class Setting:
    """How a world is drawn: its size, the share of hits, and how much of it is censored.

    `likeness` is the share of the variance of the latent trait that makes a hit which is common to
    the pairs of a drug, and to those of a disease; `stretch` multiplies the model's log odds, so
    that 1 is calibrated and more is too sure of itself.
    """

    n_diseases: int
    n_per_disease: int = 20
    n_drugs: int = 60
    rate: float = 0.1
    censored: float = 0.0
    likeness: float = 0.1
    stretch: float = 1.0


def draw(setting: Setting, rng: Generator) -> Forecast:
    """Draw a world whose pairs have hits with known probabilities, alike by drug and disease."""
    disease = np.repeat(np.arange(setting.n_diseases), setting.n_per_disease)
    drug = np.concatenate(
        [
            rng.permutation(setting.n_drugs)[: setting.n_per_disease]
            for _ in range(setting.n_diseases)
        ]
    )
    n = len(disease)
    logit = special.logit(setting.rate) + 1.0 * rng.standard_normal(n)
    true = special.expit(logit)
    own = 1 - 2 * setting.likeness
    trait = (
        np.sqrt(setting.likeness) * rng.standard_normal(setting.n_drugs)[drug]
        + np.sqrt(setting.likeness) * rng.standard_normal(setting.n_diseases)[disease]
        + np.sqrt(own) * rng.standard_normal(n)
    )
    # The trait is uniform on this scale: below the true probability it is a hit, at an even hazard.
    place = special.ndtr(trait)
    hit_day = np.ceil(HORIZON * place / true).clip(1, 2 * HORIZON).astype(np.int64)
    hit_day[place >= true] = 2 * HORIZON
    last_day = np.full(n, HORIZON)
    leaves = rng.random(n) < setting.censored
    last_day[leaves] = rng.integers(0, HORIZON, int(leaves.sum()))
    stated = special.expit(setting.stretch * (logit - special.logit(setting.rate)))
    shifted = special.logit(stated) + special.logit(setting.rate)
    return Forecast(special.expit(shifted), drug, disease, hit_day, last_day)


@contextlib.contextmanager
def viewed(forecasts: Sequence[Forecast]) -> Iterator[Connection]:
    """Open a database in memory with the rows of the views, built from their files."""
    engine = sa.create_engine("duckdb:///:memory:")
    with engine.connect() as connection:
        connection.exec_driver_sql("set threads = 1")
        sizes = [len(one.probability) for one in forecasts]
        columns: dict[str, Array] = {
            "slate": np.repeat(np.arange(1, len(forecasts) + 1), sizes),
            "disease_id": np.concatenate([one.disease for one in forecasts]).astype(np.int32),
            "drug_id": np.concatenate([one.drug for one in forecasts]).astype(np.int32),
            "is_novel": np.zeros(sum(sizes), dtype=np.bool_),
            "probability": np.concatenate([one.probability for one in forecasts]).astype(float),
            "state": np.concatenate([one.state for one in forecasts]).astype(object),
            "follow_up_days": np.concatenate([one.follow_up_days for one in forecasts]).astype(
                np.int64
            ),
        }
        create(connection, "probability_follow_up", columns)
        views = {view.name: view for view in catalog.read_views()}
        for name in catalog.in_reading_order(VIEWS):
            connection.exec_driver_sql(f"create table {name} as\n{views[name].select}")
        yield connection
    engine.dispose()


def rows(connection: Connection, view: str, number: int = 1) -> list[Row[Any]]:
    """Return the rows of a view of one of the forecasts, in the order of its grain."""
    order = {
        "probability_pair": "disease_id, drug_id",
        "reliability_bin": "probability_bin",
    }.get(view, "population")
    query = f"from {view} where slate_id = :slate_id order by {order}"
    return list(connection.execute(sa.text(query), {"slate_id": str(slate_id(number))}))


def estimates(connection: Connection, number: int) -> list[Estimate]:
    """Return the estimates of one of the forecasts."""
    slate = cast(Row[Any], SimpleNamespace(slate_id=slate_id(number), plan=PLAN))
    return list(probabilities.of_probabilities(connection, slate))
