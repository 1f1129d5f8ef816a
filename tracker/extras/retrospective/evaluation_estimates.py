"""Estimates of an evaluation's figures: AUC, NDCG, Hit@K and temporal AUC."""

from collections.abc import Iterator
from datetime import datetime
from functools import lru_cache
from typing import Any

import numpy as np
import sqlalchemy as sa
from numpy.typing import NDArray
from sqlalchemy import Connection, Row

from tracker.figures import SEED
from tracker.uncertainty import stats
from tracker.uncertainty.estimates.records import (
    REPLICATES_UNSTORED,
    Estimate,
    append,
    is_same,
    of_interval,
    query,
    read_arrays,
    read_sample,
    stored_or,
)
from tracker.uncertainty.stats.resampling import DISEASE_BOOTSTRAP

# An interval of AUC ranks every pair in memory; beyond this many it is left out, with the reason.
MOST_PAIRS = 5_000_000

# The views of an evaluation's figures, which are named like them, and the keys of their rows.
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
    found = estimate_evaluation(connection, evaluation, seed=seed)
    return append(connection, "evaluation_id", evaluation.evaluation_id, found, now)


def reported_evaluation(connection: Connection, evaluation: Row[Any]) -> tuple[list[Estimate], str]:
    """Return the estimates of an evaluation for its report, and their origin in words.

    Stored ones are used where they are of the present figures, by the methods of this version; else
    they are computed here and not stored. Fast inside `scope.of_evaluation`.
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
    if any(one.method != DISEASE_BOOTSTRAP for one in stored):
        return False
    now = {
        (view, *row[:-1]): row[-1]
        for view, names in EVALUATION_KEYS.items()
        for row in connection.execute(_query(view, evaluation, *names, view))
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
    yield from _aucs(connection, evaluation, "auc", drawing)
    yield from _ndcg(connection, evaluation, drawing)
    yield from _hit_at_k(connection, evaluation, drawing)
    yield from _aucs(connection, evaluation, "temporal_auc", drawing)


def _query(view: str, evaluation: Row[Any], *columns: str) -> sa.Select[Any]:
    return query(view, columns, evaluation_id=evaluation.evaluation_id)


def _aucs(
    connection: Connection, evaluation: Row[Any], view: str, drawing: dict[str, Any]
) -> Iterator[Estimate]:
    names = EVALUATION_KEYS[view]
    statement = {"auc": "auc_sample", "temporal_auc": "temporal_auc_sample"}[view]

    @lru_cache(maxsize=1)
    def read(**run: Any) -> dict[str, NDArray[Any]]:
        return read_sample(connection, statement, evaluation_id=evaluation.evaluation_id, **run)

    columns = (*names, "n_positive", "n_negative", view, "reason")
    for row in connection.execute(_query(view, evaluation, *columns)).all():
        key = {name: getattr(row, name) for name in names}
        value, reason = getattr(row, view), row.reason
        if value is not None and row.n_positive + row.n_negative > MOST_PAIRS:
            reason = f"more than {MOST_PAIRS:,} pairs: no interval is computed"
        elif value is not None:
            run = {name: key[name] for name in names if name != "approval_year"}
            pairs = read(**run)
            wanted = np.ones(len(pairs["score"]), dtype=np.bool_)
            if key.get("approval_year", "all") != "all":
                is_of_year = np.ma.filled(pairs["approval_year"] == int(row.approval_year), False)
                wanted = ~pairs["is_positive"] | is_of_year
            scored = [pairs[name][wanted] for name in ("score", "is_positive", "disease_number")]
            interval = stats.auc_over_diseases(*scored, **drawing)
            yield of_interval(interval, view, view, value, row_key=key)
            continue
        how = (stats.LEVEL, DISEASE_BOOTSTRAP, "disease")
        yield Estimate(view, view, value, None, *how, row_key=key, reason=reason)


def _ndcg(
    connection: Connection, evaluation: Row[Any], drawing: dict[str, Any]
) -> Iterator[Estimate]:
    # In the order of the values, so that the draws do not follow the order of loading.
    each = read_arrays(connection, _query("ndcg_by_disease", evaluation, "k", "ndcg"))
    is_known = ~np.ma.getmaskarray(each["ndcg"])
    rows = connection.execute(_query("ndcg_at_k", evaluation, "k", "ndcg_at_k")).all()
    values = [np.ma.getdata(each["ndcg"])[is_known & (each["k"] == row.k)] for row in rows]
    for row, interval in zip(rows, stats.means(values, unit="disease", **drawing), strict=True):
        yield of_interval(interval, "ndcg_at_k", "ndcg_at_k", row.ndcg_at_k, row_key={"k": row.k})


def _hit_at_k(
    connection: Connection, evaluation: Row[Any], drawing: dict[str, Any]
) -> Iterator[Estimate]:
    # As with NDCG, in the order of the values.
    by_disease = _query("hit_by_disease", evaluation, "ranker", "k", "hits", "n_trials")
    each = read_arrays(connection, by_disease)
    for row in connection.execute(_query("hit_at_k", evaluation, "ranker", "k", "hit_at_k")):
        own = (each["ranker"] == row.ranker) & (each["k"] == row.k)
        interval = stats.hit_rate(each["hits"][own], each["n_trials"][own], **drawing)
        key = {"ranker": row.ranker, "k": row.k}
        yield of_interval(interval, "hit_at_k", "hit_at_k", row.hit_at_k, row_key=key)
