"""Submissions to one benchmark, compared over the same items drawn again.

Every draw of items serves all submissions, so that what makes an item hard for all of them cancels
out of their differences. p values are of the t of docs/statistics.md#submissions-compared.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from scipy import special

from tracker.uncertainty.stats.clustered import SMALLEST_P, Compared
from tracker.uncertainty.stats.intervals import PLAIN, Floats, Interval, Scale
from tracker.uncertainty.stats.resampling import Statistic, draw_counts, replicate_interval

# Differences below this are those of adding the same numbers in another order.
_NO_DIFFERENCE = 1e-12


def replicates(
    statistics: Sequence[Statistic],
    strata: Sequence[int],
    *,
    share: float = 1.0,
    seed: int,
    n_replicates: int,
) -> Floats:
    """Return each statistic of each draw of the items: shape (n_replicates, n_statistics).

    `strata` has the numbers of items of each stratum, which are adjacent. Where the items are but a
    `share` of all, deviations from the mean are multiplied by the square root of it.
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
    scaled: Floats = middle + (drawn - middle) * share**0.5
    return scaled


def of_draws(
    statistic: Statistic,
    strata: Sequence[int],
    stated: Interval,
    scale: Scale,
    *,
    value: float | None = None,
    share: float = 1.0,
) -> Interval:
    """Return the interval of a statistic over items, which are drawn as often as `stated` says.

    Where the items are but a `share` of all, `value` is the figure of all. Limits are missing where
    `stated` has a reason why.
    """
    if value is None:
        with np.errstate(all="ignore"):
            value = float(statistic(np.ones((1, sum(strata))))[0])
    method = f"{stated.method}, t on {scale.name} scale"
    estimate = value if np.isfinite(value) else None
    stated = replace(stated, estimate=estimate, method=method)
    if stated.reason is not None or estimate is None:
        return replace(stated, reason=stated.reason or "the figure is not defined")
    drawing = {"seed": stated.seed or 0, "n_replicates": stated.n_replicates or 0}
    drawn = replicates([statistic], strata, share=share, **drawing)
    return replicate_interval(stated, drawn[:, 0], scale)


def difference(stated: Interval, first: Floats, second: Floats) -> Compared:
    """Return the interval of the difference that is `stated`, and p against 0.

    `first` and `second` have shape (n_replicates,) and are of the same draws. Where every draw has
    the same difference, and it is not 0, p is that of one draw among them.
    """
    if stated.estimate is None:
        return Compared(stated, None)
    found = replicate_interval(stated, first - second, PLAIN)
    if found.low is not None and found.high is not None:
        df = found.n_units - 1
        error = (found.high - found.low) / 2 / special.stdtrit(df, (1 + found.level) / 2)
        p_value = float(2 * special.stdtr(df, -abs(stated.estimate) / error))
        return Compared(found, max(p_value, SMALLEST_P))
    is_constant = bool(np.ptp(first - second) <= _NO_DIFFERENCE)
    if not is_constant or abs(stated.estimate) <= _NO_DIFFERENCE:
        return Compared(found, None)
    return Compared(replace(found, low=None, high=None), 1 / (len(first) + 1))
