"""The multi-label metrics in plain Python: one loop per definition, for tests only."""

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

NOT_INCLUDED = "not_included"
MAX_PREDICTIONS = 500

Ranked = Mapping[str, Sequence[str]]
Truth = Mapping[str, frozenset[str]]
Deciles = Mapping[str, str]


@dataclass(frozen=True)
class Task:
    """Instances with true labels, their ranked predictions, and the decile of each label."""

    truth: Truth
    ranked: Ranked
    deciles: Deciles

    def decile(self, label: str) -> str:
        return self.deciles.get(label, NOT_INCLUDED)

    def predictions(self, instance: str, decile: str | None = None) -> list[str]:
        first = self.ranked.get(instance, [])[:MAX_PREDICTIONS]
        return [label for label in first if decile is None or self.decile(label) == decile]

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


def precision_at_k(task: Task, k: int) -> float | None:
    return mean([precision(task.predictions(i), task.true(i), k) for i in task.truth])


def nr_at_k(task: Task, k: int) -> float | None:
    return mean(
        [
            sum(label in task.true(i) for label in task.predictions(i)[:k])
            / min(k, len(task.true(i)))
            for i in task.truth
            if task.true(i)
        ]
    )


def ndcg_at_k(task: Task, k: int, *, has_full_ideal: bool = False) -> float | None:
    return mean(
        [
            ndcg(task.predictions(i), task.true(i), k, has_full_ideal=has_full_ideal)
            for i in task.truth
            if task.true(i)
        ]
    )


def precision_at_k_by_decile(task: Task, k: int, decile: str) -> float | None:
    return mean(
        [
            precision(task.predictions(i, decile), task.true(i, decile), k)
            for i in task.instances_of(decile)
        ]
    )


def ndcg_at_k_by_decile(
    task: Task, k: int, decile: str, *, has_full_ideal: bool = False
) -> float | None:
    return mean(
        [
            ndcg(
                task.predictions(i, decile),
                task.true(i, decile),
                k,
                has_full_ideal=has_full_ideal,
            )
            for i in task.instances_of(decile)
        ]
    )


def k_for_recall_by_decile(
    task: Task, target: float, decile: str
) -> tuple[float | None, float | None, int]:
    """Return median k, mean k and the number of instances that never reach the target."""
    ks = []
    n_unreached = 0
    for instance in task.instances_of(decile):
        true = task.true(instance, decile)
        n_found = 0
        for position, label in enumerate(task.predictions(instance, decile), start=1):
            n_found += label in true
            if n_found / len(true) >= target:
                ks.append(position)
                break
        else:
            ks.append(task.n_labels() // 2)
            n_unreached += 1
    return (statistics.median(ks) if ks else None), mean(ks), n_unreached


def prediction_proportion_at_k(task: Task, k: int, decile: str) -> float:
    n_made = sum(
        task.decile(label) == decile for i in task.truth for label in task.predictions(i)[:k]
    )
    return n_made / (k * len(task.truth))


def positive_coverage_at_k(task: Task, k: int, decile: str) -> float | None:
    """Return the coverage of a decile, or of 'all'."""
    chosen = None if decile == "all" else decile
    true = {label for i in task.truth for label in task.true(i, chosen)}
    covered = {
        label for i in task.truth for label in task.predictions(i)[:k] if label in task.true(i)
    }
    return len(covered & true) / len(true) if true else None
