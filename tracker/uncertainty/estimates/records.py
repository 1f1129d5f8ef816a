"""Estimates: their fields, their storage, and the newest ones of a subject."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from datetime import datetime
from typing import Any, Literal

import sqlalchemy as sa
from numpy.typing import NDArray
from sqlalchemy import Connection, Row

from tracker import schema, temp_tables
from tracker.figures import SEED
from tracker.store import statements
from tracker.uncertainty import stats
from tracker.uncertainty.stats import Interval
from tracker.uncertainty.stats.clustered import UNIT

# Reports that compute estimates without storing them use fewer replicates.
REPLICATES_UNSTORED = 2_000

# The column of the table estimate that names the subject.
Subject = Literal["slate_id", "evaluation_id", "submission_id"]


@dataclass(frozen=True)
class Estimate:
    """A figure of a view's row with its interval and test; see schema.estimate for each field.

    `view_name`, `metric` (a column of the view) and the row's keys identify the figure; `value` is
    that of the view.
    """

    view_name: str
    metric: str
    value: float | None
    n: int | None
    level: float
    method: str
    unit: str
    evidence_window: str | None = None
    population: str | None = None
    tier: str | None = None
    row_key: Mapping[str, Any] = field(default_factory=dict)
    n_units: int | None = None
    low: float | None = None
    high: float | None = None
    p_value: float | None = None
    p_adjusted: float | None = None
    test: str | None = None
    seed: int | None = None
    n_replicates: int | None = None
    n_events_needed: int | None = None
    reason: str | None = None

    @property
    def key(self) -> tuple[Any, ...]:
        """The key of the figure, which does not depend on the method."""
        dimensions = (self.evidence_window, self.population, self.tier)
        return (self.view_name, self.metric, *dimensions, *sorted(self.row_key.items()))


def of_interval(
    interval: Interval, view_name: str, metric: str, value: float | None, **more: Any
) -> Estimate:
    """Return the estimate of a view's figure with this interval; `more` overrides its fields."""
    known = {name: given for name, given in vars(interval).items() if name != "estimate"}
    return Estimate(view_name, metric, value, **(known | more))


def unknown(
    view_name: str,
    metric: str,
    n: int | None,
    reason: str | None,
    method: str = "two-way clustered",
    **key: Any,
) -> Estimate:
    """Return the estimate of a figure without a value, with the view's reason."""
    return Estimate(view_name, metric, None, n, stats.LEVEL, method, UNIT, reason=reason, **key)


def of_enrichment(
    interval: Interval,
    view_name: str,
    metric: str,
    value: float | None,
    *,
    n_hits: int,
    bar: float,
    **more: Any,
) -> Estimate:
    """Return the estimate of an enrichment, inconclusive if its interval holds 1 and the bar."""
    estimate = of_interval(interval, view_name, metric, value, test=interval.method, **more)
    if interval.low is None or interval.high is None or interval.low > 1 or interval.high < bar:
        return estimate
    n_needed = stats.further_events(interval, bar, n_hits)
    how_many = "" if n_needed is None else f"; about {n_needed:,} more hits would decide"
    reason = f"inconclusive: the interval contains both 1 and {bar:.15g}{how_many}"
    return replace(estimate, n_events_needed=n_needed, reason=reason)


def adjusted(estimates: Iterable[Estimate]) -> list[Estimate]:
    """Return the estimates of one figure with p values adjusted over them by Holm's method.

    Tier 'all' is not a further test: its p value is not adjusted, and it comes last.
    """
    found = list(estimates)
    parts = [estimate for estimate in found if estimate.tier != "all"]
    overall = [replace(e, p_adjusted=e.p_value) for e in found if e.tier == "all"]
    p_values = stats.holm([estimate.p_value for estimate in parts])
    return [
        replace(estimate, p_adjusted=p) for estimate, p in zip(parts, p_values, strict=True)
    ] + overall


def append(
    connection: Connection,
    subject: Subject,
    subject_id: Any,
    estimates: Iterable[Estimate],
    computed_at: datetime,
) -> list[Estimate]:
    """Append the estimates of a subject to the table estimate, and return them as a list."""
    found, table = list(estimates), schema.estimate
    first_id = temp_tables.next_key(connection, table.c.estimate_id)
    more = {"computed_at": computed_at, subject: subject_id}
    rows = [
        asdict(estimate) | more | {"estimate_id": number, "row_key": dict(estimate.row_key)}
        for number, estimate in enumerate(found, start=first_id)
    ]
    if rows:
        connection.execute(sa.insert(table), rows)
    return found


def newest(
    connection: Connection, subject: Subject, subject_id: Any
) -> tuple[list[Estimate], datetime | None]:
    """Return the estimates of a subject computed last, and when; ([], None) if none are stored.

    A connection opened as of an instant leaves out estimates computed after it.
    """
    view = sa.table(
        "latest_estimate", *[sa.column(each.name, each.type) for each in schema.estimate.c]
    )
    rows = connection.execute(
        sa.select(view).where(view.c[subject] == subject_id).order_by(view.c.estimate_id)
    ).all()
    names = [entry.name for entry in fields(Estimate)]
    estimates = [Estimate(**{name: getattr(row, name) for name in names}) for row in rows]
    return estimates, max((row.computed_at for row in rows), default=None)


def stored_or(
    connection: Connection,
    subject: Subject,
    subject_id: Any,
    compute: Callable[[], Iterable[Estimate]],
    are_current: Callable[[list[Estimate]], bool],
) -> tuple[list[Estimate], str]:
    """Return the newest estimates of a subject if current, else computed ones, and their origin."""
    stored, computed_at = newest(connection, subject, subject_id)
    if computed_at is None:
        return list(compute()), f"computed for this report with seed {SEED} and not stored"
    if are_current(stored):
        return stored, f"computed on {computed_at:%Y-%m-%d} and stored"
    return list(compute()), f"computed with seed {SEED}; those stored are out of date"


def is_same(value: float | None, other: float | None) -> bool:
    """Return whether values are equal but for rounding, or both None."""
    if value is None or other is None:
        return value is other
    return math.isclose(value, other)


def query(
    view: str, columns: Sequence[str], order: Sequence[str] | None = None, **key: Any
) -> sa.Select[Any]:
    """Return a query of the rows of a view with this key, ordered by `order` or all columns."""
    chosen: list[Any] = [sa.literal_column(name) for name in columns]
    wanted = [sa.literal_column(name) == value for name, value in key.items()]
    sort: list[Any] = [sa.literal_column(name) for name in (columns if order is None else order)]
    return sa.select(*chosen).select_from(sa.text(view)).where(*wanted).order_by(*sort)


def read_arrays(
    connection: Connection, query: sa.Executable, parameters: Mapping[str, Any] | None = None
) -> dict[str, NDArray[Any]]:
    """Return the columns of a query as NumPy arrays, masked where a value is NULL.

    No Python objects are made except for texts, so that a million rows are cheap.
    """
    cursor: Any = connection.execute(query, parameters or {}).cursor
    columns: dict[str, NDArray[Any]] = cursor.fetchnumpy()
    return columns


def read_sample(connection: Connection, statement: str, **key: Any) -> dict[str, NDArray[Any]]:
    """Return the columns of the rows of a statement in sql/, by `read_arrays`."""
    return read_arrays(connection, statements.find(statement).clause, key)


def estimated_pairs(
    connection: Connection, slate: Row[Any], window: str
) -> dict[str, NDArray[Any]]:
    """Return the predictions of a slate in a window, in one order for all windows."""
    key = {"slate_id": str(slate.slate_id), "evidence_window": window}
    return read_sample(connection, "estimated_pair", **key)
