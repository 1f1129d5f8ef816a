"""Leaderboards: intervals of their figures, which submissions are told apart, and ranks."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sqlalchemy import Connection, Row

from tracker.extras.benchmarks import board_samples, lookup
from tracker.extras.benchmarks.board_samples import Sample
from tracker.figures import SEED
from tracker.uncertainty import stats
from tracker.uncertainty.estimates import duels
from tracker.uncertainty.estimates.duels import Duel
from tracker.uncertainty.estimates.records import Estimate, of_interval, query
from tracker.uncertainty.stats import Interval, resampling

AVERAGE, AGGREGATED = "average", "aggregated"

# The ranked metrics of a kind, best known first.
METRICS: Mapping[str, tuple[str, ...]] = {
    "regression": ("spearman", "top_decile_recall"),
    "binary": ("auroc", "average_precision"),
    "ordinal": ("ordinal_auprc", "ordinal_nap", "severity_ordering_ap"),
    "multilabel": ("precision_at_k", "nr_at_k", "ndcg_at_k"),
}
# Whether the estimate of a view's row, named by its key, is to be computed.
Wanted = Callable[[str, Mapping[str, Any]], bool]

# Kinds whose overall figure is the mean over targets, in the column mean_ and the metric.
MEANS = ("regression", "binary")


@dataclass(frozen=True)
class Ranked:
    """The ranks of a board by submission, and its pairs, the better submission first.

    `reason` says why no two submissions can be told apart, None if they can.
    """

    ranks: Mapping[int, int]
    pairs: Sequence[Duel[int]]
    reason: str | None


def fold_of(connection: Connection, benchmark: Row[Any], track: str) -> str:
    """Return which combination of the folds counts on a track of a benchmark."""
    if benchmark.kind != "regression" or track != "cv":
        return AGGREGATED
    folds = query("benchmark_fold", ["*"], (), benchmark_id=benchmark.benchmark_id)
    return AVERAGE if connection.execute(folds).first() else AGGREGATED


def figure_key(
    kind: str, metric: str, targets: Sequence[str], fold: str, k: int | None = None
) -> tuple[str, str, dict[str, Any]]:
    """Return view, column and row key of a board's figure, as its estimate is stored.

    The mean over a single target is the figure of that target.
    """
    if kind == "multilabel":
        view = "ndcg_at_k_multilabel" if metric == "ndcg_at_k" else "precision_at_k"
        return view, metric, {"k": k}
    if kind == "ordinal":
        return "ordinal_auprc", metric, {}
    if len(targets) > 1:
        if kind == "regression":
            return "regression_summary", f"mean_{metric}", {"fold": fold}
        return "binary_summary", f"mean_{metric}", {}
    own: dict[str, Any] = {"target": targets[0]}
    if kind == "regression":
        return metric, metric, {"fold": fold, **own}
    if metric == "average_precision":
        own |= {"lowest_class": 0, "min_class": 1}
    return metric, metric, own


def rank(
    sample: Sample,
    metric: str,
    values: Mapping[int, float],
    targets: Sequence[str],
    *,
    by_fold: bool,
    n_replicates: int,
) -> Ranked:
    """Rank submissions by one metric: those not told apart share a rank.

    `values` has their figures as the view has them, best first. p values are adjusted by Holm's
    method over the pairs of the board.
    """
    own = list(values)
    if len(own) < 2:
        return Ranked(dict.fromkeys(own, 1), [], None)
    made = board_samples.draws(
        sample, metric, own, targets, by_fold=by_fold, seed=SEED, n_replicates=n_replicates
    )
    drawn: dict[int, Any] = {}
    if made.stated.reason is None:
        replicates = resampling.replicates(
            [made.statistics[one] for one in own],
            made.strata,
            share=sample.share,
            seed=SEED,
            n_replicates=n_replicates,
        )
        drawn = dict(zip(own, replicates.T, strict=True))

    def compare(first: int, versus: int) -> Interval:
        stated = replace(made.stated, estimate=values[first] - values[versus])
        if not drawn:
            return stated
        return resampling.difference(stated, drawn[first], drawn[versus])

    pairs = duels.of_pairs(own, compare)
    return Ranked({one: duels.rank(one, pairs) for one in own}, pairs, made.stated.reason)


def estimate_means(
    connection: Connection,
    submission: Row[Any],
    benchmark: Row[Any],
    wanted: Wanted,
    **drawing: int,
) -> Iterator[Estimate]:
    """Yield the estimates, where `wanted`, of a submission's figures over several targets or folds.

    They are means over targets, means of folds, and the figures of ordinal benchmarks; `drawing` is
    the seed and the number of replicates.
    """
    kind, number = benchmark.kind, submission.submission_id
    sample = board_samples.read(connection, benchmark, submission_id=number)
    targets = lookup.targets_of(connection, submission)
    folds = dict.fromkeys((AGGREGATED, fold_of(connection, benchmark, submission.track)))
    for metric in METRICS[kind]:
        for fold in folds:
            # What a single target has over all items, it has as a figure of its own.
            alone = [[one] for one in targets if fold == AVERAGE]
            together = [targets] if len(targets) > 1 or (targets and kind == "ordinal") else []
            for among in [*alone, *together]:
                view, column, key = figure_key(kind, metric, among, fold)
                if not wanted(view, key):
                    continue
                value = _value(connection, submission, view, column, key)
                made = board_samples.draws(
                    sample, metric, [number], among, by_fold=fold == AVERAGE, **drawing
                )
                (interval,) = stats.of_draws(
                    [made.statistics[number]],
                    made.strata,
                    made.stated,
                    made.scale,
                    value=value if sample.share < 1 else None,
                    share=sample.share,
                )
                if value is None:
                    # Draws lack folds without a truth, which the figure has.
                    interval = interval.without("the figure has no value")
                yield of_interval(interval, view, column, value, row_key=key)


def _value(
    connection: Connection, submission: Row[Any], view: str, column: str, key: Mapping[str, Any]
) -> float | None:
    own = query(view, [column], (), submission_id=submission.submission_id, **key)
    value = connection.execute(own).scalar_one_or_none()
    return None if value is None or np.isnan(value) else float(value)
