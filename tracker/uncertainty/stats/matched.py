"""The interval and the p value of enrichment_vs_matched, a rate ratio within strata.

Hits are compared with those of other candidates of equal breadth in diseases of like degree, given
the activity of each disease. Three parts make the variance of the logarithm of the ratio: hits that
fall at random (binomial), drugs that do better or worse in all their diseases, and diseases. The
last two are what clustered sums of influences exceed the first by. Drugs that carry the ratio alone
are few in effect, whatever their number: the effective number counts them by what a change of the
drug would do to the ratio (after Carter, Schnepel and Steigerwald 2017). The sum of the parts and
that number are this project's; tests/speed/null_worlds.py measures how often they are right.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy import special

from tracker.uncertainty.stats.clustered import (
    FEW_HITS,
    SMALLEST_P,
    Compared,
    Indices,
    effective_number,
)
from tracker.uncertainty.stats.intervals import LEVEL, LOG, Floats, Interval, around

# In effect one drug: how drugs differ cannot be told.
FEWEST_DRUGS = 2.0


@dataclass(frozen=True)
class Cells:
    """Candidates and predictions by disease and stratum, the cells of a table.

    The arrays have shape (n_cells,); `disease` and `stratum` number from 0.
    """

    disease: Indices
    stratum: Indices
    n_candidates: Floats
    n_predictions: Floats


@dataclass(frozen=True)
class Pairs:
    """Predictions, or hits of other candidates: the number of their drug, disease and stratum."""

    drug: Indices
    disease: Indices
    stratum: Indices
    is_hit: Floats


@dataclass(frozen=True)
class World:
    """What a ratio was estimated from.

    `activity` and `disease_id` have shape (n_diseases,); `hits` and `breadth` (n_strata,), the
    latter numbering breadths from 0; `n_drugs` (n_breadths,) counts the candidate drugs of each
    breadth.
    """

    cells: Cells
    predicted: Pairs
    other_hits: Pairs
    activity: Floats
    hits: Floats
    breadth: Indices
    n_drugs: Floats
    disease_id: Indices


@dataclass(frozen=True)
class Influence:
    """What drugs, diseases and hits add to the logarithm of a ratio, in units of that logarithm.

    `drug` has shape (n_drugs,) and `disease` (n_diseases,), with the number of each beside it;
    `hit` has shape (n_hits,), for the predictions and other candidates that came true. Products of
    two ratios' influences, added up over what both share, are the covariance of the two. `stake`
    is what the ratio would change by with a drug, in hits expected of its predictions.
    """

    drug_id: Indices
    drug: Floats
    stake: Floats
    disease_id: Indices
    disease: Floats
    hit_drug_id: Indices
    hit_disease_id: Indices
    hit: Floats

    @property
    def hit_pair(self) -> NDArray[np.int64]:
        """One number for the pair of each hit."""
        pair: NDArray[np.int64] = self.hit_disease_id.astype(np.int64) * (1 << 31)
        return pair + self.hit_drug_id


@dataclass(frozen=True)
class Linearised:
    """The variance of the logarithm of a ratio, its degrees of freedom, and what it is made of.

    `n_drugs` is the number of drugs that carry the ratio in effect.
    """

    variance: float
    df: float
    n_drugs: float
    influence: Influence


def rate_ratio(estimate: float, world: World, *, level: float = LEVEL) -> Compared:
    """Return the interval of a rate ratio, the estimate, and its p value against 1.

    Without a hit, the upper limit is the exact Poisson one; with fewer than 10, limits are never
    narrower than the exact Poisson ones and p is never smaller. No interval is given where, in
    effect, fewer than two drugs carry the ratio.
    """
    n_hits = float(world.predicted.is_hit.sum())
    stated = Interval(
        estimate,
        None,
        None,
        level,
        "stratified rate ratio, two-way clustered, t on log scale",
        "drug and disease",
        len(world.predicted.drug),
        int(np.count_nonzero(np.bincount(world.predicted.drug))),
    )
    tail = (1 - level) / 2
    if n_hits == 0:
        expected_hits = _expected(world)
        high = -np.log(tail) / expected_hits
        return Compared(
            replace(stated, low=0.0, high=float(high), method="exact Poisson"),
            max(min(1.0, 2 * float(np.exp(-expected_hits))), SMALLEST_P),
        )
    found = linearised(estimate, world)
    if found is None or found.n_drugs < FEWEST_DRUGS:
        reason = "too few drugs: in effect fewer than two carry the ratio"
        return Compared(replace(stated, reason=reason), None)
    error = found.variance**0.5
    low, high = around(estimate, error, LOG, level, found.df)
    p_value = max(2 * float(special.stdtr(found.df, -abs(np.log(estimate)) / error)), SMALLEST_P)
    if n_hits < FEW_HITS:
        expected = n_hits / estimate
        low = min(low, float(special.gammaincinv(n_hits, tail)) / expected)
        high = max(high, float(special.gammaincinv(n_hits + 1, 1 - tail)) / expected)
        at_least = float(special.gammainc(n_hits, expected))
        at_most = float(special.gammaincc(n_hits + 1, expected))
        p_value = max(p_value, min(1.0, 2 * min(at_least, at_most)))
    return Compared(replace(stated, low=low, high=high), p_value)


def _expected(world: World) -> float:
    """Return the hits expected of the predictions at a ratio of 1."""
    cells = world.cells
    exposure = world.activity[cells.disease] * cells.n_candidates
    total = _sums(cells.stratum, exposure, len(world.hits))
    rate = np.divide(world.hits, total, out=np.zeros(len(total)), where=total > 0)
    return float((rate[cells.stratum] * world.activity[cells.disease] * cells.n_predictions).sum())


def _sums(place: Indices, values: Floats, n: int) -> Floats:
    total: Floats = np.bincount(place, values, n).astype(np.float64)
    return total


def _numbered(keys: Indices) -> tuple[Indices, Indices]:
    """Return the keys without repetition, in order, and the place of each among them.

    Keys are small numbers: a table of all of them is faster than sorting a million.
    """
    is_used = np.zeros(int(keys.max(initial=0)) + 1, dtype=np.bool_)
    is_used[keys] = True
    return np.flatnonzero(is_used), (np.cumsum(is_used) - 1)[keys]


def _expecting(world: World) -> Cells:
    """Return the cells in which hits are expected: the others add nothing to any sum."""
    cells = world.cells
    wanted = (world.activity[cells.disease] > 0) & (world.hits[cells.stratum] > 0)
    if wanted.all():
        return cells
    return Cells(
        cells.disease[wanted],
        cells.stratum[wanted],
        cells.n_candidates[wanted],
        cells.n_predictions[wanted],
    )


def linearised(estimate: float, world: World) -> Linearised | None:
    """Return what the variance of log(ratio) is made of; `estimate` is above 0.

    None where nothing varies.
    """
    cells, predicted, others = _expecting(world), world.predicted, world.other_hits
    n_strata, n_diseases = len(world.hits), len(world.activity)

    def by_stratum(values: Floats) -> Floats:
        return _sums(cells.stratum, values, n_strata)

    def by_disease(values: Floats) -> Floats:
        return _sums(cells.disease, values, n_diseases)

    # Expected hits of each cell: of its predictions, and of all its candidates.
    activity = world.activity[cells.disease]
    n_others = np.maximum(cells.n_candidates - cells.n_predictions, 0)
    exposure = by_stratum(activity * (n_others + estimate * cells.n_predictions))
    rate = np.divide(world.hits, exposure, out=np.zeros(n_strata), where=exposure > 0)
    of_each = rate[cells.stratum] * activity
    of_predicted = estimate * of_each * cells.n_predictions
    of_others = of_each * n_others
    of_all = of_predicted + of_others

    # What a stratum and a disease have in common is no evidence: the least-squares share of the
    # predictions that both explain, in one sweep.
    def share(above: Floats, below: Floats) -> Floats:
        return np.divide(above, below, out=np.zeros(len(below)), where=below > 0)

    alpha = share(by_stratum(of_predicted), by_stratum(of_all))
    gamma = share(by_disease(of_predicted - alpha[cells.stratum] * of_all), by_disease(of_all))
    alpha = share(by_stratum(of_predicted - gamma[cells.disease] * of_all), by_stratum(of_all))
    explained = alpha[cells.stratum] + gamma[cells.disease]
    information = float((of_predicted - explained * of_predicted).sum())
    if not information > 0:
        return None

    # Influences: exactly for predictions and hits; the other candidates of a drug are taken to be
    # those of the mean drug of its breadth.
    def base(pairs: Pairs) -> tuple[Floats, Floats]:
        return (
            rate[pairs.stratum] * world.activity[pairs.disease],
            alpha[pairs.stratum] + gamma[pairs.disease],
        )

    mean, common = base(predicted)
    influence = (1 - common) * (predicted.is_hit - estimate * mean)
    other_mean, other_common = base(others)
    # What is explained of each candidate of a cell; one that is no hit misses as much.
    drift = of_each * explained
    per_drug = share(
        _sums(world.breadth[cells.stratum], drift * cells.n_candidates, len(world.n_drugs)),
        world.n_drugs,
    )
    drugs, place = _numbered(np.concatenate([predicted.drug, others.drug]))
    of_predicted_drug, of_other_drug = np.split(place, [len(predicted.drug)])
    breadth = np.empty(len(drugs), dtype=np.intp)
    breadth[of_predicted_drug] = world.breadth[predicted.stratum]
    breadth[of_other_drug] = world.breadth[others.stratum]
    by_drug = (
        _sums(of_predicted_drug, influence - mean * common, len(drugs))
        - _sums(of_other_drug, other_common, len(drugs))
        + per_drug[breadth]
    )
    unseen = np.maximum(
        world.n_drugs - _sums(breadth, np.ones(len(breadth)), len(world.n_drugs)), 0
    )
    by_disease_sum = (
        _sums(predicted.disease, influence, n_diseases)
        - _sums(others.disease, other_common, n_diseases)
        + by_disease(explained * of_others)
    )
    # Pairs one by one; other candidates that are no hits miss what little was expected of them.
    of_pairs = (
        float(influence @ influence)
        + float(((other_common * (1 - other_mean)) ** 2 - (other_common * other_mean) ** 2).sum())
        + float((n_others * drift**2).sum())
    )
    binomial = float(
        (of_predicted * (1 - explained) ** 2 * np.maximum(1 - estimate * of_each, 0)).sum()
        + (of_others * explained**2 * np.maximum(1 - of_each, 0)).sum()
    )
    drug_part = float(by_drug @ by_drug) + float(unseen @ per_drug**2)
    disease_part = float(by_disease_sum @ by_disease_sum)
    stake = _sums(of_predicted_drug, estimate * mean * (1 - common), len(drugs))
    n_drugs = effective_number(stake**2)
    n_of_diseases = effective_number(by_disease(of_predicted * (1 - explained)) ** 2)
    excess_drugs = max(drug_part - of_pairs, 0.0)
    excess_diseases = max(disease_part - of_pairs, 0.0)
    variance = binomial + excess_drugs + excess_diseases
    spread = 0.0
    if excess_drugs > 0:
        spread += drug_part**2 / max(n_drugs - 1, 0.5)
    if excess_diseases > 0:
        spread += disease_part**2 / max(n_of_diseases - 1, 0.5)
    df = max(variance**2 / spread, 1.0) if spread > 0 else np.inf
    if not variance > 0:
        return None
    is_hit = predicted.is_hit > 0
    return Linearised(
        variance / information**2,
        float(df),
        n_drugs,
        Influence(
            drug_id=drugs,
            drug=by_drug / information,
            stake=stake,
            disease_id=world.disease_id,
            disease=by_disease_sum / information,
            hit_drug_id=np.concatenate([predicted.drug[is_hit], others.drug]),
            hit_disease_id=world.disease_id[
                np.concatenate([predicted.disease[is_hit], others.disease])
            ],
            hit=np.concatenate([influence[is_hit], -other_common]) / information,
        ),
    )
