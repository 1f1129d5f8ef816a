"""Reads what the enrichment versus equally popular drugs of a slate was computed from."""

from typing import Any

import numpy as np
import sqlalchemy as sa
from numpy.typing import NDArray
from sqlalchemy import Connection, Row

from tracker.store import statements
from tracker.uncertainty.estimates.records import read_arrays
from tracker.uncertainty.stats import matched

Columns = dict[str, NDArray[Any]]


class MatchedCounts:
    """The views behind enrichment_vs_matched as arrays, for every window, population and tier."""

    def __init__(self, connection: Connection, slate: Row[Any]) -> None:
        group = ("evidence_window", "population")
        stratum = ("degree_class", "breadth")
        self._cells = _view(
            connection,
            slate,
            "matched_cell",
            *(*group, "tier", "disease_id", *stratum),
            *("n_candidates", "n_candidate_hits", "n_predictions", "activity"),
        )
        self._predictions = _view(
            connection,
            slate,
            "matched_expectation",
            *(*group, "tier", "disease_id", "drug_id", *stratum, "is_hit"),
        )
        key = {"slate_id": str(slate.slate_id)}
        self._hits = read_arrays(connection, statements.find("matched_hit").clause, key)
        self._drugs = read_arrays(connection, statements.find("breadth_drug_count").clause, key)

    def world(self, window: str, population: str, tier: str) -> matched.World:
        """Return what the ratio of this window, population and tier rests on."""
        cells = _where(self._cells, evidence_window=window, population=population, tier=tier)
        predictions = _where(self._predictions, evidence_window=window, population=population)
        if tier != "all":
            predictions = _where(predictions, tier=tier)
        diseases, first, of_disease = np.unique(
            cells["disease_id"], return_index=True, return_inverse=True
        )
        strata, of_stratum = np.unique(_stratum(cells), return_inverse=True)
        breadths, breadth = np.unique(strata // _CLASSES, return_inverse=True)
        # Predictions that no candidate resembles have no stratum; the view then has no figure.
        predictions = _among(predictions, diseases, strata)
        is_hit = "is_prospective_hit" if window == "prospective" else "is_hit"
        hits = _where(self._hits, **{is_hit: True})
        if population == "novel":
            hits = _where(hits, is_known=False)
        hits = _among(hits, diseases, strata)
        hits = _only(hits, ~np.isin(_pair(hits), _pair(predictions)))
        drugs = _where(self._drugs, population=population)
        n_drugs = np.ones(len(breadths))
        known = np.isin(drugs["breadth"], breadths)
        n_drugs[np.searchsorted(breadths, drugs["breadth"][known])] = drugs["n_drugs"][known]
        return matched.World(
            cells=matched.Cells(
                of_disease,
                of_stratum,
                cells["n_candidates"].astype(np.float64),
                cells["n_predictions"].astype(np.float64),
            ),
            predicted=matched.Pairs(
                predictions["drug_id"],
                np.searchsorted(diseases, predictions["disease_id"]),
                np.searchsorted(strata, _stratum(predictions)),
                predictions["is_hit"].astype(np.float64),
            ),
            other_hits=matched.Pairs(
                hits["drug_id"],
                np.searchsorted(diseases, hits["disease_id"]),
                np.searchsorted(strata, _stratum(hits)),
                np.ones(len(hits["drug_id"])),
            ),
            activity=cells["activity"][first].astype(np.float64),
            hits=np.bincount(of_stratum, cells["n_candidate_hits"]).astype(np.float64),
            breadth=breadth,
            n_drugs=n_drugs,
        )


# More than there are classes of degree: one number for a stratum, ordered by breadth.
_CLASSES = 8


def _stratum(columns: Columns) -> NDArray[np.int64]:
    number: NDArray[np.int64] = (
        columns["breadth"].astype(np.int64) * _CLASSES + columns["degree_class"]
    )
    return number


def _pair(columns: Columns) -> NDArray[np.int64]:
    number: NDArray[np.int64] = (
        columns["disease_id"].astype(np.int64) * (1 << 31) + columns["drug_id"]
    )
    return number


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
        np.isin(columns["disease_id"], diseases) & np.isin(_stratum(columns), strata),
    )


def _view(connection: Connection, slate: Row[Any], view: str, *columns: str) -> Columns:
    table = sa.table(view, sa.column("slate_id", sa.Uuid), *[sa.column(name) for name in columns])
    return read_arrays(
        connection,
        # In one order, so that sums are the same to the last bit each time.
        sa.select(*[table.c[name] for name in columns])
        .where(table.c.slate_id == slate.slate_id)
        .order_by(*[table.c[name] for name in columns]),
    )
