"""Estimates of an evaluation's figures: AUC, NDCG, Hit@K and temporal AUC."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

import numpy as np
import sqlalchemy as sa
from numpy.typing import NDArray
from sqlalchemy import Connection, Row

from tracker.store import statements
from tracker.uncertainty import stats
from tracker.uncertainty.estimates.records import Estimate, append, of_interval, read_arrays

# An interval of AUC ranks every pair in memory; beyond this many it is left out, with the reason.
MOST_PAIRS = 5_000_000


def record_evaluation(
    connection: Connection, evaluation: Row[Any], now: datetime, *, seed: int
) -> list[Estimate]:
    """Append the estimates of an evaluation in its current state, and return them."""
    found = list(estimate_evaluation(connection, evaluation, seed=seed))
    append(connection, "evaluation_id", evaluation.evaluation_id, found, now)
    return found


def estimate_evaluation(
    connection: Connection,
    evaluation: Row[Any],
    *,
    seed: int,
    most_replicates: int = stats.N_REPLICATES,
) -> Iterator[Estimate]:
    """Yield the estimates of an evaluation; values are those of its views.

    AUC has DeLong's interval and, since pairs share diseases, the disease bootstrap; NDCG has that
    of the mean over diseases; Hit@K has Wilson's and the disease bootstrap.
    """
    drawing: dict[str, Any] = {"seed": seed, "n_replicates": most_replicates}
    yield from _auc(connection, evaluation, drawing)
    yield from _ndcg(connection, evaluation, drawing)
    yield from _hit_at_k(connection, evaluation, drawing)
    yield from _temporal_auc(connection, evaluation, drawing)


def _rows(connection: Connection, view: str, evaluation: Row[Any], *columns: str) -> list[Row[Any]]:
    table = sa.table(view, sa.column("evaluation_id"), *[sa.column(name) for name in columns])
    query = sa.select(*[table.c[name] for name in columns])
    query = query.where(table.c.evaluation_id == evaluation.evaluation_id)
    return list(connection.execute(query.order_by(*[table.c[name] for name in columns])))


def _without_interval(
    view: str, metric: str, value: float | None, reason: str | None, **more: Any
) -> Estimate:
    return Estimate(
        view, metric, value, None, stats.LEVEL, "DeLong, logit", "pair", reason=reason, **more
    )


def _both(
    pairs: dict[str, NDArray[Any]],
    wanted: NDArray[np.bool_],
    drawing: dict[str, Any],
    figure: tuple[str, str, float | None],
    row_key: dict[str, Any],
) -> Iterator[Estimate]:
    """Yield the intervals of an AUC for independent pairs and by disease."""
    score, is_positive, disease = (
        pairs[name][wanted] for name in ("score", "is_positive", "disease_id")
    )
    delong = stats.delong(score, is_positive)
    by_disease = stats.auc_over_diseases(score, is_positive, disease, **drawing)
    yield of_interval(delong, *figure, row_key=row_key)
    yield of_interval(by_disease, *figure, row_key=row_key)


def _auc(
    connection: Connection, evaluation: Row[Any], drawing: dict[str, Any]
) -> Iterator[Estimate]:
    names = ("n_positive", "n_negative", "auc", "reason")
    (row,) = _rows(connection, "auc", evaluation, *names)
    if row.auc is None:
        yield _without_interval("auc", "auc", None, row.reason)
        return
    if row.n_positive + row.n_negative > MOST_PAIRS:
        reason = f"more than {MOST_PAIRS:,} pairs: no interval is computed"
        yield _without_interval("auc", "auc", row.auc, reason)
        return
    pairs = read_arrays(
        connection,
        statements.find("auc_sample").clause,
        {"evaluation_id": evaluation.evaluation_id},
    )
    every = np.ones(len(pairs["score"]), dtype=np.bool_)
    yield from _both(pairs, every, drawing, ("auc", "auc", row.auc), {})


def _ndcg(
    connection: Connection, evaluation: Row[Any], drawing: dict[str, Any]
) -> Iterator[Estimate]:
    by_disease = _rows(connection, "ndcg_by_disease", evaluation, "k", "disease_id", "ndcg")
    for row in _rows(connection, "ndcg_at_k", evaluation, "k", "ndcg_at_k"):
        values = [each.ndcg for each in by_disease if each.k == row.k and each.ndcg is not None]
        interval = stats.mean(values, unit="disease", **drawing)
        yield of_interval(interval, "ndcg_at_k", "ndcg_at_k", row.ndcg_at_k, row_key={"k": row.k})


def _hit_at_k(
    connection: Connection, evaluation: Row[Any], drawing: dict[str, Any]
) -> Iterator[Estimate]:
    by_disease = _rows(
        connection, "hit_by_disease", evaluation, "ranker", "k", "disease_id", "n_hits", "n_trials"
    )
    names = ("ranker", "k", "n_hits", "n_trials", "hit_at_k")
    for row in _rows(connection, "hit_at_k", evaluation, *names):
        own = [each for each in by_disease if (each.ranker, each.k) == (row.ranker, row.k)]
        hits = np.array([each.n_hits for each in own], dtype=np.int64)
        trials = np.array([each.n_trials for each in own], dtype=np.int64)
        key = {"ranker": row.ranker, "k": row.k}
        for interval in (
            stats.wilson(int(hits.sum()), int(trials.sum())),
            stats.hit_rate(hits, trials, **drawing),
        ):
            yield of_interval(interval, "hit_at_k", "hit_at_k", row.hit_at_k, row_key=key)


def _temporal_auc(
    connection: Connection, evaluation: Row[Any], drawing: dict[str, Any]
) -> Iterator[Estimate]:
    names = ("ranker", "cutoff_year", "approval_year", "n_positive", "n_negative")
    rows = _rows(connection, "temporal_auc", evaluation, *names, "temporal_auc", "reason")
    read: tuple[Any, Any] | None = None
    pairs: dict[str, NDArray[Any]] = {}
    for row in rows:
        key = {name: getattr(row, name) for name in names[:3]}
        figure = ("temporal_auc", "temporal_auc", row.temporal_auc)
        if row.temporal_auc is None or row.n_positive + row.n_negative > MOST_PAIRS:
            reason = row.reason or f"more than {MOST_PAIRS:,} pairs: no interval is computed"
            yield _without_interval(*figure, reason, row_key=key)
            continue
        if read != (row.ranker, row.cutoff_year):
            read = (row.ranker, row.cutoff_year)
            pairs = read_arrays(
                connection,
                statements.find("temporal_auc_sample").clause,
                {
                    "evaluation_id": evaluation.evaluation_id,
                    "ranker": row.ranker,
                    "cutoff_year": row.cutoff_year,
                },
            )
        wanted = np.ones(len(pairs["score"]), dtype=np.bool_)
        if row.approval_year != "all":
            is_of_year = np.ma.filled(pairs["approval_year"] == int(row.approval_year), False)
            wanted = ~pairs["is_positive"] | is_of_year
        yield from _both(pairs, wanted, drawing, figure, key)
