"""A copy of what is known of close relatives is enriched among novel pairs, and not in its class.

A slice of tests/speed/near_worlds.py. The bounds of a share allow for four standard errors of a
binomial count, so that a seed is not what decides.
"""

from functools import cache

import numpy as np
import pytest
from near_world import MODELS, NearTrial, simulate
from null_world import Setting
from test_null_worlds import most

N_WORLDS = 40
COPY, HALF = "relatives copied", "half of them copied"


@cache
def trials(n_worlds: int) -> list[NearTrial]:
    return list(simulate(Setting(50, 0.5), 5.0, n_worlds, seed=3))


def of(n_worlds: int, model: str, population: str) -> list[NearTrial]:
    return [one for one in trials(n_worlds) if (one.model, one.population) == (model, population)]


@pytest.mark.slow
def test_a_copy_of_relatives_gains_nothing_in_its_class() -> None:
    """One world: the copy passes among novel pairs, and is its own baseline among near ones."""
    (novel,), (near,), (new,) = (of(1, COPY, name) for name in ("novel", "near-known", "new"))
    assert novel.low is not None
    assert novel.low > 1.5
    assert near.value is None
    assert near.n_hits > 50
    assert near.n_hits + new.n_hits == novel.n_hits
    (half,) = of(1, HALF, "near-known")
    assert half.low is not None
    assert half.high is not None
    assert half.low < 1 < half.high


@pytest.mark.exhaustive
@pytest.mark.simulation
@pytest.mark.parametrize(
    ("model", "population"),
    [(COPY, "new"), (HALF, "new"), (HALF, "near-known"), ("random", "new")],
)
def test_without_skill_a_class_is_rejected_no_more_often_than_stated(
    model: str, population: str
) -> None:
    found = of(N_WORLDS, model, population)
    limits = [(one.low, one.high) for one in found if one.low is not None and one.high is not None]
    assert len(limits) >= 30
    apart = np.mean([not low <= 1 <= high for low, high in limits])
    assert apart <= most(0.05, len(limits))
    pooled = np.mean([np.log(one.value) for one in found if one.value])
    assert 0.85 < np.exp(pooled) < 1.15


@pytest.mark.exhaustive
@pytest.mark.simulation
def test_a_copy_is_enriched_among_novel_pairs_and_skill_among_new_ones() -> None:
    for model, population, least in (
        (COPY, "novel", 0.9),
        (HALF, "novel", 0.9),
        ("half copied, skill 3", "new", 0.8),
    ):
        found = of(N_WORLDS, model, population)
        assert np.mean([(one.low or 0) > 1 for one in found]) > least
    skilled = [one for one in of(N_WORLDS, "half copied, skill 3", "new") if one.low is not None]
    covered = np.mean([(one.low or 0) <= one.truth <= (one.high or 0) for one in skilled])
    assert 1 - covered <= most(0.05, len(skilled))
    assert {one.model for one in trials(N_WORLDS)} == set(MODELS)
