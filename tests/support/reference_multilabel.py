"""The multi-label metrics in plain Python, for tests only: one loop per definition, and a loop over
every order of the equal scores around it.
"""

import itertools
import math
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

NOT_INCLUDED = "not_included"
MAX_PREDICTIONS = 500

Ranked = Mapping[str, Sequence[str]]
Truth = Mapping[str, frozenset[str]]
Deciles = Mapping[str, str]


@dataclass(frozen=True)
class Triple:
    """A figure in the mean over all orders of equal scores, in the best and in the worst."""

    mean: float | None
    optimistic: float | None
    pessimistic: float | None


@dataclass(frozen=True)
class Task:
    """Instances with true labels, their ranked predictions, and the decile of each label.

    `scores` has those of the predictions of an instance, in descending order; an instance without
    has no ties.
    """

    truth: Truth
    ranked: Ranked
    deciles: Deciles
    scores: Mapping[str, Sequence[float]] = field(default_factory=dict)

    def decile(self, label: str) -> str:
        return self.deciles.get(label, NOT_INCLUDED)

    def orders(self, instance: str, decile: str | None = None) -> list[list[str]]:
        """Return the instance's list, or its decile's part, in each order of its equal scores."""
        ranked = self.ranked.get(instance, [])
        scores = self.scores.get(instance, range(len(ranked), 0, -1))
        ties = [
            [label for label, _ in tie]
            for _, tie in itertools.groupby(
                zip(ranked, scores, strict=True), key=lambda label_score: label_score[1]
            )
        ]
        orders = itertools.product(*(itertools.permutations(tie) for tie in ties))
        first = (list(itertools.chain(*order))[:MAX_PREDICTIONS] for order in orders)
        return [
            [label for label in order if decile is None or self.decile(label) == decile]
            for order in first
        ]

    def true(self, instance: str, decile: str | None = None) -> set[str]:
        return {
            label
            for label in self.truth[instance]
            if decile is None or self.decile(label) == decile
        }

    def all_deciles(self) -> list[str]:
        return [*sorted(set(self.deciles.values())), NOT_INCLUDED]

    def instances_of(self, decile: str) -> list[str]:
        return [instance for instance in self.truth if self.true(instance, decile)]

    def n_labels(self) -> int:
        return len(set(self.deciles) | {label for own in self.truth.values() for label in own})

    def figure(
        self,
        instances: Sequence[str],
        of_order: Callable[[str, list[str]], float],
        *,
        decile: str | None = None,
        best: Callable[[Sequence[float]], float] = max,
        of_instances: Callable[[Sequence[float]], float | None] | None = None,
    ) -> Triple:
        """Return the mean over instances of a figure that each has in each of its orders."""
        own = [[of_order(i, order) for order in self.orders(i, decile)] for i in instances]
        worst = min if best is max else max
        join = of_instances or mean
        return Triple(
            join([math.fsum(values) / len(values) for values in own]),
            join([best(values) for values in own]),
            join([worst(values) for values in own]),
        )


def mean(values: Sequence[float]) -> float | None:
    return math.fsum(values) / len(values) if values else None


def precision(predictions: Sequence[str], true: set[str], k: int) -> float:
    made = predictions[:k]
    return sum(label in true for label in made) / len(made) if made else 0.0


def ndcg(
    predictions: Sequence[str], true: set[str], k: int, *, has_full_ideal: bool = False
) -> float:
    dcg = math.fsum(
        1 / math.log2(position + 1)
        for position, label in enumerate(predictions[:k], start=1)
        if label in true
    )
    n_ideal = len(true) if has_full_ideal else min(k, len(true))
    ideal = math.fsum(1 / math.log2(p + 1) for p in range(1, n_ideal + 1))
    return dcg / ideal


def precision_at_k(task: Task, k: int) -> Triple:
    return task.figure([*task.truth], lambda i, order: precision(order, task.true(i), k))


def nr_at_k(task: Task, k: int) -> Triple:
    return task.figure(
        [i for i in task.truth if task.true(i)],
        lambda i, order: (
            sum(label in task.true(i) for label in order[:k]) / min(k, len(task.true(i)))
        ),
    )


def ndcg_at_k(task: Task, k: int, *, has_full_ideal: bool = False) -> Triple:
    return task.figure(
        [i for i in task.truth if task.true(i)],
        lambda i, order: ndcg(order, task.true(i), k, has_full_ideal=has_full_ideal),
    )


def precision_at_k_by_decile(task: Task, k: int, decile: str) -> Triple:
    return task.figure(
        task.instances_of(decile),
        lambda i, order: precision(order, task.true(i, decile), k),
        decile=decile,
    )


def ndcg_at_k_by_decile(task: Task, k: int, decile: str, *, has_full_ideal: bool = False) -> Triple:
    return task.figure(
        task.instances_of(decile),
        lambda i, order: ndcg(order, task.true(i, decile), k, has_full_ideal=has_full_ideal),
        decile=decile,
    )


def k_for_recall_by_decile(task: Task, target: float, decile: str) -> tuple[Triple, Triple, int]:
    """Return median k, mean k and the number of instances that never reach the target."""
    instances = task.instances_of(decile)

    def reached(instance: str, order: list[str]) -> int | None:
        true = task.true(instance, decile)
        n_found = 0
        for position, label in enumerate(order, start=1):
            n_found += label in true
            if n_found / len(true) >= target:
                return position
        return None

    def length(instance: str, order: list[str]) -> float:
        k = reached(instance, order)
        return task.n_labels() // 2 if k is None else k

    median, average = (
        task.figure(instances, length, decile=decile, best=min, of_instances=of_instances)
        for of_instances in (lambda ks: statistics.median(ks) if ks else None, mean)
    )
    # Whether the recall is reached at all is the same in each order.
    unreached = [i for i in instances if reached(i, task.orders(i, decile)[0]) is None]
    return median, average, len(unreached)


def prediction_proportion_at_k(task: Task, k: int, decile: str) -> float:
    made = task.figure(
        [*task.truth], lambda _, order: sum(task.decile(label) == decile for label in order[:k])
    )
    assert made.mean is not None
    return made.mean / k


def positive_coverage_at_k(task: Task, k: int, decile: str) -> Triple:
    """Return the coverage of a decile, or of 'all'; the bounds are of each label by itself."""
    chosen = None if decile == "all" else decile
    true = {label for i in task.truth for label in task.true(i, chosen)}
    if not true:
        return Triple(None, None, None)
    chances = []
    for label in true:
        shares = []
        for instance in task.truth:
            orders = task.orders(instance)
            if label in task.true(instance):
                shares.append(sum(label in order[:k] for order in orders) / len(orders))
        chances.append((1 - math.prod(1 - share for share in shares), shares))
    return Triple(
        math.fsum(chance for chance, _ in chances) / len(true),
        sum(any(share > 0 for share in shares) for _, shares in chances) / len(true),
        sum(any(share == 1 for share in shares) for _, shares in chances) / len(true),
    )
