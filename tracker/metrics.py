"""The figures of a slate that plans, the scoreboard and reports name: one entry each.

The view of a figure has a column of its name; sql/prospective/headline_figure.sql brings the
figures of all views together, and a test compares it with this list.
"""

from dataclasses import dataclass
from typing import Literal

WINDOWS = ("all", "prospective")
POPULATIONS = ("all", "novel")
# From the best rank downwards.
TIERS = ("high", "moderate", "exploratory")
# The bounds of what commands and Python take: predictions of a disease, classes of a benchmark.
MOST_PREDICTIONS = 999_999
MOST_CLASSES = 1_000

_BY_TIER = ("tier", "evidence_window", "population")
_WHOLE_SLATE = ("evidence_window", "population")


@dataclass(frozen=True)
class Metric:
    """A figure: its name, its view, what sort of number it is, and its dimensions within a slate.

    The kind determines how a figure is judged. A count only grows. Rates, enrichments and
    differences have an interval; an enrichment is compared with 1 and may be a primary endpoint.
    `noun` is what a sentence calls it.
    """

    name: str
    view: str
    kind: Literal["count", "rate", "enrichment", "difference", "share"]
    noun: str
    dimensions: tuple[str, ...] = _BY_TIER


# The first figure of a view that has an interval is the one its section shows the interval of.
_ALL = (
    Metric("hit_rate", "tier_hit_rate", "rate", "hit rate"),
    Metric("n_hits", "tier_hit_rate", "count", "hits"),
    Metric("precision_proxy", "precision_proxy", "rate", "precision proxy"),
    Metric(
        "enrichment_vs_matched",
        "enrichment_vs_matched",
        "enrichment",
        "enrichment against equally popular drugs",
    ),
    Metric(
        "enrichment_vs_random",
        "enrichment_vs_random",
        "enrichment",
        "enrichment against the whole slate",
    ),
    Metric(
        "enrichment_vs_popularity",
        "enrichment_vs_popularity",
        "enrichment",
        "enrichment against a popularity list",
    ),
    Metric(
        "enrichment_vs_popularity_tie_safe",
        "enrichment_vs_popularity",
        "enrichment",
        "enrichment against a popularity list, ties included",
    ),
    Metric("score_gap", "score_calibration", "difference", "score gap between hits and misses"),
    Metric(
        "share_of_diseases_enriched",
        "disease_summary",
        "share",
        "share of diseases enriched",
        _WHOLE_SLATE,
    ),
    Metric(
        "n_low_activity_diseases_with_hits",
        "disease_summary",
        "count",
        "low-activity diseases with hits",
        _WHOLE_SLATE,
    ),
    Metric(
        "falsified_share",
        "falsification_summary",
        "share",
        "share of falsified predictions",
        ("tier",),
    ),
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
