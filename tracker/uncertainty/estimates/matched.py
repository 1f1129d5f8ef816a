"""Estimates of the enrichment versus equally popular drugs, and what they were computed from."""

import functools
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

import numpy as np
import sqlalchemy as sa
from numpy.typing import NDArray
from sqlalchemy import Connection, Row

from tracker.store import schema, statements
from tracker.uncertainty import stats
from tracker.uncertainty.estimates.records import Estimate, of_compared, read_arrays
from tracker.uncertainty.stats import matched

KIND_VIEW, METRIC = "match_kind_enrichment", "enrichment_vs_matched"

Columns = dict[str, NDArray[Any]]


@dataclass(frozen=True)
class _Grid:
    """The cells of a subset, window and population: diseases by strata, numbered from 0."""

    cells: Columns
    diseases: NDArray[np.int64]
    of_disease: NDArray[np.int64]
    degree_class: NDArray[Any]
    strata: NDArray[np.int64]
    of_stratum: NDArray[np.int64]
    breadths: NDArray[np.int64]
    breadth: NDArray[np.int64]


class MatchedCounts:
    """The views behind matched_ratio as arrays, for all that a slate has there."""

    def __init__(self, connection: Connection, slate: Row[Any]) -> None:
        group = ("evidence_window", "population")
        stratum = ("degree_class", "breadth")
        self._cells = _view(
            *(connection, slate, "matched_cell", ("subset", *group)),
            *("disease_id", *stratum, "n_candidates", "n_candidate_hits"),
        )
        # Each serves several tiers and parts.
        self._grid = functools.cache(lambda *key: _grid(self._cells[key]))
        self._activities = _view(
            *(connection, slate, "matched_activity", ("subset", *group, "tier")),
            *("disease_id", "activity"),
        )
        self._predictions = _view(
            *(connection, slate, "matched_expectation", (*group, "tier")),
            *("disease_id", "drug_id", *stratum, "is_hit", "first_event_date", "match_strength"),
        )
        self._hits = _view(
            *(connection, slate, "candidate_hit", ("evidence_window",)),
            *("disease_id", "drug_id", "breadth", "is_known", "first_event_date", "match_strength"),
        )
        self._parts = _view(
            *(connection, slate, "prediction_part", ("part",)), "disease_id", "drug_id"
        )
        key = {"slate_id": str(slate.slate_id)}
        self._drugs = read_arrays(connection, statements.find("breadth_drug_count").clause, key)

    def world(
        self,
        window: str,
        population: str,
        tier: str,
        subset: str = "all",
        *,
        strength: int | None = None,
        until: date | None = None,
    ) -> matched.World:
        """Return what the ratio of this window, population and tier rests on.

        `tier` may be a part of the view prediction_part; `subset`, with its `strength` or the last
        day `until` that counts, is that of the view counted_subset.
        """
        grid = self._grid(subset, window, population)
        activities = self._activities[subset, window, population, tier]
        if tier in schema.TIERS:
            predictions = self._predictions[window, population, tier]
        else:
            predictions = self._predictions[window, population]
            if tier != "all":
                is_listed = _is_among(_pair(predictions), _pair(self._parts[(tier,)]))
                predictions = _only(predictions, is_listed)
        diseases, strata, breadths = grid.diseases, grid.strata, grid.breadths
        # Predictions that no candidate resembles have no stratum; the view then has no figure.
        predictions = _among(predictions, diseases, strata)
        disease, stratum = (
            np.searchsorted(diseases, predictions["disease_id"]),
            np.searchsorted(strata, _stratum(predictions)),
        )
        hits = self._hits[(window,)]
        if population == "novel":
            hits = _where(hits, is_known=False)
        hits = _only(hits, _is_among(hits["disease_id"], diseases))
        hits["degree_class"] = grid.degree_class[np.searchsorted(diseases, hits["disease_id"])]
        hits = _among(hits, diseases, strata)
        is_hit = predictions["is_hit"]
        if strength is not None:
            hits = _only(hits, hits["match_strength"] <= strength)
            is_hit = is_hit & (np.ma.filled(predictions["match_strength"], 0) <= strength)
        if until is not None:
            hits = _only(hits, _is_by(hits, until))
            is_hit = is_hit & _is_by(predictions, until)
        hits = _only(hits, ~_is_among(_pair(hits), np.sort(_pair(predictions))))
        drugs = _where(self._drugs, population=population)
        n_drugs = np.ones(len(breadths))
        known = np.isin(drugs["breadth"], breadths)
        n_drugs[np.searchsorted(breadths, drugs["breadth"][known])] = drugs["n_drugs"][known]
        return matched.World(
            cells=matched.Cells(
                grid.of_disease,
                grid.of_stratum,
                grid.cells["n_candidates"].astype(np.float64),
                _counted(grid.of_disease, grid.of_stratum, disease, stratum),
            ),
            predicted=matched.Pairs(
                predictions["drug_id"],
                disease,
                stratum,
                is_hit.astype(np.float64),
            ),
            other_hits=matched.Pairs(
                hits["drug_id"],
                np.searchsorted(diseases, hits["disease_id"]),
                np.searchsorted(strata, _stratum(hits)),
                np.ones(len(hits["drug_id"])),
            ),
            activity=activities["activity"][
                np.searchsorted(activities["disease_id"], diseases)
            ].astype(np.float64),
            hits=np.bincount(grid.of_stratum, grid.cells["n_candidate_hits"]).astype(np.float64),
            breadth=grid.breadth,
            n_drugs=n_drugs,
            disease_id=diseases,
        )


def by_match_kind(
    connection: Connection, slate: Row[Any], counts: MatchedCounts, bar: float
) -> Iterator[Estimate]:
    """Yield the estimates of the view match_kind_enrichment, in the order of its kinds."""
    for row in _kinds(connection, slate):
        key = {
            "evidence_window": row.evidence_window,
            "population": row.population,
            "tier": row.tier,
            "row_key": {"strength": row.strength},
        }
        # With a reason beside a value, the predictions are their own baseline.
        if row.enrichment_vs_matched is None or row.reason is not None:
            yield Estimate(
                view_name=KIND_VIEW,
                metric=METRIC,
                value=row.enrichment_vs_matched,
                n=row.n_predictions,
                level=stats.LEVEL,
                method="two-way clustered",
                unit="drug and disease",
                reason=row.reason,
                **key,
            )
            continue
        world = counts.world(
            *(row.evidence_window, row.population, row.tier),
            *(("all",) if row.is_weakest else (row.match_kind,)),
            strength=None if row.is_weakest else row.strength,
        )
        yield of_compared(
            matched.rate_ratio(row.enrichment_vs_matched, world),
            *(KIND_VIEW, METRIC, row.enrichment_vs_matched),
            n_hits=row.n_hits,
            bar=bar,
            n=row.n_predictions,
            **key,
        )


def are_by_match_kind(connection: Connection, slate: Row[Any], stored: Iterable[Estimate]) -> bool:
    """Return whether stored estimates have the rows of match_kind_enrichment, with its values."""
    values = {row.strength: row.enrichment_vs_matched for row in _kinds(connection, slate)}
    return values == {
        one.row_key["strength"]: one.value for one in stored if one.view_name == KIND_VIEW
    }


def _kinds(connection: Connection, slate: Row[Any]) -> Sequence[Row[Any]]:
    return connection.execute(
        sa.text(
            "select match_kind_enrichment.*, shown_match_kind.is_weakest "
            "from match_kind_enrichment inner join shown_match_kind using (slate_id, strength) "
            "where slate_id = :slate_id order by strength"
        ),
        {"slate_id": str(slate.slate_id)},
    ).all()


# More than there are classes of degree: one number for a stratum, ordered by breadth.
_CLASSES = 8


def _stratum(columns: Columns) -> NDArray[np.int64]:
    number: NDArray[np.int64] = (
        columns["breadth"].astype(np.int64) * _CLASSES + columns["degree_class"]
    )
    return number


def _counted(
    of_disease: NDArray[np.int64],
    of_stratum: NDArray[np.int64],
    disease: NDArray[np.int64],
    stratum: NDArray[np.int64],
) -> NDArray[np.float64]:
    """Return how many of the pairs of a disease and a stratum fall in each cell."""
    n_strata = int(of_stratum.max()) + 1
    cell = of_disease * n_strata + of_stratum
    order = np.argsort(cell)
    place = np.searchsorted(cell, disease * n_strata + stratum, sorter=order)
    # A pair outside every cell is in the stratum, and in the disease, but in no cell.
    place = np.minimum(place, len(cell) - 1)
    known = cell[order[place]] == disease * n_strata + stratum
    return np.bincount(order[place[known]], minlength=len(cell)).astype(np.float64)


def _is_by(columns: Columns, until: date) -> NDArray[np.bool_]:
    """Return which hits are dated by a day; those without a date are."""
    dates = columns["first_event_date"]
    by: NDArray[np.bool_] = np.ma.getmaskarray(dates) | (
        np.ma.getdata(dates).astype("datetime64[D]") <= np.datetime64(until)
    )
    return by


def _pair(columns: Columns) -> NDArray[np.int64]:
    number: NDArray[np.int64] = (
        columns["disease_id"].astype(np.int64) * (1 << 31) + columns["drug_id"]
    )
    return number


def _grid(cells: Columns) -> _Grid:
    diseases, first, of_disease = np.unique(
        cells["disease_id"], return_index=True, return_inverse=True
    )
    strata, of_stratum = np.unique(_stratum(cells), return_inverse=True)
    breadths, breadth = np.unique(strata // _CLASSES, return_inverse=True)
    return _Grid(
        cells,
        diseases,
        of_disease,
        cells["degree_class"][first],
        strata,
        of_stratum,
        breadths,
        breadth,
    )


def _is_among(values: NDArray[Any], known: NDArray[Any]) -> NDArray[np.bool_]:
    """Return which values are in a sorted array."""
    if not len(known):
        return np.zeros(len(values), dtype=np.bool_)
    place = np.minimum(np.searchsorted(known, values), len(known) - 1)
    found: NDArray[np.bool_] = known[place] == values
    return found


def _only(columns: Columns, wanted: NDArray[np.bool_]) -> Columns:
    return {name: values[wanted] for name, values in columns.items()}


def _where(columns: Columns, **keys: Any) -> Columns:
    wanted = np.ones(len(next(iter(columns.values()))), dtype=np.bool_)
    for name, value in keys.items():
        wanted &= np.asarray(columns[name] == value)
    return _only(columns, wanted)


def _among(columns: Columns, diseases: NDArray[Any], strata: NDArray[np.int64]) -> Columns:
    """Return the rows of known diseases and strata; a masked breadth is of no stratum."""
    known = ~np.ma.getmaskarray(columns["breadth"]) & ~np.ma.getmaskarray(columns["degree_class"])
    columns = _only(columns, known)
    return _only(
        columns,
        _is_among(columns["disease_id"], diseases) & _is_among(_stratum(columns), strata),
    )


def _view(
    connection: Connection, slate: Row[Any], view: str, keys: tuple[str, ...], *columns: str
) -> Mapping[tuple[str, ...], Columns]:
    """Return the columns of a slate's rows by the values of `keys`, and of the first of them.

    Values that do not occur have no rows. The texts themselves are not read row by row: a whole
    matrix has millions of rows.
    """
    table = sa.table(
        view, sa.column("slate_id", sa.Uuid), *[sa.column(name) for name in (*keys, *columns)]
    )
    is_wanted = table.c.slate_id == slate.slate_id
    by = [table.c[name] for name in keys]
    counts = connection.execute(
        sa.select(*by, sa.func.count()).where(is_wanted).group_by(*by).order_by(*by)
    )
    values = [table.c[name] for name in columns]
    # In one order, so that sums are the same to the last bit each time.
    rows = read_arrays(connection, sa.select(*values).where(is_wanted).order_by(*by, *values))
    bounds: dict[tuple[str, ...], tuple[int, int]] = {}
    last = 0
    for *key, n_rows in counts:
        first, last = last, last + n_rows
        for length in range(1, len(keys) + 1):
            prefix = tuple(key[:length])
            bounds[prefix] = (bounds.get(prefix, (first, last))[0], last)

    def part(first: int, last: int) -> Columns:
        return {name: of_rows[first:last] for name, of_rows in rows.items()}

    found = {key: part(*bound) for key, bound in bounds.items()}
    return defaultdict(lambda: part(0, 0), found)
