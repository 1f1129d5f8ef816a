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

from tracker.metrics import WINDOWS
from tracker.store import schema, statements
from tracker.uncertainty import stats
from tracker.uncertainty.estimates.records import Estimate, of_compared, read_arrays
from tracker.uncertainty.stats import matched

KIND_VIEW, METRIC = "match_kind_enrichment", "enrichment_vs_matched"

Columns = dict[str, NDArray[Any]]


@dataclass(frozen=True)
class _Grid:
    """The candidates of a population by cell, a disease x a stratum.

    Diseases, strata and breadths are numbered from 0, in their order; `cell` has one number for
    each cell, in ascending order.
    """

    n_candidates: NDArray[np.float64]
    cell: NDArray[np.int64]
    of_disease: NDArray[np.int64]
    of_stratum: NDArray[np.int64]
    diseases: NDArray[np.int64]
    degree_class: NDArray[np.int64]
    strata: NDArray[np.int64]
    breadth: NDArray[np.int64]
    n_drugs: NDArray[np.float64]

    def numbers(self, pairs: Columns) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the numbers of the disease and the stratum of pairs, of diseases of the grid."""
        disease = np.searchsorted(self.diseases, pairs["disease_id"])
        number = _stratum(np.ma.getdata(pairs["breadth"]), self.degree_class[disease])
        return disease, np.searchsorted(self.strata, number)


@dataclass(frozen=True)
class _Placed:
    """Which predictions are of a population and in a cell, and the numbers of their cells.

    `is_placed` has the order of the slate's predictions, `cell` is of those placed alone.
    """

    is_placed: NDArray[np.bool_]
    cell: NDArray[np.int64]


@dataclass(frozen=True)
class _Listed:
    """The placed predictions of a tier or part: their places among the slate's, and their cells.

    `n_predictions` has the order of the grid's cells.
    """

    place: NDArray[np.int64]
    pair: NDArray[np.int64]
    drug_id: NDArray[Any]
    cell: NDArray[np.int64]
    n_predictions: NDArray[np.float64]


class MatchedCounts:
    """The views behind matched_ratio as arrays, for all that a slate has there.

    `pairs` are what estimated_pairs returns.
    """

    def __init__(
        self, connection: Connection, slate: Row[Any], pairs: Mapping[str, Columns]
    ) -> None:
        key = {"slate_id": str(slate.slate_id)}
        self._cells = read_arrays(connection, statements.find("estimated_cell").clause, key)
        self._drugs = read_arrays(connection, statements.find("breadth_drug_count").clause, key)
        self._activities = _view(
            *(connection, slate, "matched_activity"),
            *(("subset", "evidence_window", "population", "tier"), "disease_id", "activity"),
        )
        self._hits = _view(
            *(connection, slate, "candidate_hit", ("evidence_window",)),
            *("disease_id", "drug_id", "breadth", "is_known", "first_event_date", "match_strength"),
        )
        self._parts = _view(
            *(connection, slate, "prediction_part", ("part",)), "disease_id", "drug_id"
        )
        self._pairs = pairs
        # What does not depend on the window.
        self._predictions = next(iter(pairs.values()))
        self._numbers = _pair(self._predictions)
        # Each serves several windows, subsets, tiers and parts.
        self._grid = functools.cache(self._grid_of)
        self._placed = functools.cache(self._placed_of)
        self._is_listed = functools.cache(self._is_listed_of)
        # The tiers of both populations: of a whole matrix each has megabytes.
        self._listed = functools.lru_cache(2 * (len(schema.TIERS) + 1))(self._listed_of)

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
        grid, listed = self._grid(population), self._listed(population, tier)
        is_hit = np.asarray(self._pairs[window]["is_hit"])[listed.place]
        own = {
            name: self._pairs[window][name][listed.place[is_hit]]
            for name in ("match_strength", "first_event_date")
        }
        hits = self._hits[(window,)]
        if population == "novel":
            hits = _where(hits, is_known=False)
        if strength is not None:
            hits = _only(hits, hits["match_strength"] <= strength)
            counts = np.ma.filled(own["match_strength"], 0) <= strength
            own, is_hit = _only(own, counts), _narrowed(is_hit, counts)
        if until is not None:
            hits = _only(hits, _is_by(hits, until))
            is_hit = _narrowed(is_hit, _is_by(own, until))
        disease, stratum = grid.numbers(hits)
        is_other = ~_is_among(_pair(hits), listed.pair)
        return matched.World(
            cells=matched.Cells(
                grid.of_disease,
                grid.of_stratum,
                grid.n_candidates,
                listed.n_predictions,
            ),
            predicted=matched.Pairs(
                listed.drug_id,
                grid.of_disease[listed.cell],
                grid.of_stratum[listed.cell],
                is_hit.astype(np.float64),
            ),
            other_hits=matched.Pairs(
                hits["drug_id"][is_other],
                disease[is_other],
                stratum[is_other],
                np.ones(int(is_other.sum())),
            ),
            activity=self._activity(grid, subset, window, population, tier),
            hits=np.bincount(stratum, minlength=len(grid.strata)).astype(np.float64),
            breadth=grid.breadth,
            n_drugs=grid.n_drugs,
            disease_id=grid.diseases,
        )

    def _activity(self, grid: _Grid, *key: str) -> NDArray[np.float64]:
        """Return the activity of each disease, 0 for those that the view leaves out."""
        found = self._activities[key]
        activity = np.zeros(len(grid.diseases))
        activity[np.searchsorted(grid.diseases, found["disease_id"])] = found["activity"]
        return activity

    def _grid_of(self, population: str) -> _Grid:
        n_candidates = self._cells["n_candidates"]
        if population == "novel":
            n_candidates = n_candidates - self._cells["n_known"]
        cells = _only(self._cells | {"n_candidates": n_candidates}, n_candidates > 0)
        diseases, first, of_disease = np.unique(
            cells["disease_id"], return_index=True, return_inverse=True
        )
        strata, of_stratum = np.unique(
            _stratum(cells["breadth"], cells["degree_class"]), return_inverse=True
        )
        breadths, breadth = np.unique(strata // _CLASSES, return_inverse=True)
        drugs = _where(self._drugs, population=population)
        n_drugs = np.ones(len(breadths))
        known = np.isin(drugs["breadth"], breadths)
        n_drugs[np.searchsorted(breadths, drugs["breadth"][known])] = drugs["n_drugs"][known]
        return _Grid(
            cells["n_candidates"].astype(np.float64),
            # Ascending: the rows are in the order of disease and breadth, with one class each.
            of_disease * len(strata) + of_stratum,
            of_disease,
            of_stratum,
            diseases,
            cells["degree_class"][first].astype(np.int64),
            strata,
            breadth,
            n_drugs,
        )

    def _placed_of(self, population: str) -> _Placed:
        grid, pairs = self._grid(population), self._predictions
        is_placed = ~np.ma.getmaskarray(pairs["breadth"])
        is_placed &= _is_among(pairs["disease_id"], grid.diseases)
        if population == "novel":
            is_placed &= np.asarray(pairs["is_novel"])
        # Predictions that no candidate resembles have no cell; the view then has no figure.
        own = {name: pairs[name][is_placed] for name in ("disease_id", "breadth")}
        disease = np.searchsorted(grid.diseases, own["disease_id"])
        number = _stratum(np.ma.getdata(own["breadth"]), grid.degree_class[disease])
        has_stratum = _is_among(number, grid.strata)
        cell = disease * len(grid.strata) + np.searchsorted(grid.strata, number)
        has_cell = has_stratum & _is_among(cell, grid.cell)
        is_placed[is_placed] = has_cell
        return _Placed(is_placed, np.searchsorted(grid.cell, cell[has_cell]))

    def _is_listed_of(self, tier: str) -> NDArray[np.bool_]:
        """Return which of the slate's predictions are of a tier or part, or all."""
        if tier == "all":
            return np.ones(len(self._numbers), dtype=np.bool_)
        if tier in schema.TIERS:
            return np.asarray(self._predictions["tier"] == tier)
        return _is_among(self._numbers, _pair(self._parts[(tier,)]))

    def _listed_of(self, population: str, tier: str) -> _Listed:
        placed, is_listed = self._placed(population), self._is_listed(tier)
        place = np.flatnonzero(placed.is_placed & is_listed)
        cell = placed.cell[is_listed[placed.is_placed]]
        return _Listed(
            place,
            self._numbers[place],
            self._predictions["drug_id"][place],
            cell,
            np.bincount(cell, minlength=len(self._grid(population).cell)).astype(np.float64),
        )


def estimated_pairs(connection: Connection, slate: Row[Any]) -> dict[str, Columns]:
    """Return the predictions of a slate by window, in the same order in each."""
    clause = statements.find("estimated_pair").clause
    key = {"slate_id": str(slate.slate_id)}
    return {
        window: read_arrays(connection, clause, key | {"evidence_window": window})
        for window in WINDOWS
    }


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


def _stratum(breadth: NDArray[Any], degree_class: NDArray[Any]) -> NDArray[np.int64]:
    number: NDArray[np.int64] = breadth.astype(np.int64) * _CLASSES + degree_class
    return number


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


def _is_among(values: NDArray[Any], known: NDArray[Any]) -> NDArray[np.bool_]:
    """Return which values are in a sorted array."""
    if not len(known):
        return np.zeros(len(values), dtype=np.bool_)
    place = np.minimum(np.searchsorted(known, values), len(known) - 1)
    found: NDArray[np.bool_] = known[place] == values
    return found


def _narrowed(chosen: NDArray[np.bool_], among: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which are chosen, and of those chosen before are among these."""
    narrowed = chosen.copy()
    narrowed[chosen] = among
    return narrowed


def _only(columns: Columns, wanted: NDArray[np.bool_]) -> Columns:
    return {name: values[wanted] for name, values in columns.items()}


def _where(columns: Columns, **keys: Any) -> Columns:
    wanted = np.ones(len(next(iter(columns.values()))), dtype=np.bool_)
    for name, value in keys.items():
        wanted &= np.asarray(columns[name] == value)
    return _only(columns, wanted)


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
