"""Collects the report of one slate: facts, warnings, and one section per view."""

import contextlib
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection, Row, text

from tracker import schema
from tracker.figures import ENTRIES, MATCHED, POPULATIONS, WINDOWS
from tracker.reports import (
    dates,
    leak_alarm,
    slate_warnings,
    stratum_example,
    uncertainty,
)
from tracker.reports.kinds import Report
from tracker.reports.pages import (
    baselines,
    diseases,
    global_lists,
    parts,
    probabilities,
    survival,
)
from tracker.reports.records import Section, read
from tracker.reports.uncertainty import Subject
from tracker.slates import plans
from tracker.store import catalog
from tracker.store.state import scope
from tracker.uncertainty import estimates

# Builds the table and notes of a section's text, where they are not the view's.
_TEXT_TABLES: Mapping[str, Callable[[Section, Subject], Section]] = {
    "disease_performance": lambda section, _subject: diseases.with_limits(section),
    MATCHED: stratum_example.text_table,
    "global_list": global_lists.text_table,
    "leak_alarm": lambda section, _subject: baselines.text_table(section),
    "survival_curve": survival.text_table,
    **dict.fromkeys(parts.PARTS, parts.text_table),
    **dict.fromkeys(probabilities.VIEWS, probabilities.text_table),
}
# The sections that the top of a page summarises.
ON_TOP = (
    "tier_hit_rate",
    "tier_failure",
    "enrichment_vs_random",
    MATCHED,
    "enrichment_by_nearness",
    "leak_alarm",
    "known_at_freeze",
    "falsification_summary",
    "coverage",
)


def read_once(
    connection: Connection, slate: Row[Any], views: Collection[str] | None = None
) -> contextlib.AbstractContextManager[None]:
    """Compute the figures of a slate's report once for all reads within the block.

    These are its sections, their intervals, the headline figures and the verdict.
    """
    asked = {entry.view for entry in ENTRIES if views is None or entry.view in views}
    asked = {name for name in asked if "slate_id" in catalog.find(name).grain}
    # Intervals and the words on coverage read these as well.
    asked |= {"stratified_ratio", "slate_coverage"}
    return scope.computed_once(connection, asked, {"slate_id": [slate.slate_id]})


def build(
    connection: Connection,
    slate: Row[Any],
    *,
    windows: Sequence[str] = WINDOWS,
    populations: Sequence[str] = POPULATIONS,
    as_of: datetime | None = None,
    views: Collection[str] | None = None,
) -> Report:
    """Collect the report of `slate`; the connection must have been opened with `as_of`.

    `views` limits the sections to these views. Inside `scope.of_slates`; fast inside `read_once` of
    the slate. Raises InputRefused if the slate did not exist at `as_of`.
    """
    dates.require_frozen(slate, as_of)
    key = {"slate_id": slate.slate_id}
    among = {"evidence_window": windows, "population": populations}
    slate_plan = plans.of_slate(slate)
    found = uncertainty.Uncertainty.of(connection, slate)
    subject = Subject(connection, slate, slate_plan.plan, found)
    has_scores = "prospective" in windows and plans.are_probabilities(slate.plan)
    sections = []
    for entry in ENTRIES:
        if entry.of_probabilities and not has_scores:
            continue
        if views is not None and entry.view not in views:
            continue
        view = catalog.find(entry.view)
        section = Section.of(
            view,
            found.with_interval(entry.view, read(connection, view, key, among)),
            uncertainty.standing(entry.view, slate_plan.plan),
        )
        # Only reports with all sections have tables of texts.
        text_table = _TEXT_TABLES.get(entry.view) if views is None else None
        sections.append(text_table(section, subject) if text_table else section)
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
        found=found,
    )


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
        text(
            "select ends_on, followed_until, source from slate_horizon "
            "join slate_follow_up using (slate_id) where slate_id = :slate_id"
        ),
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
        "left_out": (
            "pairs that were known at the freeze (novel_only)"
            if slate.parameters.get("novel_only")
            else None
        ),
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
        "followed_until": horizon.followed_until.isoformat() if horizon.followed_until else None,
        "followed_in": horizon.source,
        "as_of": as_of.astimezone(UTC).isoformat() if as_of else None,
    }


def _slate_set_names(connection: Connection, slate: Row[Any]) -> dict[str, str | None]:
    """Return the names of a slate's sets, with the day of those attached after the freeze."""
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
