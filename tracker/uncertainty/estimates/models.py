"""Models over all their slates: rows of model_standing with intervals, tests and ranks."""

from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection, Row

from tracker.uncertainty import stats
from tracker.uncertainty.estimates import duels, endpoint
from tracker.uncertainty.estimates.duels import Duel
from tracker.uncertainty.stats import pooling
from tracker.uncertainty.stats.pooling import Part

_STANDINGS = sa.text(
    "select * from model_standing where :include_replays or not is_replay "
    "order by model_version, is_replay"
)
_SLATES = sa.text(
    "select slate_id, model_version, is_replay, list_number, n_predictions from model_slate "
    "inner join prediction_list using (slate_id, evidence_window, population, tier) "
    "where list_kind = 'tier' and own_share is not null and (:include_replays or not is_replay) "
    "order by slate_id"
).columns(slate_id=sa.Uuid)


@dataclass(frozen=True)
class Standing:
    """A row of model_standing; `p_adjusted`, against 1, is adjusted over models.

    `rank` is 1 + the number of models shown to be better, None without an interval. `found` is None
    where no slate can be compared.
    """

    row: Row[Any]
    found: pooling.Pooled | None
    p_adjusted: float | None
    rank: int | None

    @property
    def name(self) -> str:
        """The model, marked if the row is of its replays."""
        return _named(self.row)


def _named(row: Row[Any]) -> str:
    return f"{row.model_version} (replay)" if row.is_replay else str(row.model_version)


def rank(
    connection: Connection, *, include_replays: bool = False
) -> tuple[list[Standing], list[Duel[str]]]:
    """Return all models by rank, and a comparison of each two that have one.

    A model's replays are ranked apart from its other slates. p values are adjusted by Holm's
    method. Call it inside `scope.of_slates` of these slates.
    """
    asked = {"include_replays": include_replays}
    rows = connection.execute(_STANDINGS, asked).all()
    parts: dict[str, list[Part]] = {_named(row): [] for row in rows}
    for slate in connection.execute(_SLATES, asked).all():
        which = (slate.slate_id, slate.list_number, slate.n_predictions)
        _, part = endpoint.judge(connection, endpoint.OWN, *which)
        if part is not None:
            parts[_named(slate)].append(part)
    found = {model: pooling.pool(lists) if lists else None for model, lists in parts.items()}
    # The enrichments of models that have an interval.
    enriched = {
        model: one.interval.estimate or 0.0
        for model, one in found.items()
        if one is not None and one.interval.low is not None
    }
    ordered = sorted(enriched, key=lambda model: -enriched[model])
    pairs = duels.of_pairs(ordered, pooling.each_versus({name: parts[name] for name in ordered}))
    adjusted = stats.holm([one.interval.p_value if one else None for one in found.values()])
    standings = [
        Standing(row, one, p, duels.rank(model, pairs) if model in enriched else None)
        for row, (model, one), p in zip(rows, found.items(), adjusted, strict=True)
    ]
    return sorted(standings, key=_place), pairs


def _place(one: Standing) -> tuple[bool, int, float, str]:
    """Sort by rank, then by enrichment; models without a rank come last."""
    return one.rank is None, one.rank or 0, -(one.row.enrichment or 0.0), one.name
