"""The primary endpoint of one list of predictions, with what pooling it with others takes."""

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

import numpy as np
from sqlalchemy import Connection, Row

from tracker.store import scope
from tracker.uncertainty.estimates import lists
from tracker.uncertainty.estimates.records import estimated_pairs, query, read_arrays, read_sample
from tracker.uncertainty.stats import clustered, pooling, stratified
from tracker.uncertainty.stats.intervals import Interval

# What the interval of a list, and what is pooled of it, are computed from.
ASKED = (
    *("pair_outcome", "counted_hit", "list_member", "stratum_fit"),
    *("stratified_ratio", "ratio_variance", "ratio_influence"),
)


@dataclass(frozen=True)
class Endpoint:
    """A slate's enrichment over equally popular drugs in one window, population and tier.

    `row` is that of the view enrichment_vs_matched. `enrichment` is None where the view has
    no figure; `part` is what is pooled, None where nothing was expected.
    """

    row: Row[Any]
    hit_rate: Interval
    enrichment: Interval | None
    part: pooling.Part | None


@contextlib.contextmanager
def computed_once(
    connection: Connection, *slates: Row[Any], window: str, population: str, tier: str
) -> Iterator[None]:
    """Compute what the endpoints of these slates in one window, population and tier rest on."""
    only = {
        **{"evidence_window": window, "population": population, "tier": tier},
        **{"list_kind": "tier", "list_name": tier, "subset": "all"},
    }
    with scope.of_slates(connection, *slates, asked=(lists.METRIC, *ASKED), only=only):
        yield


def of_slate(
    connection: Connection, slate: Row[Any], window: str, population: str, tier: str
) -> Endpoint | None:
    """Return the endpoint of a slate, None without a prediction of the tier.

    Fast inside `computed_once`.
    """
    where = {"evidence_window": window, "population": population}
    view = query(lists.METRIC, ["*"], (), slate_id=str(slate.slate_id), tier=tier, **where)
    row = connection.execute(view).first()
    if row is None:
        return None
    own = estimated_pairs(connection, slate, window)
    wanted = np.ones(len(own["is_hit"]), dtype=np.bool_)
    if population == "novel":
        wanted &= own["is_novel"]
    if tier != "all":
        wanted &= own["tier"] == tier
    hit_rate = clustered.hit_rate(
        *[own[name][wanted] for name in ("is_hit", "drug_id", "disease_id")]
    )
    key = list_key(slate.slate_id, window, population, tier)
    return Endpoint(row, hit_rate, *judge(connection, key, row.n_predictions))


def list_key(
    slate_id: UUID, window: str, population: str, tier: str, versus: str = "none"
) -> dict[str, str]:
    """Return what names a slate's list of a tier, in the common window with a slate `versus`."""
    return {
        "slate_id": str(slate_id),
        "versus": versus,
        "list_kind": "tier",
        "list_name": tier,
        "evidence_window": window,
        "population": population,
    }


def judge(
    connection: Connection, key: dict[str, str], n: int
) -> tuple[Interval | None, pooling.Part | None]:
    """Return the interval of a list of `n` predictions, and what is pooled of it.

    `key` is of `list_key`. Both are None where nothing is expected.
    """
    rows = lists.ratio_rows(connection, **key)
    if not rows:
        return None, None
    (row,) = rows
    own = pooling.Part(int(row.n_listed_hits), float(row.expected_hits), None, float("inf"), None)
    if row.ratio is None:
        return None, own
    ratio = lists.ratio_of(row)
    interval = stratified.interval(ratio, n)
    if row.chance is None:
        return interval, own
    influence = _influence(connection, key)
    return interval, replace(own, variance=ratio.variance, df=ratio.df, influence=influence)


def _influence(connection: Connection, key: dict[str, str]) -> pooling.Influence:
    columns = ("entity_kind", "entity_id", "influence", "stake")
    entities = read_arrays(connection, query("ratio_influence", columns, columns[:2], **key))
    is_drug = entities["entity_kind"] == "drug"
    ids, influence, stake = (entities[name] for name in columns[1:])
    hits = read_sample(connection, "hit_influence", **key)
    return pooling.Influence(
        *(ids[is_drug], influence[is_drug], stake[is_drug]),
        *(ids[~is_drug], influence[~is_drug]),
        *(hits["drug_id"], hits["disease_id"], hits["record"], hits["influence"]),
    )
