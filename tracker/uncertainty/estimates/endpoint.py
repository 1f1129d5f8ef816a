"""The primary endpoint of one list of predictions, with the list as part of a pool."""

from dataclasses import dataclass, replace
from typing import Any, NamedTuple
from uuid import UUID

import numpy as np
from sqlalchemy import Connection, Row

from tracker.figures import MATCHED
from tracker.uncertainty.estimates import lists
from tracker.uncertainty.estimates.records import estimated_pairs, query, read_arrays
from tracker.uncertainty.stats import clustered, pooling, stratified
from tracker.uncertainty.stats.intervals import Interval


class Views(NamedTuple):
    """The views from which the interval of a list, and its part in a pool, are computed."""

    ratio: str
    variance: str
    influence: str
    hits: str


OWN = Views("stratified_ratio", "ratio_variance", "ratio_influence", "hit_influence")


@dataclass(frozen=True)
class Endpoint:
    """A slate's enrichment over equally popular drugs in one window, population and tier.

    `row` is the view's, which is named MATCHED. `enrichment` is None where the view has no figure,
    and `part` where nothing was expected or the list is its own baseline.
    """

    row: Row[Any]
    hit_rate: Interval
    enrichment: Interval | None
    part: pooling.Part | None


def of_slate(
    connection: Connection, slate: Row[Any], window: str, population: str, tier: str
) -> Endpoint | None:
    """Return the endpoint of a slate, None without a prediction of the tier.

    Call it inside `scope.of_slates`.
    """
    where = {"evidence_window": window, "population": population}
    view = query(MATCHED, ["*"], (), slate_id=str(slate.slate_id), tier=tier, **where)
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
    judged = judge(connection, OWN, slate.slate_id, row.list_number, row.n_predictions)
    return Endpoint(row, hit_rate, *judged)


def judge(
    connection: Connection, views: Views, slate_id: UUID | str, list_number: int, n: int
) -> tuple[Interval | None, pooling.Part | None]:
    """Return the interval of a slate's list of `n` predictions, and the list as part of a pool.

    Both are None where nothing is expected or the list is its own baseline; the interval alone is
    None where no other candidate came true, so that there is no ratio.
    """
    key = {"slate_id": str(slate_id), "list_number": list_number}
    (row,) = lists.ratio_rows(connection, views.ratio, views.variance, **key)
    if row.own_share is None or row.own_share > lists.MOST_OWN_SHARE:
        return None, None
    own = pooling.Part(int(row.n_listed_hits), row.r, row.s, None, float("inf"), None)
    if row.ratio is None:
        return None, own
    ratio = lists.ratio_of(row)
    interval = stratified.interval(ratio, n)
    if row.chance is None:
        return interval, own
    influence = _influence(connection, views, key)
    return interval, replace(own, variance=ratio.variance, df=ratio.df, influence=influence)


def _influence(connection: Connection, views: Views, key: dict[str, Any]) -> pooling.Influence:
    columns = ("entity_kind", "entity_id", "influence", "weight_share")
    entities = read_arrays(connection, query(views.influence, columns, columns[:2], **key))
    is_drug = entities["entity_kind"] == "drug"
    ids, influence, share = (entities[name] for name in columns[1:])
    columns = ("disease_id", "drug_id", "coalesce(record, '') as record", "influence")
    hits = read_arrays(connection, query(views.hits, columns, columns[:2], **key))
    return pooling.Influence(
        ids[is_drug],
        influence[is_drug],
        share[is_drug],
        ids[~is_drug],
        influence[~is_drug],
        hits["drug_id"],
        hits["disease_id"],
        hits["record"],
        hits["influence"],
    )
