"""The warnings of a slate's report: what its figures do not say, in words.

Each rests on counts of views or tables and defines no figure.
"""

from datetime import UTC
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection, Row, text

from tracker.report import attachment_warnings
from tracker.report.words import SOURCES, count
from tracker.slates import shared_ids
from tracker.store import schema, statements

# A source further behind another than a quarter hides more than the usual delay of a release.
_MOST_DAYS_BEHIND = 92

# With fewer, a true enrichment of 3 reads by more than 5 % too high: by 8 % to 11 % with 80 to 200
# drugs, by 21 % with three diseases (docs/statistics.md#endpoint-worlds).
_ENOUGH_DRUGS, _ENOUGH_DISEASES = 300, 4


def of_slate(connection: Connection, slate: Row[Any]) -> list[str]:
    """Return what a reader of the slate's figures has to know, a sentence or two each."""
    warnings = []
    if slate.is_replay:
        warnings.append(
            f"This slate is a replay: it was made on {slate.created_at.date()} as if on "
            f"{slate.frozen_on}. It shows hindsight, not foresight."
        )
    warnings += _embargo_warnings(connection, slate)
    if slate.origin == "published":
        warnings.append("This slate was published elsewhere and imported.")
    warnings += attachment_warnings.of_sets(connection, slate)
    warnings += attachment_warnings.of_claims(connection, slate)
    warnings += _note_warnings(connection, slate)
    warnings += _merge_warnings(connection, slate)
    warnings += _horizon_warnings(connection, slate)
    warnings += _follow_up_warnings(connection, slate)
    warnings += _novelty_warnings(connection, slate)
    warnings += _hit_warnings(connection, slate)
    warnings += _match_warnings(connection, slate)
    warnings += origin_warnings(connection, slate)
    warnings += _size_warnings(connection, slate)
    warnings += _withdrawal_warnings(connection, slate)
    warnings += _sealing_warnings(connection, slate)
    reason = connection.execute(
        text(
            "select any_value(reason) from enrichment_vs_matched where slate_id = :slate_id "
            "and tier = 'all' and evidence_window = 'all' and population = 'all' "
            "and enrichment_vs_matched is null"
        ),
        {"slate_id": str(slate.slate_id)},
    ).scalar_one()
    if reason is not None:
        warnings.append(f"Enrichment versus equally popular drugs is not known: {reason}.")
    return warnings


def _embargo_warnings(connection: Connection, slate: Row[Any]) -> list[str]:
    until = connection.execute(
        text("select embargo_until from slate_embargo where is_withheld and slate_id = :slate_id"),
        {"slate_id": str(slate.slate_id)},
    ).scalar()
    if until is None:
        return []
    return [
        f"Embargoed until {until}: published sites withhold this slate until then, and show its "
        "number, hash and date. This report and exports have all of it."
    ]


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


def _horizon_warnings(connection: Connection, slate: Row[Any]) -> list[str]:
    """Word that figures are interim, or which hits came too late to count."""
    moment = statements.run(connection, "plan_moment", {"slate_id": str(slate.slate_id)}).one()
    warnings = []
    if not moment.is_over:
        warnings.append(
            f"Interim: the horizon of {moment.horizon_months} months ends on "
            f"{moment.horizon_ends_on}, and figures change until then."
        )
    elif moment.followed_until is not None and moment.followed_until < moment.horizon_ends_on:
        warnings.append(
            f"Interim: the horizon ended on {moment.horizon_ends_on}, but the newest "
            f"{SOURCES[moment.slowest_source]} release is of {moment.followed_until}."
        )
    n_later = n_later_hits(connection, slate, "prospective")
    if n_later:
        verb = "was hit only" if n_later == 1 else "were hit only"
        warnings.append(
            f"After the horizon: {count(n_later, 'prediction')} {verb} after "
            f"{moment.horizon_ends_on}; the window 'all' counts what came after it, 'prospective' "
            "does not (n_later_hits)."
        )
    return warnings


def n_later_hits(connection: Connection, slate: Row[Any], window: str) -> int:
    """Return how many predictions were hit in the window only after the slate's horizon."""
    n_later = connection.execute(
        text(
            "select n_later_hits from tier_count where slate_id = :slate_id and tier = 'all' "
            "and evidence_window = :window and population = 'all'"
        ),
        {"slate_id": str(slate.slate_id), "window": window},
    ).scalar_one()
    return int(n_later)


def _follow_up_warnings(connection: Connection, slate: Row[Any]) -> list[str]:
    """Word which source is far behind the others, and how many first events that hides."""
    gap = connection.execute(
        text("from follow_up_gap where slate_id = :slate_id"), {"slate_id": str(slate.slate_id)}
    ).one()
    if not gap.n_later_events and (gap.days_behind or 0) <= _MOST_DAYS_BEHIND:
        return []
    if gap.days_behind:
        behind = (
            f"Behind: evidence of {SOURCES[gap.source]} reaches {gap.last_day}, "
            f"{count(gap.days_behind, 'day')} less far than that of {SOURCES[gap.newest_source]}."
        )
    else:
        behind = f"Followed until {gap.last_day}."
    hidden = (
        f"leaves out the first events of {count(gap.n_later_events, 'prediction')}, which came "
        "later"
        if gap.n_later_events
        else "leaves out no event on record"
    )
    return [f"{behind} The curve of pairs with an event ends there and {hidden} (follow_up_gap)."]


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
    warnings = []
    if hits.n_prospective < hits.n_hits:
        warnings.append(
            f"{hits.n_prospective:,} of {hits.n_hits:,} hits are prospective; the window 'all' "
            "also counts events that were past, planned or undated at the freeze."
        )
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
        noun, it, does = (
            ("outcome is", "it", "does") if unverified == 1 else ("outcomes are", "they", "do")
        )
        warnings.append(
            f"{unverified} {noun} dated after the freeze but unverified: when {it} became public "
            f"is not known, so {it} {does} not count as prospective."
        )
    return [
        *warnings,
        *_known_hit_warnings(connection, key),
        *_straddle_warnings(connection, key),
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
        f"{count(one.n_outcomes, SOURCES.get(one.source, one.source) + ' outcome')} became public "
        f"between {one.public_after} and {one.public_by}, which contains the freeze, so not "
        "prospective: "
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
            "names and exact synonyms; match_kind_hit_rate and match_kind_enrichment have the "
            "figures without the weaker matches."
        )
    if late.n_events:
        pairs = count(late.n_pairs, "predicted pair")
        warnings.append(
            f"Late matches: {count(late.n_events, 'event')} of {pairs} can be found only through "
            "names or vocabularies that the store did not have when the slate was recorded; they "
            "do not count (uncounted_event)."
        )
    return warnings


def _novelty_warnings(connection: Connection, slate: Row[Any]) -> list[str]:
    """Word how few predictions are novel, and how many the labels wrongly leave novel."""
    key = {"slate_id": str(slate.slate_id)}
    tiers = connection.execute(
        text(
            "select tier, "
            "any_value(n_predictions) filter (where population = 'all') as n_all, "
            "any_value(n_predictions) filter (where population = 'novel') as n_novel "
            "from tier_count where slate_id = :slate_id and evidence_window = 'all' "
            "and tier in ('high', 'all') group by tier order by tier desc"
        ),
        key,
    ).all()
    n_left_out = connection.execute(
        text(
            "select sum(n_by_evidence_only) from known_at_freeze "
            "where slate_id = :slate_id and tier = 'all'"
        ),
        key,
    ).scalar_one()
    warnings = [
        f"Few novel pairs: only {one.n_novel:,} of "
        f"{count(one.n_all, 'prediction')}{' of the high tier' if one.tier == 'high' else ''} "
        "were not known at the freeze. The others cannot show foresight, and figures of the "
        "population 'novel' rest on these few."
        for one in tiers
        if 2 * one.n_novel < one.n_all
    ]
    if n_left_out:
        noun = "prediction was" if n_left_out == 1 else "predictions were"
        warnings.append(
            f"{int(n_left_out):,} {noun} known at the freeze by public evidence but not by the "
            "labels; the population 'novel' leaves them out."
        )
    return warnings


def _known_hit_warnings(connection: Connection, key: dict[str, str]) -> list[str]:
    """Word how many hits of the population 'all' were of pairs known at the freeze."""
    hits = connection.execute(
        text(
            "select count(*) as n_hits, count(*) filter (where not is_novel) as n_known "
            "from pair_outcome "
            "where is_hit and evidence_window = 'prospective' and slate_id = :slate_id"
        ),
        key,
    ).one()
    if not hits.n_known:
        return []
    verb = "is" if hits.n_known == 1 else "are"
    return [
        f"{hits.n_known:,} of {count(hits.n_hits, 'prospective hit')} {verb} of pairs that were "
        "known at the freeze: the population 'all' counts them, 'novel' does not."
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


def _size_warnings(connection: Connection, slate: Row[Any]) -> list[str]:
    """Word that an enrichment above 1 rests on so few drugs or diseases that it reads too high."""
    size = connection.execute(
        text(
            "select (select count(*) from candidate_drug_count where slate_id = :slate_id "
            "and evidence_window = 'all' and population = 'all') as n_drugs, "
            "(select count(*) from disease_activity where slate_id = :slate_id) as n_diseases "
            "where exists (from enrichment_vs_matched "
            "where slate_id = :slate_id and enrichment_vs_matched > 1)"
        ),
        {"slate_id": str(slate.slate_id)},
    ).one_or_none()
    if size is None:
        return []
    return [
        f"With {count(n, noun)}, fewer than {enough:,}, a high enrichment versus equally popular "
        f"drugs reads about {excess} too high."
        for n, noun, enough, excess in (
            (size.n_drugs, "candidate drug", _ENOUGH_DRUGS, "10%"),
            (size.n_diseases, "disease", _ENOUGH_DISEASES, "20%"),
        )
        if n < enough
    ]


def _sealing_warnings(connection: Connection, slate: Row[Any]) -> list[str]:
    """Word that a slate was in the store before its log began."""
    head = schema.log_head.c
    first = sa.select(head.sealed_at).where(head.head_id == 1, head.reason == "upgraded")
    sealed_at = connection.execute(first.where(head.sealed_at > slate.recorded_at)).scalar()
    if sealed_at is None:
        return []
    return [
        f"This store has been sealed since {sealed_at.astimezone(UTC):%Y-%m-%d}: what was altered "
        "before then, while it already had this slate, cannot be found."
    ]


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
