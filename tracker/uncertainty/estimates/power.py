"""The power of a slate: the least enrichment its tiers can show, and what its plan's bar needs."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from math import ceil
from typing import Any

import numpy as np
from sqlalchemy import Connection, Row, text

from tracker import schema
from tracker.slates import plans
from tracker.store.state import scope
from tracker.uncertainty.estimates.lists import MOST_OWN_SHARE
from tracker.uncertainty.estimates.records import Estimate, append, newest, read_arrays
from tracker.uncertainty.stats import LEVEL
from tracker.uncertainty.stats import power as closed

METRIC = "minimum_detectable_enrichment"
VIEW = "freeze_base_rate"

# With fewer candidate drugs, classes of breadth of this span give more power than those of 15 %.
FEW_DRUGS = 200
WIDER_SPAN = 1.35

# Beyond these a bar is reported as out of reach.
MOST_MONTHS = 240
MOST_PREDICTIONS = 100_000

BASE_RATES = text("select * from freeze_base_rate where slate_id = :slate_id")
_DRUGS = text("select count(*) from past_drug_count where slate_id = :slate_id and n_pairs > 0")
_EXPECTATIONS = text(
    "select disease_id, drug_id, breadth_class, n_candidates, listed_share, yearly_rate "
    "from freeze_expectation where slate_id = :slate_id and tier = :tier and n_candidates > 0 "
    "order by disease_id, drug_id"
)


def record_power(connection: Connection, slate: Row[Any], now: datetime) -> list[Estimate]:
    """Append the power of each tier of a slate within its plan's horizon, and return it.

    The value is the smallest true enrichment of novel predictions whose 95 % interval lies above 1
    with probability 0.8, given the rates of the view freeze_expectation. It is None, with the
    reason, if the past gives no rates, the tier is too small, or the predictions will be their own
    baseline. For the tier of the primary endpoint, row_key also has after how many months, and with
    how many predictions, the plan's bar would be seen.
    """
    key = {"slate_id": str(slate.slate_id)}
    plan = plans.of_slate(slate).plan
    with scope.of_slates(connection, slate):
        rows = {row.tier: row for row in connection.execute(BASE_RATES, key)}
        found = [
            _of_tier(connection, rows[tier], plan)
            for tier in (*schema.TIERS, "all")
            if tier in rows
        ]
        n_drugs = connection.execute(_DRUGS, key).scalar_one()
    if 0 < n_drugs < FEW_DRUGS and plan.breadth_span < WIDER_SPAN:
        found = [replace(one, row_key={**one.row_key, "n_drugs": n_drugs}) for one in found]
    append(connection, "slate_id", slate.slate_id, found, now)
    return found


def design(connection: Connection, base_rate: Row[Any]) -> closed.Design:
    """Return the novel predictions of a tier from its row of freeze_base_rate."""
    key = {"slate_id": str(base_rate.slate_id), "tier": base_rate.tier}
    pairs = read_arrays(connection, _EXPECTATIONS, key)
    rate, n_candidates, share = (
        pairs[name].astype(np.float64) for name in ("yearly_rate", "n_candidates", "listed_share")
    )
    disease, drug, breadth_class = (
        np.unique(pairs[name], return_inverse=True)[1]
        for name in ("disease_id", "drug_id", "breadth_class")
    )
    spread = base_rate.drug_spread or 0.0
    return closed.Design(rate, n_candidates, share, disease, drug, breadth_class, spread)


def _of_tier(connection: Connection, row: Row[Any], plan: plans.Plan) -> Estimate:
    """Return the power of a tier from its row of freeze_base_rate."""
    months, bar = plan.horizon_months, plan.success_bar
    value, reason = None, row.reason
    stated: dict[str, Any] = {"horizon_months": months}
    if (row.own_share or 0) > MOST_OWN_SHARE:
        reason = f"{row.own_share:.0%} of the hits expected of them would rest on themselves"
    elif reason is None:
        predictions = design(connection, row)
        value = closed.smallest_enrichment(predictions, months)
        if value is None:
            reason = (
                "no pair like the predictions became known in the past years"
                if row.expected_events == 0
                else "too few events are expected of the predictions"
            )
        stated |= {"basis": row.basis, "expected_events": row.expected_events}
        if row.tier == plan.primary.tier:
            stated |= {
                "bar": bar,
                "months_needed": closed.months_needed(predictions, bar, MOST_MONTHS),
                "predictions_needed": closed.predictions_needed(
                    predictions, bar, months, MOST_PREDICTIONS
                ),
            }
    return Estimate(
        VIEW,
        METRIC,
        value,
        row.n_predictions,
        LEVEL,
        f"{closed.METHOD}, power {closed.POWER}",
        "drug and disease",
        population="novel",
        tier=row.tier,
        row_key=stated,
        reason=reason,
    )


def stored_power(connection: Connection, slate: Row[Any], *tiers: str) -> list[str]:
    """Return lines on what each of these tiers, or all, could show at the freeze.

    They say what the power rests on, or why it is unknown; there are none if it is not stored.
    """
    stored, _ = newest(connection, "slate_id", slate.slate_id)
    found = [each for each in stored if each.metric == METRIC and (not tiers or each.tier in tiers)]
    lines = []
    for estimate in found:
        stated = estimate.row_key
        months = stated["horizon_months"]
        # Freezes of earlier versions stated the power of all predictions.
        kind = f"{estimate.population} predictions" if estimate.population else "predictions"
        head = f"tier {estimate.tier}, {estimate.n:,} {kind}"
        if estimate.value is None:
            lines.append(f"{head}: the power over {months} months is unknown")
            lines.append(f"  {estimate.reason}")
            continue
        lines.append(head)
        lines.append(
            f"  only an enrichment of {estimate.value:.2f} or more could be detected within "
            f"{months} months"
        )
        if "bar" in stated:
            lines.append(f"  detecting {stated['bar']:g} times would take {_needs(stated)}")
    few = [estimate.row_key["n_drugs"] for estimate in found if "n_drugs" in estimate.row_key]
    if few:
        lines.append(
            f"  {few[0]:,} candidate drugs are few: breadth_span = {WIDER_SPAN:g} in the plan "
            "would find more"
        )
    if any(estimate.row_key.get("basis") == "approvals" for estimate in found):
        lines.append("  estimated from approvals; no dated past events are loaded")
    return lines


def detectable(connection: Connection, slate: Row[Any], tier: str) -> list[str]:
    """Return a sentence on what a tier could have shown, empty if none is stored at the freeze."""
    stored, _ = newest(connection, "slate_id", slate.slate_id)
    return [
        f"Only an enrichment of {each.value:.2f} or more could have been detected within "
        f"{each.row_key['horizon_months']} months, it was said at the freeze"
        if each.value is not None
        else f"What could have been detected was not known at the freeze: {each.reason}"
        for each in stored
        if each.metric == METRIC and each.tier == tier
    ]


def _needs(stated: Mapping[str, Any]) -> str:
    """Return the months or the predictions that a bar needs, in words."""
    months, predictions = stated["months_needed"], stated["predictions_needed"]
    length = f"over {MOST_MONTHS // 12} years" if months is None else f"{ceil(months)} months"
    number = f"over {MOST_PREDICTIONS:,}" if predictions is None else f"{predictions:,}"
    return f"{length}, or {number} predictions"
