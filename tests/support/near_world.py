"""Worlds in which hits come from close relatives, as the project's own views judge them.

Each disease of a slate has two relatives outside it, its parent and a sibling. A pair whose drug is
known for one of them is near-known, and comes true `pull` times as often as its drug and disease
would have it, and `lean` times as often again if it is the parent. A model that copies relatives'
drugs has that for its whole skill: among novel pairs it is enriched, beside pairs that are as near
it is not. tests/speed/near_worlds.py prints the table of docs/statistics.md#near-worlds.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from null_world import (
    BASE_RATE,
    MOST_LIKELY,
    Array,
    Setting,
    Slate,
    Table,
    World,
    draw_world,
    judge,
    judge_classes,
    top,
)
from numpy.random import Generator

N_RELATIVES = 2
# Of the parent and of the sibling, as in the view nearness.
PARENT, SIBLING = 3, 5
N_LISTED = 40
CLASSES = ("novel", "near-known", "new")


class NearWorld(NamedTuple):
    """A world, how many relatives of each disease have each drug, and which is the closest."""

    world: World
    n_relatives: Array
    closeness: Array

    @property
    def is_near(self) -> Table:
        """The pairs with a known relative."""
        return np.asarray(self.closeness > 0)


class NearModel(NamedTuple):
    """How a model scores pairs, and by how much it multiplies the chances of those it lists."""

    score: Callable[[NearWorld, Generator], Array]
    lift: float = 1.0


class NearTrial(NamedTuple):
    """One model in one world and class: the true ratio of its list, its figure and interval."""

    model: str
    population: str
    truth: float
    n_hits: int
    value: float | None
    low: float | None
    high: float | None


def draw_near_world(setting: Setting, pull: float, rng: Generator, lean: float = 1) -> NearWorld:
    """Return a world whose near pairs come true `pull` times as often, or `pull * lean` times."""
    n = setting.n_diseases
    whole = draw_world(setting._replace(n_diseases=300), rng)
    known, chance = whole.is_known[:, :n], whole.chance[:, :n]
    relatives = whole.is_known[:, n : n * (1 + N_RELATIVES)]
    each = relatives.reshape(len(known), n, N_RELATIVES)
    closeness = np.where(each[:, :, 0], PARENT, np.where(each[:, :, 1], SIBLING, 0))
    chance = chance * np.select(
        [closeness == PARENT, closeness == SIBLING], [pull * lean, pull], default=1.0
    )
    chance = chance * (BASE_RATE[n] / chance[~known].mean())
    world = World(whole.breadth, known.sum(axis=0), whole.activity[:n], known, chance)
    return NearWorld(world, each.sum(axis=2), closeness)


def _copied(drawn: NearWorld, rng: Generator) -> Array:
    return np.asarray(drawn.n_relatives + 0.5 * rng.random(drawn.n_relatives.shape))


def _half_copied(drawn: NearWorld, rng: Generator) -> Array:
    """Score half of the near pairs and as many others as there is room for, all at random."""
    draw = rng.random(drawn.n_relatives.shape)
    return np.asarray(np.where(drawn.is_near & (draw < 0.5), 1.0, 0.0) + 0.5 * draw)


def _parent_half_copied(drawn: NearWorld, rng: Generator) -> Array:
    """Score half of what is known for the parent, and others as there is room, all at random."""
    draw = rng.random(drawn.closeness.shape)
    return np.asarray(np.where((drawn.closeness == PARENT) & (draw < 0.5), 1, 0) + 0.5 * draw)


def _random(drawn: NearWorld, rng: Generator) -> Array:
    return rng.random(drawn.n_relatives.shape)


MODELS = {
    "relatives copied": NearModel(_copied),
    "half of them copied": NearModel(_half_copied),
    "half of the parent's": NearModel(_parent_half_copied),
    "random": NearModel(_random),
    "half copied, skill 3": NearModel(_half_copied, 3.0),
}


def simulate(
    setting: Setting, pull: float, n_worlds: int, *, seed: int, lean: float = 1, batch: int = 5
) -> Iterator[NearTrial]:
    """Yield each model's trials; the views see `batch` worlds at a time."""
    for start in range(0, n_worlds, batch):
        slates: list[Slate] = []
        truths: list[dict[str, tuple[float, int]]] = []
        for number in range(start, min(start + batch, n_worlds)):
            rng = np.random.default_rng([seed, number])
            drawn = draw_near_world(setting, pull, rng, lean)
            for model in MODELS.values():
                slate, truth = _slate(drawn, model, rng)
                slates.append(slate)
                truths.append(truth)
        yield from _trials(slates, truths)


def _trials(
    slates: Sequence[Slate], truths: Sequence[dict[str, tuple[float, int]]]
) -> Iterator[NearTrial]:
    names = list(MODELS) * (len(slates) // len(MODELS))
    whole, by_class = judge(slates), judge_classes(slates)
    for name, truth, novel, classes in zip(names, truths, whole, by_class, strict=True):
        found = novel.versus_matched
        limits = (found.low, found.high) if found else (None, None)
        yield NearTrial(name, "novel", *truth["novel"], novel.enrichment, *limits)
        for population in CLASSES[1:]:
            one = classes.get(population)
            if one is not None:
                yield NearTrial(name, population, *truth[population], one.value, one.low, one.high)


def _slate(
    drawn: NearWorld, model: NearModel, rng: Generator
) -> tuple[Slate, dict[str, tuple[float, int]]]:
    """Return a model's slate, and the ratio that its skill has and its hits in each class."""
    world = drawn.world
    predicted = top(model.score(drawn, rng), world.is_known, N_LISTED)
    plain = np.minimum(world.chance, MOST_LIKELY)
    lifted = np.minimum(world.chance * np.where(predicted, model.lift, 1.0), MOST_LIKELY)
    hit = (rng.random(lifted.shape) < lifted) & ~world.is_known

    def ratio(pairs: Table) -> tuple[float, int]:
        without = plain[pairs].sum()
        lift = float(lifted[pairs].sum() / without) if without > 0 else 1.0
        return lift, int(hit[pairs].sum())

    novel = predicted & ~world.is_known
    truth = {
        "novel": ratio(novel),
        "near-known": ratio(novel & drawn.is_near),
        "new": ratio(novel & ~drawn.is_near),
    }
    slate = Slate(world.breadth, world.is_known, predicted, hit, closeness=drawn.closeness)
    return slate, truth
