"""Adds intervals to the figures of a report, and marks the figures in the plan."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row

from tracker.figures import ENTRIES, METRICS, OF_VIEW, estimate_keys
from tracker.rows import Rows
from tracker.slates.plans import Plan
from tracker.uncertainty import estimates
from tracker.uncertainty.estimates import Estimate, Figures
from tracker.uncertainty.stats.clustered import FEW_HITS
from tracker.uncertainty.stats.intervals import exact_limits

# Where intervals of rates cover the truth in less than 93 % of simulated worlds, the hit rate's is
# 2.3 to 4.3 times as wide in the median; in some other settings too
# (docs/statistics.md#every-interval).
_MOST_TIMES_AS_WIDE = 2.0

PRIMARY, PLANNED, EXPLORATORY = "primary endpoint", "in the plan", "exploratory"

_INTERVAL_COLUMNS = ("low", "high", "method", "p_value", "p_adjusted")

# The interval's method gives the p value; nothing of a slate is resampled.
_COLUMNS = [
    "figure",
    "evidence_window",
    "population",
    "tier",
    "standing",
    "value",
    "low",
    "high",
    "method",
    "n",
    "n_units",
    "p_value",
    "p_adjusted",
    "n_events_needed",
    "reason",
]


def standing(view: str, plan: Plan) -> str | None:
    """Return the plan's standing of a section's figures; None for counts, lists and audits."""
    if METRICS[plan.primary.metric].view == view:
        return PRIMARY
    if view in {METRICS[criterion.metric].view for criterion in plan.criteria}:
        return PLANNED
    entry = OF_VIEW[view]
    return EXPLORATORY if entry.figures and not entry.is_audit else None


def estimate_rows(found: Sequence[Estimate], keys: Sequence[str]) -> Rows:
    """Return estimates as rows: figure, keys of its row, uncertainty."""
    columns = (
        "value",
        "low",
        "high",
        "level",
        "method",
        "unit",
        "n",
        "n_units",
        "seed",
        "n_replicates",
        "reason",
    )
    return Rows(
        ["figure", *keys, *columns],
        [
            (
                estimate.metric,
                *[estimate.row_key.get(key) for key in keys],
                *[getattr(estimate, name) for name in columns],
            )
            for estimate in found
        ],
    ).without_empty("reason")


def with_intervals(
    found: Sequence[Estimate], view: str, metric: str, rows: Rows, names: Mapping[str, str]
) -> Rows:
    """Add the interval of one column to the rows of a view, whose row_key identifies a row.

    `names` maps the added fields of an estimate to their columns.
    """
    of_figure = [one for one in found if (one.view_name, one.metric) == (view, metric)]
    keys = [name for name in rows.columns if any(name in one.row_key for one in of_figure)]
    by_key = {tuple(one.row_key[name] for name in keys): one for one in of_figure}
    at = [rows.columns.index(name) for name in keys]
    own = [by_key.get(tuple(row[index] for index in at)) for row in rows.values]
    return _with(
        rows,
        list(names.values()),
        [tuple(getattr(estimate, name, None) for name in names) for estimate in own],
    )


@dataclass(frozen=True)
class Uncertainty:
    """The estimates of a slate for its report, their origin in words, and its headline figures."""

    estimates: list[Estimate]
    origin: str
    figures: Figures

    @classmethod
    def of(cls, connection: Connection, slate: Row[Any]) -> "Uncertainty":
        """Read a slate's figures, and read or compute its estimates."""
        figures = estimates.headline_figures(connection, slate)
        return cls(*estimates.stored_or_computed(connection, slate, figures), figures)

    def with_interval(self, view: str, rows: Rows) -> Rows:
        """Add to a section's rows their figure's limits, method and p values."""
        figure = OF_VIEW[view].interval_of
        if figure is None:
            return rows
        wider = _with(
            rows,
            _INTERVAL_COLUMNS,
            [
                tuple(getattr(estimate, name, None) for name in _INTERVAL_COLUMNS)
                for estimate in self.of_rows(view, figure.name, rows)
            ],
        )
        for name in ("p_value", "p_adjusted"):
            wider = wider.without_empty(name)
        return wider

    def with_limits(self, view: str, metric: str, rows: Rows) -> Rows:
        """Add to a section's rows the limits of another figure, in columns with its name."""
        return _with(
            rows,
            (f"low_{metric}", f"high_{metric}"),
            [
                (None, None) if estimate is None else (estimate.low, estimate.high)
                for estimate in self.of_rows(view, metric, rows)
            ],
        )

    def of_rows(self, view: str, metric: str, rows: Rows) -> list[Estimate | None]:
        """Return the estimate of a figure in each row of its view, None for a row without one."""
        by_key = {
            _row_key(vars(estimate) | dict(estimate.row_key)): estimate
            for estimate in self.estimates
            if (estimate.view_name, estimate.metric) == (view, metric)
        }
        return [
            by_key.get(_row_key(dict(zip(rows.columns, row, strict=True)))) for row in rows.values
        ]

    def rows(self, plan: Plan, windows: Sequence[str], populations: Sequence[str]) -> Rows:
        """Return the estimates of the windows and populations, with their standing in the plan."""
        return Rows(
            _COLUMNS,
            [
                tuple(record[name] for name in _COLUMNS)
                for estimate in self.estimates
                for record in [
                    vars(estimate)
                    | {"figure": estimate.metric, "standing": _standing(estimate, plan)}
                ]
                if not estimate.row_key
                and estimate.evidence_window in windows
                and estimate.population in populations
            ],
        )

    def warnings(self, plan: Plan, windows: Sequence[str], populations: Sequence[str]) -> list[str]:
        """Warn that the primary endpoint is inconclusive, or that its hits cluster."""
        primary = plan.primary
        key = primary.figure
        found = [
            estimate
            for estimate in self.estimates
            if not estimate.row_key
            and estimates.figure_key(estimate) == key
            and estimate.reason is not None
        ]
        if primary.evidence_window not in windows or primary.population not in populations:
            return []
        return [
            f"The primary endpoint, {primary.metric} of tier {primary.tier}: {estimate.reason}."
            for estimate in found
        ] + [
            f"Hits cluster: the interval of the hit rate is {wider:.1f} times as wide as if pairs "
            "were independent, since drugs or diseases have many hits each. Where few drugs have "
            "most, intervals of rates are too narrow."
            for estimate in self.estimates
            if not estimate.row_key and estimates.figure_key(estimate) == ("hit_rate", *key[1:])
            for wider in [_times_as_wide(estimate)]
            if wider > _MOST_TIMES_AS_WIDE
        ]


@dataclass(frozen=True)
class Subject:
    """A report's slate with its plan and its estimates, over a connection."""

    connection: Connection
    slate: Row[Any]
    plan: Plan
    found: Uncertainty


def _times_as_wide(rate: Estimate) -> float:
    """Return how many times as wide a rate's interval is as an exact one, 0 if unknown.

    Also 0 for few hits, whose interval is wide whether they cluster or not.
    """
    if rate.value is None or rate.low is None or rate.high is None or not rate.n:
        return 0.0
    if rate.value * rate.n < FEW_HITS:
        return 0.0
    low, high = exact_limits(rate.value, rate.n)
    return (rate.high - rate.low) / float(high - low)


def _standing(estimate: Estimate, plan: Plan) -> str:
    key = estimates.figure_key(estimate)
    planned = {each.figure: each for each in (*plan.criteria, plan.primary)}
    if key not in planned:
        return EXPLORATORY
    return PRIMARY if planned[key] == plan.primary else PLANNED


_ROW_KEY = (
    "evidence_window",
    "population",
    "tier",
    *dict.fromkeys(key for entry in ENTRIES for key in estimate_keys(entry.view)),
)


def _row_key(record: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(record.get(name) for name in _ROW_KEY)


def _with(rows: Rows, columns: Sequence[str], values: Sequence[tuple[Any, ...]]) -> Rows:
    return Rows(
        [*rows.columns, *columns],
        [(*row, *more) for row, more in zip(rows.values, values, strict=True)],
    )
