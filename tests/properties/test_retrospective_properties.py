"""AUC, NDCG and temporal AUC against scikit-learn and brute force on random small matrices.

Scores are drawn from few values, so that ties are the rule, or from the whole range of doubles,
so that bins are crowded or empty; labels may leave a class, or a disease, empty.
"""

import itertools
import math
import operator
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, example, given, settings
from hypothesis import strategies as st
from sklearn.metrics import ndcg_score, roc_auc_score  # type: ignore[import-untyped]
from support import n_examples
from worlds import Row, World, complete, insert, scratch, view_rows

SETTINGS = settings(
    deadline=None,
    derandomize=bool(os.environ.get("CI")),
    database=None,
    phases=(Phase.explicit, Phase.generate, Phase.shrink),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
    max_examples=n_examples(10),
)
CUTOFFS = (1, 5, 10, 20, 50, 100)

# One pair: disease, drug, score, label or None.
Pair = tuple[int, int, float, int | None]

TIED = st.sampled_from([-1.0, 0.0, 0.25, 0.5])
CROWDED = st.integers(0, 40).map(lambda step: 0.5 + step * 2.0**-50)
ANY = st.floats(allow_nan=False, allow_infinity=False)

# Next to an outlier the other scores share a bin, more than are compared one by one; adjacent
# doubles, both zeros and the widest score are among them, and a negative ties with each fourth.
_NEAR = (0.0, 5e-324, 1.0, math.nextafter(1.0, 2.0), *(step / 10 for step in range(1, 30)))
CROWDED_BINS: list[Pair] = [
    (1, 1, 1.7976931348623157e308, 4),
    (1, 2, -1.7976931348623157e308, 0),
    (1, 3, -0.0, 0),
    *((2, drug, score, 4) for drug, score in enumerate(_NEAR)),
    *((3, drug, score, 0) for drug, score in enumerate(_NEAR[::4])),
]


@st.composite
def matrices(draw: st.DrawFn) -> list[Pair]:
    """Draw the pairs of a few diseases, each with its own number of drugs."""
    score = draw(st.sampled_from([TIED, CROWDED, ANY, st.one_of(TIED, CROWDED, ANY)]))
    label = draw(
        st.sampled_from(
            [st.none(), st.just(4), st.sampled_from([None, None, 0, 1, 2, 3, 4]), st.integers(0, 4)]
        )
    )
    return [
        (disease, drug, draw(score), draw(label))
        for disease in range(1, draw(st.integers(1, 3)) + 1)
        for drug in range(1, draw(st.integers(1, 25)) + 1)
    ]


def world_of(pairs: list[Pair], positive_min_label: int = 4) -> World:
    return complete(
        {
            "candidate": [
                {"candidate_set_id": 1, "disease_id": d, "drug_id": g, "score": score}
                for d, g, score, _ in pairs
            ],
            "labeled_pair": [
                {"label_set_id": 1, "disease_id": d, "drug_id": g, "label": label}
                for d, g, _, label in pairs
                if label is not None
            ],
            "evaluation": [
                {
                    "evaluation_id": 1,
                    "candidate_set_id": 1,
                    "label_set_id": 1,
                    "positive_min_label": positive_min_label,
                }
            ],
        }
    )


def rows(path: Path, world: World, *views: str) -> list[list[Row]]:
    with scratch(path) as connection:
        insert(connection, world)
        return [view_rows(connection, view) for view in views]


def auc_of(path: Path, pairs: list[Pair], threshold: int = 4) -> float | None:
    ((row,),) = rows(path, world_of(pairs, threshold), "auc")
    auc: float | None = row["auc"]
    assert (auc is None) == (row["reason"] is not None)
    return auc


@SETTINGS
@given(pairs=matrices(), threshold=st.integers(1, 4))
@example(pairs=[(1, 1, 1.7976931348623157e308, 4), (1, 2, -1.7976931348623157e308, 4)], threshold=4)
@example(pairs=[(1, g, g * 5e-324, 4 * (g % 2)) for g in range(1, 30)], threshold=4)
@example(pairs=[(1, 1, 0.0, 4), (1, 2, -0.0, 0)], threshold=4)
@example(pairs=CROWDED_BINS, threshold=4)
def test_auc_is_scikit_learns(store_path: Path, pairs: list[Pair], threshold: int) -> None:
    truth = [(label or 0) >= threshold for *_, label in pairs]
    auc = auc_of(store_path, pairs, threshold)
    if len(set(truth)) < 2:
        assert auc is None
    else:
        # Ranks instead of scores: scikit-learn takes scores closer than 1e-300 for equal.
        ranks = np.unique([score for _, _, score, _ in pairs], return_inverse=True)[1]
        assert auc == pytest.approx(roc_auc_score(truth, ranks), rel=0, abs=1e-12)


def gain(label: int | None) -> int:
    return (1 << (label or 0)) - 1


def ideal_dcg(pairs: list[Pair], k: int) -> float:
    gains = sorted((gain(label) for *_, label in pairs), reverse=True)
    return dcg(gains, k)


def dcg(gains: Sequence[int], k: int) -> float:
    return sum(one / math.log2(place + 1) for place, one in enumerate(gains[:k], start=1))


def by_disease_of(pairs: list[Pair], k: int) -> dict[int, list[Pair]]:
    """Return the pairs of each disease whose ideal DCG is not 0."""
    own = {d: [pair for pair in pairs if pair[0] == d] for d, *_ in pairs}
    return {d: found for d, found in own.items() if ideal_dcg(found, k) > 0}


@SETTINGS
@given(pairs=matrices())
def test_ndcg_is_scikit_learns(store_path: Path, pairs: list[Pair]) -> None:
    """Which takes the mean over ties: McSherry and Najork 2008."""
    by_disease, at_k = rows(store_path, world_of(pairs), "ndcg_by_disease", "ndcg_at_k")
    n_diseases = len({pair[0] for pair in pairs})
    for k in CUTOFFS:
        expected = {}
        for disease, own in by_disease_of(pairs, k).items():
            # Ranks, as with AUC; with a single drug scikit-learn has none, and it is 1.
            ranks = np.unique([score for _, _, score, _ in own], return_inverse=True)[1]
            gains = [gain(label) for *_, label in own]
            expected[disease] = 1.0 if len(own) == 1 else ndcg_score([gains], [ranks], k=k)
        found = {row["disease_id"]: row for row in by_disease if row["k"] == k}
        ndcg = {disease: row["ndcg"] for disease, row in found.items()}
        assert ndcg == pytest.approx(expected, rel=0, abs=1e-12)
        for row in found.values():
            assert row["ndcg_pessimistic"] <= row["ndcg"] + 1e-12
            assert row["ndcg"] <= row["ndcg_optimistic"] + 1e-12
            assert 0 <= row["ndcg_pessimistic"] <= row["ndcg_optimistic"] <= 1
        (mean,) = [row for row in at_k if row["k"] == k]
        assert (mean["n_diseases"], mean["n_skipped"]) == (
            len(expected),
            n_diseases - len(expected),
        )
        for suffix in ("", "_optimistic", "_pessimistic"):
            each = [row[f"ndcg{suffix}"] for row in found.values()]
            if each:
                assert mean[f"ndcg_at_k{suffix}"] == pytest.approx(math.fsum(each) / len(each))
            else:
                assert mean[f"ndcg_at_k{suffix}"] is None


@st.composite
def tied_disease(draw: st.DrawFn) -> list[Pair]:
    """Draw one disease whose drugs stand in groups of at most four equal scores."""
    sizes = draw(st.lists(st.integers(1, 4), min_size=1, max_size=3))
    pairs = [
        (1, score * 10 + place, float(-score), draw(st.sampled_from([None, 0, 1, 2, 4])))
        for score, size in enumerate(sizes)
        for place in range(size)
    ]
    return draw(st.permutations(pairs))


def orders(pairs: list[Pair]) -> Iterator[list[Pair]]:
    """Yield every order of the drugs that the scores allow."""
    scores = sorted({score for _, _, score, _ in pairs}, reverse=True)
    ties = [
        itertools.permutations([pair for pair in pairs if pair[2] == score]) for score in scores
    ]
    for parts in itertools.product(*ties):
        yield [pair for part in parts for pair in part]


@SETTINGS
@given(pairs=tied_disease())
def test_ndcg_is_that_of_every_order_of_equal_scores(store_path: Path, pairs: list[Pair]) -> None:
    (found,) = rows(store_path, world_of(pairs), "ndcg_by_disease")
    ranked = list(orders(pairs))
    for row in found:
        k = row["k"]
        each = [dcg([gain(label) for *_, label in one], k) / row["ideal_dcg"] for one in ranked]
        relevant = [sum((label or 0) > 0 for *_, label in one[:k]) for one in ranked]
        assert row["ndcg"] == pytest.approx(math.fsum(each) / len(each), abs=1e-12)
        assert row["ndcg_optimistic"] == pytest.approx(max(each), abs=1e-12)
        assert row["ndcg_pessimistic"] == pytest.approx(min(each), abs=1e-12)
        assert row["relevant_in_first_k"] == pytest.approx(sum(relevant) / len(relevant))


@pytest.mark.slow
@SETTINGS
@given(pairs=matrices(), order=st.randoms(use_true_random=False))
def test_ndcg_does_not_follow_the_numbers_of_drugs_and_diseases(
    store_path: Path, pairs: list[Pair], order: Random
) -> None:
    """To the last bit: numbers come from the order in which files were loaded."""
    diseases, drugs = (list(range(1, 40)) for _ in range(2))
    order.shuffle(diseases)
    order.shuffle(drugs)
    moved = [(diseases[d], drugs[g], score, label) for d, g, score, label in pairs]
    before, mean = rows(store_path, world_of(pairs), "ndcg_by_disease", "ndcg_at_k")
    after, other_mean = rows(store_path, world_of(moved), "ndcg_by_disease", "ndcg_at_k")
    renamed = [row | {"disease_id": diseases[row["disease_id"]]} for row in before]
    by_disease, by_k = operator.itemgetter("disease_id", "k"), operator.itemgetter("k")
    assert sorted(renamed, key=by_disease) == sorted(after, key=by_disease)
    assert sorted(mean, key=by_k) == sorted(other_mean, key=by_k)


# A trial of leave-one-out: the scores of the other candidates, and whether each is positive.
Trial = list[tuple[int, bool]]
TRIALS = st.lists(
    st.tuples(st.sampled_from([-1, 0, 0, 0, 1]), st.booleans()), min_size=0, max_size=6
)


def rank_columns(others: list[int], prefix: str = "") -> dict[str, float]:
    """Return the ranks of a hidden drug of score 0 among others."""
    better, equal = sum(one > 0 for one in others), sum(one == 0 for one in others)
    return {
        f"{prefix}rank_optimistic": 1 + better,
        f"{prefix}rank": 1 + better + equal / 2,
        f"{prefix}rank_pessimistic": 1 + better + equal,
    }


def places(others: list[int]) -> list[int]:
    """Return the place of the hidden drug in every order that the scores allow."""
    scores = [0, *others]
    allowed = [
        order
        for order in itertools.permutations(range(len(scores)))
        if all(scores[a] >= scores[b] for a, b in itertools.pairwise(order))
    ]
    return [order.index(0) + 1 for order in allowed]


@SETTINGS
@given(diseases=st.lists(st.lists(TRIALS, min_size=1, max_size=3), min_size=1, max_size=3))
def test_hits_are_those_of_every_order_of_equal_scores(
    store_path: Path, diseases: list[list[Trial]]
) -> None:
    run = {"evaluation_id": 1, "ranker": "r"}
    world = complete(
        {
            "evaluation": [{"evaluation_id": 1, "label_set_id": 1}],
            "ranker_run": [{**run, "procedure": "leave_one_out", "cutoff_year": 0}],
            "loo_trial": [
                {
                    **run,
                    "disease_id": disease,
                    "drug_id": drug,
                    **rank_columns([score for score, _ in trial]),
                    **rank_columns([score for score, known in trial if not known], "filtered_"),
                    "n_candidates": 1 + len(trial),
                    "n_candidates_filtered": 1 + sum(not known for _, known in trial),
                }
                for disease, trials in enumerate(diseases, start=1)
                for drug, trial in enumerate(trials, start=1)
            ],
        }
    )
    (found,) = rows(store_path, world, "hit_at_k")
    for row in found:
        for name, is_kept in (("hit_at_k", False), ("hit_at_k_filtered", True)):
            shares = [
                [
                    [
                        place <= row["k"]
                        for place in places([s for s, p in trial if not is_kept or not p])
                    ]
                    for trial in trials
                ]
                for trials in diseases
            ]
            for suffix, of in (("", np.mean), ("_optimistic", max), ("_pessimistic", min)):
                each = [[float(of(orders)) for orders in trials] for trials in shares]
                flat = [value for values in each for value in values]
                assert row[f"{name}{suffix}"] == pytest.approx(np.mean(flat), abs=1e-12)
                macro = np.mean([np.mean(values) for values in each])
                assert row[f"{name}_macro{suffix}"] == pytest.approx(macro, abs=1e-12)


@SETTINGS
@given(pairs=matrices())
def test_ranking_by_label_has_ndcg_one(store_path: Path, pairs: list[Pair]) -> None:
    perfect = [(d, g, float(label or 0), label) for d, g, _, label in pairs]
    (at_k,) = rows(store_path, world_of(perfect), "ndcg_at_k")
    assert {row["ndcg_at_k"] for row in at_k} <= {None, 1.0}


# (disease, drug, score, label, approval year)
Dated = tuple[int, int, float, int, int | None]


@st.composite
def dated_matrices(draw: st.DrawFn) -> list[Dated]:
    score = draw(st.sampled_from([TIED, CROWDED, ANY]))
    year = st.sampled_from([None, 2009, 2010, 2011, 2012, 2013, 2014])
    return [
        (disease, drug, draw(score), draw(st.sampled_from([0, 3, 4, 4])), draw(year))
        for disease in range(1, draw(st.integers(1, 2)) + 1)
        for drug in range(1, draw(st.integers(1, 15)) + 1)
    ]


@SETTINGS
@given(pairs=dated_matrices())
def test_temporal_auc_is_the_brute_force_one(store_path: Path, pairs: list[Dated]) -> None:
    cutoff, first, last = 2010, 2011, 2013
    run = {"evaluation_id": 1, "ranker": "r", "cutoff_year": cutoff}
    world = complete(
        {
            "evaluation": [{"evaluation_id": 1, "label_set_id": 1}],
            "labeled_pair": [
                {
                    "label_set_id": 1,
                    "disease_id": d,
                    "drug_id": g,
                    "label": label,
                    "approval_year": year,
                }
                for d, g, _, label, year in pairs
            ],
            "ranker_run": [
                {**run, "procedure": "temporal", "first_year": first, "last_year": last}
            ],
            "temporal_score": [
                {**run, "disease_id": d, "drug_id": g, "score": score}
                for d, g, score, _, _ in pairs
            ],
        }
    )
    (found,) = rows(store_path, world, "temporal_auc")
    negatives = [score for _, _, score, label, _ in pairs if label < 4]
    assert {row["approval_year"] for row in found} == {"2011", "2012", "2013", "all"}
    for row in found:
        positives = [
            score
            for _, _, score, label, year in pairs
            if label >= 4
            and year is not None
            and first <= year <= last
            and row["approval_year"] in ("all", str(year))
        ]
        assert (row["n_positive"], row["n_negative"]) == (len(positives), len(negatives))
        if positives and negatives:
            wins = sum((p > n) + (p == n) / 2 for p in positives for n in negatives)
            expected = wins / len(positives) / len(negatives)
            assert row["temporal_auc"] == pytest.approx(expected, rel=0, abs=1e-12)
        else:
            assert row["temporal_auc"] is None
            assert row["reason"]


def test_evaluations_do_not_see_each_other(store_path: Path) -> None:
    """Two evaluations in one store give the same results as each alone."""
    one: list[Pair] = [(1, g, g / 10, 4 if g > 6 else None) for g in range(1, 11)]
    two: list[Pair] = [(1, g, -g / 10, 4 if g > 6 else None) for g in range(1, 11)]
    world = world_of(one)
    other = world_of(two)
    world["candidate"] += [{**row, "candidate_set_id": 2} for row in other["candidate"]]
    world["candidate_set"] += [
        {**row, "candidate_set_id": 2, "name": "other"} for row in other["candidate_set"]
    ]
    world["evaluation"] += [
        {**row, "evaluation_id": 2, "candidate_set_id": 2} for row in other["evaluation"]
    ]
    auc, ndcg = rows(store_path, world, "auc", "ndcg_at_k")
    assert {row["evaluation_id"]: row["auc"] for row in auc} == {1: 1.0, 2: 0.0}
    assert [row["ndcg_at_k"] for row in ndcg if row["evaluation_id"] == 1] == [1.0] * 6
    assert len(ndcg) == 12
