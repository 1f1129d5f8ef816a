"""How near pooled enrichments come to a lift that is known, by the rule of pooling.

    python tests/speed/pooled_worlds.py [--worlds 300] [--lists 3 8] [--lift 1 2 3]

A world has lists of one true lift, each of some diseases with a class of equally popular drugs, of
which some are listed. Hits are independent: of other drugs with the chance `rate`, of listed ones
with `lift` times that. A line per setting has the mean own share and, for each rule, the sum of
pooled ratios' numerators over that of their denominators in all worlds, and their median, both over
the lift; '-' where no world has the figure. The rules:

- left in: hits over expected hits of all lists, themselves among these where they have no ratio
- with ratio: hits over hits x S / R, of lists with a ratio
- R / S with ratio: sum of R over sum of S, of lists with a ratio
- R / S: the same, of all lists but those that are their own baseline

300 worlds of every setting take some seconds.
"""

from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

import numpy as np
from measuring import read_options, say
from numpy.random import Generator
from numpy.typing import NDArray

from tracker.uncertainty.estimates.lists import MOST_OWN_SHARE

Floats = NDArray[np.float64]
RULES = ("left in", "with ratio", "R / S with ratio", "R / S")


class Shape(NamedTuple):
    """Diseases of a list, candidates of a class and how many of them are listed."""

    n_diseases: int
    candidates: int
    listed: int


SHAPES = (
    *(Shape(n, 6, 5) for n in (10, 20, 40)),
    Shape(20, 25, 20),
    Shape(40, 10, 5),
    Shape(40, 50, 5),
    Shape(20, 11, 10),
)
RATES = (0.05, 0.15)


class Sums(NamedTuple):
    """What the strata of each list of a world add up to, of shape (n_lists,)."""

    hits: Floats
    r: Floats
    s: Floats
    left_in: Floats
    own_share: Floats


def main() -> None:
    """Print a line per setting."""
    options = read_options(__doc__, worlds=300, lists=[3, 8], lift=[1.0, 2.0, 3.0], seed=1)
    chance = np.random.default_rng(options.seed)
    say("lists diseases candidates listed rate lift own share | " + " | ".join(RULES))
    for n_lists, shape, rate, lift in product(options.lists, SHAPES, RATES, options.lift):
        found: dict[str, list[tuple[float, float]]] = {rule: [] for rule in RULES}
        shares: list[float] = []
        for _ in range(options.worlds):
            sums = _draw(n_lists, shape, rate, lift, chance)
            shares.append(float(np.nanmean(sums.own_share)) if np.any(sums.left_in) else np.nan)
            for rule, above, below in _pooled(sums):
                if below > 0:
                    found[rule].append((above, below))
        words = " | ".join(_words(found[rule], lift) for rule in RULES)
        say(
            f"{n_lists:>5} {shape.n_diseases:>8} {shape.candidates:>10} {shape.listed:>6} "
            f"{rate:.2f} {lift:4.1f} {np.nanmean(shares):9.2f} | {words}"
        )


def _draw(n_lists: int, shape: Shape, rate: float, lift: float, chance: Generator) -> Sums:
    strata = (n_lists, shape.n_diseases)
    own = chance.binomial(shape.listed, rate * lift, strata)
    others = chance.binomial(shape.candidates - shape.listed, rate, strata)
    share = shape.listed / shape.candidates
    left_in = share * (own + others).sum(axis=1)
    with np.errstate(invalid="ignore"):
        own_share = share**2 * (own + others).sum(axis=1) / left_in
    return Sums(
        own.sum(axis=1).astype(np.float64),
        (1 - share) * own.sum(axis=1),
        share * others.sum(axis=1),
        left_in,
        own_share,
    )


def _pooled(sums: Sums) -> Iterator[tuple[str, float, float]]:
    """Yield the numerator and the denominator of each rule."""
    is_compared = sums.own_share <= MOST_OWN_SHARE
    has_ratio = is_compared & (sums.s > 0)
    expected = sums.left_in.copy()
    inverse = has_ratio & (sums.r > 0)
    expected[inverse] = (sums.hits * sums.s)[inverse] / sums.r[inverse]
    is_expected = sums.left_in > 0
    yield RULES[0], sums.hits[is_expected].sum(), expected[is_expected].sum()
    yield RULES[1], sums.hits[has_ratio].sum(), expected[has_ratio].sum()
    yield RULES[2], sums.r[has_ratio].sum(), sums.s[has_ratio].sum()
    yield RULES[3], sums.r[is_compared].sum(), sums.s[is_compared].sum()


def _words(found: list[tuple[float, float]], lift: float) -> str:
    if not found:
        return "        -"
    above, below = np.array(found).T
    total, middle = above.sum() / below.sum() / lift, np.median(above / below) / lift
    return f"{total:4.2f} {middle:4.2f}"


if __name__ == "__main__":
    main()
