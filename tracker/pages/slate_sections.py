"""The sections of a slate's page, entries of SECTIONS: a finding, a chart and its words."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tracker.pages import global_lists, parts, reliability, survival
from tracker.pages.figures import (
    Cell,
    Columns,
    Curves,
    Estimate,
    Intervals,
    Mark,
    Matrix,
    Point,
    Scale,
)
from tracker.pages.sections import Drawing, Entry
from tracker.report.records import Record, Section, first, only, records, rows_of
from tracker.report.survival import last_days
from tracker.report.words import between, count, joined, percent, ratio
from tracker.rows import Rows

_TIERS = {name: f"{name} tier" for name in ("high", "moderate", "exploratory")}

# Ordered from no proof of foresight to proof.
_TIMINGS = (
    "retrospective",
    "coincident",
    "announced",
    "straddles",
    "unverified",
    "undated",
    "prospective",
)
_OUTCOMES = {
    "first_trial_seen": "first trial",
    "phase_advanced": "phase advance",
    "fda_approved": "FDA approval",
    "status_transition": "status change",
}
# What a table of the curve needs; how it was computed is said above it.
_CURVE_COLUMNS = ("tier", "day", "n_at_risk", "n_events", "share_with_event", "low", "high")
_SHARE = ".0%"
_HIT_RATE = "hit rate (share of predictions)"


@dataclass(frozen=True)
class Lead:
    """The window and population of sentences and charts; tables have all of them."""

    window: str
    population: str

    @property
    def keys(self) -> dict[str, Any]:
        """The key columns of a view's rows in this window and population."""
        return {"evidence_window": self.window, "population": self.population}

    @property
    def adjective(self) -> str:
        """The name for hits of this window."""
        return "prospective" if self.window == "prospective" else "recorded"

    @property
    def kind(self) -> str:
        """What sort of predictions the population is, before a noun."""
        return "novel " if self.population == "novel" else ""

    @property
    def after_the_freeze(self) -> str:
        """When this window's hits happened, to follow 'came true'."""
        return " after the freeze" if self.window == "prospective" else ""


def lead_of(sections: Sequence[Section]) -> Lead:
    """Return the strictest window and population in a report."""
    rates = records(sections, "tier_hit_rate")
    windows = {record["evidence_window"] for record in rates}
    populations = {record["population"] for record in rates}
    return Lead(
        "prospective" if "prospective" in windows else "all",
        "novel" if "novel" in populations else "all",
    )


def _hit_rates(sections: Sequence[Section], lead: Lead) -> Drawing | None:
    rates = records(sections, "tier_hit_rate", population=lead.population)
    if not rates:
        return None
    estimates = [
        Estimate(
            name,
            "prospective" if window == "prospective" else "every outcome on record",
            one["hit_rate"],
            one.get("low"),
            one.get("high"),
            note=f"{one['n_hits']:,} of {one['n_predictions']:,}",
        )
        for tier, name in {**_TIERS, "all": "all tiers"}.items()
        for window in dict.fromkeys([lead.window, "all"])
        for one in rates
        if (one["tier"], one["evidence_window"]) == (tier, window) and one["hit_rate"] is not None
    ]
    high = first(sections, "tier_hit_rate", tier="high", **lead.keys)
    total = first(sections, "tier_hit_rate", tier="all", **lead.keys)
    finding = (
        f"{total['n_hits']:,} of all {total['n_predictions']:,} ({percent(total['hit_rate'])})."
    )
    if high:
        interval = between(high.get("low"), high.get("high"), of=percent)
        finding = (
            f"Of the {count(high['n_predictions'], f'{lead.kind}high-tier prediction')}, "
            f"{high['n_hits']:,} "
            f"came true{lead.after_the_freeze} ({percent(high['hit_rate'])}"
            f"{interval and f', {interval}'}); {finding}"
        )
    return Drawing(
        finding,
        Intervals(tuple(estimates), Scale(_HIT_RATE, _SHARE)),
        [f"{one.row}, {one.series}: {percent(one.value)} ({one.note})" for one in estimates],
    )


def _enrichment(sections: Sequence[Section], lead: Lead) -> Drawing | None:
    high = first(sections, "enrichment_vs_matched", tier="high", **lead.keys)
    if not high:
        return None
    estimates = [
        Estimate(
            _TIERS[tier],
            f"against {name}",
            one[f"enrichment_vs_{reference}"],
            one.get("low"),
            one.get("high"),
            f"{ratio(one[f'enrichment_vs_{reference}'])} times",
        )
        for tier in _TIERS
        for reference, name in (("matched", "equally popular drugs"), ("random", "random"))
        for one in [first(sections, f"enrichment_vs_{reference}", tier=tier, **lead.keys)]
        if one.get(f"enrichment_vs_{reference}") is not None
    ]
    value = high["enrichment_vs_matched"]
    random = first(sections, "enrichment_vs_random", tier="high", **lead.keys)
    finding = (
        f"Whether the high tier beats popularity is not known: {high.get('reason')}."
        if value is None
        else f"{f'{lead.kind}high-tier'.capitalize()} predictions came true"
        f"{lead.after_the_freeze} {ratio(value)} times as often as equally popular drugs and "
        f"{ratio(random.get('enrichment_vs_random'))} times as often as the slate's average "
        "prediction."
    )
    scale = Scale("enrichment (times the reference)", ",.2~f", 0, is_ratio=True)
    has_lines = any(one.low is not None for one in estimates)
    return Drawing(
        finding,
        Intervals(tuple(estimates), scale, Mark(1, "no better")) if estimates else None,
        [f"{one.row} {one.series}: {one.note}" for one in estimates],
        note=f" Lines are 95% intervals ({high['method']})." if has_lines else "",
    )


def _global_lists(sections: Sequence[Section], lead: Lead) -> Drawing | None:
    return global_lists.drawing(
        records(sections, "global_list", **lead.keys), lead.after_the_freeze
    )


def _breadth(sections: Sequence[Section], lead: Lead) -> Drawing | None:
    deciles = records(sections, "breadth_decile_hit_rate", **lead.keys)
    expected = tuple(
        Point("every candidate", one["breadth_decile"], one["baseline_hit_rate"])
        for one in deciles
        if one["baseline_hit_rate"] is not None
    )
    seen = [one for one in deciles if one["hit_rate"] is not None]
    if not expected or not seen:
        return None
    better = [one for one in seen if one["hit_rate"] > (one["baseline_hit_rate"] or 0)]
    return Drawing(
        f"The slate does better than its candidates in {len(better)} of "
        f"{count(len(seen), 'breadth decile')}.",
        Columns(
            expected,
            tuple(
                Point(
                    "the slate's predictions",
                    one["breadth_decile"],
                    one["hit_rate"],
                    one.get("low"),
                    one.get("high"),
                )
                for one in seen
            ),
            Scale("breadth decile of the drug (10: known for most diseases)"),
            Scale("hit rate (share of pairs)", _SHARE, 0),
        ),
        [
            f"decile {one['breadth_decile']}: {percent(one['hit_rate'])} against "
            f"{percent(one['baseline_hit_rate'])}"
            for one in seen
        ],
    )


def _calibration(sections: Sequence[Section], lead: Lead) -> Drawing | None:
    deciles = records(sections, "score_decile_hit_rate", **lead.keys)
    if not deciles:
        return None
    points = [
        Point("hit rate", one["mean_score"], one["hit_rate"], one["low"], one["high"])
        for one in deciles
    ]
    total = first(sections, "tier_hit_rate", tier="all", **lead.keys)
    gap = first(sections, "score_calibration", tier="all", **lead.keys)
    finding = (
        f"Of the highest-scored tenth {percent(deciles[-1]['hit_rate'])} came true"
        f"{lead.after_the_freeze}, of the lowest-scored tenth {percent(deciles[0]['hit_rate'])}."
    )
    if gap.get("score_gap") is not None:
        finding += (
            f" Hits scored {gap['mean_score_hits']:.3f} on average, the others "
            f"{gap['mean_score_misses']:.3f}."
        )
    return Drawing(
        finding,
        Curves(
            tuple(points),
            Scale("mean score of the group (model's units)"),
            Scale(_HIT_RATE, _SHARE, 0),
            level=Mark(total["hit_rate"], f"whole slate {percent(total['hit_rate'])}"),
        ),
        [f"score {one.x:.3f}: {percent(one.y)}" for one in points],
    )


def _reliability(sections: Sequence[Section], lead: Lead) -> Drawing | None:
    return reliability.drawing(
        records(sections, "reliability_bin", **lead.keys),
        first(sections, "brier_score", **lead.keys),
        first(sections, "log_score", **lead.keys),
    )


def _survival(sections: Sequence[Section], _lead: Lead) -> Drawing | None:
    curve = records(sections, "survival_curve")
    points = survival.points(curve, _TIERS)
    if points is None:
        return None
    starts = {one.series: one for one in points if one.part == survival.BEFORE}
    ends = {one.series: one for one in points if one.part == survival.AFTER}
    last_day = max((one.x for one in ends.values()), default=0)
    reached = []
    for one in ends.values():
        interval = between(one.low, one.high, of=percent)
        reached.append(f"{percent(one.y)} of the {one.series}{interval and f' ({interval})'}")
    return Drawing(
        f"By day {last_day:,.0f} after the freeze a first event had come for {joined(reached)}."
        if reached
        else "No pair has been followed beyond the freeze yet.",
        Curves(
            tuple(points),
            Scale("days from the freeze", ",.0f"),
            Scale("share of pairs with an event", _SHARE, 0),
            is_step=True,
            has_dots=False,
            has_bands=True,
            upright=Mark(0, "before ◂ freeze ▸ after"),
        ),
        [
            *[f"before the freeze, {one.series}: {percent(one.y)}" for one in starts.values()],
            *[f"by day {one.x:,.0f}, {one.series}: {percent(one.y)}" for one in ends.values()],
        ],
        rows=Rows(
            list(_CURVE_COLUMNS), [tuple(one.get(name) for name in _CURVE_COLUMNS) for one in curve]
        ),
        note=" ".join(["", *_without_band(curve)]),
    )


def _without_band(curve: Sequence[Record]) -> list[str]:
    """Say of which tiers the curve ends without a band, and why."""
    tiers: dict[str, list[str]] = {}
    for one in last_days(curve):
        if one["tier"] in _TIERS and one.get("reason"):
            side = "after" if one["day"] > 0 else "before"
            tiers.setdefault(one["reason"], []).append(f"{one['tier']} {side} the freeze")
    return [f"No band at the end of {joined(names)}: {why}." for why, names in tiers.items()]


def _outcomes(sections: Sequence[Section], _lead: Lead) -> Drawing | None:
    counts = records(sections, "outcome_count")
    if not counts:
        return None
    kinds = [kind for kind in _OUTCOMES if any(one["outcome_type"] == kind for one in counts)]
    cells = tuple(
        Cell(
            timing,
            _OUTCOMES[kind],
            sum(
                one["n_outcomes"]
                for one in counts
                if (one["timing"], one["outcome_type"]) == (timing, kind)
            ),
        )
        for timing in _TIMINGS
        for kind in kinds
    )
    n_total = sum(one.count for one in cells)
    n_prospective = sum(one.count for one in cells if one.row == "prospective")
    return Drawing(
        f"{n_prospective:,} of {count(n_total, 'outcome')} on record "
        f"{'is' if n_prospective == 1 else 'are'} prospective.",
        Matrix(cells, _TIMINGS, tuple(_OUTCOMES[kind] for kind in kinds), "prospective"),
        [
            f"{timing}: "
            + joined([f"{one.count:,} {one.column}" for one in cells if one.row == timing])
            for timing in _TIMINGS
        ],
    )


def _diseases(sections: Sequence[Section], lead: Lead) -> Drawing | None:
    rows = records(sections, "disease_performance", **lead.keys)
    if not rows:
        return None
    with_hit = sum(1 for one in rows if one["n_hits"])
    return Drawing(
        f"{with_hit:,} of {count(len(rows), 'disease')} {'has' if with_hit == 1 else 'have'} at "
        f"least one {lead.adjective} hit.",
        rows=only(rows_of(sections, "disease_performance"), **lead.keys),
    )


SECTIONS = (
    Entry(
        "tier_hit_rate",
        "Hit rate by tier",
        "Tiers are ranks within a disease, as frozen. Lines are 95% intervals by drug and disease. "
        "Prospective counts only events dated after the freeze and not yet public on it; every "
        "outcome on record also counts past, planned and undated ones.",
        _hit_rates,
        "Dots with intervals, one row per tier.",
    ),
    Entry(
        "enrichment_vs_matched",
        "Enrichment against equally popular drugs and against random",
        "Equally popular drugs: other candidates known for as many diseases, in diseases about as "
        "well studied, each disease's activity taken into account. Random: the hit rate of the "
        "whole slate. At 1 the tier does no better.",
        _enrichment,
        "Dots around a line at 1, one row per tier.",
    ),
    Entry(
        "hits_by_month",
        "Hits since the freeze",
        "Predictions of the primary endpoint that had come true by the end of each month, and the "
        "hits that as many equally popular drugs had by then. The band is the 95% interval of "
        "their ratio, times the expected hits, for each month on its own, from three hits on: "
        "where it lies above the expected hits, the predictions did better.",
        parts.by_month,
        "Two rising lines, one with a band.",
    ),
    Entry(
        "enrichment_by_k",
        "Enrichment by rank",
        "The predictions up to a rank within each disease, whatever the tier, against equally "
        "popular drugs. Beside each dot hits and predictions; lines are 95% intervals.",
        parts.by_k,
        "Dots around a line at 1, one row per rank.",
    ),
    Entry(
        "enrichment_by_knowledge",
        "Enrichment by what was known at the freeze",
        "The predictions of the primary endpoint in groups: by the number of drugs known for "
        "their disease, and by the number of diseases their drug was known for. Beside each dot "
        "hits and predictions; lines are 95% intervals.",
        parts.by_knowledge,
        "Dots around a line at 1, one row per group.",
    ),
    Entry(
        "enrichment_by_area",
        "Enrichment by area of disease",
        "The predictions of the primary endpoint by the upper classes of a vocabulary. Areas "
        "overlap: a prediction counts in every area of its disease. Of many areas some lie above "
        "1 by chance. Beside each dot hits and predictions; lines are 95% intervals.",
        parts.by_area,
        "Dots around a line at 1, one row per area.",
    ),
    Entry(
        "global_list",
        "Global lists over all diseases",
        "The predictions with the highest scores, whatever the disease, for those who act on one "
        "short list. This compares scores of different diseases, and says something only where the "
        "model's scores can be compared. Equally popular candidates are those of the same "
        "diseases, the predictions among them, so that a lead reads low. Lines are 95% intervals "
        "by drug and disease.",
        _global_lists,
        "Dots with intervals, one row per list.",
    ),
    Entry(
        "breadth_decile_hit_rate",
        "Hit rate by popularity of the drug",
        "Drugs in ten equal groups by the number of diseases they were known for at the freeze. "
        "Columns: every candidate of the slate's diseases. Dots: the slate's predictions, with 95% "
        "Clopper-Pearson intervals.",
        _breadth,
        "Columns for candidates and dots for predictions, by breadth decile.",
    ),
    Entry(
        "score_decile_hit_rate",
        "Do higher scores come true more often?",
        "Predictions in ten equal groups by score; each dot is a group, at its mean score. Lines "
        "are 95% Clopper-Pearson intervals. A useful score rises to the right.",
        _calibration,
        "Ten dots from the lowest to the highest scores.",
    ),
    Entry(
        "reliability_bin",
        "Are the probabilities right?",
        "The slate declared at its freeze that its scores are probabilities of a prospective hit "
        "by the end of the horizon. Each dot is a tenth of the predictions; the band is the 95% "
        "interval by drug and disease. On the dashed line as many came true as was predicted. "
        "Pairs without follow-up up to the horizon are censored, not misses.",
        _reliability,
        "Dots with a band beside a diagonal line.",
    ),
    Entry(
        "survival_curve",
        "Time to the first event",
        "Kaplan-Meier, with 95% log-log intervals by disease as bands. Left of "
        "the freeze: what had already happened, which proves nothing. Right of it, from zero "
        "again: pairs without an event until then; announced, straddling and unverified events are "
        "among them. A pair without an event counts up to the last day that evidence covers, and a "
        "curve ends where less than a tenth of its pairs are still followed.",
        _survival,
        "Rising steps by tier, on both sides of the freeze.",
    ),
    Entry(
        "outcome_count",
        "Outcomes by type and timing",
        "Announced: dated after the freeze but already public then. Unverified: after the freeze, "
        "first public date unknown. A status change is a low signal and makes no hit. Pairs that "
        "were candidates but not predicted are counted too.",
        _outcomes,
        "Counts by timing and type.",
    ),
    Entry(
        "disease_performance",
        "Disease by disease",
        "The diseases with most hits first. Expected is the hit rate that popularity alone would "
        "give the disease's predictions.",
        _diseases,
    ),
)
