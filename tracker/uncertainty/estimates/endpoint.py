"""The primary endpoint of one list of predictions, with what pooling it with others takes."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import sqlalchemy as sa
from sqlalchemy import Connection, Row

from tracker.uncertainty.estimates.matched import Columns, MatchedCounts, estimated_pairs
from tracker.uncertainty.stats import clustered, matched, pooling
from tracker.uncertainty.stats.clustered import Compared
from tracker.uncertainty.stats.intervals import Interval

_FIGURE = sa.text(
    "select n_predictions, n_hits, expected_hits, enrichment_vs_matched, own_share, reason "
    "from enrichment_vs_matched where slate_id = :slate_id "
    "and evidence_window = :evidence_window and population = :population and tier = :tier"
)


@dataclass(frozen=True)
class Endpoint:
    """A slate's enrichment over equally popular drugs in one window, population and tier.

    `row` is that of the view enrichment_vs_matched. `compared` is None where the view has no
    figure, and where the predictions are their own baseline; `part` is what is pooled, None where
    nothing was expected.
    """

    row: Row[Any]
    hit_rate: Interval
    compared: Compared | None
    part: pooling.Part | None


def of_slate(
    connection: Connection, slate: Row[Any], window: str, population: str, tier: str
) -> Endpoint | None:
    """Return the endpoint of a slate, None without a prediction of the tier.

    Fast inside `scope.of_endpoints`.
    """
    pairs = estimated_pairs(connection, slate)
    row, compared, part = judge(connection, slate, pairs, window, population, tier)
    if row is None:
        return None
    own = pairs[window]
    wanted = np.ones(len(own["is_hit"]), dtype=np.bool_)
    if population == "novel":
        wanted &= own["is_novel"]
    if tier != "all":
        wanted &= own["tier"] == tier
    hit_rate = clustered.hit_rate(
        *[own[name][wanted] for name in ("is_hit", "drug_id", "disease_id")]
    )
    return Endpoint(row, hit_rate, compared, part)


def judge(
    connection: Connection,
    slate: Row[Any],
    pairs: Mapping[str, Columns],
    window: str,
    population: str,
    tier: str,
) -> tuple[Row[Any] | None, Compared | None, pooling.Part | None]:
    """Return the row, the interval and the part of `Endpoint`; `pairs` are the predictions."""
    dimensions = {"evidence_window": window, "population": population, "tier": tier}
    row = connection.execute(_FIGURE, {"slate_id": str(slate.slate_id), **dimensions}).first()
    if row is None:
        return None, None, None
    compared, found = None, None
    if row.enrichment_vs_matched is not None and row.reason is None:
        world = MatchedCounts(connection, slate, pairs).world(window, population, tier)
        compared = matched.rate_ratio(row.enrichment_vs_matched, world)
        if row.enrichment_vs_matched > 0:
            found = matched.linearised(row.enrichment_vs_matched, world)
    part = None
    if row.expected_hits:
        part = pooling.Part(
            int(row.n_hits),
            float(row.expected_hits),
            found.variance if found else None,
            found.df if found else float("inf"),
            found.influence if found else None,
        )
    return row, compared, part
