"""Two lists of predictions in worlds whose truth is known, for the intervals that compare them.

Hits depend on how popular a drug is, which both models are told, on the activity of the disease and
the momentum of the drug, which nobody knows, and on the skill planted in each model's list.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from stratified_reference import part

from tracker.uncertainty.stats import paired, pooling
from tracker.uncertainty.stats.intervals import Interval

Floats = NDArray[np.float64]

N_DRUGS = 150
LENGTH = 10
# How much the activity of diseases varies, on the log scale.
ACTIVITY = 0.5
# Worlds over which the expected rates of two given lists are averaged.
N_AVERAGED = 200


@dataclass(frozen=True)
class Setting:
    """Two models in worlds of a kind; `lift` is by how much hits are likelier in each list.

    A model with `favourites` lists the same few drugs again and again; one that `follows` takes
    popular drugs. A share `in_common` of the second list is taken from the first.
    """

    n_diseases: int
    base_rate: float = 0.1
    momentum: float = 0.5
    favourites: bool = False
    follows: tuple[bool, bool] = (False, False)
    lift: tuple[float, float] = (1.0, 1.0)
    in_common: float = 0.5


@dataclass(frozen=True)
class Trial:
    """What was found for a pair of lists, and what is true of them."""

    difference: Interval
    true_difference: float
    ratio: Interval
    true_ratio: float


def trials(setting: Setting, n_trials: int, seed: int) -> Iterator[Trial]:
    """Yield trials, each with drugs, lists and hits of its own."""
    chance = np.random.default_rng(seed)
    for _ in range(n_trials):
        popularity = chance.gamma(2.0, 0.5, N_DRUGS)
        own, other = _lists(setting, popularity, chance)
        lift = np.maximum(
            np.where(own, setting.lift[0], 1.0), np.where(other, setting.lift[1], 1.0)
        )
        is_hit = chance.random(own.shape) < _rate(setting, popularity, lift, chance)
        disease, drug = np.nonzero(own | other)
        expected = setting.base_rate * popularity[drug]
        listed, also = own[disease, drug], other[disease, drug]
        lists = paired.Lists.of(is_hit[disease, drug], listed, also, drug, disease)
        sides = [_part(is_hit, listing, popularity) for listing in (own, other)]
        rate = np.mean(
            [_rate(setting, popularity, lift, chance)[disease, drug] for _ in range(N_AVERAGED)],
            axis=0,
        )
        true_own, true_other = float(rate @ listed), float(rate @ also)
        yield Trial(
            paired.difference(lists),
            (true_own - true_other) / float(listed.sum()),
            paired.ratio(lists, *sides),
            true_own / float(expected @ listed) / (true_other / float(expected @ also)),
        )


def _part(
    is_hit: NDArray[np.bool_], listed: NDArray[np.bool_], popularity: Floats
) -> pooling.Part | None:
    """Return what the enrichment of a list rests on; drugs of like popularity share a class."""
    disease, drug = (place.ravel() for place in np.indices(is_hit.shape))
    level = np.floor(np.log(np.maximum(popularity, 0.05)) / np.log(1.3)).astype(int)
    table = {"disease": disease, "drug": drug, "level": level[drug]}
    return part(table | {"hit": is_hit.ravel().astype(float), "predicted": listed.ravel()})


def _lists(
    setting: Setting, popularity: Floats, chance: np.random.Generator
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return which drugs each model lists for each disease, of shape (n_diseases, N_DRUGS)."""
    found: list[NDArray[np.bool_]] = []
    for follows in setting.follows:
        taste = chance.exponential(1.0, N_DRUGS) ** 2 if setting.favourites else np.ones(N_DRUGS)
        weight = taste * (popularity if follows else 1.0)
        listed = np.zeros((setting.n_diseases, N_DRUGS), dtype=np.bool_)
        for disease in range(setting.n_diseases):
            n_common = chance.binomial(LENGTH, setting.in_common) if found else 0
            chances = weight.copy()
            if found:
                first = np.flatnonzero(found[0][disease])
                listed[disease, chance.choice(first, n_common, replace=False)] = True
                chances[first] = 0.0
            new = chance.choice(
                N_DRUGS, LENGTH - n_common, replace=False, p=chances / chances.sum()
            )
            listed[disease, new] = True
        found.append(listed)
    return found[0], found[1]


def _rate(
    setting: Setting, popularity: Floats, lift: Floats, chance: np.random.Generator
) -> Floats:
    """Return how likely a hit is for each pair, with activity and momentum drawn anew."""
    activity = chance.lognormal(-(ACTIVITY**2) / 2, ACTIVITY, (setting.n_diseases, 1))
    momentum = chance.lognormal(-(setting.momentum**2) / 2, setting.momentum, (1, N_DRUGS))
    rate: Floats = setting.base_rate * popularity * activity * momentum * lift
    return np.minimum(rate, 0.95)
