"""Estimates of a submission's figures: correlations, recalls, AUROC, average precision, means."""

from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any

import numpy as np
import sqlalchemy as sa
from sqlalchemy import Connection, Row

from tracker.store import statements
from tracker.uncertainty import stats
from tracker.uncertainty.estimates.records import Estimate, append, of_interval, read_arrays

_TOP_DECILE = 0.1

Drawing = dict[str, Any]


def record_submission(
    connection: Connection, submission: Row[Any], kind: str, now: datetime, *, seed: int
) -> list[Estimate]:
    """Append the estimates of a submission to a benchmark of this kind, and return them."""
    found = list(estimate_submission(connection, submission, kind, seed=seed))
    append(connection, "submission_id", submission.submission_id, found, now)
    return found


def estimate_submission(
    connection: Connection,
    submission: Row[Any],
    kind: str,
    *,
    seed: int,
    most_replicates: int = stats.N_REPLICATES,
) -> Iterator[Estimate]:
    """Yield the estimates of a submission; values are those of its views.

    Items are drawn for correlations and recalls, positives and negatives separately for average
    precision, instances for the means of ranked lists; AUROC has DeLong's interval.
    """
    of_kind: dict[str, Callable[[Connection, Row[Any], Drawing], Iterator[Estimate]]] = {
        "regression": _regression,
        "binary": _binary,
        "ordinal": _ordinal,
        "multilabel": _multilabel,
    }
    return of_kind[kind](connection, submission, {"seed": seed, "n_replicates": most_replicates})


def _rows(connection: Connection, view: str, submission: Row[Any], *columns: str) -> list[Row[Any]]:
    table = sa.table(view, sa.column("submission_id"), *[sa.column(name) for name in columns])
    query = sa.select(*[table.c[name] for name in columns])
    query = query.where(table.c.submission_id == submission.submission_id)
    return list(connection.execute(query.order_by(*[table.c[name] for name in columns])))


def _own(submission: Row[Any]) -> dict[str, Any]:
    return {"submission_id": submission.submission_id}


def _regression(
    connection: Connection, submission: Row[Any], drawing: Drawing
) -> Iterator[Estimate]:
    values = read_arrays(connection, statements.find("fold_sample").clause, _own(submission))
    for view in ("spearman", "top_decile_recall"):
        for row in _rows(connection, view, submission, "target", "fold", view):
            # The mean of the folds is not a figure over items; the folds have their own intervals.
            if row.fold == "average":
                continue
            own = (values["target"] == row.target) & (values["fold"] == row.fold)
            interval = (
                stats.spearman(values["predicted"][own], values["actual"][own], **drawing)
                if view == "spearman"
                else stats.top_recall(
                    *(values["predicted_place"][own], values["actual_place"][own]),
                    _TOP_DECILE,
                    **drawing,
                )
            )
            key = {"fold": row.fold, "target": row.target}
            yield of_interval(interval, view, view, getattr(row, view), row_key=key)


def _binary(connection: Connection, submission: Row[Any], drawing: Drawing) -> Iterator[Estimate]:
    values = read_arrays(connection, statements.find("class_sample").clause, _own(submission))
    for row in _rows(connection, "auroc", submission, "target", "auroc"):
        own = values["target"] == row.target
        interval = stats.delong(values["predicted"][own], values["actual"][own] >= 1)
        yield of_interval(interval, "auroc", "auroc", row.auroc, row_key={"target": row.target})
    names = ("target", "lowest_class", "min_class", "average_precision")
    for row in _rows(connection, "average_precision", submission, *names):
        own = (values["target"] == row.target) & (values["actual"] >= row.lowest_class)
        interval = stats.auprc(
            values["predicted"][own], values["actual"][own] >= row.min_class, **drawing
        )
        key = {name: getattr(row, name) for name in names[:3]}
        yield of_interval(
            interval, "average_precision", "average_precision", row.average_precision, row_key=key
        )


def _ordinal(connection: Connection, submission: Row[Any], drawing: Drawing) -> Iterator[Estimate]:
    values = read_arrays(connection, statements.find("class_sample").clause, _own(submission))
    for row in _rows(connection, "ordinal_threshold", submission, "k", "auprc"):
        interval = stats.auprc(values["predicted"], values["actual"] >= row.k, **drawing)
        yield of_interval(interval, "ordinal_threshold", "auprc", row.auprc, row_key={"k": row.k})


def _multilabel(
    connection: Connection, submission: Row[Any], drawing: Drawing
) -> Iterator[Estimate]:
    values = read_arrays(connection, statements.find("instance_sample").clause, _own(submission))
    for view, metric, column in (
        ("precision_at_k", "precision_at_k", "instance_precision"),
        ("precision_at_k", "nr_at_k", "instance_nr"),
        ("ndcg_at_k_multilabel", "ndcg_at_k", "instance_ndcg"),
    ):
        for row in _rows(connection, view, submission, "k", metric):
            own = np.ma.masked_array(values[column])[values["k"] == row.k].compressed()
            interval = stats.mean(own, unit="instance", **drawing)
            yield of_interval(interval, view, metric, getattr(row, metric), row_key={"k": row.k})
