"""Backtests pooled over their origins: the view backtest_pooled with intervals and tests."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sqlalchemy import Connection, Row

from tracker.uncertainty import stats
from tracker.uncertainty.estimates.records import query, read_arrays
from tracker.uncertainty.stats import pooling
from tracker.uncertainty.stats.pooling import Influence

_ORDER = ("is_shuffled", "horizon_months", "enrichment desc nulls last", "ranker")


@dataclass(frozen=True)
class Pooled:
    """A row of the view backtest_pooled; `found` is None where no origin can be pooled.

    `p_adjusted` is for the number of rankers and horizons that were asked about.
    """

    row: Row[Any]
    found: pooling.Pooled | None
    p_adjusted: float | None


def pool(connection: Connection, backtest_id: int, baselines: Sequence[str]) -> list[Pooled]:
    """Return a backtest's rankers pooled over the origins, those with shuffled labels last.

    p values of rankers that are neither baselines nor shuffled are adjusted by Holm's method.
    """
    found = []
    pooled = query("backtest_pooled", ["*"], _ORDER, backtest_id=backtest_id)
    for row in connection.execute(pooled).all():
        parts = _parts(connection, row)
        found.append((row, pooling.pool(parts) if parts else None))
    is_asked = [row.ranker not in baselines and not row.is_shuffled for row, _ in found]
    p_values = [
        one.interval.p_value if one and asked else None
        for (_, one), asked in zip(found, is_asked, strict=True)
    ]
    return [Pooled(row, one, p) for (row, one), p in zip(found, stats.holm(p_values), strict=True)]


def _parts(connection: Connection, pooled: Row[Any]) -> list[pooling.Part]:
    """Return the origins of a ranker that can be pooled."""
    names = ("backtest_id", "ranker", "is_shuffled", "horizon_months")
    own = {name: getattr(pooled, name) for name in names}
    columns = ("origin_on", "n_hits", "r", "s", "log_variance", "df")
    runs = connection.execute(query("backtest_origin", columns, columns[:1], **own)).all()
    # In one order, so that sums are the same to the last bit each time.
    unit = ("origin_on", "disease_id", "drug_id")
    added = (*unit, "influence", "stake", "record")
    units = read_arrays(connection, query("backtest_influence", added, unit, **own))
    return [
        pooling.Part(
            row.n_hits,
            row.r,
            row.s,
            row.log_variance,
            float("inf") if row.df is None else row.df,
            _influence(units, units["origin_on"] == np.datetime64(row.origin_on)),
        )
        for row in runs
        if row.s is not None
    ]


def _influence(units: dict[str, Any], wanted: Any) -> Influence | None:
    if not wanted.any():
        return None
    diseases, drugs, value, stake, record = (
        np.ma.asarray(units[name])[wanted]
        for name in ("disease_id", "drug_id", "influence", "stake", "record")
    )
    has_disease, has_drug = (~np.ma.getmaskarray(ids) for ids in (diseases, drugs))
    of_hit = has_disease & has_drug
    return Influence(
        drug_id=drugs.data[~has_disease],
        drug=value.data[~has_disease],
        stake=np.ma.filled(stake[~has_disease], 0.0),
        disease_id=diseases.data[~has_drug],
        disease=value.data[~has_drug],
        hit_drug_id=drugs.data[of_hit],
        hit_disease_id=diseases.data[of_hit],
        hit_record=np.ma.filled(record[of_hit], ""),
        hit=value.data[of_hit],
    )
