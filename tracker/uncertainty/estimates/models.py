"""Models over all their slates: the view model_standing with intervals, tests and ranks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection, Row

from tracker.uncertainty import stats
from tracker.uncertainty.estimates import endpoint
from tracker.uncertainty.stats import pooling
from tracker.uncertainty.stats.clustered import Compared
from tracker.uncertainty.stats.pooling import Part

# A difference with a smaller adjusted p value sets models apart.
SIGNIFICANT = 0.05

_STANDINGS = sa.text("select * from model_standing order by model_version")
_SLATES = sa.text(
    "select slate_id, model_version, evidence_window, population, tier from model_slate "
    "where expected_hits > 0 order by slate_id"
).columns(slate_id=sa.Uuid)


@dataclass(frozen=True)
class Standing:
    """A row of model_standing; `p_adjusted`, against 1, is for the number of models.

    `rank` is 1 + the number of models told to be better, so that those that cannot be told apart
    share one; None without an interval. `found` is None where nothing was expected in any slate.
    """

    row: Row[Any]
    found: pooling.Pooled | None
    p_adjusted: float | None
    rank: int | None


@dataclass(frozen=True)
class Duel:
    """The ratio of a model's enrichment to a lower one; `p_adjusted` is for the number of pairs."""

    model: str
    versus: str
    compared: Compared
    p_adjusted: float | None

    @property
    def is_told(self) -> bool:
        """Whether the first model is told to be better; else the two share a rank."""
        return self.p_adjusted is not None and self.p_adjusted < SIGNIFICANT


def rank(connection: Connection) -> tuple[list[Standing], list[Duel]]:
    """Return all models by rank, and each pair of those that have one.

    p values are adjusted by Holm's method. Fast inside `scope.of_slates` of all slates.
    """
    rows = connection.execute(_STANDINGS).all()
    parts: dict[str, list[Part]] = {row.model_version: [] for row in rows}
    for slate in connection.execute(_SLATES).all():
        group = (slate.evidence_window, slate.population, slate.tier)
        _, _, part = endpoint.judge(connection, slate, *group)
        if part is not None:
            parts[slate.model_version].append(part)
    found = {model: pooling.pool(lists) if lists else None for model, lists in parts.items()}
    duels = _duels(parts, found)
    p_values = [one.compared.p_value if one else None for one in found.values()]
    adjusted = dict(zip(found, stats.holm(p_values), strict=True))
    standings = [
        Standing(
            row,
            found[row.model_version],
            adjusted[row.model_version],
            _rank(row.model_version, found[row.model_version], duels),
        )
        for row in rows
    ]
    return sorted(standings, key=_place), duels


def _duels(
    parts: Mapping[str, Sequence[Part]], found: Mapping[str, pooling.Pooled | None]
) -> list[Duel]:
    enriched = {
        model: one.compared.interval.estimate or 0.0
        for model, one in found.items()
        if one is not None and one.compared.interval.low is not None
    }
    ranked = sorted(enriched, key=lambda model: -enriched[model])
    pairs = list(combinations(ranked, 2))
    compared = [pooling.versus(parts[model], parts[versus]) for model, versus in pairs]
    adjusted = stats.holm([one.p_value for one in compared])
    return [Duel(*pair, one, p) for pair, one, p in zip(pairs, compared, adjusted, strict=True)]


def _rank(model: str, found: pooling.Pooled | None, duels: Sequence[Duel]) -> int | None:
    if found is None or found.compared.interval.low is None:
        return None
    return 1 + sum(duel.versus == model and duel.is_told for duel in duels)


def _place(one: Standing) -> tuple[bool, int, float, str]:
    """Sort by rank, then by enrichment; models without a rank come last."""
    return one.rank is None, one.rank or 0, -(one.row.enrichment or 0.0), one.row.model_version
