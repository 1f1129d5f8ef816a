"""The power of a slate: the smallest enrichment its tiers can distinguish from chance."""

from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, text

from tracker.slates import plans
from tracker.store import schema
from tracker.uncertainty import stats
from tracker.uncertainty.estimates.records import Estimate, append, newest

METRIC = "minimum_detectable_enrichment"
VIEW = "freeze_base_rate"

_BASE_RATE = text(
    "select expected_hit_rate, reason from freeze_base_rate where slate_id = :slate_id"
)

_TIERS = text(
    "select tier, count(*) as n_predictions from prediction where slate_id = :slate_id "
    "group by tier"
)


def record_power(connection: Connection, slate: Row[Any], now: datetime) -> list[Estimate]:
    """Append the power of each tier of a slate within its plan's horizon, and return it.

    The value is the smallest true enrichment that a one-sided test at 0.05 finds with probability
    0.8, given the base rate of the view freeze_base_rate; None, with the reason, where the labels
    give no base rate or the tier is too small. Pairs are taken as independent, which favours the
    slate.
    """
    key = {"slate_id": str(slate.slate_id)}
    base = connection.execute(_BASE_RATE, key).one()
    sizes: dict[str, int] = {row.tier: row.n_predictions for row in connection.execute(_TIERS, key)}
    months = plans.of_slate(slate).plan.horizon_months
    sizes["all"] = sum(sizes.values())
    found = [
        _of_tier(tier, sizes[tier], base, months)
        for tier in (*schema.TIERS, "all")
        if tier in sizes
    ]
    append(connection, "slate_id", slate.slate_id, found, now)
    return found


def stored_power(connection: Connection, slate: Row[Any], tier: str) -> str | None:
    """Return in words what a tier could show at the freeze, None if that was not recorded then."""
    found, _ = newest(connection, "slate_id", slate.slate_id)
    lines = in_words([each for each in found if (each.metric, each.tier) == (METRIC, tier)])
    return lines[0] if lines else None


def _of_tier(tier: str, n_predictions: int, base: Row[Any], months: int) -> Estimate:
    if base.expected_hit_rate is None:
        return Estimate(
            VIEW,
            METRIC,
            None,
            n_predictions,
            stats.LEVEL,
            "exact binomial, one-sided",
            "pair",
            tier=tier,
            row_key={"horizon_months": months},
            reason=base.reason,
        )
    rate = stats.rate_over(base.expected_hit_rate, months / 12)
    power = stats.minimum_enrichment(n_predictions, rate)
    return Estimate(
        VIEW,
        METRIC,
        power.minimum_enrichment,
        n_predictions,
        1 - power.alpha,
        power.method,
        "pair",
        tier=tier,
        row_key={"horizon_months": months, "base_rate": rate, "power": power.power},
        n_units=power.n_effective,
        reason=power.reason,
    )


def in_words(estimates: list[Estimate]) -> list[str]:
    """Return one line per tier: what it can show, or why that is not known."""
    lines = []
    for estimate in estimates:
        months = estimate.row_key["horizon_months"]
        can = (
            f"enrichment of {estimate.value:.2f} or more can be shown in {months} months"
            if estimate.value is not None
            else f"what can be shown in {months} months is not known: {estimate.reason}"
        )
        lines.append(f"tier {estimate.tier}, {estimate.n:,} predictions: {can}")
    return lines
