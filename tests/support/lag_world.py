"""Worlds whose ChEMBL lags behind what is public, as the project's own views judge them.

Pairs come true, and are public, over the years before the freeze and the year after it; ChEMBL adds
each some years later, so that the labels, which are ChEMBL's of the day of the freeze, lack what
was public of late: the label gaps. In the year after the freeze ChEMBL adds some of these beside
what is new. With references each is dated by what it rests on, and without them all count as new.

`simulate` has models that know nothing, that know the gaps without foresight, that have foresight
without knowing the gaps, and both. tests/speed/lag_worlds.py prints the table of
docs/statistics.md#lag-worlds.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from null_world import (
    MODELS,
    MOST_LIKELY,
    Array,
    Setting,
    Slate,
    Table,
    World,
    draw_world,
    judge_dating,
    top,
)
from numpy.random import Generator

from tracker.uncertainty.estimates import Estimate

# Years of studies before the freeze, and after it until the evidence that is judged.
YEARS_BEFORE, YEARS_AFTER = 10, 3
# How many times likelier a model is to list a pair that it knows to be public.
KNOWS = 10.0


class Kind(NamedTuple):
    """How a model picks: like one without skill, or knowing what is public; and its lift."""

    picks: str = ""
    knows: float = 1.0
    lift: float = 1.0


KINDS = {
    "random": Kind("random"),
    "popularity": Kind("popularity"),
    "popular favourites": Kind("popular favourites"),
    "knows the gaps": Kind(knows=KNOWS),
    "foresees": Kind(lift=3.0),
    "knows and foresees": Kind(knows=KNOWS, lift=3.0),
}


class Judged(NamedTuple):
    """The hits of a model, the endpoint by all and by dated ones, the gaps, and the true ratio.

    The ratio is that of what becomes public after the freeze, among pairs that were not.
    """

    model: str
    has_references: bool
    n_hits: int
    every: Estimate
    dated: Estimate
    gaps: Estimate | None
    true_ratio: float


def simulate(
    setting: Setting, years: float, n_worlds: int, *, seed: int, batch: int = 4
) -> Iterator[Judged]:
    """Yield each model's figures in each world, with references and without.

    ChEMBL adds a pair, in the mean, that many years after it became public.
    """
    for start in range(0, n_worlds, batch):
        slates: list[Slate] = []
        told: list[tuple[str, bool, int, float]] = []
        for number in range(start, min(start + batch, n_worlds)):
            rng = np.random.default_rng([seed, number])
            world, is_gap, is_gap_added = _past(draw_world(setting, rng), years, rng)
            for name, kind in KINDS.items():
                predicted = _picked(world, is_gap, kind, rng)
                chance = np.minimum(world.chance, MOST_LIKELY / YEARS_AFTER)
                lifted = np.minimum(chance * np.where(predicted, kind.lift, 1.0), MOST_LIKELY)
                is_new, is_new_added = _future(lifted, world.is_known | is_gap, years, rng)
                shown = is_gap & is_gap_added, is_new & is_new_added
                open_pairs = predicted & ~world.is_known & ~is_gap
                ratio = (
                    _by_the_end(lifted)[open_pairs].sum() / _by_the_end(chance)[open_pairs].sum()
                )
                for has_references in (True, False):
                    slate = _slate(world, predicted, *shown, has_references=has_references)
                    slates.append(slate)
                    n_hits = int((predicted & slate.is_hit).sum())
                    told.append((name, has_references, n_hits, float(ratio)))
        for (name, has_references, n_hits, ratio), (every, dated, gaps) in zip(
            told, judge_dating(slates), strict=True
        ):
            yield Judged(name, has_references, n_hits, every, dated, gaps, ratio)


def _past(world: World, years: float, rng: Generator) -> tuple[World, Table, Table]:
    """Draw what became public before the freeze, and what of it ChEMBL adds by the end.

    What it had added by the freeze is known, by a label; the rest are the gaps.
    """
    shape = world.is_known.shape
    public = np.full(shape, np.nan)
    for year in range(-YEARS_BEFORE, 0):
        is_first = np.isnan(public) & (rng.random(shape) < world.chance)
        public = np.where(is_first, year + rng.random(shape), public)
    added = public + years * rng.standard_exponential(shape)
    is_public = ~world.is_known & ~np.isnan(public)
    is_known = world.is_known | (is_public & (added < 0))
    return world._replace(is_known=is_known), is_public & ~is_known, added < YEARS_AFTER


def _by_the_end(chance: Array) -> Array:
    """Return the chance of all years after the freeze by that of one."""
    return 1 - (1 - chance) ** YEARS_AFTER


def _future(chance: Array, is_public: Table, years: float, rng: Generator) -> tuple[Table, Table]:
    """Draw what becomes public after the freeze, and what of it ChEMBL adds by the end."""
    is_new = ~is_public & (rng.random(chance.shape) < _by_the_end(chance))
    public = YEARS_AFTER * rng.random(chance.shape)
    return is_new, public + years * rng.standard_exponential(chance.shape) < YEARS_AFTER


def _picked(world: World, is_gap: Table, kind: Kind, rng: Generator) -> Table:
    if kind.picks:
        return MODELS[kind.picks].pick(world, rng)
    weight = (world.breadth + 0.2)[:, None] * np.where(is_gap, kind.knows, 1.0)
    return top(-rng.standard_exponential(weight.shape) / weight, world.is_known)


def _slate(
    world: World, predicted: Table, gaps: Table, new: Table, *, has_references: bool
) -> Slate:
    """Return what a store that reads ChEMBL alone holds in the end."""
    if not has_references:
        nothing = np.zeros_like(gaps)
        return Slate(world.breadth, world.is_known, predicted, gaps | new, is_dated=nothing)
    is_known = world.is_known | gaps
    return Slate(world.breadth, is_known, predicted, new, is_dated=new, is_learned=gaps)
