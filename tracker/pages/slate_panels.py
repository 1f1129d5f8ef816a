"""The panels of a slate's page: each finding as a sentence, a chart, and the chart in words."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from tracker.pages import survival_panel
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
from tracker.pages.page import Panel
from tracker.report.build import Report
from tracker.report.records import Record, first, only, records, rows_of
from tracker.report.words import between, count, joined, percent, ratio
from tracker.uncertainty import stats

_TIERS = ("high", "moderate", "exploratory", "all")
_TIER_NAMES = {tier: f"{tier} tier" for tier in _TIERS} | {"all": "all tiers"}

# From what proves nothing about foresight to what does.
_TIMINGS = ("retrospective", "coincident", "announced", "unverified", "undated", "prospective")
_OUTCOMES = {
    "first_trial_seen": "first trial",
    "phase_advanced": "phase advance",
    "fda_approved": "FDA approval",
    "status_transition": "status change",
}
_SHARE = ".0%"
_HIT_RATE = "hit rate (share of predictions)"


@dataclass(frozen=True)
class Lead:
    """The window and population that sentences and charts are about; tables hold all of them."""

    window: str
    population: str

    @property
    def keys(self) -> dict[str, Any]:
        """The key columns of a view's rows in this window and population."""
        return {"evidence_window": self.window, "population": self.population}

    @property
    def adjective(self) -> str:
        """What hits of this window are called."""
        return "prospective" if self.window == "prospective" else "recorded"

    @property
    def after_the_freeze(self) -> str:
        """When hits of this window happened, to follow 'came true'."""
        return " after the freeze" if self.window == "prospective" else ""


def lead_of(report: Report) -> Lead:
    """Return the strictest window and the widest population that a report has."""
    rates = records(report.sections, "tier_hit_rate")
    windows = {record["evidence_window"] for record in rates}
    populations = {record["population"] for record in rates}
    return Lead(
        "prospective" if "prospective" in windows else "all",
        "all" if "all" in populations else "novel",
    )


def _method(found: Sequence[Estimate], record: Record) -> str:
    """Say how the intervals that are drawn were made, nothing where none is."""
    if all(one.low is None for one in found):
        return ""
    return f" Lines are 95% intervals ({record['method']})."


def hit_interval(record: Record) -> tuple[float | None, float | None]:
    """Return the ends of a hit rate's interval: as estimated with it, else Wilson's."""
    if record.get("low") is not None:
        return record["low"], record["high"]
    interval = stats.wilson(record["n_hits"], record["n_predictions"])
    return interval.low, interval.high


def panels(report: Report, lead: Lead) -> list[Panel]:
    """Return the panels for which the report has rows, in reading order."""
    made = [make(report, lead) for make in _PANELS]
    return [panel for panel in made if panel is not None]


def _hit_rates(report: Report, lead: Lead) -> Panel | None:
    rates = records(report.sections, "tier_hit_rate", population=lead.population)
    if not rates:
        return None
    windows = list(dict.fromkeys([lead.window, "all"]))
    estimates = [
        Estimate(
            _TIER_NAMES[record["tier"]],
            "prospective" if window == "prospective" else "every outcome on record",
            record["hit_rate"],
            *hit_interval(record),
            note=f"{record['n_hits']:,} of {record['n_predictions']:,}",
        )
        for tier in _TIERS
        for window in windows
        for record in rates
        if (record["tier"], record["evidence_window"]) == (tier, window)
        and record["hit_rate"] is not None
    ]
    high = first(report.sections, "tier_hit_rate", tier="high", **lead.keys)
    total = first(report.sections, "tier_hit_rate", tier="all", **lead.keys)
    finding = (
        f"{total['n_hits']:,} of all {total['n_predictions']:,} ({percent(total['hit_rate'])})."
    )
    if high:
        finding = (
            f"Of the {count(high['n_predictions'], 'high-tier prediction')}, {high['n_hits']:,} "
            f"came true{lead.after_the_freeze} ({percent(high['hit_rate'])}, "
            f"{between(*hit_interval(high), of=percent)}); {finding}"
        )
    return Panel(
        "tier_hit_rate",
        "Hit rate by tier",
        finding,
        "Tiers are ranks within a disease, as frozen. Lines are 95% Wilson intervals. Prospective "
        "counts only events dated after the freeze and first public after it; every outcome on "
        "record also counts past, planned and undated ones.",
        rows_of(report.sections, "tier_hit_rate"),
        Intervals(tuple(estimates), Scale(_HIT_RATE, _SHARE)),
        "Dots with intervals, one row per tier. "
        + "; ".join(
            f"{one.row}, {one.series}: {percent(one.value)} ({one.note})" for one in estimates
        )
        + ".",
    )


def _enrichment(report: Report, lead: Lead) -> Panel | None:
    estimates = []
    for tier in _TIERS[:-1]:
        for view, name in (
            ("enrichment_vs_popularity", "against popularity"),
            ("enrichment_vs_random", "against random"),
        ):
            record = first(report.sections, view, tier=tier, **lead.keys)
            if record.get(view) is not None:
                estimates.append(
                    Estimate(
                        _TIER_NAMES[tier],
                        name,
                        record[view],
                        record.get("low"),
                        record.get("high"),
                        f"{ratio(record[view])} times",
                    )
                )
    high = first(report.sections, "enrichment_vs_popularity", tier="high", **lead.keys)
    if not high:
        return None
    value = high["enrichment_vs_popularity"]
    random = first(report.sections, "enrichment_vs_random", tier="high", **lead.keys)
    finding = (
        f"Whether the high tier beats popularity is not known: {high.get('reason')}."
        if value is None
        else f"High-tier predictions came true{lead.after_the_freeze} {ratio(value)} times as "
        f"often as equally popular drugs and {ratio(random.get('enrichment_vs_random'))} times as "
        "often as the slate's average prediction."
    )
    return Panel(
        "enrichment_vs_popularity",
        "Enrichment against popularity and against random",
        finding,
        "Popularity: the hit rate expected if each prediction did as well as all candidate drugs "
        "known for as many diseases. Random: the hit rate of the whole slate. At 1 the tier does "
        f"no better.{_method(estimates, high)}",
        rows_of(report.sections, "enrichment_vs_popularity"),
        Intervals(
            tuple(estimates),
            Scale("enrichment (times the reference)", "~g", 0),
            Mark(1, "no better"),
        )
        if estimates
        else None,
        "Dots around a line at 1, one row per tier. "
        + "; ".join(f"{one.row} {one.series}: {one.note}" for one in estimates)
        + ".",
    )


def _breadth(report: Report, lead: Lead) -> Panel | None:
    deciles = records(report.sections, "breadth_decile_hit_rate", **lead.keys)
    expected = tuple(
        Point("every candidate", one["breadth_decile"], one["baseline_hit_rate"])
        for one in deciles
        if one["baseline_hit_rate"] is not None
    )
    seen = [one for one in deciles if one["hit_rate"] is not None]
    if not expected or not seen:
        return None
    better = [one for one in seen if one["hit_rate"] > (one["baseline_hit_rate"] or 0)]
    return Panel(
        "breadth_decile_hit_rate",
        "Hit rate by popularity of the drug",
        f"The slate does better than its candidates in {len(better)} of "
        f"{count(len(seen), 'breadth decile')}.",
        "Drugs in ten equal groups by the number of diseases they were known for at the freeze. "
        "Columns: every candidate of the slate's diseases. Dots: the slate's predictions, with 95% "
        "Wilson intervals.",
        rows_of(report.sections, "breadth_decile_hit_rate"),
        Columns(
            expected,
            tuple(
                Point(
                    "the slate's predictions",
                    one["breadth_decile"],
                    one["hit_rate"],
                    *hit_interval(one),
                )
                for one in seen
            ),
            Scale("breadth decile of the drug (10: known for most diseases)"),
            Scale("hit rate (share of pairs)", _SHARE, 0),
        ),
        "Columns for candidates and dots for predictions, by breadth decile. "
        + "; ".join(
            f"decile {one['breadth_decile']}: {percent(one['hit_rate'])} against "
            f"{percent(one['baseline_hit_rate'])}"
            for one in seen
        )
        + ".",
    )


def _calibration(report: Report, lead: Lead) -> Panel | None:
    deciles = records(report.sections, "score_decile_hit_rate", **lead.keys)
    if not deciles:
        return None
    points = []
    for one in deciles:
        low, high = one.get("low"), one.get("high")
        if low is None:
            interval = stats.clopper_pearson(one["n_hits"], one["n_predictions"])
            low, high = interval.low, interval.high
        points.append(Point("hit rate", one["mean_score"], one["hit_rate"], low, high))
    total = first(report.sections, "tier_hit_rate", tier="all", **lead.keys)
    gap = first(report.sections, "score_calibration", tier="all", **lead.keys)
    finding = (
        f"Of the highest-scored tenth {percent(deciles[-1]['hit_rate'])} came true"
        f"{lead.after_the_freeze}, of the lowest-scored tenth {percent(deciles[0]['hit_rate'])}."
    )
    if gap.get("score_gap") is not None:
        finding += (
            f" Hits scored {gap['mean_score_hits']:.3f} on average, the others "
            f"{gap['mean_score_misses']:.3f}."
        )
    return Panel(
        "score_decile_hit_rate",
        "Do higher scores come true more often?",
        finding,
        "Predictions in ten equal groups by score; each dot is a group, at its mean score. Lines "
        "are 95% Clopper-Pearson intervals. A useful score rises to the right.",
        rows_of(report.sections, "score_decile_hit_rate"),
        Curves(
            tuple(points),
            Scale("mean score of the group (model's units)"),
            Scale(_HIT_RATE, _SHARE, 0),
            level=Mark(total["hit_rate"], f"whole slate {percent(total['hit_rate'])}"),
        ),
        "Ten dots from the lowest to the highest scores. "
        + "; ".join(f"score {one.x:.3f}: {percent(one.y)}" for one in points)
        + ".",
    )


def _survival(report: Report, _lead: Lead) -> Panel | None:
    return survival_panel.panel(report, {tier: _TIER_NAMES[tier] for tier in _TIERS[:-1]})


def _outcomes(report: Report, _lead: Lead) -> Panel | None:
    counts = records(report.sections, "outcome_count")
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
    return Panel(
        "outcome_count",
        "Outcomes by type and timing",
        f"{n_prospective:,} of {count(n_total, 'outcome')} on record "
        f"{'is' if n_prospective == 1 else 'are'} prospective.",
        "Announced: dated after the freeze but already public then. Unverified: after the freeze, "
        "first public date unknown. A status change is a low signal and makes no hit. Pairs that "
        "were candidates but not predicted are counted too.",
        rows_of(report.sections, "outcome_count"),
        Matrix(cells, _TIMINGS, tuple(_OUTCOMES[kind] for kind in kinds), "prospective"),
        "Counts by timing and type. "
        + "; ".join(
            f"{timing}: "
            + joined([f"{one.count:,} {one.column}" for one in cells if one.row == timing])
            for timing in _TIMINGS
        )
        + ".",
    )


def _diseases(report: Report, lead: Lead) -> Panel | None:
    rows = records(report.sections, "disease_performance", **lead.keys)
    if not rows:
        return None
    with_hit = sum(1 for one in rows if one["n_hits"])
    return Panel(
        "disease_performance",
        "Disease by disease",
        f"{with_hit:,} of {count(len(rows), 'disease')} {'has' if with_hit == 1 else 'have'} at "
        f"least one {lead.adjective} hit.",
        "The diseases with most hits first. Expected is the hit rate that popularity alone would "
        "give the disease's predictions.",
        only(rows_of(report.sections, "disease_performance"), **lead.keys),
    )


_PANELS: tuple[Callable[[Report, Lead], Panel | None], ...] = (
    _hit_rates,
    _enrichment,
    _breadth,
    _calibration,
    _survival,
    _outcomes,
    _diseases,
)
