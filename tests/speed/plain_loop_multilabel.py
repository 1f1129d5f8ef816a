"""The multi-label metrics as one plain Python loop, the yardstick of the speed benchmark."""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

CUTOFFS = (1, 5, 10, 20, 50, 100)
RECALLS = (0.25, 0.5, 0.75, 1.0)
DISCOUNTS = [1 / math.log2(position + 2) for position in range(500)]
IDEALS = [sum(DISCOUNTS[:n]) for n in range(501)]


def all_metrics(
    ranked: Mapping[int, Sequence[int]],
    truth: Mapping[int, set[int]],
    deciles: Mapping[int, int],
) -> dict[tuple[Any, ...], float]:
    """Return every value of the seven views under (view, k or recall target, decile)."""
    total: dict[tuple[Any, ...], float] = defaultdict(float)
    n_in_decile: dict[int, int] = defaultdict(int)
    covered: dict[int, set[int]] = defaultdict(set)
    true_labels: set[int] = set()
    for instance, true in truth.items():
        predictions = ranked.get(instance, ())[:500]
        true_labels |= true
        is_hit = [label in true for label in predictions]
        for k in CUTOFFS:
            hits = is_hit[:k]
            total["precision_at_k", k] += sum(hits) / len(hits) if hits else 0
            gain = sum(d for d, hit in zip(DISCOUNTS, hits, strict=False) if hit)
            total["ndcg_at_k_multilabel", k] += gain / IDEALS[min(k, len(true))]
            for label, hit in zip(predictions[:k], hits, strict=True):
                total["prediction_proportion_at_k", k, str(deciles[label])] += 1
                if hit:
                    covered[k].add(label)
        parts: dict[int, list[bool]] = defaultdict(list)
        for label, hit in zip(predictions, is_hit, strict=True):
            parts[deciles[label]].append(hit)
        n_true: dict[int, int] = defaultdict(int)
        for label in true:
            n_true[deciles[label]] += 1
        for decile, n in n_true.items():
            n_in_decile[decile] += 1
            part = parts[decile]
            name = str(decile)
            for k in CUTOFFS:
                hits = part[:k]
                total["precision_at_k_by_decile", k, name] += sum(hits) / len(hits) if hits else 0
                gain = sum(d for d, hit in zip(DISCOUNTS, hits, strict=False) if hit)
                total["ndcg_at_k_by_decile", k, name] += gain / IDEALS[min(k, n)]
            for target in RECALLS:
                found = 0
                reached = len(deciles) // 2
                for position, hit in enumerate(part, start=1):
                    found += hit
                    if found / n >= target:
                        reached = position
                        break
                total["k_for_recall_by_decile", target, name] += reached
    n_instances = len(truth)
    result: dict[tuple[Any, ...], float] = {}
    for key, value in total.items():
        if key[0] == "prediction_proportion_at_k":
            result[key] = value / (key[1] * n_instances)
        elif len(key) == 3:
            result[key] = value / n_in_decile[int(key[2])]
        else:
            result[key] = value / n_instances
    by_decile: dict[int, set[int]] = defaultdict(set)
    for label in true_labels:
        by_decile[deciles[label]].add(label)
    for k in CUTOFFS:
        result["positive_coverage_at_k", k, "all"] = len(covered[k]) / len(true_labels)
        for decile, labels in by_decile.items():
            share = len(covered[k] & labels) / len(labels)
            result["positive_coverage_at_k", k, str(decile)] = share
    return result
