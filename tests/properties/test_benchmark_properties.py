"""The benchmark views against scipy, scikit-learn and a brute-force reference, ties forced."""

import contextlib
import itertools
import os
from collections.abc import Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import benchmark_world
import numpy as np
import pytest
import reference_multilabel as reference
import sqlalchemy as sa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from reference_multilabel import Task, Triple
from scipy.stats import spearmanr
from sklearn.metrics import (  # type: ignore[import-untyped]
    average_precision_score,
    roc_auc_score,
)
from sqlalchemy import Connection, Row, text
from sqlalchemy.pool import NullPool
from support import n_examples
from worlds import World

from tracker.store import catalog

PROPERTY = settings(
    max_examples=n_examples(15),
    deadline=None,
    derandomize=bool(os.environ.get("CI")),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
# Few distinct values, so that ties and constants are common; some far apart in size.
VALUES = st.one_of(
    st.sampled_from([-1.0, 0.0, 0.1, 0.1 + 2**-55, 0.5, 1.0, 1e-300, 1e9]),
    st.floats(-10, 10).map(lambda x: round(x, 1) + 0.0),
)
CUTOFFS = (1, 5, 10, 20, 50, 100)
RECALLS = (0.25, 0.5, 0.75, 1.0)
AGREEMENT = next(c.select for c in catalog.read_checks() if c.name == "auroc_agreement")


@pytest.fixture(scope="module")
def shared(store_path: Path) -> Iterator[Connection]:
    engine = sa.create_engine(
        sa.URL.create("duckdb", database=str(store_path)),
        connect_args={"config": {"threads": 1}},
        poolclass=NullPool,
    )
    with engine.connect() as connection:
        yield connection
    engine.dispose()


@contextlib.contextmanager
def put(connection: Connection, world: World) -> Iterator[None]:
    """Fill the tables with a world for the length of the block."""
    transaction = connection.begin()
    try:
        benchmark_world.insert(connection, benchmark_world.complete(world))
        yield
    finally:
        transaction.rollback()


def value_world(kind: str, actual: Sequence[float], predicted: Sequence[float]) -> World:
    return {
        "benchmark": [{"benchmark_id": 1, "kind": kind, "n_classes": 2, "n_items": len(actual)}],
        "truth": [{"item_id": i, "value": value} for i, value in enumerate(actual)],
        "submission_value": [{"item_id": i, "value": value} for i, value in enumerate(predicted)],
    }


def one(connection: Connection, statement: str) -> Any:
    return connection.execute(text(statement)).one()


@pytest.mark.slow
@PROPERTY
@given(pairs=st.lists(st.tuples(VALUES, VALUES), min_size=1, max_size=40))
def test_spearman_is_scipys(shared: Connection, pairs: list[tuple[float, float]]) -> None:
    actual, predicted = zip(*pairs, strict=True)
    with put(shared, value_world("regression", actual, predicted)):
        row = one(shared, "select spearman, n, reason from spearman where fold = 'aggregated'")
    assert row.n == len(pairs)
    if len(set(actual)) == 1 or len(set(predicted)) == 1:
        assert row.spearman is None
        assert row.reason
    else:
        assert row.spearman == pytest.approx(spearmanr(actual, predicted).statistic, abs=1e-12)
        assert row.reason is None


def test_spearman_of_sixty_thousand_items(shared: Connection) -> None:
    """The square of the sum of so many ranks is beyond 64 bits."""
    further = (
        "insert into truth select 1, range, range from range(1, 60000)",
        "insert into submission_value select 1, 1, range, -range, 0 from range(1, 60000)",
        "insert into benchmark_item select 1, range, 'item ' || range, null from range(1, 60000)",
    )
    with put(shared, value_world("regression", [0.0], [0.0])):
        for statement in further:
            shared.execute(text(statement))
        row = one(shared, "select spearman, n from spearman where fold = 'aggregated'")
    assert (row.n, row.spearman) == (60_000, pytest.approx(-1, abs=1e-12))


@pytest.mark.slow
@PROPERTY
@given(
    pairs=st.lists(st.tuples(VALUES, VALUES), min_size=4, max_size=30),
    step=st.integers(2, 3),
)
def test_a_partial_submission_is_ranked_among_its_own_items(
    shared: Connection, pairs: list[tuple[float, float]], step: int
) -> None:
    """Besides a complete submission, one with every second or third item."""
    actual, predicted = zip(*pairs, strict=True)
    world = value_world("regression", actual, predicted)
    world["submission"] = [{"submission_id": 1}, {"submission_id": 2, "is_partial": True}]
    world["submission_value"] += [
        {"submission_id": 2, "item_id": i, "value": predicted[i]}
        for i in range(0, len(pairs), step)
    ]
    with put(shared, world):
        statement = "select * from spearman where fold = 'aggregated' order by submission_id"
        rows = shared.execute(text(statement)).all()
    for row, part in zip(rows, (pairs, pairs[::step]), strict=True):
        own_actual, own_predicted = zip(*part, strict=True)
        assert row.n == len(part)
        if len(set(own_actual)) == 1 or len(set(own_predicted)) == 1:
            assert row.spearman is None
        else:
            expected = spearmanr(own_actual, own_predicted).statistic
            assert row.spearman == pytest.approx(expected, abs=1e-12)


@st.composite
def tied_values(draw: st.DrawFn, n: int) -> list[float]:
    """Values of n items in groups of at most four equal ones, in any order."""
    values: list[float] = []
    while len(values) < n:
        values += [float(len(values))] * min(draw(st.integers(1, 4)), n - len(values))
    return draw(st.permutations(values))


@st.composite
def tied_pairs(draw: st.DrawFn) -> tuple[list[float], list[float]]:
    n = draw(st.integers(9, 31))
    return draw(tied_values(n)), draw(tied_values(n))


def possible_tops(gains: Sequence[float], k: int) -> list[set[int]]:
    """The first k items of each order that breaks the ties at the cut, one per permutation."""
    cut = sorted(gains, reverse=True)[k - 1]
    above = [item for item, gain in enumerate(gains) if gain > cut]
    tied = [item for item, gain in enumerate(gains) if gain == cut]
    return [{*above, *order[: k - len(above)]} for order in itertools.permutations(tied)]


@pytest.mark.slow
@PROPERTY
@given(pairs=tied_pairs(), is_lower_better=st.booleans())
def test_recall_is_that_of_every_break_of_ties(
    shared: Connection, pairs: tuple[list[float], list[float]], is_lower_better: bool
) -> None:
    actual, predicted = pairs
    world = value_world("regression", actual, predicted)
    world["benchmark_target"] = [{"target_id": 1, "is_lower_better": is_lower_better}]
    with put(shared, world):
        row = one(shared, "select * from top_decile_recall")
    k = len(actual) // 10
    if k == 0:
        assert row.top_decile_recall is None
        assert row.reason
        return
    sign = -1 if is_lower_better else 1
    found, true = (possible_tops([sign * v for v in values], k) for values in (predicted, actual))
    overlaps = [len(one & other) for one in found for other in true]
    expected = Fraction(sum(overlaps), len(overlaps) * k)
    assert row.top_decile_recall == pytest.approx(float(expected), abs=1e-12)
    assert row.top_decile_recall_optimistic == max(overlaps) / k
    assert row.top_decile_recall_pessimistic == min(overlaps) / k


@pytest.mark.slow
@PROPERTY
@given(
    pairs=st.lists(st.tuples(st.booleans(), VALUES), min_size=1, max_size=40),
    n_unknown=st.integers(0, 2),
)
def test_auroc_and_average_precision_are_scikit_learns(
    shared: Connection, pairs: list[tuple[bool, float]], n_unknown: int
) -> None:
    """With a class for every item, and with scored items more that have none."""
    actual = [float(is_positive) for is_positive, _ in pairs]
    predicted = [score for _, score in pairs]
    world = value_world("binary", actual, predicted)
    world["benchmark"][0]["n_items"] = len(pairs) + n_unknown
    world["truth_set"] = [{"benchmark_id": 1, "n_values": len(pairs)}]
    world["submission_value"] += [
        {"item_id": len(pairs) + i, "value": predicted[0]} for i in range(n_unknown)
    ]
    with put(shared, world):
        row = one(shared, "select * from auroc")
        precision = one(shared, "select * from average_precision")
        points = shared.execute(text("select * from roc_point order by threshold desc")).all()
        violations = shared.execute(text(AGREEMENT)).all()
    assert violations == []
    assert (row.n_positive, row.n_negative) == (sum(actual), len(actual) - sum(actual))
    if len(set(actual)) == 2:
        expected = roc_auc_score(actual, predicted)
        assert row.auroc == pytest.approx(expected, abs=1e-12)
        assert row.auroc_trapezoid == pytest.approx(expected, abs=1e-12)
    else:
        assert row.auroc is None
        assert row.auroc_trapezoid is None
        assert row.reason
    if any(actual):
        assert precision.average_precision == pytest.approx(
            average_precision_score(actual, predicted), abs=1e-12
        )
    else:
        assert precision.average_precision is None
        assert precision.reason
    assert len(points) == len(set(predicted)) + 1
    assert (points[0].tp, points[0].fp) == (0, 0)
    if len(set(actual)) == 2:
        area = np.trapezoid([point.tpr for point in points], [point.fpr for point in points])
        assert row.auroc_trapezoid == pytest.approx(area, abs=1e-12)
    for point in points[1:]:
        chosen = [bool(a) for a, p in zip(actual, predicted, strict=True) if p >= point.threshold]
        assert (point.tp, point.fp) == (sum(chosen), len(chosen) - sum(chosen))
        assert point.tp + point.fn == row.n_positive
        assert point.fp + point.tn == row.n_negative


# Each makes ranks that are wrong and consistent with each other.
WRONG_RANKS = {
    "positives for negatives": ("value >= 1", "value < 1"),
    "ties in the order of the items": (
        "order by submission_value.value desc",
        "order by submission_value.value desc, submission_value.item_id",
    ),
}


@pytest.mark.parametrize("wrong", WRONG_RANKS)
def test_wrong_ranks_are_found_by_the_curve_of_counts(shared: Connection, wrong: str) -> None:
    """Both columns of auroc follow the ranks; the counts of distinct scores do not."""
    select = next(view.select for view in catalog.read_views() if view.name == "auroc")
    right, replacement = WRONG_RANKS[wrong]
    assert right in select
    world = value_world("binary", [1, 1, 0, 0, 0], [0.9, 0.5, 0.5, 0.3, 0.1])
    world["truth_set"] = [{"benchmark_id": 1, "n_values": 5}]
    with put(shared, world):
        assert shared.execute(text(AGREEMENT)).all() == []
        shared.execute(
            text("create or replace view auroc as " + select.replace(right, replacement))
        )
        row = one(shared, "select auroc, auroc_trapezoid from auroc")
        violations = shared.execute(text(AGREEMENT)).all()
    assert row.auroc == pytest.approx(row.auroc_trapezoid, abs=1e-12)
    assert [violation.target for violation in violations] == ["target 1"]


@pytest.mark.slow
def test_the_three_hundredth_target_is_scored_like_the_first(shared: Connection) -> None:
    """Beyond 255 a target's number no longer fits into the sort key."""
    scores = [0.9, 0.5, 0.5, 0.1]
    world: World = {
        "benchmark": [{"benchmark_id": 1, "kind": "binary", "n_classes": 2, "n_items": 4}],
        "truth_set": [{"benchmark_id": 1, "n_values": 1200}],
        "truth": [
            {"target_id": target, "item_id": item, "value": float(item < 2)}
            for target in range(300)
            for item in range(4)
        ],
        "submission_value": [
            {"target_id": target, "item_id": item, "value": score}
            for target in range(300)
            for item, score in enumerate(scores)
        ],
    }
    with put(shared, world):
        rows = shared.execute(text("select * from auroc")).all()
    assert [row.auroc for row in rows] == [row.auroc_trapezoid for row in rows] == [7 / 8] * 300


@pytest.mark.slow
@PROPERTY
@given(pairs=st.lists(st.tuples(st.integers(0, 3), VALUES), min_size=1, max_size=40))
def test_ordinal_thresholds_are_scikit_learns(
    shared: Connection, pairs: list[tuple[int, float]]
) -> None:
    classes = np.array([severity for severity, _ in pairs])
    scores = np.array([score for _, score in pairs])
    world = value_world("ordinal", [float(c) for c in classes], list(scores))
    world["benchmark"][0]["n_classes"] = 4
    with put(shared, world):
        rows = shared.execute(text("select * from ordinal_threshold order by k")).all()
        summary = one(shared, "select * from ordinal_auprc")
    assert [row.k for row in rows] == [1, 2, 3]
    expected = [
        average_precision_score(classes >= k, scores) if (classes >= k).any() else None
        for k in (1, 2, 3)
    ]
    for row, auprc in zip(rows, expected, strict=True):
        assert row.auprc == (None if auprc is None else pytest.approx(auprc, abs=1e-12))
        prevalence = float((classes >= row.k).mean())
        if auprc is None or prevalence == 1:
            assert row.nap is None
            assert row.reason
        else:
            assert row.nap == pytest.approx((auprc - prevalence) / (1 - prevalence), abs=1e-11)
    if None in expected:
        assert summary.ordinal_auprc is None
        assert summary.reason
    else:
        assert summary.ordinal_auprc == pytest.approx(
            sum(v for v in expected if v is not None) / 3, abs=1e-12
        )
    severe = classes >= 1
    if (classes == 3).any():
        assert summary.severity_ordering_ap == pytest.approx(
            average_precision_score(classes[severe] == 3, scores[severe]), abs=1e-12
        )
    else:
        assert summary.severity_ordering_ap is None


LABELS = [f"l{number}" for number in range(12)]


@st.composite
def tasks(draw: st.DrawFn) -> Task:
    """Instances without labels, without predictions, labels outside the mapping, long lists."""
    instances = [f"i{number}" for number in range(draw(st.integers(1, 6)))]
    true = st.frozensets(st.sampled_from(LABELS), max_size=5)
    mapped = draw(st.sets(st.sampled_from(LABELS), max_size=10))
    # The reference tries every order of equal scores: lists with scores are short.
    scored = draw(st.sets(st.sampled_from(instances)))
    ranked = {
        i: draw(st.lists(st.sampled_from(LABELS), unique=True, max_size=5 if i in scored else 12))
        for i in instances
    }
    return Task(
        truth={instance: draw(true) for instance in instances},
        ranked=ranked,
        deciles={label: str(draw(st.integers(8, 10))) for label in sorted(mapped)},
        scores={
            i: sorted((draw(st.sampled_from([-1.0, 0.5, 2.0])) for _ in ranked[i]), reverse=True)
            for i in sorted(scored)
        },
    )


def label_world(task: Task) -> World:
    items = {instance: number for number, instance in enumerate(task.truth)}
    labels = {label: number for number, label in enumerate(LABELS)}
    return {
        "benchmark": [{"benchmark_id": 1, "kind": "multilabel", "n_items": len(items)}],
        "benchmark_item": [{"item_id": n, "name": name} for name, n in items.items()],
        "truth_set": [{"benchmark_id": 1}],
        "benchmark_label": [
            {
                "label_id": n,
                "name": name,
                "decile": int(task.deciles[name]) if name in task.deciles else None,
            }
            for name, n in labels.items()
        ],
        "truth_label": [
            {"item_id": items[i], "label_id": labels[label]}
            for i, own in task.truth.items()
            for label in own
        ],
        "submission": [{"submission_id": 1}],
        "ranked_prediction": [
            {
                "item_id": items[i],
                "label_id": labels[label],
                "position": position,
                "score": task.scores[i][position - 1] if i in task.scores else None,
            }
            for i, own in task.ranked.items()
            for position, label in enumerate(own, start=1)
        ],
    }


def close(expected: float | None) -> Any:
    return None if expected is None else pytest.approx(expected, abs=1e-12)


def assert_triple(row: Row[Any], column: str, expected: Triple) -> None:
    """Compare a column and those of the best and the worst order of equal scores."""
    assert getattr(row, column) == close(expected.mean)
    assert getattr(row, f"{column}_optimistic") == close(expected.optimistic)
    assert getattr(row, f"{column}_pessimistic") == close(expected.pessimistic)


@pytest.mark.slow
@PROPERTY
@given(task=tasks())
def test_multilabel_views_are_the_reference(shared: Connection, task: Task) -> None:
    with put(shared, label_world(task)):
        found = {
            view: shared.execute(text(f"select * from {view}")).all()  # noqa: S608 - names of the test's own
            for view in (
                "precision_at_k",
                "ndcg_at_k_multilabel",
                "precision_at_k_by_decile",
                "ndcg_at_k_by_decile",
                "k_for_recall_by_decile",
                "prediction_proportion_at_k",
                "positive_coverage_at_k",
            )
        }
    deciles = task.all_deciles()
    keys = {(row.k, row.decile) for row in found["precision_at_k_by_decile"]}
    assert keys == {(k, decile) for k in CUTOFFS for decile in deciles}
    assert len(found["precision_at_k"]) == len(CUTOFFS)
    for row in found["precision_at_k"]:
        assert_triple(row, "precision_at_k", reference.precision_at_k(task, row.k))
        assert_triple(row, "nr_at_k", reference.nr_at_k(task, row.k))
    for row in found["ndcg_at_k_multilabel"]:
        assert_triple(row, "ndcg_at_k", reference.ndcg_at_k(task, row.k))
        full = reference.ndcg_at_k(task, row.k, has_full_ideal=True)
        assert_triple(row, "ndcg_at_k_full_ideal", full)
        assert row.n_skipped == sum(not own for own in task.truth.values())
    for row in found["precision_at_k_by_decile"]:
        expected = reference.precision_at_k_by_decile(task, row.k, row.decile)
        assert_triple(row, "precision_at_k", expected)
        assert row.n_instances == len(task.instances_of(row.decile))
        assert (row.reason is None) == (expected.mean is not None)
    for row in found["ndcg_at_k_by_decile"]:
        assert_triple(row, "ndcg_at_k", reference.ndcg_at_k_by_decile(task, row.k, row.decile))
        full = reference.ndcg_at_k_by_decile(task, row.k, row.decile, has_full_ideal=True)
        assert_triple(row, "ndcg_at_k_full_ideal", full)
    assert len(found["k_for_recall_by_decile"]) == len(RECALLS) * len(deciles)
    for row in found["k_for_recall_by_decile"]:
        median, mean, n_unreached = reference.k_for_recall_by_decile(
            task, row.recall_target, row.decile
        )
        assert_triple(row, "median_k", median)
        assert_triple(row, "mean_k", mean)
        assert row.n_unreached == n_unreached
    for row in found["prediction_proportion_at_k"]:
        proportion = reference.prediction_proportion_at_k(task, row.k, row.decile)
        assert row.prediction_proportion == close(proportion)
    assert len(found["positive_coverage_at_k"]) == len(CUTOFFS) * (len(deciles) + 1)
    for row in found["positive_coverage_at_k"]:
        covered = reference.positive_coverage_at_k(task, row.k, row.decile)
        assert_triple(row, "positive_coverage", covered)


def test_precision_and_its_normalised_form_agree_where_labels_suffice(shared: Connection) -> None:
    task = Task(
        truth={"i": frozenset(LABELS[:5]), "j": frozenset(LABELS[4:9])},
        ranked={"i": LABELS[2:12], "j": LABELS[:10]},
        deciles={},
    )
    with put(shared, label_world(task)):
        rows = shared.execute(text("select * from precision_at_k where k <= 5 order by k")).all()
    assert [row.k for row in rows] == [1, 5]
    assert [row.precision_at_k for row in rows] == [row.nr_at_k for row in rows] == [0.5, 0.4]


@pytest.mark.slow
def test_expected_average_precision_of_chance_exceeds_the_prevalence(shared: Connection) -> None:
    """78 Low, 21 High, 1 Critical: docs/metrics.md on three scorers, by simulation."""
    generator = np.random.default_rng(20260201)
    classes = np.repeat([0.0, 1.0, 2.0], [78, 21, 1])
    draws = [generator.permutation(100) for _ in range(100)]
    inverted = [-100 * classes - draw for draw in draws[:20]]
    scores = [classes, *inverted, *draws]
    world = value_world("ordinal", list(classes), [])
    world["benchmark"][0]["n_classes"] = 3
    world["submission_value"] = [
        {"submission_id": number, "item_id": item, "value": float(value)}
        for number, values in enumerate(scores)
        for item, value in enumerate(values)
    ]
    with put(shared, world):
        rows = shared.execute(text("select * from ordinal_auprc order by submission_id")).all()
    perfect, upside_down, chance = rows[0], rows[1:21], rows[21:]
    assert perfect.ordinal_auprc == perfect.ordinal_nap == perfect.severity_ordering_ap == 1
    assert np.mean([row.ordinal_auprc for row in upside_down]) == pytest.approx(0.07, abs=0.01)
    assert max(row.ordinal_nap for row in upside_down) < 0
    # One positive among n: expected average precision is the harmonic mean H(n) / n.
    harmonic = sum(1 / rank for rank in range(1, 101)) / 100
    critical = [row.auprc_ge_2 for row in chance]
    spread = np.std(critical) / np.sqrt(len(critical))
    assert abs(np.mean(critical) - harmonic) < 4 * spread
    assert 0.11 < np.mean([row.ordinal_auprc for row in chance]) < 0.16
    assert 0 < np.mean([row.ordinal_nap for row in chance]) < 0.05
