"""The bootstrap over diseases, items or instances, which draws whole units with replacement.

Statistics are functions of how often each unit was drawn, so that thousands of replicates are a few
operations on matrices. The interval is the estimate -+ t x the standard deviation of the replicates
x sqrt(n / (n - 1)) on a scale of the statistic, with Student's t at n - 1 degrees of freedom for n
units (Cameron, Gelbach and Miller 2008 on few clusters). The percentile interval would cover a rate
of 10 % or more in 83 to 89 % with seven diseases, not in 95 %.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from tracker.uncertainty.stats.intervals import LOGIT, PLAIN, Floats, Interval, Scale, t_interval

N_REPLICATES = 10_000

# Below either, tests/speed/coverage.py finds coverage outside 93 to 97 %.
MIN_DISEASES = 6
MIN_WITH_HITS = 3

# Replicates without a defined statistic are left out; fewer than this share defined is too few.
_MIN_DEFINED = 0.9
_NO_SPREAD = 1e-12
_HALF = 0.5
# Smaller differences come from adding the same numbers in another order.
_NO_DIFFERENCE = 1e-12
_BLOCK_CELLS = 8_000_000

# From how often each unit is drawn, of shape (n_replicates, n_units), to shape (n_replicates,).
Statistic = Callable[[Floats], Floats]


def draw_counts(strata: Sequence[int], n_replicates: int, seed: int) -> Iterator[Floats]:
    """Yield how often each unit is drawn, in blocks of shape (some replicates, n_units).

    `strata` gives the number of units of each stratum, whose columns are adjacent; n draws with
    replacement are made from a stratum of n units. A block has at most 64 MB, or one row.
    """
    generator = np.random.Generator(np.random.PCG64(seed))
    n_units = sum(strata)
    block = max(1, _BLOCK_CELLS // n_units)
    for start in range(0, n_replicates, block):
        n_rows = min(block, n_replicates - start)
        row = np.arange(n_rows)[:, None]
        yield np.concatenate(
            [
                np.bincount(
                    (generator.integers(size, size=(n_rows, size)) + size * row).ravel(),
                    minlength=n_rows * size,
                ).reshape(n_rows, size)
                for size in strata
            ],
            axis=1,
            dtype=np.float64,
        )


def shortage(unit: str, n_units: int, events: Mapping[str, ArrayLike]) -> str | None:
    """Return why units are too few for an interval, None if they are enough.

    `events` gives, for each kind of event that must occur in MIN_WITH_HITS units, counts by unit.
    """
    if n_units < MIN_DISEASES:
        return f"too few {unit}s: {n_units}, at least {MIN_DISEASES} needed"
    for name, by_unit in events.items():
        n_with = int(np.count_nonzero(by_unit))
        if n_with < MIN_WITH_HITS:
            return f"too few {unit}s with a {name}: {n_with}, at least {MIN_WITH_HITS} needed"
    return None


def drawn_from(
    method: str, scale: Scale, unit: str, n: int, n_units: int, seed: int, n_replicates: int
) -> Interval:
    """Return a bootstrap interval without estimate and limits."""
    method = f"{method}, t on {scale.name} scale"
    return Interval(method, unit, n, n_units, seed=seed, n_replicates=n_replicates)


# The method of every figure that draws diseases: all are shares, hence on the logit scale.
DISEASE_BOOTSTRAP = f"disease bootstrap, t on {LOGIT.name} scale"


def replicates(
    statistics: Sequence[Statistic],
    strata: Sequence[int],
    *,
    share: float = 1.0,
    seed: int,
    n_replicates: int,
) -> Floats:
    """Return the statistics in each replicate, of shape (n_replicates, n_statistics).

    `strata` is as in `draw_counts`. Where the units are a sample, a `share` of all, deviations from
    the mean are multiplied by its square root.
    """
    with np.errstate(all="ignore"):
        drawn = np.concatenate(
            [
                np.column_stack([statistic(times) for statistic in statistics])
                for times in draw_counts(strata, n_replicates, seed)
            ]
        )
    if share == 1:
        return drawn
    middle = np.nanmean(drawn, axis=0)
    return np.asarray(middle + (drawn - middle) * share**0.5)


def of_draws(
    statistics: Sequence[Statistic],
    strata: Sequence[int],
    stated: Interval,
    scale: Scale,
    *,
    value: float | None = None,
    share: float = 1.0,
    undefined: str | None = None,
) -> list[Interval]:
    """Return the intervals of statistics of the same draws, with the seed and number of `stated`.

    The estimate is `value`, or else the statistic with each unit once; units that are a `share` of
    all need a value. There are no limits if `stated` has a reason against them, or if the estimate
    is not defined, for which `undefined` is the reason.
    """
    found = []
    n_drawn = sum(strata)
    for statistic in statistics:
        own = value
        if own is None and n_drawn > 0:
            with np.errstate(all="ignore"):
                own = float(statistic(np.ones((1, n_drawn)))[0])
        if own is not None and np.isfinite(own):
            found.append(replace(stated, estimate=own))
        else:
            reason = undefined or stated.reason or "the figure is not defined"
            found.append(replace(stated, reason=reason))
    wanted = [place for place, one in enumerate(found) if one.reason is None]
    if wanted:
        drawn = replicates(
            [statistics[place] for place in wanted],
            strata,
            share=share,
            seed=stated.seed or 0,
            n_replicates=stated.n_replicates or 0,
        )
        for place, column in zip(wanted, drawn.T, strict=True):
            found[place] = replicate_interval(found[place], column, scale)
    return found


def replicate_interval(
    stated: Interval, drawn: Floats, scale: Scale, no_effect: float | None = None
) -> Interval:
    """Return `stated` with limits from the replicates of its estimate, and p against `no_effect`.

    `drawn` has shape (n_replicates,). There are no limits, with the reason, if the estimate or more
    than a tenth of the replicates is undefined or infinite on the scale, or if they do not vary.
    """
    with np.errstate(all="ignore"):
        scaled, point = scale.to(drawn), scale.to(np.array(stated.estimate, dtype=np.float64))
    if not np.isfinite(point):
        return stated.without("the estimate is at the end of its range")
    defined = scaled[np.isfinite(scaled)]
    if len(defined) < _MIN_DEFINED * len(drawn):
        return stated.without(f"too few {stated.unit}s: undefined in many replicates")
    spread = float(defined.std())
    if spread <= _NO_SPREAD * max(1.0, abs(float(point))):
        return stated.without(f"the same whichever {stated.unit}s are drawn")
    df = stated.n_units - 1
    return t_interval(stated, spread * (stated.n_units / df) ** 0.5, scale, df, no_effect)


def difference(stated: Interval, first: Floats, second: Floats) -> Interval:
    """Return the interval of the difference that is `stated`, and p against 0.

    `first` and `second` have shape (n_replicates,) and are replicates of the same draws, so that
    what makes an item hard for both cancels out. If the difference is the same in every replicate
    and not 0, there are no limits, and p is 1 / (n_replicates + 1).
    """
    if stated.estimate is None:
        return stated
    found = replicate_interval(stated, first - second, PLAIN, 0.0)
    is_constant = bool(np.ptp(first - second) <= _NO_DIFFERENCE)
    if found.low is None and is_constant and abs(stated.estimate) > _NO_DIFFERENCE:
        return replace(found, p_value=1 / (len(first) + 1))
    return found


def ratio_of(numerator: ArrayLike, denominator: ArrayLike, least: float = -np.inf) -> Statistic:
    """Return the ratio of two totals over units; the numerator counts as at least `least`."""
    counts = np.column_stack((numerator, denominator)).astype(np.float64)

    def ratio(times: Floats) -> Floats:
        totals = times @ counts
        return np.asarray(np.maximum(totals[:, 0], least) / totals[:, 1])

    return ratio


def hit_rate(
    n_hits: ArrayLike, n_predictions: ArrayLike, *, seed: int, n_replicates: int = N_REPLICATES
) -> Interval:
    """Return the interval of total hits / total predictions over diseases.

    Both arrays have shape (n_diseases,); ValueError if not. Hits expected over ties may be
    fractions: a disease has a hit, or a miss, from one half on.
    """
    hits, trials = (np.asarray(one, dtype=np.float64) for one in (n_hits, n_predictions))
    events = {"hit": hits >= _HALF, "miss": trials - hits >= _HALF}
    n = len(hits)
    stated = drawn_from(
        "disease bootstrap", LOGIT, "disease", int(trials.sum()), n, seed, n_replicates
    )
    stated = replace(stated, reason=shortage("disease", n, events))
    # A draw without hits counts as half a hit, not as minus infinity on the logit scale.
    statistic = ratio_of(hits, trials, _HALF)
    value = float(hits.sum() / trials.sum()) if trials.sum() > 0 else np.nan
    return of_draws([statistic], [n], stated, LOGIT, value=value, undefined="the denominator is 0")[
        0
    ]


def means(
    values: Sequence[ArrayLike],
    *,
    unit: str,
    seed: int,
    n_replicates: int = N_REPLICATES,
) -> list[Interval]:
    """Return the intervals of several means of one value per unit, such as NDCG at each k.

    Each of `values`, in 0..1, has shape (n_units,); those with the same number of units share the
    draws. Limits are in 0..1 too.
    """
    lengths = [len(np.asarray(each)) for each in values]
    found: dict[int, Interval] = {}
    for n in dict.fromkeys(lengths):
        alike = [place for place, length in enumerate(lengths) if length == n]
        stated = drawn_from(f"{unit} bootstrap", LOGIT, unit, n, n, seed, n_replicates)
        stated = replace(stated, reason=shortage(unit, n, {}))
        each = [ratio_of(values[place], np.ones(n)) for place in alike]
        intervals = of_draws(each, [n], stated, LOGIT, undefined="the denominator is 0")
        found.update(zip(alike, intervals, strict=True))
    return [found[place] for place in range(len(values))]
