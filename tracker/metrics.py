"""The figures of a slate that plans, the scoreboard and reports name: one entry each.

The view of a figure has a column of its name; sql/prospective/headline_figure.sql brings the
figures of all views together, and a test compares it with this list.
"""

from dataclasses import dataclass
from typing import Literal

WINDOWS = ("all", "prospective")
POPULATIONS = ("all", "novel")

_BY_TIER = ("tier", "evidence_window", "population")
_WHOLE_SLATE = ("evidence_window", "population")


@dataclass(frozen=True)
class Metric:
    """A figure: its name, its view, what sort of number it is, and its dimensions within a slate.

    The kind determines how a figure is judged. A count only grows. Rates, enrichments and
    differences have an interval; an enrichment is compared with 1 and may be a primary endpoint.
    """

    name: str
    view: str
    kind: Literal["count", "rate", "enrichment", "difference", "share"]
    dimensions: tuple[str, ...] = _BY_TIER


# The first figure of a view that has an interval is the one its section shows the interval of.
_ALL = (
    Metric("hit_rate", "tier_hit_rate", "rate"),
    Metric("n_hits", "tier_hit_rate", "count"),
    Metric("precision_proxy", "precision_proxy", "rate"),
    Metric("enrichment_vs_matched", "enrichment_vs_matched", "enrichment"),
    Metric("enrichment_vs_random", "enrichment_vs_random", "enrichment"),
    Metric("enrichment_vs_popularity", "enrichment_vs_popularity", "enrichment"),
    Metric("enrichment_vs_popularity_tie_safe", "enrichment_vs_popularity", "enrichment"),
    Metric("score_gap", "score_calibration", "difference"),
    Metric("share_of_diseases_enriched", "disease_summary", "share", _WHOLE_SLATE),
    Metric("n_low_activity_diseases_with_hits", "disease_summary", "count", _WHOLE_SLATE),
    Metric("falsified_share", "falsification_summary", "share", ("tier",)),
)

METRICS = {metric.name: metric for metric in _ALL}
ENRICHMENTS = tuple(metric.name for metric in _ALL if metric.kind == "enrichment")
COUNTS = tuple(metric.name for metric in _ALL if metric.kind == "count")

VIEWS = tuple(dict.fromkeys(metric.view for metric in _ALL))
VIEWS_BY_TIER = tuple(
    dict.fromkeys(metric.view for metric in _ALL if metric.dimensions == _BY_TIER)
)
HAVE_INTERVAL = tuple(
    metric.name for metric in _ALL if metric.kind in ("rate", "enrichment", "difference")
)
WITH_INTERVAL = {
    metric.view: metric.name
    for metric in reversed(_ALL)
    if metric.kind in ("rate", "enrichment", "difference")
}
