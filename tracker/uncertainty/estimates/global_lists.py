"""Estimates of a slate's global lists: the hit rate, and observed over expected hits, of each."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any

import numpy as np
import sqlalchemy as sa
from numpy.typing import NDArray
from sqlalchemy import Connection, Row

from tracker.store import statements
from tracker.uncertainty import stats
from tracker.uncertainty.estimates.records import (
    Estimate,
    adjusted,
    of_compared,
    of_interval,
    read_arrays,
)
from tracker.uncertainty.stats import clustered

VIEW = "global_list"
RATE, ENRICHMENT = "hit_rate", "observed_vs_expected"

Columns = dict[str, NDArray[Any]]


def of_lists(connection: Connection, slate: Row[Any], bar: float) -> Iterator[Estimate]:
    """Yield the estimates of a slate's global lists; values are those of the view global_list.

    p values of one window and population are adjusted over the sizes. Fast inside
    `scope.of_slates`.
    """
    lists = _lists(connection, slate)
    pairs = read_arrays(
        connection,
        statements.find("global_list_sample").clause,
        {"slate_id": str(slate.slate_id)},
    )
    for (window, population), rows in groupby(
        lists, lambda row: (row.evidence_window, row.population)
    ):
        of_group = (pairs["evidence_window"] == window) & (pairs["population"] == population)
        ordered = {name: values[of_group] for name, values in pairs.items()}
        own = [(row, _listed(row, ordered)) for row in rows]
        yield from [_rate(row, listed) for row, listed in own]
        yield from adjusted(_enrichment(row, listed, bar) for row, listed in own)


def _listed(row: Row[Any], ordered: Columns) -> Columns:
    """Return the pairs of a list, with how much of each is on it in the mean over ties."""
    if row.n_predictions == 0:
        return {name: values[:0] for name, values in ordered.items()} | {"part": np.zeros(0)}
    can_be = ordered["score"] >= row.lowest_score
    listed = {name: values[can_be] for name, values in ordered.items()}
    share = row.n_tied_listed / row.n_tied
    return listed | {"part": np.where(listed["score"] == row.lowest_score, share, 1.0)}


def _rate(row: Row[Any], listed: Columns) -> Estimate:
    interval = clustered.hit_rate(
        *[listed[name] for name in ("is_hit", "drug_id", "disease_id")], weight=listed["part"]
    )
    return of_interval(interval, VIEW, RATE, row.hit_rate, **_key(row))


def _enrichment(row: Row[Any], listed: Columns, bar: float) -> Estimate:
    if row.observed_vs_expected is None:
        return Estimate(
            view_name=VIEW,
            metric=ENRICHMENT,
            value=None,
            n=row.n_predictions,
            level=stats.LEVEL,
            method="two-way clustered",
            unit="drug and disease",
            reason=row.reason,
            **_key(row),
        )
    compared = clustered.ratio(
        *[np.ma.getdata(listed[name]) * listed["part"] for name in ("is_hit", "expected_hits")],
        *[listed[name] for name in ("drug_id", "disease_id")],
    )
    return of_compared(
        compared,
        *(VIEW, ENRICHMENT, row.observed_vs_expected),
        n_hits=round(row.tie_mean_hits),
        bar=bar,
        n=row.n_predictions,
        **_key(row),
    )


def _key(row: Row[Any]) -> dict[str, Any]:
    return {
        "evidence_window": row.evidence_window,
        "population": row.population,
        "row_key": {"list_size": row.list_size},
    }


def are_of(connection: Connection, slate: Row[Any], stored: Iterable[Estimate]) -> bool:
    """Return whether stored estimates have the slate's global lists, with the view's values."""
    values = {
        (metric, row.evidence_window, row.population, row.list_size): getattr(row, metric)
        for row in _lists(connection, slate)
        for metric in (RATE, ENRICHMENT)
    }
    return values == {
        (one.metric, one.evidence_window, one.population, one.row_key["list_size"]): one.value
        for one in stored
        if one.view_name == VIEW
    }


def _lists(connection: Connection, slate: Row[Any]) -> Sequence[Row[Any]]:
    keys = ("evidence_window", "population", "list_size")
    columns = (
        *(*keys, "n_predictions", "tie_mean_hits", RATE, ENRICHMENT),
        *("lowest_score", "n_tied", "n_tied_listed", "reason"),
    )
    view = sa.table(VIEW, sa.column("slate_id", sa.Uuid), *[sa.column(name) for name in columns])
    return connection.execute(
        sa.select(*[view.c[name] for name in columns])
        .where(view.c.slate_id == slate.slate_id)
        .order_by(*[view.c[name] for name in keys])
    ).all()
