"""Tests of no effect: permutation within strata, stratified Mann-Whitney, Holm's correction."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from tracker.uncertainty.stats.intervals import Floats

N_PERMUTATIONS = 10_000

Alternative = Literal["greater", "two-sided"]


@dataclass(frozen=True)
class Significance:
    """The result of a test; `p_value` is None, with the reason, where there is nothing to compare.

    `statistic` is in the test's own units and `expected` its mean if there is no effect. `n` counts
    observations, `n_strata` the informative strata.
    """

    statistic: float
    expected: float
    p_value: float | None
    alternative: str
    method: str
    n: int
    n_strata: int
    n_permutations: int | None = None
    seed: int | None = None
    reason: str | None = None


def permutation(
    tier_hits: ArrayLike,
    tier_pairs: ArrayLike,
    n_hits: ArrayLike,
    n_pairs: ArrayLike,
    *,
    seed: int,
    n_permutations: int = N_PERMUTATIONS,
    alternative: Alternative = "greater",
) -> Significance:
    """Return whether a tier has more hits than if hits fell at random within each stratum.

    The four arrays have shape (n_strata,), a stratum being a disease, or a disease and a breadth
    cohort; `n_hits` and `n_pairs` count the pairs in the tier and those it is compared with.
    Shuffling hits among the pairs of a stratum gives the tier a hypergeometric number of them,
    which is drawn instead. p = (1 + as extreme) / (1 + permutations), so it is never 0; two-sided
    is twice the smaller side. As strata keep their totals, enrichment vs random, and with cohorts
    the tie-safe one vs popularity, rises only with the hits of the tier, so the test applies to
    them. ValueError if the shapes differ.
    """
    arrays = [
        np.asarray(array, dtype=np.int64) for array in (tier_hits, tier_pairs, n_hits, n_pairs)
    ]
    hits_in, pairs_in, hits, pairs = np.column_stack(arrays).T
    is_informative = (hits > 0) & (hits < pairs) & (pairs_in > 0) & (pairs_in < pairs)
    expected = float(
        (pairs_in[is_informative] * hits[is_informative] / pairs[is_informative]).sum()
    )
    observed = int(hits_in[is_informative].sum())
    n_strata = int(is_informative.sum())
    stated = Significance(
        float(observed),
        expected,
        None,
        alternative,
        "permutation within strata",
        int(pairs.sum()),
        n_strata,
        n_permutations,
        seed,
    )
    if n_strata == 0:
        return replace(stated, reason="no stratum has hits and misses, inside and outside the tier")
    totals = _shuffled_totals(
        hits[is_informative], pairs[is_informative], pairs_in[is_informative], stated
    )
    n_above, n_below = int((totals >= observed).sum()), int((totals <= observed).sum())
    upper, lower = ((1 + n) / (1 + n_permutations) for n in (n_above, n_below))
    p_value = upper if alternative == "greater" else min(1.0, 2 * min(upper, lower))
    return replace(stated, p_value=p_value)


def _shuffled_totals(
    hits: NDArray[np.int64],
    pairs: NDArray[np.int64],
    pairs_in: NDArray[np.int64],
    stated: Significance,
) -> NDArray[np.int64]:
    """Return the hits of the tier in all strata together in each permutation."""
    n_permutations = stated.n_permutations or 0
    generator = np.random.Generator(np.random.PCG64(stated.seed))
    totals = np.zeros(n_permutations, dtype=np.int64)
    strata, times = np.unique(np.column_stack([hits, pairs, pairs_in]), axis=0, return_counts=True)
    for (n_hits, n, n_in), n_alike in zip(strata.tolist(), times.tolist(), strict=True):
        if n_alike == 1:
            totals += generator.hypergeometric(n_hits, n - n_hits, n_in, n_permutations)
            continue
        # For equal strata it is enough to draw how many of them get how many hits.
        possible = np.arange(min(n_hits, n_in) + 1)
        chances = scipy.stats.hypergeom.pmf(possible, n, n_hits, n_in)
        totals += generator.multinomial(n_alike, chances, n_permutations) @ possible
    return totals


def van_elteren(
    scores: ArrayLike,
    is_hit: ArrayLike,
    stratum: ArrayLike,
    *,
    alternative: Alternative = "greater",
) -> Significance:
    """Return whether hits score above misses, compared within strata (van Elteren 1960).

    The arrays have shape (n,), ValueError if not. Each stratum's Mann-Whitney statistic is
    weighted by 1 / (pairs + 1), with mid-ranks and the variance corrected for ties; p is from the
    normal approximation. The statistic is z; with one stratum the test is Mann and Whitney's.
    """
    scored, hit = np.asarray(scores, dtype=np.float64), np.asarray(is_hit, dtype=np.bool_)
    units, unit = np.unique(np.asarray(stratum), return_inverse=True)
    if not scored.shape == hit.shape == unit.shape or scored.ndim != 1:
        raise ValueError("scores, hits and strata differ in shape")
    rank, ties = _ranks_within(scored, unit, len(units))
    size = np.bincount(unit, minlength=len(units)).astype(np.float64)
    n_hits = np.bincount(unit[hit], minlength=len(units)).astype(np.float64)
    is_informative = (n_hits > 0) & (n_hits < size)
    excess = np.bincount(unit[hit], rank[hit], len(units)) - n_hits * (size + 1) / 2
    pairs = np.maximum(size * (size - 1), 1)
    variance = n_hits * (size - n_hits) / 12 * (size + 1 - ties / pairs)
    weight = np.where(is_informative, 1 / (size + 1), 0)
    spread = float((weight**2 * variance).sum()) ** 0.5
    z = float((weight * excess).sum()) / spread if spread > 0 else 0.0
    p_value = float(
        scipy.stats.norm.sf(z) if alternative == "greater" else 2 * scipy.stats.norm.sf(abs(z))
    )
    return Significance(
        z,
        0.0,
        p_value if spread > 0 else None,
        alternative,
        "Mann-Whitney within strata (van Elteren)",
        len(scored),
        int(is_informative.sum()),
        reason=None if spread > 0 else "no stratum has hits and misses of different scores",
    )


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Return the p values adjusted by Holm's step-down method (1979), in the order given.

    A missing p value stays missing and is not counted among the tests.
    """
    known = [p for p in p_values if p is not None]
    order = np.argsort(known, kind="stable")
    stepped = np.array(known, dtype=np.float64)[order] * np.arange(len(known), 0, -1)
    adjusted = np.empty(len(known))
    adjusted[order] = np.minimum(1, np.maximum.accumulate(stepped))
    remaining = iter(adjusted.tolist())
    return [None if p is None else next(remaining) for p in p_values]


def _ranks_within(values: Floats, unit: NDArray[np.intp], n_units: int) -> tuple[Floats, Floats]:
    """Return each value's mid-rank within its unit, and per unit the sum of t^3 - t over ties."""
    order = np.lexsort((values, unit))
    ordered, owner = values[order], unit[order]
    is_new = np.ones(len(values), dtype=np.bool_)
    is_new[1:] = (np.diff(ordered) != 0) | (np.diff(owner) != 0)
    starts = np.flatnonzero(is_new)
    length = np.diff(np.append(starts, len(values))).astype(np.float64)
    before_unit = np.searchsorted(owner, owner[starts], side="left")
    middle = starts - before_unit + (length + 1) / 2
    rank = np.empty(len(values))
    rank[order] = np.repeat(middle, length.astype(np.intp))
    ties = np.bincount(owner[starts], length**3 - length, n_units).astype(np.float64)
    return rank, ties
