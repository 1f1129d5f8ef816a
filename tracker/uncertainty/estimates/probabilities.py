"""Estimates of the scores of a slate's probabilities, and of its reliability curve."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import sqlalchemy as sa
from numpy.typing import NDArray
from sqlalchemy import Connection, Row

from tracker.slates import plans
from tracker.store import statements
from tracker.uncertainty.estimates.records import Estimate, of_interval, read_arrays, unknown
from tracker.uncertainty.stats import probabilities
from tracker.uncertainty.stats.probabilities import Forecasts

BRIER, SKILL, LOG, RATE = "brier_score", "brier_skill_score", "log_score", "observed_rate"
BIN = "probability_bin"
# The figures that have an interval, by the view that defines them.
METRICS = {"brier_score": (BRIER, SKILL), "log_score": (LOG,), "reliability_bin": (RATE,)}

Columns = dict[str, NDArray[Any]]


def of_probabilities(connection: Connection, slate: Row[Any]) -> Iterator[Estimate]:
    """Yield the estimates of a slate that declares probabilities; values are those of the views.

    None for another slate. Fast inside `scope.of_slates`.
    """
    if not plans.are_probabilities(slate.plan):
        return
    pairs = read_arrays(
        connection,
        statements.find("probability_sample").clause,
        {"slate_id": str(slate.slate_id)},
    )
    for view, metrics in METRICS.items():
        for row in _rows(connection, slate, view):
            wanted = pairs["population"] == row.population
            if view == "reliability_bin":
                wanted &= pairs[BIN] == row.probability_bin
            forecasts = _forecasts(pairs, wanted)
            for metric in metrics:
                yield _estimate(view, metric, row, forecasts)


def _forecasts(pairs: Columns, wanted: NDArray[np.bool_]) -> Forecasts:
    names = ("probability", "is_hit", "ipc_weight", "drug_id", "disease_id")
    return Forecasts.of(*[np.ma.getdata(pairs[name])[wanted] for name in names])


def _estimate(view: str, metric: str, row: Row[Any], forecasts: Forecasts) -> Estimate:
    value = getattr(row, metric)
    keys = {"evidence_window": row.evidence_window, "population": row.population}
    if view == "reliability_bin":
        keys["row_key"] = {BIN: row.probability_bin}
    if value is None:
        return unknown(view, metric, row.n_predictions, row.reason, **keys)
    if metric == SKILL:
        compared = probabilities.brier_skill_score(forecasts)
        estimate = of_interval(compared.interval, view, metric, value, **keys)
        p_value = compared.p_value
        return replace(estimate, p_value=p_value, p_adjusted=p_value, test=compared.interval.method)
    interval = {
        BRIER: probabilities.brier_score,
        LOG: probabilities.log_score,
        RATE: probabilities.observed_rate,
    }[metric](forecasts)
    return of_interval(interval, view, metric, value, **keys)


def _rows(connection: Connection, slate: Row[Any], view: str) -> Sequence[Row[Any]]:
    keys = ["evidence_window", "population", *([BIN] if view == "reliability_bin" else [])]
    columns = [*keys, "n_predictions", *METRICS[view], "reason"]
    table = sa.table(view, sa.column("slate_id", sa.Uuid), *[sa.column(name) for name in columns])
    return connection.execute(
        sa.select(*[table.c[name] for name in columns])
        .where(table.c.slate_id == slate.slate_id)
        .order_by(*[table.c[name] for name in keys])
    ).all()
