-- Title:   Outcome timing, by which studies count
-- Formula: the event date, then the interval in which it became public, compared with counted_from
--          and the end of the horizon; an approval in ChEMBL is dated by the one day within the
--          interval on which the FDA approved the drug or a new use, if no action of uncertain
--          meaning has another, by EMA's authorisation of the pair, or by the drug's first approval
-- Units:   timing is one of retrospective, coincident, announced, prospective, straddles,
--          unverified, undated; first_public_on is NULL where only an interval is known; dated_by
--          as in slate_event, or 'FDA', 'EMA' or 'first approval'; undated_reason says why an
--          approval that ChEMBL shows as new is not shown to be
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

-- docs/metrics.md#dated-approvals
chembl_approval as (
    select *
    from recorded_outcome
    where
        outcome_type in ('fda_approved', 'approved')
        and source = 'chembl'
        and release_id is not null
),

named_action as (
    select
        chembl_approval.slate_id,
        chembl_approval.disease_id,
        chembl_approval.drug_id,
        chembl_approval.study_setting,
        chembl_approval.outcome_id,
        chembl_approval.public_after,
        chembl_approval.public_by,
        chembl_approval.counted_from,
        chembl_approval.reference_types,
        current_action.status_date,
        current_action.is_approval
    from chembl_approval
    inner join slate_entity_key as drug_key
        on
            drug_key.entity_kind = 'drug'
            and chembl_approval.slate_id = drug_key.slate_id
            and chembl_approval.drug_id = drug_key.entity_id
    inner join current_action on drug_key.value = current_action.name
),

action_date as (
    select
        slate_id,
        disease_id,
        drug_id,
        study_setting,
        outcome_id,
        min(status_date) as decided_on,
        'FDA' as dated_by
    from named_action
    where public_after < status_date and public_by >= status_date
    group by all
    having count(distinct status_date) = 1 and bool_or(is_approval)
),

authorisation_date as (
    select
        chembl_approval.slate_id,
        chembl_approval.disease_id,
        chembl_approval.drug_id,
        chembl_approval.study_setting,
        chembl_approval.outcome_id,
        min(slate_event.event_date) as decided_on,
        'EMA' as dated_by
    from chembl_approval
    inner join slate_event
        on
            chembl_approval.slate_id = slate_event.slate_id
            and chembl_approval.disease_id = slate_event.disease_id
            and chembl_approval.drug_id = slate_event.drug_id
            and slate_event.event_type = 'ema_authorised'
            and chembl_approval.public_by >= slate_event.event_date
    group by all
),

approval_date as (
    select
        slate_id,
        disease_id,
        drug_id,
        study_setting,
        outcome_id,
        min(decided_on) as decided_on,
        min_by(dated_by, (decided_on, dated_by)) as dated_by
    from (
        from action_date
        union all by name
        from authorisation_date
    ) as decision
    group by all
),

first_approval as (
    select
        release_id,
        coalesce(parent_chembl_id, chembl_id) as molecule,
        min(first_approved_in) as first_approved_in
    from indication
    where first_approved_in is not null
    group by release_id, coalesce(parent_chembl_id, chembl_id)
),

approval_year as (
    select
        chembl_approval.slate_id,
        chembl_approval.disease_id,
        chembl_approval.drug_id,
        chembl_approval.study_setting,
        chembl_approval.outcome_id,
        min(first_approval.first_approved_in) as first_approved_in
    from chembl_approval
    inner join indication
        on
            chembl_approval.release_id = indication.release_id
            and chembl_approval.record = indication.source_key
    inner join first_approval
        on
            indication.release_id = first_approval.release_id
            and coalesce(indication.parent_chembl_id, indication.chembl_id)
            = first_approval.molecule
    group by all
),

earlier_action as (
    select distinct
        slate_id,
        disease_id,
        drug_id,
        study_setting,
        outcome_id
    from named_action
    where is_approval and status_date <= counted_from and reference_types is not null
),

-- The days that count, also where the approval has another than its record.
dated_outcome as (
    select
        recorded.* exclude (dated_by),
        coalesce(approval_date.decided_on, recorded.event_date) as dated_on,
        coalesce(approval_date.decided_on, recorded.first_public_on) as first_known_on,
        coalesce(approval_date.decided_on, recorded.public_by) as known_by,
        case
            when approval_date.decided_on is not null
                then cast(approval_date.decided_on - 1 as date)
            when approval_year.first_approved_in >= year(recorded.counted_from)
                then cast(make_date(approval_year.first_approved_in, 1, 1) - 1 as date)
            when
                approval_year.first_approved_in is null and earlier_action.outcome_id is null
                then recorded.public_after
        end as known_after,
        case
            when approval_date.decided_on is not null then approval_date.dated_by
            when approval_year.first_approved_in >= year(recorded.counted_from)
                then 'first approval'
            else recorded.dated_by
        end as dated_by,
        case
            when approval_date.decided_on is not null then null
            when approval_year.first_approved_in < year(recorded.counted_from)
                then
                    concat(
                        'the drug was first approved in ',
                        approval_year.first_approved_in,
                        ', and nothing since dates this approval'
                    )
            when
                approval_year.first_approved_in is null and earlier_action.outcome_id is not null
                then
                    'the FDA had approved the drug before the freeze, and nothing since dates this '
                    || 'approval'
        end as undated_reason
    from recorded_outcome as recorded
    left join approval_date using (slate_id, disease_id, drug_id, study_setting, outcome_id)
    left join approval_year using (slate_id, disease_id, drug_id, study_setting, outcome_id)
    left join earlier_action using (slate_id, disease_id, drug_id, study_setting, outcome_id)
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
    match_strength,
    dated_by,
    reference_types,
    undated_reason,
    has_several_conditions
from dated_outcome
