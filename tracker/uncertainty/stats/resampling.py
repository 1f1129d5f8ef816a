"""The bootstrap over diseases, items or instances: whole units are drawn again with replacement.

Statistics here are functions of totals over the units drawn, so that thousands of replicates are
one matrix product of how often each unit was drawn with the units' counts. The interval is not the
percentile one, which at seven diseases covers a rate of 10 % or more in 83 to 89 % instead of 95 %.
It is the estimate -+ t x the standard deviation of the replicates x sqrt(n / (n - 1)), taken on a
scale of the statistic, t being Student's with n - 1 degrees of freedom for n units (Cameron,
Gelbach and Miller 2008 on few clusters). MIN_DISEASES and MIN_WITH_HITS are the sizes from which it
has its coverage.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from tracker.uncertainty.stats.intervals import (
    LEVEL,
    LOGIT,
    PLAIN,
    Floats,
    Interval,
    Scale,
    around,
)

N_REPLICATES = 10_000

# The method of every figure over the pairs of several diseases, all of which are shares.
DISEASE_BOOTSTRAP = f"disease bootstrap, t on {LOGIT.name} scale"

# Below either, tests/speed/coverage.py finds coverage outside 93 to 97 %.
MIN_DISEASES = 6
MIN_WITH_HITS = 3

# Replicates in which a statistic is undefined are left out, but must stay the exception.
_MIN_DEFINED = 0.9
_NO_SPREAD = 1e-12
_HALF = 0.5
_BLOCK_CELLS = 8_000_000

# Totals of shape (n_replicates, n_columns) give a statistic of shape (n_replicates,).
Statistic = Callable[[Floats], Floats]


def draw_counts(strata: Sequence[int], n_replicates: int, seed: int) -> Iterator[Floats]:
    """Yield how often each unit is drawn, in blocks of shape (some replicates, n_units).

    `strata` gives the number of units of each stratum, whose columns are adjacent; from a stratum
    of n units n are drawn with replacement. A block has at most 64 MB, or one row.
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


def shortage(unit: str, n_units: int, events: Mapping[str, Floats]) -> str | None:
    """Return why units are too few for an interval over them, None if they are enough.

    `events` names what must occur in MIN_WITH_HITS units and gives its count by unit.
    """
    if n_units < MIN_DISEASES:
        return f"too few {unit}s: {n_units}, at least {MIN_DISEASES} needed"
    for name, by_unit in events.items():
        n_with = int(np.count_nonzero(by_unit))
        if n_with < MIN_WITH_HITS:
            return f"too few {unit}s with a {name}: {n_with}, at least {MIN_WITH_HITS} needed"
    return None


def replicate_interval(stated: Interval, replicates: Floats, scale: Scale) -> Interval:
    """Return `stated` with limits from the replicates, of shape (n_replicates,), of its estimate.

    Limits are missing, with the reason, where the estimate or a tenth of the replicates is
    undefined or infinite on the scale, and where the replicates do not vary.
    """
    if stated.estimate is None:
        return replace(stated, reason="the denominator is 0")
    with np.errstate(all="ignore"):
        scaled, point = scale.to(replicates), scale.to(np.array(stated.estimate))
    if not np.isfinite(point):
        return replace(stated, reason="the estimate is at the end of its range")
    defined = scaled[np.isfinite(scaled)]
    if len(defined) < _MIN_DEFINED * len(replicates):
        return replace(stated, reason=f"too few {stated.unit}s: undefined in many replicates")
    spread = float(defined.std())
    if spread <= _NO_SPREAD * max(1.0, abs(float(point))):
        return replace(stated, reason=f"the same whichever {stated.unit}s are drawn")
    df = stated.n_units - 1
    error = spread * (stated.n_units / df) ** 0.5
    low, high = around(stated.estimate, error, scale, stated.level, df)
    return replace(stated, low=low, high=high)


def hit_rate(
    n_hits: ArrayLike,
    n_predictions: ArrayLike,
    *,
    seed: int,
    n_replicates: int = N_REPLICATES,
    level: float = LEVEL,
) -> Interval:
    """Return the interval of total hits / total predictions over diseases.

    Both arrays have shape (n_diseases,); ValueError if not. Serves every share of pairs that
    share diseases: hit rate, precision proxy, hit_at_k. Hits in expectation over ties are
    fractions: a disease is one with a hit, or with a miss, from half a one on.
    """
    counts = _columns(n_hits, n_predictions)
    hits, predictions = counts.T
    return _over_units(
        counts,
        _ratio,
        LOGIT,
        _stated(len(counts), int(predictions.sum()), seed, n_replicates, level),
        {"hit": hits >= _HALF, "miss": predictions - hits >= _HALF},
        hit_columns=[0],
    )


def mean(
    values: ArrayLike,
    *,
    unit: str,
    seed: int,
    is_share: bool = True,
    n_replicates: int = N_REPLICATES,
    level: float = LEVEL,
) -> Interval:
    """Return the interval of the mean of one value per unit, as `means` does."""
    drawing = {"seed": seed, "n_replicates": n_replicates}
    (found,) = means([values], unit=unit, is_share=is_share, level=level, **drawing)
    return found


def means(
    values: Sequence[ArrayLike],
    *,
    unit: str,
    seed: int,
    is_share: bool = True,
    n_replicates: int = N_REPLICATES,
    level: float = LEVEL,
) -> list[Interval]:
    """Return the interval of each of several means of one value per unit: NDCG at each k, nR.

    Each of `values` has shape (n_units,); those of as many units share the draws, which are the
    same for all. Values that are shares are in 0..1, and so are the limits; others may have any
    size.
    """
    counts = [_columns(each, np.ones(np.shape(each))) for each in values]
    scale = LOGIT if is_share else PLAIN
    found: dict[int, Interval] = {}
    for n_units in dict.fromkeys(map(len, counts)):
        alike = [place for place, each in enumerate(counts) if len(each) == n_units]
        stated = _stated(n_units, n_units, seed, n_replicates, level, unit)
        intervals = _over_same_units([counts[place] for place in alike], _ratio, scale, stated, {})
        found.update(zip(alike, intervals, strict=True))
    return [found[place] for place in range(len(counts))]


def _columns(*arrays: ArrayLike) -> Floats:
    """Return the arrays side by side, one row per unit."""
    return np.column_stack([np.asarray(array, dtype=np.float64) for array in arrays])


def _stated(
    n_units: int, n: int, seed: int, n_replicates: int, level: float, unit: str = "disease"
) -> Interval:
    """Return what an interval states before anything is estimated."""
    method = f"{unit} bootstrap"
    return Interval(None, None, None, level, method, unit, n, n_units, n_replicates, seed)


def _ratio(totals: Floats) -> Floats:
    """Return the first total by the second."""
    ratio: Floats = totals[:, 0] / totals[:, 1]
    return ratio


def _over_units(
    counts: Floats,
    statistic: Statistic,
    scale: Scale,
    stated: Interval,
    events: Mapping[str, Floats],
    *,
    hit_columns: Sequence[int] = (),
) -> Interval:
    """Return the interval of a statistic of the totals of `counts`, one row per unit."""
    (found,) = _over_same_units([counts], statistic, scale, stated, events, hit_columns=hit_columns)
    return found


def _over_same_units(
    each_counts: Sequence[Floats],
    statistic: Statistic,
    scale: Scale,
    stated: Interval,
    events: Mapping[str, Floats],
    *,
    hit_columns: Sequence[int] = (),
) -> list[Interval]:
    """Return the interval of a statistic of each of several counts, whose rows are the same units.

    The units are drawn once for all.
    """
    stated = replace(stated, method=f"{stated.method}, t on {scale.name} scale")
    found = [_undrawn(counts, statistic, stated, events) for counts in each_counts]
    drawn = [place for place, one in enumerate(found) if one.reason is None]
    if not drawn:
        return found
    replicates: dict[int, list[Floats]] = {place: [] for place in drawn}
    n_units = len(each_counts[0])
    for times in draw_counts([n_units], stated.n_replicates or 0, stated.seed or 0):
        for place in drawn:
            totals = times @ each_counts[place]
            # A draw without hits counts as half a hit, not as minus infinity on the log scale.
            totals[:, hit_columns] = np.maximum(totals[:, hit_columns], _HALF)
            with np.errstate(all="ignore"):
                replicates[place].append(statistic(totals))
    for place in drawn:
        found[place] = replicate_interval(found[place], np.concatenate(replicates[place]), scale)
    return found


def _undrawn(
    counts: Floats, statistic: Statistic, stated: Interval, events: Mapping[str, Floats]
) -> Interval:
    """Return what an interval states before units are drawn, with the reason if they cannot be."""
    with np.errstate(all="ignore"):
        estimate = float(statistic(counts.sum(axis=0, keepdims=True))[0])
    if not np.isfinite(estimate):
        return replace(stated, estimate=None, reason="the denominator is 0")
    short = shortage(stated.unit, len(counts), events)
    return replace(stated, estimate=estimate, reason=short)
