"""Pooled ratios agree with statsmodels where both apply, and lists that share all count once."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats as scipy_stats
from statsmodels.stats.meta_analysis import combine_effects  # type: ignore[import-untyped]

from tracker.uncertainty.stats import pooling
from tracker.uncertainty.stats.clustered import Indices
from tracker.uncertainty.stats.intervals import LEVEL, LOG, around
from tracker.uncertainty.stats.pooling import Influence, Part
from tracker.uncertainty.stats.stratified import ONE_DRUG

N_DRUGS, N_DISEASES, N_HITS = 30, 8, 12
SEEDS = st.integers(0, 10_000)


def influences(seed: int, first_id: int = 0) -> Influence:
    """Influences of drugs, diseases and hits, numbered from `first_id`."""
    rng = np.random.default_rng(seed)

    def ids(n: int) -> Indices:
        return np.arange(first_id, first_id + n)

    return Influence(
        drug_id=ids(N_DRUGS),
        drug=rng.normal(0, 0.06, N_DRUGS),
        stake=rng.uniform(0.5, 2, N_DRUGS),
        disease_id=ids(N_DISEASES),
        disease=rng.normal(0, 0.08, N_DISEASES),
        hit_drug_id=ids(N_HITS),
        hit_disease_id=ids(N_HITS),
        hit_record=np.full(N_HITS, ""),
        hit=rng.normal(0, 0.04, N_HITS),
    )


def variance(influence: Influence) -> float:
    """The variance of one list, by the rule of its own interval."""
    drug, disease, hit = (
        float(values @ values) for values in (influence.drug, influence.disease, influence.hit)
    )
    return max(drug - hit, 0) + max(disease - hit, 0) + hit


def _is_above_chance(influence: Influence | None) -> bool:
    assert influence is not None
    hit = influence.hit @ influence.hit
    return all(values @ values > hit for values in (influence.drug, influence.disease))


def part(seed: int, *, n_hits: int = 40, expected: float = 20.0, first_id: int = 0) -> Part:
    influence = influences(seed, first_id)
    return Part(n_hits, n_hits, expected, variance(influence), 9.0, influence)


@given(SEEDS, st.integers(10, 90))
def test_one_list_keeps_its_own_interval(seed: int, n_hits: int) -> None:
    only = part(seed, n_hits=n_hits)
    found = pooling.pool([only])
    assert only.variance is not None
    assert found.interval.estimate == n_hits / 20
    assert (found.interval.low, found.interval.high) == pytest.approx(
        around(n_hits / 20, only.variance**0.5, LOG, LEVEL, only.df)
    )
    assert found.between is None


@given(SEEDS, st.integers(2, 5))
def test_lists_that_share_everything_are_one_list(seed: int, n_lists: int) -> None:
    alone, together = pooling.pool([part(seed)]), pooling.pool([part(seed)] * n_lists)
    assert together.variance == pytest.approx(alone.variance)
    assert together.between == pytest.approx(0, abs=1e-6)
    assert together.inconsistency == pytest.approx(0, abs=1e-6)


@given(SEEDS, st.sets(st.integers(15, 200), min_size=2, max_size=9).map(sorted))
def test_lists_alike_in_precision_vary_as_statsmodels_says(seed: int, hits: list[int]) -> None:
    """Weights by S and by precision are then the same, so must be the moments."""
    error = 0.3
    lists = []
    for number, n_hits in enumerate(hits):
        ratio = n_hits / 20
        apart = influences(seed + number, first_id=100 * number)
        lists.append(Part(n_hits, n_hits, 20.0, (error / ratio) ** 2, 9.0, apart))
    found = pooling.pool(lists)
    ratios = np.array(hits) / 20
    # Where lists vary less than by chance, statsmodels takes the root of a negative variance.
    with np.errstate(all="ignore"):
        oracle = combine_effects(ratios, np.full(len(hits), error**2), method_re="chi2")
    assert found.interval.estimate == pytest.approx(oracle.mean_effect_fe)
    assert found.between is not None
    assert found.between**2 == pytest.approx(max(oracle.tau2, 0), abs=1e-9)
    assert found.inconsistency == pytest.approx(max(oracle.i2, 0), abs=1e-9)
    assert found.variance == pytest.approx(
        (oracle.sd_eff_w_re / oracle.mean_effect_re) ** 2
        if oracle.tau2 > 0
        else (oracle.sd_eff_w_fe / oracle.mean_effect_fe) ** 2
    )


@given(SEEDS)
def test_what_lists_share_widens_the_interval_and_narrows_a_comparison(seed: int) -> None:
    apart = [part(seed), part(seed, first_id=500)]
    shared = [part(seed), part(seed)]
    width = [pooling.pool(lists).variance or 0 for lists in (apart, shared)]
    assert width[0] == pytest.approx(width[1] / 2)
    far, near = (pooling.versus(lists[:1], lists[1:]) for lists in (apart, shared))
    assert far.estimate == near.estimate == 1
    assert far.low is not None
    # Nothing is left between two equal lists: no interval rather than one of no width.
    assert (near.low, near.reason) == (None, "the lists do not differ")


@given(SEEDS)
def test_what_no_influence_has_takes_part_whole(seed: int) -> None:
    """Copies differ by it alone; where nothing is shared it makes no difference."""
    lists = {"own": [part(seed, n_hits=50)], "copy": [part(seed)]}
    found = pooling.each_versus(lists, {"own": 0.002, "copy": 0.003})("own", "copy")
    assert found.estimate == 1.25
    assert (found.low, found.high) == pytest.approx(around(1.25, 0.005**0.5, LOG, LEVEL, 9.0))
    lists["other"] = [part(seed + 1, first_id=500)]
    # Parts of a variance that chance leaves below 0 are 0, of each list or of what differs.
    assume(all(_is_above_chance(one.influence) for [one] in lists.values()))
    known = pooling.versus(lists["own"], lists["other"])
    alone = {"own": 0.002, "copy": 0.0, "other": 0.003}
    unlike = pooling.each_versus(lists, alone)("own", "other")
    assert (unlike.low, unlike.high) == pytest.approx((known.low, known.high))


@given(SEEDS, st.floats(0.01, 0.2), st.integers(1, 3), st.floats(0.5, 2))
def test_a_copy_that_leaves_out_one_drug_differs_by_that_drug_alone(
    seed: int, influence: float, n_lists: int, scale: float
) -> None:
    """By hand: of all squares the drug's alone is left, in proportion to what both have.

    `scale` is what a list's variance is to its squares; lists given several times weigh as one.
    """
    own = part(seed, n_hits=42)
    assert own.influence is not None
    drug = own.influence.drug.copy()
    drug[0] = influence
    first = replace(own.influence, drug=drug)
    drug = drug.copy()
    drug[0] = 0
    second = replace(own.influence, drug=drug)
    lists = [
        [Part(n_hits, n_hits, 20.0, scale * variance(one), 9.0, one)] * n_lists
        for n_hits, one in ((42, first), (40, second))
    ]
    found = pooling.versus(*lists)
    df = min(pooling.pool(one).df for one in lists)
    expected = around(42 / 40, influence * scale**0.5, LOG, LEVEL, df)
    assert (found.low, found.high) == pytest.approx(expected)


def test_lists_share_what_a_record_did_to_other_pairs() -> None:
    """By hand: lists of one ratio, with neither drugs, diseases nor hits in common."""
    own, other = part(1), part(3, first_id=500)
    assert own.influence is not None
    assert other.influence is not None
    record = np.array(["ctgov NCT1"] * 2 + [""] * (N_HITS - 2))
    tied = [
        replace(one, influence=replace(influence, hit_record=record))
        for one, influence in ((own, own.influence), (other, other.influence))
    ]
    one_more = replace(own.influence, hit_record=np.full(N_HITS, "ctgov NCT2"))
    apart = [replace(own, influence=one_more), tied[1]]
    alone = pooling.pool([own, other])
    assert pooling.pool(apart).variance == alone.variance
    together = pooling.pool(tied).variance
    assert together is not None
    assert alone.variance is not None
    # Either list weighs a half.
    shared = own.influence.hit[:2].sum() * other.influence.hit[:2].sum()
    assert together - alone.variance == pytest.approx(shared / 2)
    # Hits of one drug are of the drug's part already.
    drugs = replace(other.influence, hit_record=record, hit_drug_id=own.influence.hit_drug_id)
    same = pooling.pool([tied[0], replace(other, influence=drugs)]).variance
    first, second = own.influence.hit[:2], other.influence.hit[:2]
    crossed = first.sum() * second.sum() - first @ second
    assert same is not None
    assert same - alone.variance == pytest.approx(crossed / 2)


@pytest.mark.parametrize("expected", [0.5, 2.0, 8.0])
def test_a_list_without_hits_is_compared_by_the_chance_of_none(expected: float) -> None:
    nothing = Part(0, 0.0, expected, None, float("inf"), None)
    known, vague = part(1), part(1)
    assert known.variance is not None
    known = replace(known, variance=1e-8, df=1e6)
    ahead, behind = pooling.versus([known], [nothing]), pooling.versus([nothing], [known])
    # Twice as many as expected came true of the other.
    assert ahead.p_value == behind.p_value == pytest.approx(min(1, 2 * np.exp(-2 * expected)))
    assert (ahead.estimate, behind.estimate) == (None, 0)
    unsure = pooling.versus([vague], [nothing]).p_value
    assert unsure is not None
    assert ahead.p_value is not None
    assert unsure >= ahead.p_value
    assert pooling.versus([nothing], [nothing]).p_value is None


@given(SEEDS, st.permutations(range(4)))
def test_the_order_of_lists_does_not_matter(seed: int, order: list[int]) -> None:
    lists = [part(seed + number, n_hits=20 + 30 * number) for number in range(4)]
    ordered, other = pooling.pool(lists), pooling.pool([lists[number] for number in order])
    assert ordered.variance == pytest.approx(other.variance)
    assert ordered.between == pytest.approx(other.between)


def test_without_a_hit_the_limits_are_those_of_poisson() -> None:
    nothing = Part(0, 0.0, 4.0, None, float("inf"), None)
    found = pooling.pool([nothing, nothing]).interval
    assert found.low == 0
    assert found.high == pytest.approx(-np.log(0.025) / 8)
    assert found.p_value == pytest.approx(2 * scipy_stats.poisson.cdf(0, 8))


def test_the_pooled_ratio_is_that_of_the_sums_of_strata() -> None:
    """R = 12 to S = 4 and 2 to 4: 14 / 8, whatever the hits that cannot be compared."""
    lists = [
        Part(n_hits, r, 4.0, 0.05, 9.0, influences(seed, first_id=100 * seed))
        for seed, (n_hits, r) in enumerate([(15, 12.0), (11, 2.0)])
    ]
    assert pooling.pool(lists).interval.estimate == 14 / 8


def test_a_list_without_others_hits_adds_to_the_ratio_with_its_chance() -> None:
    """R = 40 + 3 to S = 20 + 0; the variance of the sum is that of 40 / 20, and 3 of chance."""
    own, lucky = part(1), Part(4, 3.0, 0.0, None, float("inf"), None)
    alone, found = pooling.pool([own]), pooling.pool([own, lucky])
    assert found.interval.estimate == 43 / 20
    assert alone.variance is not None
    assert found.variance == pytest.approx((alone.variance * 40**2 + 3) / 43**2)
    # The lucky list alone sets the two apart: 3 of 43 of the sum, and its chance.
    compared = pooling.versus([own, lucky], [own])
    spread = ((3 + 9 * alone.variance) / 43**2) ** 0.5
    df = min(alone.df, found.df)
    assert (compared.low, compared.high) == pytest.approx(around(43 / 40, spread, LOG, LEVEL, df))
    # It has no ratio that could differ from that of `own`, and foretells nothing of others.
    assert found.between is None
    assert pooling.pool([own, part(2), lucky]).foreseen_low is None
    only = pooling.pool([lucky]).interval
    assert (only.estimate, only.low, only.p_value) == (None, None, None)
    assert "no other candidate" in (only.reason or "")
    assert pooling.versus([own], [lucky]).estimate is None


def _of_drugs(n: int, r: float, variance: float) -> Part:
    """A list of R / S = 2 that rests on n drugs alike and on nothing else."""
    none = np.array([], dtype=np.intp)
    added = np.full(n, 0.1)
    shares = Influence(np.arange(n), added, added, none, added[:0], none, none, none, added[:0])
    return Part(round(r), r, r / 2, variance, 9.0, shares)


def test_a_list_takes_away_no_more_drugs_than_its_weight() -> None:
    """40 drugs with 40 hits and one of them with 0.1: what the 40 carry stays known."""
    large, small = _of_drugs(40, 40.0, 0.05), _of_drugs(1, 0.1, 0.05)
    assert pooling.pool([small]).interval.reason == ONE_DRUG
    assert pooling.pool([small, _of_drugs(1, 40.0, 0.05)]).interval.reason == ONE_DRUG
    assert pooling.pool([large, small]).interval.low is not None


def test_lists_that_do_not_vary_have_no_interval() -> None:
    still = _of_drugs(40, 40.0, 0.0)
    found = pooling.pool([still])
    assert (found.variance, found.interval.reason) == (None, "the pairs do not vary")
    compared = pooling.versus([still], [part(1)])
    assert (compared.low, compared.p_value) == (None, None)
    assert compared.reason == "the enrichment of one of the lists has no interval"


@pytest.mark.parametrize("parts", [[], [Part(0, 0.0, 0.0, None, 1.0, None)]])
def test_nothing_expected_cannot_be_pooled(parts: list[Part]) -> None:
    with pytest.raises(ValueError, match="expected"):
        pooling.pool(parts)
