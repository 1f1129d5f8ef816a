"""How often the primary endpoint and its interval are right, in settings that could break them.

    python tests/speed/endpoint_worlds.py [--worlds 300] [--only PART] [--seed 1]

A line per setting: the share of slates with 3 hits or more that have a figure; of models without
skill the geometric bias where 10 hits or more are likely, the spread of the figure's logarithm, and
the share of intervals without 1; of models with a planted lift of 3 the share of intervals with the
true ratio, the bias and how often the interval lies above 1. Three models without skill (random,
by breadth, half of the popular) and two with (at random and by breadth) count alike. The figure is
that of tests/support/stratified_reference.py, with which the views agree to 1e-9
(tests/properties/test_stratified_ratio.py); limits are those of reports.

300 worlds of all settings take about an hour on one core.
"""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from measuring import read_options

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

import numpy as np
from null_world import MOST_LIKELY, breadth_class
from numpy.random import Generator
from numpy.typing import NDArray
from stratified_reference import figures, parts

from tracker.uncertainty.stats import stratified

Array = NDArray[Any]
Table = NDArray[np.bool_]

N_UNIVERSE = 400
HEADER = "setting                          worlds | shown  bias    sd rejected | cover  bias found"


class Setting(NamedTuple):
    """A kind of world; `chance` gives the chances of hits from breadth and activity.

    `length` are the numbers of predictions that a disease may have, `classes` how many classes of
    drugs share momentum, 0 for none, `base` the mean chance of an unknown pair.
    """

    n_diseases: int
    momentum: float = 0.5
    n_drugs: int = 1200
    chance: str = "product"
    base: float | None = None
    tail: float = 1.1
    unknown: float = 0.0
    length: tuple[int, int] = (20, 20)
    classes: int = 0
    span: float = 1.15


SETTINGS = {
    **{f"{n} diseases": Setting(n, 0.0) for n in (12, 50, 300)},
    **{f"{n} diseases, momentum {m:g}": Setting(n, m) for n in (12, 50) for m in (0.5, 1.0, 2.0)},
    "300 diseases, momentum 1": Setting(300, 1.0),
    **{f"momentum of classes, {n}": Setting(n, 1.0, classes=40) for n in (12, 50)},
    **{f"breadth and disease interact, {n}": Setting(n, chance="interaction") for n in (12, 50)},
    **{f"additive, {n}": Setting(n, chance="additive") for n in (12, 50)},
    **{f"breadth squared, {n}": Setting(n, chance="squared") for n in (12, 50)},
    **{f"sparse, {n}": Setting(n, base=2 / n / 20) for n in (12, 50)},
    **{f"{n} diseases, common hits": Setting(n, base=0.015) for n in (1, 3, 4, 5, 8)},
    **{f"80 drugs, {n}": Setting(n, n_drugs=80, base=0.05, length=(8, 8)) for n in (12, 50)},
    **{
        f"80 drugs, {n}, span 1.35": Setting(n, n_drugs=80, base=0.05, length=(8, 8), span=1.35)
        for n in (12, 50)
    },
    **{f"120 drugs, {n}": Setting(n, n_drugs=120, base=0.05, length=(8, 8)) for n in (12, 50)},
    **{
        f"{d} drugs, {n}": Setting(n, n_drugs=d, base=0.03, length=(8, 8))
        for d in (200, 300)
        for n in (12, 50)
    },
    **{f"heavy tail, {n}": Setting(n, tail=0.7) for n in (12, 50)},
    **{f"90 % without breadth, {n}": Setting(n, unknown=0.9) for n in (12, 50)},
    **{f"lists of 1 to 150, {n}": Setting(n, length=(1, 150)) for n in (12, 50)},
}
BASE = {1: 0.015, 3: 0.015, 12: 0.015, 50: 0.008, 300: 0.006}


class World(NamedTuple):
    """Drugs, diseases and chances of becoming a hit."""

    breadth: Array
    is_known: Table
    chance: Array
    length: Array


def draw(setting: Setting, rng: Generator) -> World:
    """Return a world of a setting."""
    n = setting.n_drugs
    popularity = np.minimum(rng.pareto(setting.tail, n) + 0.15, 60)
    popularity[rng.random(n) < setting.unknown] = 0
    share = rng.lognormal(0, 1.1, N_UNIVERSE)
    known = rng.random((n, N_UNIVERSE)) < 1 - np.exp(-np.outer(popularity, share / share.sum()))
    breadth = known.sum(axis=1)
    known = known[:, rng.permutation(N_UNIVERSE)[: setting.n_diseases]]
    size = np.log1p(known.sum(axis=0))
    size = (size - size.mean()) / max(size.std(), 1e-9)
    activity = np.exp(0.5 * size + 0.6 * rng.standard_normal(setting.n_diseases))
    chance = _chances(setting, breadth, activity)
    base = setting.base or BASE[setting.n_diseases]
    chance *= base / chance[~known].mean()
    spread = setting.momentum
    factor = rng.lognormal(-(spread**2) / 2, spread, n) if spread else np.ones(n)
    if setting.classes:
        shared = rng.lognormal(-(spread**2) / 2, spread, setting.classes)
        factor = shared[rng.integers(0, setting.classes, n)]
    length = rng.integers(setting.length[0], setting.length[1] + 1, setting.n_diseases)
    return World(breadth, known, chance * factor[:, None], length)


def _chances(setting: Setting, breadth: Array, activity: Array) -> Array:
    """Return chances up to a factor, of shape (n_drugs, n_diseases)."""
    broad = (1.0 + breadth) ** 0.8
    if setting.chance == "interaction":
        rank = np.argsort(np.argsort(activity)) / max(len(activity) - 1, 1)
        return np.asarray(activity * (1.0 + breadth[:, None]) ** (0.2 + 1.2 * (1 - rank)))
    if setting.chance == "additive":
        return np.asarray(broad[:, None] / broad.mean() + activity / activity.mean())
    if setting.chance == "squared":
        return np.outer((1.0 + breadth) ** 2, activity)
    return np.outer(broad, activity)


def _chosen(score: Array, world: World) -> Table:
    """Return the best-scored unknown drugs of each disease, as many as it may have."""
    place = np.argsort(np.argsort(-np.where(world.is_known, -np.inf, score), axis=0), axis=0)
    return np.asarray((place < world.length) & ~world.is_known)


def _random(world: World, rng: Generator) -> Table:
    return _chosen(rng.random(world.is_known.shape), world)


def _by_breadth(world: World, rng: Generator) -> Table:
    race = rng.standard_exponential(world.is_known.shape)
    return _chosen(-race / (world.breadth + 0.2)[:, None], world)


def _half_of_popular(world: World, rng: Generator) -> Table:
    n = 2 * int(world.length.mean())
    popular = np.argsort(-(world.breadth + 0.5 * rng.random(len(world.breadth))))[:n]
    score = rng.random(world.is_known.shape)
    score[popular] += 2
    return _chosen(score, world)


MODELS: tuple[tuple[Callable[[World, Generator], Table], float], ...] = (
    (_random, 1.0),
    (_by_breadth, 1.0),
    (_half_of_popular, 1.0),
    (_random, 3.0),
    (_by_breadth, 3.0),
)


class Trial(NamedTuple):
    """A slate of 3 hits or more: its lift, true ratio, mean hits, figure, limits, NaN for none."""

    lift: float
    truth: float
    mean_hits: float
    value: float
    low: float
    high: float


def trials(setting: Setting, n_worlds: int, seed: int) -> Iterator[Trial]:
    """Yield the slates of all models in each world."""
    for number in range(n_worlds):
        rng = np.random.default_rng([seed, number])
        world = draw(setting, rng)
        for pick, lift in MODELS:
            predicted = pick(world, rng)
            without = np.minimum(world.chance, MOST_LIKELY)
            lifted = np.minimum(world.chance * np.where(predicted, lift, 1.0), MOST_LIKELY)
            hit = rng.random(lifted.shape) < lifted
            n_hits = int((hit & predicted).sum())
            if n_hits >= 3:
                mean = float(lifted[predicted].sum())
                truth = mean / float(without[predicted].sum())
                yield Trial(lift, truth, mean, *_judged(setting, world, predicted, hit))


def _judged(
    setting: Setting, world: World, predicted: Table, hit: Table
) -> tuple[float, float, float]:
    drug, disease = np.nonzero(~world.is_known)
    table = {
        "disease": disease,
        "drug": drug,
        "level": breadth_class(world.breadth, setting.span)[drug],
        "hit": hit[drug, disease].astype(float),
        "predicted": predicted[drug, disease],
    }
    found = figures(table)
    if not found["left_in"] or found["ratio"] is None:
        return np.nan, np.nan, np.nan
    ratio = stratified.Ratio(found["ratio"], found["hits"], found["s"])
    if found["ratio"] > 0:
        ratio = stratified.Ratio(
            found["ratio"],
            found["hits"],
            found["s"],
            chance=found["chance"],
            **parts(table, found),
        )
    limits = stratified.interval(ratio, int(predicted.sum()))
    return (
        found["ratio"],
        np.nan if limits.low is None else limits.low,
        np.nan if limits.high is None else limits.high,
    )


def line(name: str, found: list[Trial]) -> str:
    """Return a setting's line."""
    table = np.array([tuple(one) for one in found])
    lift, truth, mean_hits, value, low, high = table.T
    null, has = lift == 1, ~np.isnan(low)
    # Of those with 10 hits or more by luck the figure would be too high.
    enough = (mean_hits >= 10) & (value > 0)
    logs = np.log(value[null & enough] / truth[null & enough])
    skilled = np.log(value[~null & enough] / truth[~null & enough])
    outside = (low > 1) | (high < 1)
    inside = (low <= truth) & (truth <= high)

    def share(flags: Array, among: Array) -> str:
        return f"{100 * flags[among].mean():5.1f}" if among.any() else "    -"

    def bias(values: Array) -> str:
        return f"{np.exp(values.mean()):5.2f}" if len(values) > 20 else "    -"

    sd = f"{logs.std():5.2f}" if len(logs) > 20 else "    -"
    return (
        f"{name:<32} {len(found):>6} | {100 * np.mean(~np.isnan(value)):5.0f} {bias(logs)} "
        f"{sd} {share(outside, null & has):>8} | {share(inside, ~null & has)} {bias(skilled)} "
        f"{share(low > 1, ~null & has)}"
    )


def main() -> None:
    """Print the table."""
    options = read_options(__doc__, worlds=300, only="", seed=1)
    print(HEADER, flush=True)  # noqa: T201 - prints what it measures
    for name, setting in SETTINGS.items():
        if options.only in name:
            found = list(trials(setting, options.worlds, options.seed))
            print(line(name, found), flush=True)  # noqa: T201 - prints what it measures


if __name__ == "__main__":
    main()
