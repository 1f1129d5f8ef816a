"""Worlds in which studies make several hits at once, as the project's own views judge them.

In a `Design`, most hits of the slate's diseases come from studies: each names so many drugs and so
many diseases, and every pair of theirs comes true. Drugs are drawn in proportion to what their
breadth and momentum make of them, diseases to their activity, or, in a family, one disease and
those that a study of it names with it, such as its parent. A background drug is one of a few that
are given to everybody in a group of diseases; it comes true with whatever is tested there. The rest
of the hits are single, as in tests/support/null_world.py. A model with skill has the pairs that it
does not list thinned, so that the true ratio is its lift, whatever ties pairs together.

tests/speed/study_worlds.py prints the table of docs/statistics.md#study-worlds.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import cycle, product
from typing import NamedTuple

import numpy as np
from null_world import (
    BASE_RATE,
    MODELS,
    Array,
    Model,
    Setting,
    Slate,
    Table,
    Trial,
    World,
    draw_world,
    judge,
)
from numpy.random import Generator

from tracker.uncertainty.stats import Interval

# Diseases of a slate that studies name together.
FAMILY_SIZE = 5
N_BACKGROUND = 2


class Design(NamedTuple):
    """How many drugs and diseases a study names, at least and at most, and in what manner.

    `share` of the hits are made by studies. With `is_family`, diseases of one study are of one
    family, as a parent and its children are; with `has_background`, a standard drug of the family
    is named beside those that are tested.
    """

    n_drugs: tuple[int, int]
    n_diseases: tuple[int, int]
    share: float = 0.6
    is_family: bool = False
    has_background: bool = False


DESIGNS = {
    "single": Design((1, 1), (1, 1)),
    "basket": Design((1, 1), (3, 8)),
    "umbrella": Design((3, 6), (1, 1)),
    "platform": Design((2, 4), (2, 5)),
    "large platform": Design((5, 8), (4, 8), share=0.9),
    "parent and child": Design((1, 2), (2, 2), is_family=True),
    "background": Design((1, 2), (1, 2), is_family=True, has_background=True),
}
LIFTS = (1.0, 3.0)
PICKED = {
    "at random": MODELS["random"],
    "by breadth": MODELS["skill 3 by breadth"],
    "favourites": MODELS["favourites"],
    "popular favourites": MODELS["popular favourites"],
}
NAMES = tuple(f"{name}, skill {lift:g}" for name in PICKED for lift in LIFTS)
# Hits per candidate: twice as many as in worlds without studies, since skill takes some away.
N_RATES = 2.0


def draw_hits(world: World, design: Design, rng: Generator) -> tuple[Table, Array]:
    """Return which pairs came true, and the number of the study that made each, 0 for none."""
    n_hits = N_RATES * BASE_RATE[world.chance.shape[1]] * world.chance.size
    chance = np.minimum(world.chance * n_hits / world.chance.sum(), 0.95)
    hit = rng.random(chance.shape) < (1 - design.share) * chance
    record = np.zeros(chance.shape, dtype=np.int64)
    by_drug, by_disease = chance.sum(axis=1), chance.sum(axis=0)
    background = np.argsort(-by_drug)[: N_BACKGROUND * len(by_disease) // FAMILY_SIZE]
    made, number = 0, 0
    while made < design.share * n_hits:
        number += 1
        diseases = _diseases(design, by_disease, rng)
        drugs = _drawn(by_drug, int(rng.integers(design.n_drugs[0], design.n_drugs[1] + 1)), rng)
        if design.has_background:
            family = diseases[0] // FAMILY_SIZE
            own = background[family * N_BACKGROUND : (family + 1) * N_BACKGROUND]
            drugs = np.append(drugs, rng.choice(own) if len(own) else background[0])
        pairs = np.ix_(np.unique(drugs), diseases)
        record[pairs] = np.where(hit[pairs], record[pairs], number)
        hit[pairs] = True
        made += len(np.unique(drugs)) * len(diseases)
    return hit, record


def _diseases(design: Design, weight: Array, rng: Generator) -> Array:
    n = int(rng.integers(design.n_diseases[0], design.n_diseases[1] + 1))
    if not design.is_family:
        return _drawn(weight, n, rng)
    (first,) = _drawn(weight, 1, rng)
    start = first // FAMILY_SIZE * FAMILY_SIZE
    others = np.setdiff1d(np.arange(start, min(start + FAMILY_SIZE, len(weight))), [first])
    return np.append(first, rng.permutation(others)[: n - 1])


def _drawn(weight: Array, n: int, rng: Generator) -> Array:
    return rng.choice(len(weight), min(int(n), len(weight)), replace=False, p=weight / weight.sum())


def simulate(
    setting: Setting, design: Design, n_worlds: int, *, seed: int, batch: int = 4
) -> Iterator[tuple[Trial, Trial]]:
    """Yield each model's trial in each world, as judged with records and as without."""
    for start in range(0, n_worlds, batch):
        slates: list[Slate] = []
        for number in range(start, min(start + batch, n_worlds)):
            rng = np.random.default_rng([seed, number])
            world = draw_world(setting, rng)
            slates += [
                _slate(world, model, lift, design, rng)
                for model in PICKED.values()
                for lift in LIFTS
            ]
        plain = [replace(slate, record=None) for slate in slates]
        tried = cycle(product(PICKED, LIFTS))
        for (_, ratio), name, tied, untied in zip(
            tried, cycle(NAMES), judge(slates), judge(plain), strict=False
        ):
            yield Trial(name, ratio, tied, _NO_GAP), Trial(name, ratio, untied, _NO_GAP)


_NO_GAP = Interval("", "", 0, 0)


def _slate(world: World, model: Model, lift: float, design: Design, rng: Generator) -> Slate:
    predicted = model.pick(world, rng)
    hit, record = draw_hits(world, design, rng)
    is_kept = predicted | (rng.random(hit.shape) < 1 / lift)
    hit = hit & is_kept & ~world.is_known
    return Slate(world.breadth, world.is_known, predicted, hit, record=np.where(hit, record, 0))
