"""Estimates of the scores of a slate's probabilities, and of its reliability curve."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from sqlalchemy import Connection, Row

from tracker.figures import OF_VIEW, with_interval
from tracker.slates import plans
from tracker.uncertainty.estimates.records import Estimate, of_interval, query, read_sample, unknown
from tracker.uncertainty.stats import probabilities
from tracker.uncertainty.stats.probabilities import Forecasts

_SKILL = "brier_skill_score"


def of_probabilities(connection: Connection, slate: Row[Any]) -> Iterator[Estimate]:
    """Yield the estimates of a slate that declares probabilities; values are the views'.

    Other slates have none. Call it inside `scope.of_slates`.
    """
    if not plans.are_probabilities(slate.plan):
        return
    slate_id = str(slate.slate_id)
    pairs = read_sample(connection, "probability_sample", slate_id=slate_id)
    for view in dict.fromkeys(figure.view for figure, _ in with_interval("forecast")):
        metrics = [figure.name for figure in OF_VIEW[view].figures]
        bins = OF_VIEW[view].keys
        columns = ["evidence_window", "population", *bins, "n_predictions", *metrics, "reason"]
        for row in connection.execute(query(view, columns, slate_id=slate_id)):
            wanted = pairs["population"] == row.population
            for name in bins:
                wanted &= pairs[name] == getattr(row, name)
            names = ("probability", "is_hit", "ipc_weight", "drug_id", "disease_id")
            forecasts = Forecasts.of(*[np.ma.getdata(pairs[name])[wanted] for name in names])
            keys: dict[str, Any] = {
                "evidence_window": row.evidence_window,
                "population": row.population,
                "row_key": {name: getattr(row, name) for name in bins},
            }
            for metric in metrics:
                value = getattr(row, metric)
                if value is None:
                    yield unknown(view, metric, row.n_predictions, row.reason, **keys)
                    continue
                interval = getattr(probabilities, metric)(forecasts)
                # Only the skill has a p value, which is not adjusted.
                test = interval.method if metric == _SKILL else None
                more = {"p_adjusted": interval.p_value, "test": test, **keys}
                yield of_interval(interval, view, metric, value, **more)
