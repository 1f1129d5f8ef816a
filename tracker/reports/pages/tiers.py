"""Draws hit rates and enrichment by tier."""

from collections.abc import Sequence

from tracker.figures import MATCHED
from tracker.reports.pages.figures import Estimate, Intervals, Mark, Scale
from tracker.reports.pages.lead import Lead
from tracker.reports.pages.sections import Drawing
from tracker.reports.records import Section, first, records
from tracker.reports.words import between, count, percent, ratio

_RANDOM = "enrichment_vs_random"
TIERS = {name: f"{name} tier" for name in ("high", "moderate", "exploratory")}


def hit_rates(sections: Sequence[Section], lead: Lead) -> Drawing | None:
    """Draw each tier's hit rate, in the lead's window and for every outcome on record."""
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
        for tier, name in {**TIERS, "all": "all tiers"}.items()
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
        Intervals(tuple(estimates), Scale("hit rate (share of predictions)", ".0%")),
        [f"{one.row}, {one.series}: {percent(one.value)} ({one.note})" for one in estimates],
    )


def enrichment(sections: Sequence[Section], lead: Lead) -> Drawing | None:
    """Draw each tier's enrichment versus equally popular drugs and versus random."""
    high = first(sections, MATCHED, tier="high", **lead.keys)
    if not high:
        return None
    estimates = [
        Estimate(
            TIERS[tier],
            f"against {name}",
            one[metric],
            one.get("low"),
            one.get("high"),
            f"{ratio(one[metric])} times",
        )
        for tier in TIERS
        for metric, name in ((MATCHED, "equally popular drugs"), (_RANDOM, "random"))
        for one in [first(sections, metric, tier=tier, **lead.keys)]
        if one.get(metric) is not None
    ]
    value = high[MATCHED]
    random = first(sections, _RANDOM, tier="high", **lead.keys)
    finding = (
        f"Whether the high tier beats popularity is not known: {high.get('reason')}."
        if value is None
        else f"{f'{lead.kind}high-tier'.capitalize()} predictions came true"
        f"{lead.after_the_freeze} {ratio(value)} times as often as equally popular drugs and "
        f"{ratio(random.get(_RANDOM))} times as often as the slate's average "
        "prediction."
    )
    scale = Scale("enrichment (times the reference)", ",.2~f", is_ratio=True)
    has_lines = any(one.low is not None for one in estimates)
    return Drawing(
        finding,
        Intervals(tuple(estimates), scale, Mark(1, "no better")) if estimates else None,
        [f"{one.row} {one.series}: {one.note}" for one in estimates],
        note=f" Lines are 95% intervals ({high['method']})." if has_lines else "",
    )
