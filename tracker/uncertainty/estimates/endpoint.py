"""The primary endpoint of one list of predictions, with what pooling it with others takes."""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

import numpy as np
import sqlalchemy as sa
from sqlalchemy import Connection, Row

from tracker.store import statements
from tracker.uncertainty.estimates.records import estimated_pairs, read_arrays
from tracker.uncertainty.stats import clustered, pooling, stratified
from tracker.uncertainty.stats.clustered import Compared
from tracker.uncertainty.stats.intervals import Interval

_FIGURE = sa.text(
    "select n_predictions, n_hits, expected_hits, enrichment_vs_matched, own_share, reason "
    "from enrichment_vs_matched where slate_id = :slate_id "
    "and evidence_window = :evidence_window and population = :population and tier = :list_name"
)


def _own(view: str, *columns: str) -> sa.Select[Any]:
    """Return the query for a list's rows of a view, in the order of the first two columns."""
    keys = ("slate_id", "versus", "list_kind", "list_name", "evidence_window", "population")
    table = sa.table(view, *[sa.column(name) for name in (*keys, *columns)])
    wanted = [table.c[name] == sa.bindparam(name) for name in keys]
    return sa.select(*[table.c[name] for name in columns]).where(*wanted).order_by(*columns[:2])


_RATIO = _own("stratified_ratio", "listed_hits", "s", "expected_hits", "ratio")
_VARIANCE = _own(
    "ratio_variance", "chance", "drugs", "diseases", "effective_drugs", "effective_diseases"
)
_INFLUENCE = _own("ratio_influence", "entity_kind", "entity_id", "influence", "stake")


@dataclass(frozen=True)
class Endpoint:
    """A slate's enrichment over equally popular drugs in one window, population and tier.

    `row` is that of the view enrichment_vs_matched. `compared` is None where the view has no
    figure; `part` is what is pooled, None where nothing was expected.
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
    key = list_key(slate.slate_id, window, population, tier)
    row = connection.execute(_FIGURE, key).first()
    if row is None:
        return None
    own = estimated_pairs(connection, slate)[window]
    wanted = np.ones(len(own["is_hit"]), dtype=np.bool_)
    if population == "novel":
        wanted &= own["is_novel"]
    if tier != "all":
        wanted &= own["tier"] == tier
    hit_rate = clustered.hit_rate(
        *[own[name][wanted] for name in ("is_hit", "drug_id", "disease_id")]
    )
    compared, part = judge(connection, key, row.n_predictions)
    return Endpoint(row, hit_rate, compared, part)


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
) -> tuple[Compared | None, pooling.Part | None]:
    """Return the interval of a list of `n` predictions, and what is pooled of it.

    `key` is of `list_key`. Both are None where nothing is expected.
    """
    row = connection.execute(_RATIO, key).first()
    if row is None:
        return None, None
    expected = (int(row.listed_hits), float(row.expected_hits))
    if row.ratio is None:
        return None, pooling.Part(*expected, None, float("inf"), None)
    found = connection.execute(_VARIANCE, key).first()
    spread = () if found is None else tuple(found)
    ratio = stratified.Ratio(row.ratio, row.listed_hits, row.s, *spread)
    compared = stratified.interval(ratio, n)
    if found is None:
        return compared, pooling.Part(*expected, None, float("inf"), None)
    influence = _influence(connection, key)
    return compared, pooling.Part(*expected, ratio.variance, ratio.df, influence)


def _influence(connection: Connection, key: dict[str, str]) -> pooling.Influence:
    entities = read_arrays(connection, _INFLUENCE, key)
    is_drug = entities["entity_kind"] == "drug"
    ids, influence, stake = (entities[name] for name in ("entity_id", "influence", "stake"))
    hits = read_arrays(connection, statements.find("hit_influence").clause, key)
    return pooling.Influence(
        *(ids[is_drug], influence[is_drug], stake[is_drug]),
        *(ids[~is_drug], influence[~is_drug]),
        *(hits["drug_id"], hits["disease_id"], hits["influence"]),
    )
