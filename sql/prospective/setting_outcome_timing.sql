-- Title:   Outcome timing, by which studies count
-- Formula: the event date, then the interval in which it became public, compared with counted_from
--          and the end of the horizon; the one day within the interval on which the FDA approved
--          the drug or a new use dates an approval from ChEMBL, if no action of uncertain meaning
--          has another
-- Source:  docs/metrics.md#setting_outcome_timing
-- Units:   timing is one of retrospective, coincident, announced, prospective, straddles,
--          unverified, undated; first_public_on is NULL where only an interval is known
-- Grain:   slate_id, disease_id, drug_id, study_setting, outcome_id
-- Stored:  evidence
with recorded_outcome as materialized (
    select
        setting_outcome.*,
        outcome_type.signal,
        slate_horizon.counted_from,
        slate_horizon.ends_on
    from setting_outcome
    inner join slate_horizon using (slate_id)
    inner join outcome_type on setting_outcome.outcome_type = outcome_type.name
),

corrected_event as (
    select event_id
    from event_correction
    where corrected_at <= (select report_instant.as_of from report_instant)
),

-- An approval that an earlier version recorded of another action dates until it is corrected.
recorded_action as (
    select distinct
        event.record,
        event.event_date as status_date,
        event.release_id
    from event
    anti join corrected_event on event.event_id = corrected_event.event_id
    where
        event.event_type = 'drug_approval'
        and event.phase is not null
        and event.recorded_at <= (select report_instant.as_of from report_instant)
),

current_action as (
    select
        approval_action.name,
        status_date,
        approval_action.meaning = 'approval' or recorded_action.record is not null as is_approval
    from approval_action
    left join recorded_action using (record, status_date, release_id)
    where
        approval_action.is_current
        and (
            approval_action.meaning in ('approval', 'uncertain')
            or recorded_action.record is not null
        )
),

-- docs/metrics.md#fda_approved
approval_date as (
    select
        recorded_outcome.slate_id,
        recorded_outcome.disease_id,
        recorded_outcome.drug_id,
        recorded_outcome.study_setting,
        recorded_outcome.outcome_id,
        min(current_action.status_date) as approved_on
    from recorded_outcome
    inner join slate_entity_key as drug_key
        on
            drug_key.entity_kind = 'drug'
            and recorded_outcome.slate_id = drug_key.slate_id
            and recorded_outcome.drug_id = drug_key.entity_id
    inner join current_action
        on
            drug_key.value = current_action.name
            and recorded_outcome.public_after < current_action.status_date
            and recorded_outcome.public_by >= current_action.status_date
    where
        recorded_outcome.outcome_type = 'fda_approved'
        and recorded_outcome.source = 'chembl'
        and recorded_outcome.release_id is not null
    group by all
    having count(distinct current_action.status_date) = 1 and bool_or(current_action.is_approval)
),

-- The days that count, also where the approval has another than its record.
dated_outcome as (
    select
        recorded.*,
        coalesce(approval_date.approved_on, recorded.event_date) as dated_on,
        coalesce(approval_date.approved_on, recorded.first_public_on) as first_known_on,
        coalesce(cast(approval_date.approved_on - 1 as date), recorded.public_after) as known_after,
        coalesce(approval_date.approved_on, recorded.public_by) as known_by
    from recorded_outcome as recorded
    left join approval_date using (slate_id, disease_id, drug_id, study_setting, outcome_id)
)

select
    outcome_id,
    slate_id,
    disease_id,
    drug_id,
    study_setting,
    outcome_type,
    signal,
    case
        when dated_on is null then 'undated'
        when dated_on < counted_from then 'retrospective'
        when dated_on = counted_from then 'coincident'
        when known_by <= counted_from then 'announced'
        when known_after is null then 'unverified'
        when known_after >= counted_from then 'prospective'
        else 'straddles'
    end as timing,
    coalesce(greatest(dated_on, known_by) > ends_on, false) as is_after_horizon,
    dated_on as event_date,
    first_known_on as first_public_on,
    known_after as public_after,
    known_by as public_by,
    phase,
    source,
    release_id,
    record,
    observed_at,
    recorded_at,
    outcome_origin,
    match_kind,
    match_strength
from dated_outcome
