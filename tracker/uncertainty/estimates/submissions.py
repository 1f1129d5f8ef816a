"""Estimates of a submission's figures: correlations, recalls, AUROC, average precision, means."""

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from typing import Any

import numpy as np
import sqlalchemy as sa
from sqlalchemy import Connection, Row

from tracker.store import statements
from tracker.uncertainty import stats
from tracker.uncertainty.estimates import boards
from tracker.uncertainty.estimates.boards import Wanted
from tracker.uncertainty.estimates.records import Estimate, append, of_interval, read_arrays

_TOP_DECILE = 0.1

Drawing = dict[str, Any]


def _every(_view: str, _key: Mapping[str, Any]) -> bool:
    return True


def record_submission(
    connection: Connection, submission: Row[Any], benchmark: Row[Any], now: datetime, *, seed: int
) -> list[Estimate]:
    """Append the estimates of a submission to this benchmark, and return them."""
    found = list(estimate_submission(connection, submission, benchmark, seed=seed))
    append(connection, "submission_id", submission.submission_id, found, now)
    return found


def estimate_submission(
    connection: Connection,
    submission: Row[Any],
    benchmark: Row[Any],
    *,
    seed: int,
    most_replicates: int = stats.N_REPLICATES,
    wanted: Wanted = _every,
) -> Iterator[Estimate]:
    """Yield the estimates of a submission that are `wanted`; values are those of its views.

    Items are drawn for correlations, recalls and means over targets, positives and negatives
    separately for average precision, instances for the means of ranked lists; the AUROC of a target
    has DeLong's interval.
    """
    of_kind: dict[str, Callable[[Connection, Row[Any], Drawing, Wanted], Iterator[Estimate]]] = {
        "regression": _regression,
        "binary": _binary,
        "ordinal": _ordinal,
        "multilabel": _multilabel,
    }
    drawing = {"seed": seed, "n_replicates": most_replicates}
    yield from of_kind[benchmark.kind](connection, submission, drawing, wanted)
    if benchmark.kind != "multilabel":
        yield from boards.estimate_means(connection, submission, benchmark, wanted, **drawing)


def _rows(connection: Connection, view: str, submission: Row[Any], *columns: str) -> list[Row[Any]]:
    table = sa.table(view, sa.column("submission_id"), *[sa.column(name) for name in columns])
    query = sa.select(*[table.c[name] for name in columns])
    query = query.where(table.c.submission_id == submission.submission_id)
    return list(connection.execute(query.order_by(*[table.c[name] for name in columns])))


def _own(submission: Row[Any]) -> dict[str, Any]:
    return {"submission_id": submission.submission_id}


def _regression(
    connection: Connection, submission: Row[Any], drawing: Drawing, wanted: Wanted
) -> Iterator[Estimate]:
    values = read_arrays(connection, statements.find("fold_sample").clause, _own(submission))
    for view in ("spearman", "top_decile_recall"):
        for row in _rows(connection, view, submission, "target", "fold", view):
            # The mean of the folds is drawn by fold, in estimate_means.
            key = {"fold": row.fold, "target": row.target}
            if row.fold == boards.AVERAGE or not wanted(view, key):
                continue
            own = (values["target"] == row.target) & (values["fold"] == row.fold)
            interval = (
                stats.spearman(values["predicted"][own], values["actual"][own], **drawing)
                if view == "spearman"
                else stats.top_recall(
                    *(values["predicted_gain"][own], values["actual_gain"][own]),
                    _TOP_DECILE,
                    **drawing,
                )
            )
            yield of_interval(interval, view, view, getattr(row, view), row_key=key)


def _binary(
    connection: Connection, submission: Row[Any], drawing: Drawing, wanted: Wanted
) -> Iterator[Estimate]:
    values = read_arrays(connection, statements.find("class_sample").clause, _own(submission))
    for row in _rows(connection, "auroc", submission, "target", "auroc"):
        if not wanted("auroc", {"target": row.target}):
            continue
        own = values["target"] == row.target
        interval = stats.delong(values["predicted"][own], values["actual"][own] >= 1)
        yield of_interval(interval, "auroc", "auroc", row.auroc, row_key={"target": row.target})
    names = ("target", "lowest_class", "min_class", "average_precision")
    for row in _rows(connection, "average_precision", submission, *names):
        key = {name: getattr(row, name) for name in names[:3]}
        if not wanted("average_precision", key):
            continue
        own = (values["target"] == row.target) & (values["actual"] >= row.lowest_class)
        interval = stats.auprc(
            values["predicted"][own], values["actual"][own] >= row.min_class, **drawing
        )
        yield of_interval(
            interval, "average_precision", "average_precision", row.average_precision, row_key=key
        )


def _ordinal(
    connection: Connection, submission: Row[Any], drawing: Drawing, wanted: Wanted
) -> Iterator[Estimate]:
    values = read_arrays(connection, statements.find("class_sample").clause, _own(submission))
    for row in _rows(connection, "ordinal_threshold", submission, "k", "auprc"):
        if not wanted("ordinal_threshold", {"k": row.k}):
            continue
        interval = stats.auprc(values["predicted"], values["actual"] >= row.k, **drawing)
        yield of_interval(interval, "ordinal_threshold", "auprc", row.auprc, row_key={"k": row.k})


def _multilabel(
    connection: Connection, submission: Row[Any], drawing: Drawing, wanted: Wanted
) -> Iterator[Estimate]:
    values = read_arrays(connection, statements.find("instance_sample").clause, _own(submission))
    for view, metric, column in (
        ("precision_at_k", "precision_at_k", "instance_precision"),
        ("precision_at_k", "nr_at_k", "instance_nr"),
        ("ndcg_at_k_multilabel", "ndcg_at_k", "instance_ndcg"),
        ("ndcg_at_k_multilabel", "ndcg_at_k_full_ideal", "instance_ndcg_full_ideal"),
    ):
        rows = [
            row
            for row in _rows(connection, view, submission, "k", metric)
            if wanted(view, {"k": row.k})
        ]
        own = [
            np.ma.masked_array(values[column])[values["k"] == row.k].compressed() for row in rows
        ]
        for row, interval in zip(rows, stats.means(own, unit="instance", **drawing), strict=True):
            yield of_interval(interval, view, metric, getattr(row, metric), row_key={"k": row.k})
