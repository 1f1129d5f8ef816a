"""Worlds that are followed for years, for backtests whose true ratio is known.

A world of null_world is taken as it stands at the first origin. Every year unknown pairs become
known, with a third of the chance that null_world gives for three years, so that breadths grow and
chances with them; drugs keep their momentum all the time. Some pairs are promising, whatever the
breadth of their drug: their chances are `lift` times as high. A ranker without skill lists unknown
pairs by breadth and luck; one with skill finds some of the promising ones among them.

`true_ratio` is what a list's chances over its horizon are to those of the same pairs, were they as
promising as the candidates outside the list are in the mean.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from null_world import MOST_LIKELY, Array, Setting, Slate, World, draw_world, judge_parts
from numpy.random import Generator

from tracker.uncertainty.stats import pooling

N_ORIGINS = 5
# Horizons are twice as long as origins are apart: each overlaps with the next.
HORIZON_YEARS = 2
PROMISING = 0.1
N_LISTED = 20
# How much more a skilled ranker thinks of a promising pair, on the scale of log(breadth + 1).
INSIGHT = 1.5
# The luck of a copy: standard deviation on the same scale.
OWN_LUCK = 0.1


class Ranker(NamedTuple):
    """A ranker's insight into promising pairs; 0 for one without skill.

    `noise` is how much luck goes into a drug's place in all diseases, so that a ranker with much of
    it lists the same drugs again and again. One that `copies` another, which comes before it, has
    the other's scores but for a little luck of its own: nine in ten of its pairs are the same.
    """

    insight: float
    noise: float = 0.0
    copies: str | None = None


RANKERS = {
    "useless": Ranker(0.0),
    "useless as well": Ranker(0.0),
    "useless, with favourites": Ranker(0.0, noise=2.0),
    "skilled": Ranker(INSIGHT),
    "useless, nearly a copy": Ranker(0.0, copies="useless"),
}


@dataclass(frozen=True)
class Backtest:
    """The pooled ratio of one ranker in one world, its lists, and the truth."""

    ranker: str
    pooled: pooling.Pooled
    true_ratio: float
    parts: list[pooling.Part]


def backtests(
    setting: Setting, lift: float, n_worlds: int, seed: int, names: tuple[str, ...]
) -> Iterator[Backtest]:
    """Yield the backtests of these rankers in worlds of their own."""
    chance = np.random.default_rng(seed)
    for _ in range(n_worlds):
        yield from _in_a_world(setting, lift, names, chance)


def _in_a_world(
    setting: Setting, lift: float, names: tuple[str, ...], chance: Generator
) -> Iterator[Backtest]:
    first = draw_world(setting, chance)
    lifted = np.where(chance.random(first.chance.shape) < PROMISING, lift, 1.0)
    favoured = {name: chance.standard_normal(setting.n_drugs) for name in names}
    states = list(_years(first, lifted, chance))
    slates: list[Slate] = []
    truths: dict[str, list[float]] = {name: [] for name in names}
    for origin in range(N_ORIGINS):
        world, after = states[origin], states[origin + HORIZON_YEARS]
        scores: dict[str, Array] = {}
        for name in names:
            copied = scores.get(RANKERS[name].copies or "")
            if copied is None:
                scores[name] = _score(world, lifted, RANKERS[name], favoured[name], chance)
            else:
                scores[name] = copied + OWN_LUCK * chance.standard_normal(copied.shape)
            listed = _list(world, scores[name])
            is_hit = after.is_known & ~world.is_known
            slates.append(Slate(world.breadth, world.is_known, listed, is_hit))
            truths[name].append(_true_ratio(world, lifted, listed))
    parts = judge_parts(slates)
    for place, name in enumerate(names):
        own = [
            (part, truth)
            for part, truth in zip(parts[place :: len(names)], truths[name], strict=True)
            if part is not None
        ]
        expected = np.array([part.s for part, _ in own])
        truth = float(expected @ np.array([truth for _, truth in own]) / expected.sum())
        lists = [part for part, _ in own]
        yield Backtest(name, pooling.pool(lists), truth, lists)


def _years(first: World, lifted: Array, chance: Generator) -> Iterator[World]:
    """Yield the world at the first origin and after each year until the last horizon ends."""
    world = first
    yield world
    for _ in range(N_ORIGINS + HORIZON_YEARS - 1):
        likely = np.minimum(world.chance / 3 * lifted, MOST_LIKELY)
        new = (chance.random(likely.shape) < likely) & ~world.is_known
        breadth = world.breadth + new.sum(axis=1)
        growth = ((1.0 + breadth) / (1.0 + world.breadth)) ** 0.8
        world = world._replace(
            breadth=breadth,
            degree=world.degree + new.sum(axis=0),
            is_known=world.is_known | new,
            chance=world.chance * growth[:, None],
        )
        yield world


def _score(
    world: World, lifted: Array, ranker: Ranker, favoured: Array, chance: Generator
) -> Array:
    score = np.log1p(world.breadth)[:, None] + ranker.insight * (lifted > 1)
    scored: Array = score + (ranker.noise * favoured)[:, None] + chance.gumbel(size=lifted.shape)
    return scored


def _list(world: World, score: Array) -> Array:
    """Return the pairs that a ranker lists, 20 of each disease, none of them known."""
    score = np.where(world.is_known, -np.inf, score)
    place = np.argpartition(-score, N_LISTED - 1, axis=0)[:N_LISTED]
    listed = np.zeros(score.shape, dtype=np.bool_)
    np.put_along_axis(listed, place, True, axis=0)
    return listed


def _true_ratio(world: World, lifted: Array, listed: Array) -> float:
    plain = _within_horizon(world, np.ones_like(lifted))
    promising = _within_horizon(world, lifted)
    others = ~listed & ~world.is_known
    own = promising[listed].sum() / plain[listed].sum()
    return float(own / (promising[others].sum() / plain[others].sum()))


def _within_horizon(world: World, lifted: Array) -> Array:
    yearly = np.minimum(world.chance / 3 * lifted, MOST_LIKELY)
    return np.asarray(1 - (1 - yearly) ** HORIZON_YEARS)
