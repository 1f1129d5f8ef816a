"""Compares the rows of views as DuckDB and Spark compute them."""

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection

from tracker.errors import TrackerError, no_such
from tracker.extras.spark.sessions import SparkStopped
from tracker.extras.spark.views import Views
from tracker.store import catalog

# Doubles may differ by this share of the larger one: sums are added in another order.
TOLERANCE = 1e-12
_FAR_IN_LISTS = (
    "pair[1] is distinct from pair[2] and not coalesce("
    f"abs(pair[1] - pair[2]) <= {TOLERANCE} * greatest(abs(pair[1]), abs(pair[2])), false)"
)
_MAX_SHOWN = 3
_OTHER = "spark_view"


@dataclass(frozen=True)
class Comparison:
    """One view on both engines; `differences` describes the first rows that are not equal."""

    view: str
    n_rows: int
    duckdb_seconds: float
    spark_seconds: float
    differences: list[str] = field(default_factory=list)

    @property
    def is_equal(self) -> bool:
        """Whether both engines have the same rows."""
        return not self.differences


def below(names: Iterable[str]) -> list[str]:
    """Return these views, or all, and the views they read, each after what it reads."""
    known = catalog.reads()
    wanted = list(names) or list(known)
    found: set[str] = set()
    while wanted:
        name = wanted.pop()
        if name not in known:
            raise no_such("view", name, known, "see 'tracker view'")
        if name not in found:
            found.add(name)
            wanted.extend(known[name] & known.keys())
    return catalog.in_reading_order(found)


def compare(connection: Connection, views: Views, names: Iterable[str]) -> Iterator[Comparison]:
    """Compare these views, or all, with what they read; yields each as it is done.

    Every view reads what its own engine made of the views below. DuckDB's rows stay in temporary
    tables.
    """
    for name in below(names):
        started = time.perf_counter()
        connection.exec_driver_sql("create temp table " + name + " as from main." + name)
        n_rows = connection.execute(sa.select(sa.func.count()).select_from(sa.table(name))).scalar()
        computed = time.perf_counter()
        try:
            views.put(_OTHER, views.rows(name), views.columns[name])
            fetched = time.perf_counter()
            differences = _differences(connection, name, views.columns[name])
        except SparkStopped:
            raise
        except TrackerError as error:
            fetched = time.perf_counter()
            differences = [str(error)]
        yield Comparison(
            name, int(n_rows or 0), computed - started, fetched - computed, differences
        )


def _differences(connection: Connection, name: str, types: dict[str, str]) -> list[str]:
    grain = catalog.find(name).grain
    columns: list[Any] = [sa.column(column) for column in types]
    ours = sa.table(name, *columns, schema="temp").alias("ours")
    theirs = sa.table(_OTHER, *(sa.column(column) for column in types)).alias("theirs")
    same_row = sa.and_(*(ours.c[one].is_not_distinct_from(theirs.c[one]) for one in grain))
    differing = {
        column: is_different(ours.c[column], theirs.c[column], kind)
        for column, kind in types.items()
    }
    # Without a value of a key, which is never NULL, the row is not there.
    is_ours, is_theirs = (side.c[grain[0]].is_not(None) for side in (ours, theirs))
    found = (
        sa.select(
            is_ours.label("is_ours"),
            is_theirs.label("is_theirs"),
            *(sa.func.coalesce(ours.c[one], theirs.c[one]).label(f"key_{one}") for one in grain),
            *(differing[column].label(f"is_{column}") for column in types),
            *(ours.c[column].label(f"ours_{column}") for column in types),
            *(theirs.c[column].label(f"theirs_{column}") for column in types),
        )
        .select_from(ours.join(theirs, same_row, full=True))
        .where(sa.or_(*differing.values()))
    )
    rows = connection.execute(found.limit(_MAX_SHOWN)).mappings().all()
    counts = [
        connection.execute(sa.select(sa.func.count()).select_from(side)).scalar_one()
        for side in (ours, theirs)
    ]
    lines = [_line(row, grain, list(types)) for row in rows]
    if counts[0] != counts[1]:
        lines.insert(0, f"{counts[0]:,} rows on DuckDB, {counts[1]:,} on Spark")
    return lines


def is_different(ours: Any, theirs: Any, kind: str) -> Any:
    """Return the condition that two columns of a DuckDB type differ, doubles beyond TOLERANCE."""
    if kind == "DOUBLE[]":
        by_place = sa.func.list_zip(ours, theirs)
        # SQLAlchemy has no lambdas; the names in them are no columns.
        far = sa.func.list_filter(by_place, sa.literal_column(f"lambda pair: {_FAR_IN_LISTS}"))
        is_near = sa.and_(sa.func.len(ours) == sa.func.len(theirs), sa.func.len(far) == 0)
        return sa.and_(
            ours.is_distinct_from(theirs), sa.not_(sa.func.coalesce(is_near, sa.false()))
        )
    if kind != "DOUBLE":
        return ours.is_distinct_from(theirs)
    near = sa.func.abs(ours - theirs) <= TOLERANCE * sa.func.greatest(
        sa.func.abs(ours), sa.func.abs(theirs)
    )
    return sa.and_(ours.is_distinct_from(theirs), sa.not_(sa.func.coalesce(near, sa.false())))


def _line(row: Any, grain: list[str], columns: list[str]) -> str:
    key = ", ".join(f"{one} {row[f'key_{one}']}" for one in grain)
    if not row["is_theirs"]:
        return f"{key}: only on DuckDB"
    if not row["is_ours"]:
        return f"{key}: only on Spark"
    told = "; ".join(
        f"{one} is {row[f'ours_{one}']} on DuckDB, {row[f'theirs_{one}']} on Spark"
        for one in columns
        if row[f"is_{one}"]
    )
    return f"{key}: {told}"
