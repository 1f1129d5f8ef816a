"""Backtests pooled over their origins: the view backtest_pooled with intervals and tests."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import sqlalchemy as sa
from sqlalchemy import Connection, Row

from tracker.store import schema
from tracker.uncertainty import stats
from tracker.uncertainty.estimates.records import read_arrays
from tracker.uncertainty.stats import pooling
from tracker.uncertainty.stats.pooling import Influence

_POOLED = sa.text(
    "select * from backtest_pooled where backtest_id = :backtest_id "
    "order by is_shuffled, horizon_months, enrichment desc nulls last, ranker"
)


@dataclass(frozen=True)
class Pooled:
    """A row of the view backtest_pooled; `found` is None where nothing was expected anywhere.

    `p_adjusted` is for the number of rankers and horizons that were asked about.
    """

    row: Row[Any]
    found: pooling.Pooled | None
    p_adjusted: float | None


def pool(connection: Connection, backtest_id: int, baselines: Sequence[str]) -> list[Pooled]:
    """Return a backtest's rankers pooled over the origins, those with shuffled labels last.

    p values of rankers that are neither baselines nor shuffled are adjusted by Holm's method.
    """
    rows = connection.execute(_POOLED, {"backtest_id": backtest_id}).all()
    found = [(row, _of(connection, row)) for row in rows]
    asked = [
        number
        for number, (row, _) in enumerate(found)
        if row.ranker not in baselines and not row.is_shuffled
    ]
    p_values = [one.compared.p_value if (one := found[number][1]) else None for number in asked]
    adjusted = dict(zip(asked, stats.holm(p_values), strict=True))
    return [Pooled(row, one, adjusted.get(number)) for number, (row, one) in enumerate(found)]


def _of(connection: Connection, row: Row[Any]) -> pooling.Pooled | None:
    parts = _parts(connection, row)
    return pooling.pool(parts) if parts else None


def _parts(connection: Connection, pooled: Row[Any]) -> list[pooling.Part]:
    """Return the origins of a ranker of which something was expected."""
    run, influence = schema.backtest_run, schema.backtest_influence
    names = ("backtest_id", "ranker", "is_shuffled", "horizon_months")

    def own(table: sa.Table) -> list[sa.ColumnElement[bool]]:
        return [table.c[name] == getattr(pooled, name) for name in names]

    runs = connection.execute(
        sa.select(run).where(*own(run), run.c.expected_hits > 0).order_by(run.c.origin_on)
    ).all()
    units = read_arrays(
        connection,
        sa.select(
            sa.func.epoch_ms(influence.c.origin_on).label("origin"),
            influence.c.disease_id,
            influence.c.drug_id,
            influence.c.influence,
            influence.c.stake,
        )
        .where(*own(influence))
        # In one order, so that sums are the same to the last bit each time.
        .order_by(influence.c.origin_on, influence.c.disease_id, influence.c.drug_id),
    )
    days = np.array([row.origin_on for row in runs], dtype="datetime64[ms]").astype(np.int64)
    return [
        pooling.Part(
            row.n_hits,
            row.expected_hits,
            row.log_variance,
            float("inf") if row.df is None else row.df,
            _influence(units, units["origin"] == day),
        )
        for row, day in zip(runs, days, strict=True)
    ]


def _influence(units: dict[str, Any], wanted: Any) -> Influence | None:
    if not wanted.any():
        return None
    value = np.asarray(units["influence"])[wanted]
    diseases, drugs = (np.ma.asarray(units[name])[wanted] for name in ("disease_id", "drug_id"))
    has_disease, has_drug = (~np.ma.getmaskarray(ids) for ids in (diseases, drugs))
    of_drug, of_disease = ~has_disease, ~has_drug
    of_hit = has_disease & has_drug
    return Influence(
        drug_id=drugs.data[of_drug],
        drug=value[of_drug],
        stake=np.ma.filled(np.ma.asarray(units["stake"])[wanted][of_drug], 0.0),
        disease_id=diseases.data[of_disease],
        disease=value[of_disease],
        hit_drug_id=drugs.data[of_hit],
        hit_disease_id=diseases.data[of_hit],
        hit=value[of_hit],
    )
