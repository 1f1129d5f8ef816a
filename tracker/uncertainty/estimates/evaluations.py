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
from tracker.uncertainty.estimates.records import (
    REPLICATES_UNSTORED,
    SEED,
    Estimate,
    append,
    is_same,
    of_interval,
    read_arrays,
    stored_or,
)

# An interval of AUC ranks every pair in memory; beyond this many it is left out, with the reason.
MOST_PAIRS = 5_000_000

# The views of an evaluation's figures, which have the views' names, and what names a row of each.
EVALUATION_KEYS = {
    "auc": (),
    "ndcg_at_k": ("k",),
    "hit_at_k": ("ranker", "k"),
    "temporal_auc": ("ranker", "cutoff_year", "approval_year"),
}


def record_evaluation(
    connection: Connection, evaluation: Row[Any], now: datetime, *, seed: int
) -> list[Estimate]:
    """Append the estimates of an evaluation in its current state, and return them."""
    found = list(estimate_evaluation(connection, evaluation, seed=seed))
    append(connection, "evaluation_id", evaluation.evaluation_id, found, now)
    return found


def reported_evaluation(connection: Connection, evaluation: Row[Any]) -> tuple[list[Estimate], str]:
    """Return the estimates of an evaluation for its report, and their origin in words.

    Stored ones are used where they are of the figures that its views have now, by the methods of
    this version; else they are computed here and not stored. Fast inside `scope.of_evaluation`.
    """
    return stored_or(
        connection,
        "evaluation_id",
        evaluation.evaluation_id,
        lambda: estimate_evaluation(
            connection, evaluation, seed=SEED, most_replicates=REPLICATES_UNSTORED
        ),
        lambda stored: _are_current(connection, evaluation, stored),
    )


def _are_current(connection: Connection, evaluation: Row[Any], stored: list[Estimate]) -> bool:
    if any(one.method != stats.DISEASE_BOOTSTRAP for one in stored):
        return False
    now = {
        (view, *(getattr(row, name) for name in names)): getattr(row, view)
        for view, names in EVALUATION_KEYS.items()
        for row in _rows(connection, view, evaluation, *names, view)
    }
    then = {
        (one.view_name, *(one.row_key[name] for name in EVALUATION_KEYS[one.view_name])): one.value
        for one in stored
    }
    return now.keys() == then.keys() and all(is_same(now[key], then[key]) for key in now)


def estimate_evaluation(
    connection: Connection,
    evaluation: Row[Any],
    *,
    seed: int,
    most_replicates: int = stats.N_REPLICATES,
) -> Iterator[Estimate]:
    """Yield the estimates of an evaluation, one for each figure; values are those of its views.

    Pairs of one disease are alike: every interval is of the disease bootstrap. No figure of an
    evaluation has a p value.
    """
    drawing: dict[str, Any] = {"seed": seed, "n_replicates": most_replicates}
    yield from _auc(connection, evaluation, drawing)
    yield from _ndcg(connection, evaluation, drawing)
    yield from _hit_at_k(connection, evaluation, drawing)
    yield from _temporal_auc(connection, evaluation, drawing)


def _rows(connection: Connection, view: str, evaluation: Row[Any], *columns: str) -> list[Row[Any]]:
    return list(connection.execute(_query(view, evaluation, *columns)))


def _query(view: str, evaluation: Row[Any], *columns: str) -> sa.Select[Any]:
    """Return the query of a view's rows of an evaluation, in the order of these columns."""
    table = sa.table(view, sa.column("evaluation_id"), *[sa.column(name) for name in columns])
    query = sa.select(*[table.c[name] for name in columns])
    query = query.where(table.c.evaluation_id == evaluation.evaluation_id)
    return query.order_by(*[table.c[name] for name in columns])


def _without_interval(
    view: str, metric: str, value: float | None, reason: str | None, **more: Any
) -> Estimate:
    return Estimate(
        *(view, metric, value, None, stats.LEVEL),
        *(stats.DISEASE_BOOTSTRAP, "disease"),
        reason=reason,
        **more,
    )


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
    interval = stats.auc_over_diseases(
        pairs["score"], pairs["is_positive"], pairs["disease_number"], **drawing
    )
    yield of_interval(interval, "auc", "auc", row.auc)


def _ndcg(
    connection: Connection, evaluation: Row[Any], drawing: dict[str, Any]
) -> Iterator[Estimate]:
    # In the order of the values, so that the draws do not follow the order of loading.
    query = _query("ndcg_by_disease", evaluation, "k", "ndcg")
    each = read_arrays(connection, query)
    is_known = ~np.ma.getmaskarray(each["ndcg"])
    rows = _rows(connection, "ndcg_at_k", evaluation, "k", "ndcg_at_k")
    values = [np.ma.getdata(each["ndcg"])[is_known & (each["k"] == row.k)] for row in rows]
    for row, interval in zip(rows, stats.means(values, unit="disease", **drawing), strict=True):
        yield of_interval(interval, "ndcg_at_k", "ndcg_at_k", row.ndcg_at_k, row_key={"k": row.k})


def _hit_at_k(
    connection: Connection, evaluation: Row[Any], drawing: dict[str, Any]
) -> Iterator[Estimate]:
    # As with NDCG, in the order of the values.
    by_disease = _rows(connection, "hit_by_disease", evaluation, "ranker", "k", "hits", "n_trials")
    names = ("ranker", "k", "hit_at_k")
    for row in _rows(connection, "hit_at_k", evaluation, *names):
        own = [each for each in by_disease if (each.ranker, each.k) == (row.ranker, row.k)]
        hits = np.array([each.hits for each in own], dtype=np.float64)
        trials = np.array([each.n_trials for each in own], dtype=np.int64)
        key = {"ranker": row.ranker, "k": row.k}
        interval = stats.hit_rate(hits, trials, **drawing)
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
        interval = stats.auc_over_diseases(
            *(pairs[name][wanted] for name in ("score", "is_positive", "disease_number")), **drawing
        )
        yield of_interval(interval, *figure, row_key=key)
