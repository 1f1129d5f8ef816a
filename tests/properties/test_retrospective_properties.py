"""AUC, NDCG and temporal AUC against scikit-learn and brute force on random small matrices.

Scores are drawn from few values, so that ties are the rule, or from the whole range of doubles,
so that bins are crowded or empty; labels may leave a class, or a disease, empty.
"""

import math
import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, example, given, settings
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score  # type: ignore[import-untyped]
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


@pytest.mark.slow
@SETTINGS
@given(pairs=matrices())
def test_auc_of_the_negated_scores_is_the_complement(store_path: Path, pairs: list[Pair]) -> None:
    auc = auc_of(store_path, pairs)
    negated = auc_of(store_path, [(d, g, -score, label) for d, g, score, label in pairs])
    if auc is None:
        assert negated is None
    else:
        assert negated == pytest.approx(1 - auc, rel=0, abs=1e-12)


def brute_ndcg(pairs: list[Pair], k: int) -> dict[int, float]:
    """Return NDCG@k with gain 2^label - 1 of each disease whose ideal DCG is not 0."""
    ndcg = {}
    for disease in {pair[0] for pair in pairs}:
        own = [pair for pair in pairs if pair[0] == disease]
        ranked = [label or 0 for *_, label in sorted(own, key=lambda pair: (-pair[2], pair[1]))]
        ideal = sorted(ranked, reverse=True)
        sums = [
            sum((2**label - 1) / math.log2(i + 2) for i, label in enumerate(order[:k]))
            for order in (ranked, ideal)
        ]
        if sums[1] > 0:
            ndcg[disease] = sums[0] / sums[1]
    return ndcg


@SETTINGS
@given(pairs=matrices())
def test_ndcg_is_the_brute_force_one(store_path: Path, pairs: list[Pair]) -> None:
    by_disease, at_k = rows(store_path, world_of(pairs), "ndcg_by_disease", "ndcg_at_k")
    n_diseases = len({pair[0] for pair in pairs})
    for k in CUTOFFS:
        expected = brute_ndcg(pairs, k)
        found = {row["disease_id"]: row["ndcg"] for row in by_disease if row["k"] == k}
        assert found == pytest.approx(expected, rel=1e-12, abs=1e-15)
        (mean,) = [row for row in at_k if row["k"] == k]
        assert (mean["n_diseases"], mean["n_skipped"]) == (
            len(expected),
            n_diseases - len(expected),
        )
        if expected:
            assert mean["ndcg_at_k"] == pytest.approx(sum(expected.values()) / len(expected))
        else:
            assert mean["ndcg_at_k"] is None


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
