-- Title:      What the warnings of a slate's report rest on: one row of dates, counts and lists
-- Reads:      annulled_outcome, candidate_drug_count, disease_activity, enrichment_by_dating,
--             enrichment_vs_matched, follow_up_gap, hit_concentration, known_at_freeze, label_gap,
--             log_head, outcome_timing, outcome_withdrawn, pair_outcome, prediction,
--             primary_endpoint, report_day, slate, slate_embargo, slate_event, slate_follow_up,
--             slate_horizon, slate_note, slate_sets, slate_study_use, straddling_release,
--             study_use, tier_count, tier_failure, uncounted_event, uncounted_study,
--             unreported_study
with hit as (
    select
        count(*) filter (where evidence_window = 'all') as n_hits,
        count(*) filter (where evidence_window = 'all' and match_strength > 3) as n_weaker,
        count(*) filter (where evidence_window = 'prospective') as n_prospective,
        count(*) filter (where evidence_window = 'prospective' and not is_novel) as n_known
    from pair_outcome
    where is_hit and slate_id = :slate_id
),

unverified as (
    select count(*) filter (where timing = 'unverified') as n_unverified
    from outcome_timing
    where slate_id = :slate_id
),

attached_claim as (
    select
        count(*) as n_claims,
        count(*) filter (where prediction.slate_id is null) as n_unpredicted
    from slate_sets
    inner join outcome_timing using (slate_id)
    left join prediction
        on
            outcome_timing.slate_id = prediction.slate_id
            and outcome_timing.disease_id = prediction.disease_id
            and outcome_timing.drug_id = prediction.drug_id
    where
        slate_sets.slate_id = :slate_id
        and slate_sets.is_candidates_attached
        and outcome_timing.outcome_origin = 'imported'
),

tier as (
    select
        max(n_predictions) filter (where tier = 'high' and population = 'all') as n_high,
        max(n_predictions) filter (where tier = 'high' and population = 'novel') as n_novel_high,
        max(n_predictions) filter (where tier = 'all' and population = 'all') as n_all,
        max(n_predictions) filter (where tier = 'all' and population = 'novel') as n_novel,
        max(n_later_hits) filter (where tier = 'all' and population = 'all') as n_later_hits
    from tier_count
    where slate_id = :slate_id and evidence_window = 'prospective'
),

known as (
    select cast(coalesce(sum(n_by_evidence_only), 0) as bigint) as n_known_by_evidence
    from known_at_freeze
    where slate_id = :slate_id and tier = 'all'
),

duplicate as (
    select list(drug_name || ' in ' || disease_name order by note_number) as duplicates
    from slate_note
    where slate_id = :slate_id and kind = 'duplicate_prediction'
),

merged as (
    select list(detail order by note_number) as merged_names
    from slate_note
    where slate_id = :slate_id and kind = 'merged_names'
),

failed as (
    select coalesce(max(n_failed_hits), 0) as n_failed_hits
    from tier_failure
    where
        slate_id = :slate_id
        and evidence_window = 'all'
        and population = 'all'
        and tier = 'all'
),

unreported as (
    select count(distinct record) as n_unreported
    from unreported_study
    where slate_id = :slate_id
),

-- Those of which results may be due, or were posted.
ended as (
    select count(distinct slate_event.record) as n_ended
    from slate_event
    semi join prediction using (slate_id, disease_id, drug_id)
    semi join slate_study_use using (slate_id, study_use)
    where
        slate_event.slate_id = :slate_id
        and (
            slate_event.event_type = 'trial_unreported'
            or (
                slate_event.event_type = 'trial_ended'
                and slate_event.status in ('COMPLETED', 'TERMINATED')
            )
        )
),

shared_record as (
    select
        max(n_entities_with_hits) as n_records,
        max(n_most_hits) as n_most_hits,
        max(entity_name) as most_record
    from hit_concentration
    where
        slate_id = :slate_id
        and evidence_window = 'all'
        and population = 'all'
        and entity_kind = 'record'
),

study_kind_count as (
    select
        uncounted_study.study_kind,
        count(distinct uncounted_study.nct_id) as n_studies
    from uncounted_study
    inner join study_use on uncounted_study.study_kind = study_use.study_use
    where uncounted_study.slate_id = :slate_id
    group by uncounted_study.study_kind
),

other_study as (
    select
        coalesce(sum(n_studies), 0) as n_other_studies,
        list(concat(n_studies, ' ', study_kind) order by n_studies desc, study_kind asc)
            as other_studies
    from study_kind_count
),

late as (
    select
        count(*) as n_late,
        count(distinct struct_pack(disease_id, drug_id)) as n_late_pairs
    from uncounted_event
    where cause = 'late' and slate_id = :slate_id
),

ratio as (
    select coalesce(bool_or(enrichment_vs_matched > 1), false) as is_above_1
    from enrichment_vs_matched
    where slate_id = :slate_id
),

endpoint as (
    select
        max(matched.reason) filter (where matched.enrichment_vs_matched is null) as why_no_ratio,
        max(matched.n_other_hits) filter (
            where matched.enrichment_vs_matched is not null
        ) as n_other_hits
    from enrichment_vs_matched as matched
    inner join primary_endpoint using (slate_id, evidence_window, population, tier)
    where slate_id = :slate_id
),

size as (
    select count(*) as n_drugs
    from candidate_drug_count
    where slate_id = :slate_id and evidence_window = 'all' and population = 'all'
),

gap as (
    select
        max(n_gaps) as n_gaps,
        max(label_gap) as label_gap
    from label_gap
    where slate_id = :slate_id
),

dating as (
    select
        max(n_hits) as n_endpoint_hits,
        max(n_hits) - min(n_hits) as n_undated_hits
    from enrichment_by_dating
    where slate_id = :slate_id
),

activity as (
    select count(*) as n_diseases
    from disease_activity
    where slate_id = :slate_id
),

withdrawn as (
    select count(*) as n_withdrawn
    from outcome_withdrawn
    where slate_id = :slate_id
),

annulled as (
    select
        list(
            concat(
                outcome_id,
                ' (',
                drug_name,
                ' in ',
                disease_name,
                ', ',
                annulled_on,
                '): ',
                reason
            )
            order by outcome_id
        ) as annulled
    from annulled_outcome
    where slate_id = :slate_id
),

straddling as (
    select
        list(
            struct_pack(source, public_after, public_by, n_outcomes, n_possible_hits)
            order by n_outcomes desc, source asc, public_by asc
        ) as straddling
    from straddling_release
    where slate_id = :slate_id
)

select
    slate.is_replay,
    cast(slate.created_at at time zone 'UTC' as date) as made_on,
    slate.frozen_on,
    slate.origin = 'published' as is_imported,
    if(slate_embargo.is_withheld, slate_embargo.embargo_until, null) as withheld_until,
    slate_horizon.horizon_months,
    slate_horizon.ends_on,
    slate_horizon.ends_on <= report_day.reported_on as is_over,
    slate_follow_up.followed_until,
    slate_follow_up.source as slowest_source,
    follow_up_gap.source as source_behind,
    follow_up_gap.last_day,
    follow_up_gap.days_behind,
    follow_up_gap.newest_source,
    follow_up_gap.n_later_events,
    cast(log_head.sealed_at at time zone 'UTC' as date) as sealed_on,
    attached_claim.*,
    duplicate.*,
    merged.*,
    tier.*,
    known.*,
    hit.*,
    unverified.*,
    other_study.*,
    failed.*,
    unreported.*,
    ended.*,
    shared_record.*,
    late.*,
    straddling.*,
    ratio.*,
    endpoint.*,
    size.*,
    activity.*,
    gap.*,
    dating.*,
    withdrawn.*,
    annulled.*
from slate
inner join slate_horizon using (slate_id)
inner join slate_follow_up using (slate_id)
inner join follow_up_gap using (slate_id)
left join slate_embargo using (slate_id)
left join log_head
    on
        log_head.head_id = 1
        and log_head.reason = 'upgraded'
        and slate.recorded_at < log_head.sealed_at
cross join report_day
cross join attached_claim
cross join duplicate
cross join merged
cross join tier
cross join known
cross join hit
cross join unverified
cross join other_study
cross join failed
cross join unreported
cross join ended
cross join shared_record
cross join late
cross join straddling
cross join ratio
cross join endpoint
cross join size
cross join activity
cross join gap
cross join dating
cross join withdrawn
cross join annulled
where slate_id = :slate_id
