"""Collects the report of one slate: facts, warnings, and one section per view."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection, Row, text

from tracker.errors import InputRefused
from tracker.metrics import POPULATIONS, WINDOWS
from tracker.report import uncertainty
from tracker.report.records import Section, read
from tracker.report.words import count
from tracker.slates import plans, shared_ids
from tracker.store import catalog, schema
from tracker.uncertainty import estimates

# The sections of a report, each the view of that name, in the order of text and data formats;
# pages/slate_sections.py orders the page.
SECTIONS = (
    "outcome_count",
    "known_at_freeze",
    "tier_hit_rate",
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
    "follow_up_count",
    "disease_performance",
    "time_to_event",
    "match_kind_hit_rate",
    "outcome_withdrawn",
    "hit_concentration",
    "popularity_sensitivity",
    "score_spread",
    "name_variant",
    "same_model_slate",
    "coverage",
)

# The sections that compare the slate with another, before the others.
VERSUS_SECTIONS = ("slate_versus_mean", "slate_versus")


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
    versus: Row[Any] | None = None,
) -> Report:
    """Collect the report of `slate`; the connection must have been opened with `as_of`.

    With `versus`, the sections VERSUS_SECTIONS compare it with that slate disease by disease. Fast
    inside `scope.of_slates` of both slates.

    Raises InputRefused if the slate did not exist at `as_of`.
    """
    require_frozen(slate, as_of)
    views = {view.name: view for view in catalog.read_views()}
    key = {"slate_id": slate.slate_id}
    among = {"evidence_window": windows, "population": populations}
    compared = [
        Section.of(
            views[name],
            read(connection, views[name], key | {"versus_slate_id": versus.slate_id}, among),
        )
        for name in VERSUS_SECTIONS
        if versus is not None
    ]
    slate_plan = plans.of_slate(slate)
    found = uncertainty.Uncertainty.of(connection, slate)
    sections = [
        Section.of(
            views[name],
            found.with_interval(name, read(connection, views[name], key, among)),
            uncertainty.standing(name, slate_plan.plan),
        )
        for name in SECTIONS
    ]
    sections.append(
        Section(
            "estimate",
            "How certain the figures are",
            "as defined in docs/statistics.md; p values adjusted over the tiers by Holm's method",
            "value, low and high as in the figure's view; n counts pairs, n_units what is drawn",
            found.rows(slate_plan.plan, windows, populations),
        )
    )
    facts = {
        **_facts(connection, slate, as_of),
        "plan": slate_plan.origin,
        "primary_endpoint": slate_plan.plan.primary.words,
        "power_at_freeze": estimates.stored_power(connection, slate, slate_plan.plan.primary.tier),
        "intervals": found.origin,
    }
    if versus is not None:
        facts["versus_slate_id"] = str(versus.slate_id)
        facts["versus_description"] = versus.description
    return Report(
        facts,
        _warnings(connection, slate) + found.warnings(slate_plan.plan, windows, populations),
        compared + sections,
        found,
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
    return {
        "slate_id": str(slate.slate_id),
        "description": slate.description,
        "model_version": slate.model_version,
        "frozen_on": slate.frozen_on.isoformat(),
        "created_at": slate.created_at.astimezone(UTC).isoformat(),
        "origin": slate.origin,
        "is_replay": slate.is_replay,
        "content_sha256": slate.content_sha256,
        "previous_sha256": slate.previous_sha256,
        **set_names(connection, slate),
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
        raise InputRefused(
            f"slate {str(slate.slate_id)[:8]} was frozen on {slate.frozen_on}, after {option}"
        )


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


def _warnings(connection: Connection, slate: Row[Any]) -> list[str]:
    warnings = []
    if slate.is_replay:
        warnings.append(
            f"This slate is a replay: it was made on {slate.created_at.date()} as if on "
            f"{slate.frozen_on}. It shows hindsight, not foresight."
        )
    if slate.origin == "published":
        warnings.append(
            "This slate was published elsewhere and imported; its freeze date is the publisher's."
        )
    warnings += _note_warnings(connection, slate)
    warnings += _merge_warnings(connection, slate)
    warnings += _hit_warnings(connection, slate)
    warnings += _match_warnings(connection, slate)
    warnings += origin_warnings(connection, slate)
    warnings += _withdrawal_warnings(connection, slate)
    reason = connection.execute(
        text(
            "select any_value(reason) from enrichment_vs_popularity where slate_id = :slate_id "
            "and tier = 'all' and evidence_window = 'all' and population = 'all'"
        ),
        {"slate_id": str(slate.slate_id)},
    ).scalar_one()
    if reason is not None:
        warnings.append(f"Enrichment versus popularity is not known: {reason}.")
    return warnings


def _note_warnings(connection: Connection, slate: Row[Any]) -> list[str]:
    note = schema.slate_note
    rows = connection.execute(
        sa.select(note.c.disease_name, note.c.drug_name)
        .where(note.c.slate_id == slate.slate_id, note.c.kind == "duplicate_prediction")
        .order_by(note.c.note_number)
    ).all()
    if not rows:
        return []
    shown = "; ".join(f"{row.drug_name} in {row.disease_name}" for row in rows[:10])
    more = f"; and {len(rows) - 10} more" if len(rows) > 10 else ""
    noun = "prediction was" if len(rows) == 1 else "predictions were"
    return [
        f"{len(rows)} duplicate {noun} set aside at import, the best rank of the pair kept: "
        f"{shown}{more}."
    ]


def _merge_warnings(connection: Connection, slate: Row[Any]) -> list[str]:
    note = schema.slate_note
    details = (
        connection.execute(
            sa.select(note.c.detail)
            .where(note.c.slate_id == slate.slate_id, note.c.kind == "merged_names")
            .order_by(note.c.note_number)
        )
        .scalars()
        .all()
    )
    if not details:
        return []
    shown = "; ".join(
        f"{shared_ids.listed(detail['names'])} ({detail['file']})" for detail in details[:10]
    )
    more = f"; and {len(details) - 10} more" if len(details) > 10 else ""
    return [
        "Several names in the files share an identifier and were merged; the highest score and "
        f"label of a pair were kept: {shown}{more}."
    ]


def _hit_warnings(connection: Connection, slate: Row[Any]) -> list[str]:
    key = {"slate_id": str(slate.slate_id)}
    hits = connection.execute(
        text(
            "select count(*) filter (where evidence_window = 'all') as n_hits, "
            "count(*) filter (where evidence_window = 'prospective') as n_prospective "
            "from pair_outcome where is_hit and slate_id = :slate_id"
        ),
        key,
    ).one()
    if hits.n_hits == 0:
        return ["No hit is on record yet: hit rates are 0 and enrichment is not known."]
    warnings = [
        f"{hits.n_prospective:,} of {hits.n_hits:,} hits are prospective; the window 'all' also "
        "counts events that were past, planned or undated at the freeze."
    ]
    if hits.n_prospective == 0:
        warnings.append(
            "No hit is prospective: nothing here shows that the slate foresaw anything."
        )
    timings = connection.execute(
        text(
            "select timing, count(*) as n from outcome_timing where slate_id = :slate_id "
            "group by timing"
        ),
        key,
    ).all()
    unverified = {row.timing: row.n for row in timings}.get("unverified", 0)
    if unverified:
        noun = "outcome is" if unverified == 1 else "outcomes are"
        warnings.append(
            f"{unverified} {noun} dated after the freeze but unverified: when it became public is "
            "not known, so it does not count as prospective."
        )
    return [
        *warnings,
        *_straddle_warnings(connection, key),
        *_knowledge_warnings(connection, key),
    ]


def _straddle_warnings(connection: Connection, key: dict[str, str]) -> list[str]:
    """Word which outcomes may have been public at the freeze, and what would settle them."""
    intervals = connection.execute(
        text(
            "select source, public_after, public_by, n_outcomes, n_possible_hits "
            "from straddling_release where slate_id = :slate_id "
            "order by n_outcomes desc, source, public_by limit 3"
        ),
        key,
    ).all()
    return [
        f"{count(one.n_outcomes, 'outcome')} of {one.source} became public between "
        f"{one.public_after} and {one.public_by}, which contains the freeze, so not prospective: "
        f"{count(one.n_possible_hits, 'possible hit')} among the predictions. A release between "
        "the two days would settle them."
        for one in intervals
    ]


def _match_warnings(connection: Connection, slate: Row[Any]) -> list[str]:
    """Word how many hits rest on the weaker kinds of match, and which matches came too late."""
    key = {"slate_id": str(slate.slate_id)}
    hits = connection.execute(
        text(
            "select count(*) as n_hits, count(*) filter (where match_strength > 3) as n_weaker "
            "from pair_outcome "
            "where is_hit and evidence_window = 'all' and slate_id = :slate_id"
        ),
        key,
    ).one()
    late = connection.execute(
        text(
            "select count(*) as n_events, count(distinct (disease_id, drug_id)) as n_pairs "
            "from uncounted_event where cause = 'late' and slate_id = :slate_id"
        ),
        key,
    ).one()
    warnings = []
    if hits.n_weaker:
        verb = "is" if hits.n_weaker == 1 else "are"
        warnings.append(
            f"{hits.n_weaker:,} of {count(hits.n_hits, 'hit')} {verb} not found by identifiers, "
            "names and exact synonyms; match_kind_hit_rate has the hit rates without the weaker "
            "matches."
        )
    if late.n_events:
        pairs = count(late.n_pairs, "predicted pair")
        warnings.append(
            f"Late matches: {count(late.n_events, 'event')} of {pairs} can be found only through "
            "names or vocabularies that the store did not have when the slate was recorded; they "
            "do not count (uncounted_event)."
        )
    return warnings


def _knowledge_warnings(connection: Connection, key: dict[str, str]) -> list[str]:
    """Word how many predictions the labels left out although evidence knew them."""
    n_left_out = connection.execute(
        text(
            "select sum(n_by_evidence_only) from known_at_freeze "
            "where slate_id = :slate_id and tier = 'all'"
        ),
        key,
    ).scalar_one()
    if not n_left_out:
        return []
    noun = "prediction was" if n_left_out == 1 else "predictions were"
    return [
        f"{int(n_left_out):,} {noun} known at the freeze by public evidence but not by the "
        "labels; the population 'novel' leaves them out."
    ]


def origin_warnings(connection: Connection, slate: Row[Any]) -> list[str]:
    """Word how many outcomes came without evidence, and the hits due to them alone."""
    key = {"slate_id": str(slate.slate_id)}
    counts = connection.execute(
        text(
            "select count(*) as n_outcomes, "
            "count(*) filter (where outcome_origin = 'loaded') as n_loaded, "
            "count(*) filter (where outcome_origin = 'imported') as n_imported "
            "from outcome_timing where slate_id = :slate_id"
        ),
        key,
    ).one()
    n_given = counts.n_loaded + counts.n_imported
    if n_given == 0:
        return []
    ways = (
        ("loaded from files", counts.n_loaded),
        ("imported with the slate", counts.n_imported),
    )
    warning = (
        f"{n_given:,} of {counts.n_outcomes:,} outcomes were "
        f"{' or '.join(words for words, n_rows in ways if n_rows)} rather than detected in evidence"
    )
    hits = connection.execute(
        text(
            "select count(*) as n_hits, count(*) filter (where not is_detected) as n_given "
            "from ("
            "select bool_or(outcome_origin = 'detected') as is_detected "
            "from outcome_timing inner join prediction using (slate_id, disease_id, drug_id) "
            "where slate_id = :slate_id and signal = 'high' and timing = 'prospective' "
            "group by disease_id, drug_id)"
        ),
        key,
    ).one()
    if hits.n_hits:
        warning += f"; {hits.n_given:,} of {hits.n_hits:,} prospective hits rest on them alone"
    return [f"{warning}."]


def _withdrawal_warnings(connection: Connection, slate: Row[Any]) -> list[str]:
    n_withdrawn = connection.execute(
        text("select count(*) from outcome_withdrawn where slate_id = :slate_id"),
        {"slate_id": str(slate.slate_id)},
    ).scalar_one()
    if n_withdrawn == 0:
        return []
    rests, stays = ("outcome rests", "it stays on record and counts")
    if n_withdrawn > 1:
        rests, stays = ("outcomes rest", "they stay on record and count")
    return [
        f"{n_withdrawn:,} {rests} on evidence that its source has since withdrawn; {stays} "
        "(outcome_withdrawn)."
    ]
