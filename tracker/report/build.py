"""Collects the report of one slate: facts, warnings, and one section per view."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection, Row, text

from tracker.errors import InputRefused
from tracker.metrics import POPULATIONS, WINDOWS
from tracker.report import (
    dates,
    diseases,
    global_lists,
    leak_alarm,
    parts,
    probability_scores,
    slate_warnings,
    stratum_example,
    survival,
    uncertainty,
)
from tracker.report.records import Section, read
from tracker.slates import plans
from tracker.slates.plans import Plan
from tracker.store import catalog, schema
from tracker.uncertainty import estimates
from tracker.uncertainty.estimates.survival import CURVE_VIEW

# The sections of a report, each the view of that name, in the order of text and data formats;
# pages/slate_sections.py orders the page.
SECTIONS = (
    "outcome_count",
    "evidence_flow",
    "known_at_freeze",
    "tier_hit_rate",
    "enrichment_vs_matched",
    *estimates.PART_VIEWS,
    "leak_alarm",
    "global_list",
    "enrichment_vs_random",
    "enrichment_vs_popularity",
    "popularity_baseline",
    "breadth_decile_hit_rate",
    "precision_proxy",
    "score_calibration",
    "score_decile_hit_rate",
    "median_time_to_event",
    "falsification_summary",
    "disease_summary",
    "survival_curve",
    "disease_performance",
    "time_to_event",
    "match_kind_hit_rate",
    "match_kind_enrichment",
    "outcome_withdrawn",
    "hit_concentration",
    "popularity_sensitivity",
    "score_spread",
    "name_variant",
    "same_model_slate",
    "coverage",
)
# What a report and its page read more than once. Not the curve, whose product is rounded by the
# rows of all slates that it is computed with.
ASKED = (
    *(name for name in SECTIONS if name != CURVE_VIEW),
    *(*estimates.ASKED, "slate_coverage"),
)
# After these come those of a slate that declares probabilities.
_BEFORE_PROBABILITIES = "score_decile_hit_rate"


@dataclass(frozen=True)
class Report:
    """All a renderer needs: facts of the slate, warnings in words, sections."""

    facts: dict[str, Any]
    warnings: list[str]
    sections: list[Section]
    # The estimates behind the report of a slate, for reuse elsewhere.
    found: uncertainty.Uncertainty | None = None


def build(
    connection: Connection,
    slate: Row[Any],
    *,
    windows: Sequence[str] = WINDOWS,
    populations: Sequence[str] = POPULATIONS,
    as_of: datetime | None = None,
) -> Report:
    """Collect the report of `slate`; the connection must have been opened with `as_of`.

    Fast inside `scope.of_slates`. Raises InputRefused if the slate did not exist at `as_of`.
    """
    require_frozen(slate, as_of)
    views = {view.name: view for view in catalog.read_views()}
    key = {"slate_id": slate.slate_id}
    among = {"evidence_window": windows, "population": populations}
    slate_plan = plans.of_slate(slate)
    found = uncertainty.Uncertainty.of(connection, slate)
    sections = [
        Section.of(
            views[name],
            found.with_interval(name, read(connection, views[name], key, among)),
            uncertainty.standing(name, slate_plan.plan),
        )
        for name in sections_of(slate, windows)
    ]
    sections = [
        _readable(connection, slate, slate_plan.plan, section, found) for section in sections
    ]
    sections.append(
        Section(
            "estimate",
            "How certain the figures are",
            "95 % intervals as defined in docs/statistics.md, clustered by drug and by disease; p "
            "values adjusted over the tiers by Holm's method",
            "value, low and high as in the figure's view; n counts pairs, n_units drugs",
            found.rows(slate_plan.plan, windows, populations),
        )
    )
    power = estimates.stored_power(connection, slate, slate_plan.plan.primary.tier)
    dated = dates.of_slate(connection, slate)
    facts = {
        **_facts(connection, slate, as_of),
        **dated.facts,
        "plan": slate_plan.origin,
        "primary_endpoint": slate_plan.plan.primary.words,
        "power_at_freeze": "; ".join(line.strip() for line in power) or None,
        "intervals": found.origin,
    }
    return Report(
        facts,
        dates.warnings(connection, slate, dated, as_of)
        + slate_warnings.of_slate(connection, slate)
        + leak_alarm.warnings(connection, slate, slate_plan.plan)
        + found.warnings(slate_plan.plan, windows, populations),
        sections,
        found,
    )


def sections_of(slate: Row[Any], windows: Sequence[str]) -> Sequence[str]:
    """Return the views of a slate's report, with its scores if it declares probabilities."""
    if "prospective" not in windows or not plans.are_probabilities(slate.plan):
        return SECTIONS
    at = SECTIONS.index(_BEFORE_PROBABILITIES) + 1
    return (*SECTIONS[:at], *probability_scores.SECTIONS, *SECTIONS[at:])


def _readable(
    connection: Connection,
    slate: Row[Any],
    plan: Plan,
    section: Section,
    found: uncertainty.Uncertainty,
) -> Section:
    """Return a section with the table and the notes that its texts show."""
    if section.view == stratum_example.VIEW:
        return stratum_example.noted(connection, slate, plan, section)
    if section.view == global_lists.VIEW:
        return global_lists.readable(section, found)
    if section.view in probability_scores.SECTIONS:
        return probability_scores.readable(section, found)
    if section.view in estimates.PART_VIEWS:
        return parts.readable(section, found)
    if section.view == diseases.VIEW:
        return diseases.with_limits(section)
    if section.view == CURVE_VIEW:
        return survival.with_band(connection, slate, section)
    return section


def _facts(connection: Connection, slate: Row[Any], as_of: datetime | None) -> dict[str, Any]:
    counts = connection.execute(
        text(
            "select count(distinct disease_id) as n_diseases, count(distinct drug_id) as n_drugs "
            "from prediction where slate_id = :slate_id"
        ),
        {"slate_id": str(slate.slate_id)},
    ).one()
    ledger = connection.execute(
        text(
            "select count(*) as n_outcomes, max(recorded_at) as latest from outcome_timing "
            "where slate_id = :slate_id"
        ),
        {"slate_id": str(slate.slate_id)},
    ).one()
    place = connection.execute(
        text(
            "select slate_number, n_slates, embargo_until from slate_number "
            "join slate_embargo using (slate_id) where slate_id = :slate_id"
        ),
        {"slate_id": str(slate.slate_id)},
    ).one()
    horizon = connection.execute(
        text("select ends_on from slate_horizon where slate_id = :slate_id"),
        {"slate_id": str(slate.slate_id)},
    ).one()
    return {
        "slate_id": str(slate.slate_id),
        "number": f"slate {place.slate_number:,} of {place.n_slates:,} of this store",
        "description": slate.description,
        "model_version": slate.model_version,
        "frozen_on": slate.frozen_on.isoformat(),
        "horizon_ends_on": horizon.ends_on.isoformat(),
        "created_at": slate.created_at.astimezone(UTC).isoformat(),
        "origin": slate.origin,
        "is_replay": slate.is_replay,
        "embargo_until": place.embargo_until.isoformat() if place.embargo_until else None,
        "content_sha256": slate.content_sha256,
        "previous_sha256": slate.previous_sha256,
        **_slate_set_names(connection, slate),
        "n_predictions": slate.n_predictions,
        "n_diseases": counts.n_diseases,
        "n_drugs": counts.n_drugs,
        "n_outcomes": ledger.n_outcomes,
        "latest_outcome_recorded_at": (
            ledger.latest.astimezone(UTC).isoformat() if ledger.latest else None
        ),
        "as_of": as_of.astimezone(UTC).isoformat() if as_of else None,
    }


def require_frozen(slate: Row[Any], instant: datetime | None, option: str = "--as-of") -> None:
    """Raise InputRefused if the slate did not exist at the instant of an option."""
    if instant is not None and instant < slate.created_at:
        made_on = slate.created_at.astimezone(UTC).date()
        what = "is a replay made" if slate.is_replay else "was frozen"
        raise InputRefused(f"slate {str(slate.slate_id)[:8]} {what} on {made_on}, after {option}")


def _slate_set_names(connection: Connection, slate: Row[Any]) -> dict[str, str | None]:
    """Return the names of a slate's sets, with the day of those that came after the freeze."""
    sets = connection.execute(
        text("from slate_sets where slate_id = :slate_id"), {"slate_id": str(slate.slate_id)}
    ).one()
    names = set_names(connection, sets)
    for table, attached_at in (
        ("candidate_set", sets.candidates_attached_at),
        ("label_set", sets.labels_attached_at),
    ):
        if attached_at is not None:
            names[table] = f"{names[table]}, attached on {attached_at.astimezone(UTC).date()}"
    return names


def set_names(connection: Connection, subject: Row[Any]) -> dict[str, str | None]:
    """Return the names and sizes of the candidate and label sets of a slate or evaluation."""
    names = {}
    for table in (schema.candidate_set, schema.label_set):
        key = f"{table.name}_id"
        row = connection.execute(
            sa.select(table.c.name, table.c.n_pairs).where(table.c[key] == getattr(subject, key))
        ).first()
        names[table.name] = None if row is None else f"{row.name} ({row.n_pairs:,} pairs)"
    return names
