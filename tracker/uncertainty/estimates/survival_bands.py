"""Bands of the view survival_curve, computed for each report and not stored."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from sqlalchemy import Connection, Row

from tracker.uncertainty import stats
from tracker.uncertainty.estimates.records import query, read_arrays


@dataclass(frozen=True)
class BandRow:
    """The 95 % interval of the share with an event by a day, or the reason why there is none."""

    low: float | None
    high: float | None
    reason: str | None


def bands(connection: Connection, slate: Row[Any]) -> dict[tuple[str, int], BandRow]:
    """Return the bands of survival_curve, clustered by drug and disease, by tier and day.

    As in the view, a band holds from its day until the next, and the curve starts again after the
    freeze (day > 0). Call it inside `scope.of_slates`.
    """
    names = ("tier", "disease_id", "drug_id", "follow_up_days", "is_event")
    wanted = query("follow_up_pair", names, slate_id=str(slate.slate_id))
    pairs = read_arrays(connection, wanted)
    found: dict[tuple[str, int], BandRow] = {}
    for tier in np.unique(pairs["tier"].astype(str)):
        days, is_event, drug, disease = (
            pairs[name][pairs["tier"] == tier]
            for name in ("follow_up_days", "is_event", "drug_id", "disease_id")
        )
        first_day = int(min(0, days.min()))
        past = stats.kaplan_meier(
            np.minimum(days, 0) - first_day, is_event & (days <= 0), drug, disease
        )
        later = days > 0
        future = stats.kaplan_meier(days[later], is_event[later], drug[later], disease[later])
        for curve, start, on_side in ((past, first_day, ~later), (future, 0, later)):
            for day in np.unique(days[on_side]):
                step = int(np.searchsorted(curve.time, day - start, side="right")) - 1
                found[str(tier), int(day)] = _row(curve, step)
    return found


def _row(curve: stats.Curve, step: int) -> BandRow:
    reason = curve.reason[step] if step >= 0 else "no event by then"
    if reason is not None:
        return BandRow(None, None, reason)
    return BandRow(1 - float(curve.high[step]), 1 - float(curve.low[step]), None)
