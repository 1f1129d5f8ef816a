"""Enrichments pooled over lists, such as a ranker's at its origins or a model's in its slates.

The pooled ratio is Mantel and Haenszel's over the strata of all lists, R / S with the sums of
docs/metrics.md#enrichment_vs_matched. A list's weight is its S, which does not depend on its own
luck, as weights by the inverse variance of a ratio of counts, or by hits / ratio, would
(Bakbergenuly, Hoaglin and Kulinskaya 2020). The variance has two parts: within lists, with the
covariance of lists that share drugs, diseases, hits or records (`Influence`); and between lists, by
the moments of DerSimonian and Laird (1986) with these fixed weights (Henmi and Copas 2010).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, TypeVar

import numpy as np
import scipy
from numpy.typing import NDArray

from tracker.uncertainty.stats.clustered import FEW_HITS, UNIT, Indices, effective_number
from tracker.uncertainty.stats.intervals import (
    LEVEL,
    LOG,
    SMALLEST_P,
    Floats,
    Interval,
    around,
    t_interval,
)
from tracker.uncertainty.stats.stratified import FEWEST_DRUGS, ONE_DRUG, garwood

METHOD = "ratio of sums, random effects, two-way clustered, t on log scale"
# Columns that identify units, each of shape (n,), and influences, which are summed by unit.
Units = tuple[Sequence[NDArray[Any]], Floats]
Name = TypeVar("Name")
_ONE_WITHOUT = "the enrichment of one of the lists has no interval"
# How many quantiles of a ratio's distribution are averaged over.
_N_QUANTILES = 1_000


@dataclass(frozen=True)
class Influence:
    """What drugs, diseases and hits add to the logarithm of a ratio, in units of that logarithm.

    `drug` has shape (n_drugs,), `disease` (n_diseases,) and `hit` (n_hits,), with ids beside them.
    Hits are all candidates that came true, predicted or not; `hit_record` is the record that made
    them hits, '' if there is none. The covariance of two ratios is the sum of products of their
    influences over what both share. `stake` is what a drug's pairs are expected to add, in the same
    units.
    """

    drug_id: Indices
    drug: Floats
    stake: Floats
    disease_id: Indices
    disease: Floats
    hit_drug_id: Indices
    hit_disease_id: Indices
    hit_record: NDArray[Any]
    hit: Floats


@dataclass(frozen=True)
class Part:
    """A list that is not its own baseline: its hits, its sums R and S, and what R / S rests on.

    `variance` and `df` are of the logarithm of R / S; `variance` and `influence` are None where R
    or S is 0. Where S is 0, the list adds its R to the pool, with R as the variance of that.
    """

    n_hits: int
    r: float
    s: float
    variance: float | None
    df: float
    influence: Influence | None


@dataclass(frozen=True)
class Pooled:
    """A pooled ratio with its interval and p value against 1.

    `variance` and `df` are of its logarithm; `variance` is None without a hit or an interval.
    `between` is the standard deviation of true ratios between lists, and `inconsistency` the share
    of the lists' variation that chance does not explain (I2 of Higgins and Thompson 2002); both are
    None for one list. The true ratio of a further list is predicted between `foreseen_low` and
    `foreseen_high` (Higgins, Thompson and Spiegelhalter 2009), which are None below three lists.
    """

    interval: Interval
    variance: float | None = None
    df: float = np.inf
    between: float | None = None
    inconsistency: float | None = None
    foreseen_low: float | None = None
    foreseen_high: float | None = None


def pool(parts: Sequence[Part]) -> Pooled:
    """Return the pooled ratio of lists; ValueError without a list, or if R + S of one is 0.

    There is no estimate if S is 0 in all lists, and no interval if, in effect, fewer than two drugs
    carry the ratio. With fewer than 10 hits, limits are at least as wide as the exact Poisson ones,
    and p is at least as large. `n` counts hits and `n_units` lists.
    """
    if not parts or any(part.r + part.s <= 0 for part in parts):
        raise ValueError("a list of which nothing was expected cannot be pooled")
    n_hits = sum(part.n_hits for part in parts)
    expected = np.array([part.s for part in parts])
    total = float(expected.sum())
    if total == 0:
        unknown = Interval(METHOD, UNIT, n_hits, len(parts), None)
        return Pooled(unknown.without("no other candidate came true where it can be compared"))
    ratio = sum(part.r for part in parts) / total
    stated = Interval(METHOD, UNIT, n_hits, len(parts), ratio)
    if ratio == 0:
        return Pooled(replace(stated, method="exact Poisson").widened(*garwood(0, total)))
    joined = _joined(parts)
    # The effective number of drugs, as that of a single list.
    if joined is None or _n_drugs(joined) < FEWEST_DRUGS:
        return Pooled(stated.without(ONE_DRUG))
    covariance = _covariance(parts)
    weight = expected / total
    within = float(covariance.sum()) / total**2
    between, inconsistency = _between(parts, covariance)
    between_pooled = between**2 * float(weight @ weight)
    variance = (within + between_pooled) / ratio**2
    if not variance > 0:
        return Pooled(stated.without("the pairs do not vary"))
    df = _df(parts, weight, within, between_pooled)
    found = t_interval(stated, variance**0.5, LOG, df, 1.0)
    if n_hits < FEW_HITS:
        found = found.widened(*garwood(n_hits, n_hits / ratio))
    n_ratios = int((expected > 0).sum())
    if n_ratios == 1:
        return Pooled(found, variance, df)
    foreseen: tuple[float | None, float | None] = (None, None)
    if n_ratios > 2:
        # Higgins, Thompson and Spiegelhalter use t with n_lists - 2 degrees of freedom.
        spread = (variance + (between / ratio) ** 2) ** 0.5
        foreseen = around(ratio, spread, LOG, LEVEL, n_ratios - 2)
    return Pooled(found, variance, df, between, inconsistency, *foreseen)


@dataclass(frozen=True)
class _Group:
    """Pooled lists, and what adds to the variance of the logarithm of their ratio.

    `within` is of lists with an influence, each by itself, and `squares` the same from influences.
    `alone` is what other groups have no share in.
    """

    pooled: Pooled
    squares: float
    within: float
    between: float
    alone: float

    @classmethod
    def of(cls, parts: Sequence[Part], alone: float) -> "_Group":
        pooled = pool(parts)
        ratio = pooled.interval.estimate
        if not ratio:
            return cls(pooled, 0.0, 0.0, 0.0, alone)
        r, s = (np.array([getattr(part, name) for part in parts]) for name in ("r", "s"))
        weights = (r / r.sum()) ** 2
        within = weights @ np.array([part.variance or 0.0 for part in parts])
        tables = _squares_of([part.influence for part in parts])
        own = [_of_units([table[at, at] for table in tables]) for at in range(len(parts))]
        squares = weights @ np.array(own)
        between = ((pooled.between or 0.0) / ratio) ** 2 * float(s @ s) / float(s.sum()) ** 2
        by_chance = sum(part.r for part in parts if part.influence is None) / float(r.sum()) ** 2
        return cls(pooled, float(squares), float(within) - alone, between, alone + by_chance)


def versus(own: Sequence[Part], other: Sequence[Part]) -> Interval:
    """Return the ratio of two pooled ratios and p against 1, by `each_versus`."""
    return each_versus({"own": own, "other": other})("own", "other")


def each_versus(
    groups: Mapping[Name, Sequence[Part]], alone: Mapping[Name, float] | None = None
) -> Callable[[Name, Name], Interval]:
    """Return a function of two groups' names: the ratio of their pooled ratios, and p against 1.

    The variance of its logarithm is the sum of squares of the differences of both influences, so
    that what both hold alike cancels out. It is scaled by what the lists' own variances are to the
    squares of their own influences. The variance of true ratios between lists is added for the
    share that differs; the chance of lists without an influence, and `alone`, which is part of the
    group's variance and 0 by default, are added whole, since no other group shares them.

    If one group has no hit, there are no limits, and p is twice Poisson's chance of that if its
    ratio were the other's, averaged over the t distribution of the other's. There are neither
    limits nor p if both have none, if one has no interval, or if what they differ in is rounding.
    """
    held = {name: _Group.of(parts, alone[name] if alone else 0.0) for name, parts in groups.items()}
    place = {name: at for at, name in enumerate(groups)}
    tables = _squares_of([_joined(parts) for parts in groups.values()])

    def compare(one: Name, other: Name) -> Interval:
        first, second = held[one].pooled, held[other].pooled
        if first.interval.estimate is None or second.interval.estimate is None:
            return replace(first.interval, estimate=None).without("a ratio is not known")
        ratios = [each.interval.estimate or 0.0 for each in (first, second)]
        estimate = ratios[0] / ratios[1] if ratios[1] > 0 else None
        stated = Interval(METHOD, UNIT, first.interval.n, first.interval.n_units, estimate)
        if first.variance is None or second.variance is None:
            known, hitless = (first, other) if ratios[1] == 0 else (second, one)
            p_value = _p_of_nothing(known, groups[hitless]) if 0 in ratios else None
            return replace(stated, p_value=p_value, reason=_ONE_WITHOUT)
        here, there = place[one], place[other]
        own = sum(_of_units([table[at, at] for table in tables]) for at in (here, there))
        apart = _of_units(
            [table[here, here] + table[there, there] - 2 * table[here, there] for table in tables]
        )
        squares, within, between, unshared = (
            getattr(held[one], name) + getattr(held[other], name)
            for name in ("squares", "within", "between", "alone")
        )
        variance = unshared + between + within
        if own > 0:
            variance = unshared + apart * (between / own + within / squares)
        # The influences are equal but for rounding.
        if not variance > 1e-9 * (first.variance + second.variance):
            return stated.without("the lists do not differ")
        return t_interval(stated, variance**0.5, LOG, min(first.df, second.df), 1.0)

    return compare


def _joined(parts: Sequence[Part]) -> Influence | None:
    """Return the influence on the logarithm of the pooled ratio of lists, weighted by R."""
    total = sum(part.r for part in parts)
    weighted = [
        replace(
            part.influence,
            drug=part.influence.drug * (part.r / total),
            stake=part.influence.stake * (part.r / total),
            disease=part.influence.disease * (part.r / total),
            hit=part.influence.hit * (part.r / total),
        )
        for part in parts
        if part.influence is not None
    ]
    if not weighted:
        return None
    columns = [[getattr(one, each.name) for one in weighted] for each in fields(Influence)]
    return Influence(*(np.concatenate(values) for values in columns))


def _of_units(squares: Sequence[Any]) -> float:
    """Return the variance for sums of squares by drug, disease, hit and record."""
    by_drug, by_disease, by_hit, by_record = (float(one) for one in squares)
    return max(by_drug - by_hit, 0) + max(by_disease - by_hit, 0) + max(by_record, 0) + by_hit


def _p_of_nothing(pooled: Pooled, hitless: Sequence[Part]) -> float | None:
    ratio, variance = pooled.interval.estimate, pooled.variance
    if not ratio or variance is None:
        return None
    expected = sum(part.s for part in hitless)
    middles = (np.arange(_N_QUANTILES) + 0.5) / _N_QUANTILES
    # In the far tail of few degrees of freedom a ratio is beyond any number; no hit is then sure.
    with np.errstate(over="ignore"):
        likely = ratio * np.exp(scipy.special.stdtrit(pooled.df, middles) * variance**0.5)
    return max(min(1.0, 2 * float(np.exp(-expected * likely).mean())), SMALLEST_P)


def _n_drugs(influence: Influence) -> float:
    place = np.unique(influence.drug_id, return_inverse=True)[1]
    stake = np.bincount(place, influence.stake).astype(np.float64)
    return effective_number(stake**2)


def _covariance(parts: Sequence[Part]) -> Floats:
    """Return the covariances of the lists' R - ratio * S, of shape (n_parts, n_parts).

    Off the diagonal they are sums of products of influences: by drug and by disease, each less that
    by hit; by record, for hits of different drugs and diseases; and by hit. As in the variance of a
    list, each term but the last is at least 0.
    """
    r = np.array([part.r for part in parts])
    drug, disease, hit, crossed = _squares_of([part.influence for part in parts])
    shared = np.maximum(drug - hit, 0) + np.maximum(disease - hit, 0)
    shared = shared + np.maximum(crossed, 0) + hit
    own = np.array([0.0 if part.variance is None else part.variance for part in parts])
    # No covariance exceeds the product of the standard deviations.
    bound = np.sqrt(np.outer(own, own))
    shared = np.clip(shared, -bound, bound)
    np.fill_diagonal(shared, own)
    # A hit adds at most 1 to R, so that the variance of R by chance is at most R.
    by_chance = [part.r if part.variance is None else 0.0 for part in parts]
    return np.asarray(shared * np.outer(r, r) + np.diag(by_chance))


def _squares_of(influences: Sequence[Influence | None]) -> tuple[Floats, Floats, Floats, Floats]:
    """Return the sums of products of influences by drug, disease, hit and `_crossed` record."""
    return (
        _products(influences, lambda one: ([one.drug_id], one.drug)),
        _products(influences, lambda one: ([one.disease_id], one.disease)),
        _products(influences, lambda one: ([one.hit_drug_id, one.hit_disease_id], one.hit)),
        _crossed(influences),
    )


def _crossed(influences: Sequence[Influence | None]) -> Floats:
    """Return the sums of products of hits of one record that share neither drug nor disease."""
    texts = [one.hit_record for one in influences if one is not None]
    records = np.unique(np.concatenate([[""], *texts]))

    def of_record(*shared: str) -> Floats:
        def units(one: Influence) -> Units:
            made = one.hit_record != ""
            ids = [getattr(one, name)[made] for name in shared]
            return [np.searchsorted(records, one.hit_record[made]), *ids], one.hit[made]

        return _products(influences, units)

    return np.asarray(
        of_record()
        - of_record("hit_drug_id")
        - of_record("hit_disease_id")
        + of_record("hit_drug_id", "hit_disease_id")
    )


def _products(influences: Sequence[Influence | None], of: Callable[[Influence], Units]) -> Floats:
    """Return for each two influences the sum of products over the units that both have."""
    parts = {place: of(one) for place, one in enumerate(influences) if one is not None}
    table = np.zeros((len(influences), 0))
    if parts:
        units = np.concatenate([np.stack(columns, axis=1) for columns, _ in parts.values()])
        unit = np.unique(units, axis=0, return_inverse=True)[1].ravel()
        row = np.repeat(list(parts), [len(added) for _, added in parts.values()])
        table = np.zeros((len(influences), unit.max(initial=-1) + 1))
        np.add.at(table, (row, unit), np.concatenate([added for _, added in parts.values()]))
    return np.asarray(table @ table.T)


def _between(parts: Sequence[Part], covariance: Floats) -> tuple[float, float]:
    """Return the standard deviation of true ratios, and the share of variation beyond chance.

    Lists whose S is 0 are left out: they have no ratio of their own.
    """
    has_ratio = np.array([part.s > 0 for part in parts])
    r, s = (np.array([getattr(part, name) for part in parts])[has_ratio] for name in ("r", "s"))
    if len(s) == 1:
        return 0.0, 0.0
    total = float(s.sum())
    covariance = covariance[np.ix_(has_ratio, has_ratio)]
    observed = float(s @ (r / s - r.sum() / total) ** 2)
    by_chance = float((np.diag(covariance) / s).sum()) - float(covariance.sum()) / total
    above = observed - by_chance
    scale = total - float(s @ s) / total
    between = max(above, 0.0) / scale
    return between**0.5, max(above, 0.0) / observed if observed > 0 else 0.0


def _df(parts: Sequence[Part], weight: Floats, within: float, between: float) -> float:
    """Return Satterthwaite's degrees of freedom for the sum of the two parts of the variance."""
    of_parts = np.array([part.df for part in parts])
    spread = within**2 * float(weight @ (1 / of_parts))
    if between > 0:
        spread += between**2 / (np.count_nonzero(weight) - 1)
    return max((within + between) ** 2 / spread, 1.0) if spread > 0 else np.inf
