"""Estimates of a submission's figures: correlations, recalls, AUROC, average precision, means."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

import numpy as np
from sqlalchemy import Connection, Row

from tracker.extras.benchmarks import board_estimates
from tracker.extras.benchmarks.board_estimates import Wanted
from tracker.extras.benchmarks.board_samples import TOP_DECILE, Part
from tracker.uncertainty import stats
from tracker.uncertainty.estimates.records import Estimate, append, of_interval, query, read_sample
from tracker.uncertainty.stats import Interval

# What the figures of a kind rest on, and these: a view, its column, and what names a row of it.
_FIGURES: Mapping[str, tuple[str, Sequence[tuple[str, str, tuple[str, ...]]]]] = {
    "regression": (
        "fold_sample",
        [(metric, metric, ("fold", "target")) for metric in ("spearman", "top_decile_recall")],
    ),
    "binary": (
        "class_sample",
        [
            ("auroc", "auroc", ("target",)),
            ("average_precision", "average_precision", ("target", "lowest_class", "min_class")),
        ],
    ),
    "ordinal": ("class_sample", [("ordinal_threshold", "auprc", ("k",))]),
    "multilabel": (
        "instance_sample",
        [
            ("precision_at_k", "precision_at_k", ("k",)),
            ("precision_at_k", "nr_at_k", ("k",)),
            ("ndcg_at_k_multilabel", "ndcg_at_k", ("k",)),
            ("ndcg_at_k_multilabel", "ndcg_at_k_full_ideal", ("k",)),
        ],
    ),
}

Key = dict[str, Any]


def record_submission(
    connection: Connection, submission: Row[Any], benchmark: Row[Any], now: datetime, *, seed: int
) -> list[Estimate]:
    """Append the estimates of a submission to this benchmark, and return them."""
    found = estimate_submission(connection, submission, benchmark, seed=seed)
    return append(connection, "submission_id", submission.submission_id, found, now)


def estimate_submission(
    connection: Connection,
    submission: Row[Any],
    benchmark: Row[Any],
    *,
    seed: int,
    most_replicates: int = stats.N_REPLICATES,
    wanted: Wanted = lambda _view, _key: True,
) -> Iterator[Estimate]:
    """Yield the estimates of a submission that are `wanted`; values are those of its views.

    Items are drawn for correlations, recalls and means over targets, positives and negatives
    separately for average precision, instances for the means of ranked lists; the AUROC of a target
    has DeLong's interval.
    """
    drawing = {"seed": seed, "n_replicates": most_replicates}
    key = {"submission_id": submission.submission_id}
    statement, figures = _FIGURES[benchmark.kind]
    values = read_sample(connection, statement, **key)
    for view, metric, names in figures:
        order = sorted(names, key="target".__ne__)
        asked = [
            (row_key, row[-1])
            for row in connection.execute(query(view, (*names, metric), order, **key))
            for row_key in [dict(zip(names, row[:-1], strict=True))]
            # The mean of the folds is drawn by fold, in estimate_means.
            if row_key.get("fold") != board_estimates.AVERAGE and wanted(view, row_key)
        ]
        intervals = _intervals(view, metric, values, [row_key for row_key, _ in asked], drawing)
        for (row_key, value), interval in zip(asked, intervals, strict=True):
            yield of_interval(interval, view, metric, value, row_key=row_key)
    if benchmark.kind != "multilabel":
        yield from board_estimates.estimate_means(
            connection, submission, benchmark, wanted, **drawing
        )


def _intervals(
    view: str, metric: str, values: Part, keys: list[Key], drawing: Key
) -> Iterator[Interval]:
    """Yield the intervals of a view's figures with these keys; means share their draws."""
    if metric.endswith(("_at_k", "_full_ideal")):
        column = np.ma.masked_array(values[f"instance_{metric.replace('_at_k', '')}"])
        own = [column[values["k"] == key["k"]].compressed() for key in keys]
        yield from stats.means(own, unit="instance", **drawing)
        return
    for key in keys:
        own = values["actual"] >= key.get("lowest_class", -np.inf)
        for name in ("target", "fold"):
            if name in key:
                own &= values[name] == key[name]
        part = {name: column[own] for name, column in values.items()}
        if view == "spearman":
            yield stats.spearman(part["predicted"], part["actual"], **drawing)
        elif view == "top_decile_recall":
            gains = (part["predicted_gain"], part["actual_gain"])
            yield stats.top_recall(*gains, TOP_DECILE, **drawing)
        elif view == "auroc":
            yield stats.delong(part["predicted"], part["actual"] >= 1)
        else:
            least = key["min_class"] if view == "average_precision" else key["k"]
            yield stats.auprc(part["predicted"], part["actual"] >= least, **drawing)
