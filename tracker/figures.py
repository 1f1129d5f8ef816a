"""The registry of the figures of a slate: one entry for each view that its report has a section of.

An entry says which columns of the view are figures, what names its rows, and how each figure's
interval is computed; reports, estimates, plans, the scoreboard and CSV files follow from it. A new
figure has its SQL, its section in docs/metrics.md, its golden case, and its entry here.
"""

from dataclasses import dataclass, replace
from typing import Literal, get_args

Window = Literal["all", "prospective"]
WINDOWS: tuple[Window, ...] = get_args(Window)
Population = Literal["all", "novel"]
POPULATIONS: tuple[Population, ...] = get_args(Population)
# From the best rank downwards.
Tier = Literal["high", "moderate", "exploratory"]
TIERS: tuple[Tier, ...] = get_args(Tier)
# What can be asked for: a tier, or all of them together.
TierOrAll = Literal[Tier, "all"]
TIERS_OR_ALL: tuple[TierOrAll, ...] = get_args(TierOrAll)
# The most that commands and Python accept: predictions of a disease, classes of a benchmark, months
# between the origins of a backtest and of its horizons, which are as long as a plan's may be.
MOST_PREDICTIONS = 999_999
MOST_CLASSES = 1_000
MOST_MONTHS = 600
# What resampling starts from, and as many as the column that a seed is stored in holds.
SEED = 20260101
LARGEST_SEED = 2**63 - 1

# The enrichment versus equally popular drugs, the primary endpoint of the default plan: its view by
# tier, and its column in every view that has it.
MATCHED = "enrichment_vs_matched"

# What names a headline figure of a slate; each has some of them.
_BY_TIER = ("tier", "evidence_window", "population")
_WHOLE_SLATE = ("evidence_window", "population")


@dataclass(frozen=True)
class IntervalMethod:
    """How the 95 % interval of a figure is computed; docs/statistics.md has the formulas.

    `method`: of predictions clustered by drug and by disease, a `rate` of hits among those for
    which the column `among` is true, a ratio of hits `versus_slate` or `versus_expected`, where
    each prediction adds the rate of equally popular drugs grouped by `grouping`, or a `gap` of
    scores; a `stratified` ratio of a list; a `tied_rate` of a list that may end within a tie; a
    `grouped_rate` of the pairs of a row, such as those of a decile, of which there are `trials`; a
    `forecast` of probabilities. The counts are columns of the figure's view.
    `adjusted_within` says of which rows p values are adjusted together by Holm's method.
    """

    method: Literal[
        "rate",
        "versus_slate",
        "versus_expected",
        "gap",
        "stratified",
        "tied_rate",
        "grouped_rate",
        "forecast",
    ]
    among: str | None = None
    grouping: Literal["decile", "cohort"] | None = None
    hits: str = "n_hits"
    trials: str = "n_predictions"
    adjusted_within: Literal["window and population", "view"] | None = None


@dataclass(frozen=True)
class Figure:
    """A column of a view that is a figure.

    The kind determines how a figure is judged. A count only grows. Rates, enrichments and
    differences have an interval; an enrichment is compared with 1 and may be a primary endpoint.
    A figure with a `noun`, what a sentence calls it, is a row of sql/prospective/
    headline_figure.sql: plans can use it, and the scoreboard publishes it.
    """

    name: str
    kind: Literal["count", "rate", "enrichment", "difference", "share", "score", "duration"]
    noun: str = ""
    interval: IntervalMethod | None = None
    dimensions: tuple[str, ...] = _BY_TIER
    # The view, as its entry says.
    view: str = ""


@dataclass(frozen=True)
class FigureView:
    """A section of a slate's report: the rows of the view of that name.

    `keys` name a row beside its window, population and tier, and `estimate_keys` in the table
    estimate, if others do there. An audit has figures that explain others, without a standing in a
    plan.
    """

    view: str
    figures: tuple[Figure, ...] = ()
    keys: tuple[str, ...] = ()
    estimate_keys: tuple[str, ...] = ()
    is_audit: bool = False
    # Only of a slate whose scores are probabilities.
    of_probabilities: bool = False

    @property
    def interval_of(self) -> Figure | None:
        """The figure whose interval the section shows."""
        return next((figure for figure in self.figures if figure.interval), None)


_WINDOW: Literal["window and population"] = "window and population"
_GROUP_RATE = Figure(
    "hit_rate", "rate", interval=IntervalMethod("grouped_rate"), dimensions=_WHOLE_SLATE
)
_RATIO = Figure(MATCHED, "enrichment", interval=IntervalMethod("stratified"))
_RATIO_OF_PARTS = replace(_RATIO, interval=IntervalMethod("stratified", adjusted_within="view"))


def _entry(view: str, *figures: Figure, **more: object) -> FigureView:
    return FigureView(view, tuple(replace(one, view=view) for one in figures), **more)  # type: ignore[arg-type]


# In the order of text and data formats; pages/slate_sections.py orders the page.
ENTRIES = (
    _entry("outcome_count"),
    _entry("evidence_flow"),
    _entry("known_at_freeze"),
    _entry(
        "tier_hit_rate",
        Figure("hit_rate", "rate", "hit rate", IntervalMethod("rate", adjusted_within=_WINDOW)),
        Figure("n_hits", "count", "hits"),
    ),
    _entry(
        MATCHED,
        replace(
            _RATIO,
            noun="enrichment against equally popular drugs",
            interval=IntervalMethod("stratified", adjusted_within=_WINDOW),
        ),
    ),
    _entry("hits_by_month", _RATIO, keys=("month",)),
    _entry("enrichment_by_k", _RATIO_OF_PARTS, keys=("k",)),
    _entry("enrichment_by_knowledge", _RATIO_OF_PARTS, keys=("known_of", "least_known")),
    _entry("enrichment_by_nearness", _RATIO_OF_PARTS, keys=("nearness",)),
    _entry("enrichment_by_area", _RATIO_OF_PARTS, keys=("area",)),
    _entry("leak_alarm"),
    _entry(
        "global_list",
        replace(_RATIO, interval=IntervalMethod("stratified", adjusted_within=_WINDOW)),
        Figure("hit_rate", "rate", interval=IntervalMethod("tied_rate")),
        keys=("list_size",),
    ),
    _entry(
        "enrichment_vs_random",
        Figure(
            "enrichment_vs_random",
            "enrichment",
            "enrichment against the whole slate",
            IntervalMethod("versus_slate", adjusted_within=_WINDOW),
        ),
    ),
    _entry(
        "enrichment_vs_popularity",
        Figure(
            "enrichment_vs_popularity",
            "enrichment",
            "enrichment against a popularity list",
            IntervalMethod("versus_expected", grouping="decile", adjusted_within=_WINDOW),
        ),
        Figure(
            "enrichment_vs_popularity_tie_safe",
            "enrichment",
            "enrichment against a popularity list, ties included",
            IntervalMethod("versus_expected", grouping="cohort", adjusted_within=_WINDOW),
        ),
    ),
    _entry("popularity_baseline"),
    _entry("breadth_decile_hit_rate", _GROUP_RATE, keys=("breadth_decile",), is_audit=True),
    _entry(
        "precision_proxy",
        Figure(
            "precision_proxy",
            "rate",
            "precision proxy",
            IntervalMethod("rate", among="has_any_outcome", adjusted_within=_WINDOW),
        ),
    ),
    _entry(
        "score_calibration",
        Figure(
            "score_gap",
            "difference",
            "score gap between hits and misses",
            IntervalMethod("gap", adjusted_within=_WINDOW),
        ),
    ),
    _entry("score_decile_hit_rate", _GROUP_RATE, keys=("score_decile",)),
    _entry(
        "brier_score",
        Figure("brier_score", "score", interval=IntervalMethod("forecast")),
        Figure("brier_skill_score", "score", interval=IntervalMethod("forecast")),
        of_probabilities=True,
    ),
    _entry(
        "log_score",
        Figure("log_score", "score", interval=IntervalMethod("forecast")),
        of_probabilities=True,
    ),
    _entry(
        "reliability_bin",
        Figure("observed_rate", "rate", interval=IntervalMethod("forecast")),
        keys=("probability_bin",),
        of_probabilities=True,
    ),
    _entry("median_time_to_event", Figure("median_days", "duration")),
    _entry(
        "falsification_summary",
        Figure("falsified_share", "share", "share of falsified predictions", dimensions=("tier",)),
    ),
    _entry(
        "disease_summary",
        Figure(
            "share_of_diseases_enriched",
            "share",
            "share of diseases enriched",
            dimensions=_WHOLE_SLATE,
        ),
        Figure(
            "n_low_activity_diseases_with_hits",
            "count",
            "low-activity diseases with hits",
            dimensions=_WHOLE_SLATE,
        ),
    ),
    _entry("survival_curve"),
    _entry("disease_performance", Figure("enrichment_vs_popularity", "enrichment")),
    _entry("time_to_event"),
    _entry("match_kind_hit_rate"),
    _entry("match_kind_enrichment", _RATIO, keys=("match_kind",), estimate_keys=("strength",)),
    _entry("study_setting_enrichment", _RATIO, keys=("study_setting",)),
    _entry(
        "label_gap",
        Figure("label_gap", "enrichment", interval=IntervalMethod("stratified", hits="n_gaps")),
    ),
    _entry("enrichment_by_dating", _RATIO, keys=("dating",)),
    _entry("information_enrichment", _RATIO, keys=("weighting",)),
    _entry(
        "phase_success",
        Figure(
            "success_rate",
            "rate",
            interval=IntervalMethod("grouped_rate", trials="n_entered"),
            dimensions=("population",),
        ),
        keys=("phase", "listed"),
    ),
    # After failures among pairs in a trial: by itself it rises with foresight.
    _entry(
        "tier_failure",
        Figure(
            "failures_vs_matched",
            "enrichment",
            interval=IntervalMethod("stratified", hits="n_failed"),
        ),
    ),
    _entry("outcome_withdrawn"),
    _entry("annulled_outcome"),
    _entry("hit_concentration"),
    _entry("popularity_sensitivity"),
    _entry("score_spread"),
    _entry("name_variant"),
    _entry("same_model_slate"),
    _entry("coverage"),
)

OF_VIEW = {entry.view: entry for entry in ENTRIES}

# The columns of a CSV file that name rows, in order; keys of entries that are not here follow.
_KEY_COLUMNS = (
    "evidence_window",
    "population",
    "tier",
    "list_size",
    "breadth_decile",
    "score_decile",
    "probability_bin",
    "knowledge",
    "outcome_type",
    "timing",
    "stage",
    "day",
    "month",
    "k",
    "known_of",
    "least_known",
    "area",
    "disease_name",
    "drug_name",
    "entity_kind",
    "source",
    "match_kind",
    "cause",
    "name",
    "nearest_text",
    "name_stem",
    "other_slate_id",
    "role",
    "criterion",
    "figure",
    "method",
)
KEY_COLUMNS = tuple(dict.fromkeys([*_KEY_COLUMNS, *(key for one in ENTRIES for key in one.keys)]))

# The figures of headline_figure, which plans and the scoreboard name.
METRICS = {figure.name: figure for entry in ENTRIES for figure in entry.figures if figure.noun}
ENRICHMENTS = tuple(one.name for one in METRICS.values() if one.kind == "enrichment")
COUNTS = tuple(one.name for one in METRICS.values() if one.kind == "count")
HAVE_INTERVAL = tuple(one.name for one in METRICS.values() if one.interval)

_KINDS = ("rate", "enrichment", "difference")


def with_interval(*methods: str) -> list[tuple[Figure, IntervalMethod]]:
    """Return the figures whose intervals are computed so: rates, enrichments, then differences."""
    found = [
        (figure, figure.interval)
        for entry in ENTRIES
        for figure in entry.figures
        if figure.interval and figure.interval.method in methods
    ]
    return sorted(found, key=lambda one: _KINDS.index(one[0].kind) if one[0].kind in _KINDS else 0)


def estimate_keys(view: str) -> tuple[str, ...]:
    """Return what names a row of a view in the table estimate, beside window and tier."""
    return OF_VIEW[view].estimate_keys or OF_VIEW[view].keys
