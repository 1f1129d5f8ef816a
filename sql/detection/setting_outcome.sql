-- Title:   Outcomes of slates, by which studies count
-- Formula: what the events of a slate's pairs mean for it, given its freeze and what was known
--          then: first trials, advances, approvals and EMA's other decisions, ended and failed
--          trials, and what files claim; by the studies that count in the setting
-- Units:   outcome_id is the id of the event; first_public_on is the day on which it became public,
--          NULL where only an interval is known; phase is the one that the event proves;
--          study_setting as in setting_event, 'plan' for every pair, others where they can differ;
--          dated_by and reference_types as in slate_event
-- Grain:   slate_id, disease_id, drug_id, study_setting, outcome_id
-- Stored:  evidence
-- Note:    events recorded after the as-of instant are left out
-- What was known at the freeze rests on every study, what came of it on those that count.
with judged_event as materialized (
    select *
    from setting_event
),

known_pair as (
    select
        slate_id,
        disease_id,
        drug_id,
        study_setting,
        max(phase) filter (where is_public_by_freeze and event_type <> 'trial_started') as phase,
        bool_or(is_approval and is_public_by_freeze) as is_approved
    from judged_event
    group by slate_id, disease_id, drug_id, study_setting
),

seen_event as materialized (
    select
        judged_event.*,
        greatest(coalesce(known_pair.phase, 0), judged_event.labeled_phase) as known_phase,
        judged_event.labeled_phase >= 4
        or coalesce(known_pair.is_approved, false) as is_known_approved
    from judged_event
    inner join known_pair using (slate_id, disease_id, drug_id, study_setting)
),

counted_event as (
    select *
    from seen_event
    where is_counted
),

-- docs/metrics.md#first_trial_seen
later_start as (
    select *
    from counted_event
    where event_type = 'trial_started' and event_date > counted_from
),

known_trial as (
    select
        counted_event.slate_id,
        counted_event.disease_id,
        counted_event.drug_id,
        counted_event.study_setting
    from counted_event
    anti join later_start
        on
            counted_event.slate_id = later_start.slate_id
            and counted_event.disease_id = later_start.disease_id
            and counted_event.drug_id = later_start.drug_id
            and counted_event.study_setting = later_start.study_setting
            and counted_event.record = later_start.record
    where
        counted_event.event_type in ('trial_registered', 'first_trial_seen')
        and counted_event.is_public_by_freeze
),

first_trial as (
    select
        later_start.slate_id,
        later_start.disease_id,
        later_start.drug_id,
        later_start.study_setting,
        later_start.event_id,
        'first_trial_seen' as outcome_type
    from later_start
    anti join known_trial using (slate_id, disease_id, drug_id, study_setting)
    qualify
        row_number() over (
            partition by
                later_start.slate_id,
                later_start.disease_id,
                later_start.drug_id,
                later_start.study_setting
            order by
                later_start.is_public_by_freeze desc,
                later_start.position asc,
                later_start.event_date asc,
                later_start.record asc
        ) = 1
),

-- docs/metrics.md#phase_advanced
registry_phase as (
    select
        *,
        row_number() over (
            partition by slate_id, disease_id, drug_id, study_setting, position
            order by phase desc, event_date asc, record asc
        ) as nth,
        max(phase) over (
            partition by slate_id, disease_id, drug_id, study_setting
            order by position
            range between unbounded preceding and 1 preceding
        ) as shown_phase
    from counted_event
    where event_type = 'trial_phase' and not is_public_by_freeze
),

chembl_phase as (
    select
        *,
        row_number() over (
            partition by slate_id, disease_id, drug_id, study_setting, public_by
            order by phase desc nulls last
        ) as nth,
        max(phase) over (
            partition by slate_id, disease_id, drug_id, study_setting
            order by public_by
            range between unbounded preceding and interval 1 day preceding
        ) as shown_phase
    from counted_event
    where event_type = 'indication_phase' and not is_public_by_freeze
),

phased_event as (
    select * from registry_phase
    union all
    select * from chembl_phase
),

advance as (
    select
        slate_id,
        disease_id,
        drug_id,
        study_setting,
        event_id,
        case
            when not is_approval then 'phase_advanced'
            when coalesce(regexp_matches(reference_types, 'FDA|DailyMed'), true)
                then 'fda_approved'
            else 'approved'
        end as outcome_type
    from phased_event
    where
        nth = 1
        and phase >= 1
        and phase > coalesce(shown_phase, 0)
        and if(is_approval, not is_known_approved, phase > known_phase)
),

-- docs/metrics.md#status_transition
registered_trial as (
    select
        slate_id,
        disease_id,
        drug_id,
        study_setting,
        record,
        position as first_position
    from seen_event
    where event_type = 'trial_registered'
),

later_end as (
    select counted_event.*
    from counted_event
    inner join registered_trial using (slate_id, disease_id, drug_id, study_setting, record)
    where
        counted_event.event_type in ('trial_ended', 'trial_stopped')
        and not counted_event.is_public_by_freeze
        and (
            counted_event.public_after >= counted_event.counted_from
            or (
                counted_event.event_date > counted_event.counted_from
                and registered_trial.first_position < counted_event.position
            )
        )
),

ended_trial as (
    select
        slate_id,
        disease_id,
        drug_id,
        study_setting,
        event_id,
        'status_transition' as outcome_type
    from later_end
    where event_type = 'trial_ended'
),

-- docs/metrics.md#trial_failed
failed_trial as (
    select
        slate_id,
        disease_id,
        drug_id,
        study_setting,
        event_id,
        'trial_failed' as outcome_type
    from later_end
    where event_type = 'trial_stopped' and stop_reason in ('efficacy', 'safety')
    qualify
        row_number() over (
            partition by slate_id, disease_id, drug_id, study_setting, record
            order by public_by, event_id
        ) = 1
),

-- docs/metrics.md#fda_approved
first_action as (
    select *
    from counted_event
    where event_type = 'drug_approval' and event_date > counted_from
    qualify
        row_number() over (
            partition by slate_id, disease_id, drug_id, study_setting
            order by position, event_date, record, event_id
        ) = 1
),

drug_approval as (
    select
        first_action.slate_id,
        first_action.disease_id,
        first_action.drug_id,
        first_action.study_setting,
        first_action.event_id,
        'fda_approved' as outcome_type
    from first_action
    where not first_action.is_known_approved
),

-- docs/metrics.md#ema_approved
ema_event as (
    select counted_event.*
    from counted_event
    semi join ema_slate using (slate_id)
    where
        counted_event.event_type in ('ema_authorised', 'ema_refused', 'ema_withdrawn')
        and not counted_event.is_public_by_freeze
),

first_authorisation as (
    select *
    from ema_event
    where event_type = 'ema_authorised' and not is_known_approved
    qualify
        row_number() over (
            partition by slate_id, disease_id, drug_id, study_setting
            order by public_by, event_date, record, event_id
        ) = 1
),

-- From when to when each product has the pair authorised, in days.
authorised_product as (
    select
        slate_id,
        disease_id,
        drug_id,
        study_setting,
        record,
        min(event_date) filter (where event_type = 'ema_authorised') as authorised_on,
        min(event_date) filter (where event_type = 'ema_withdrawn') as ended_on
    from counted_event
    where event_type in ('ema_authorised', 'ema_withdrawn')
    group by slate_id, disease_id, drug_id, study_setting, record
),

ended_application as (
    select ema_event.*
    from ema_event
    anti join authorised_product
        on
            ema_event.slate_id = authorised_product.slate_id
            and ema_event.disease_id = authorised_product.disease_id
            and ema_event.drug_id = authorised_product.drug_id
            and ema_event.study_setting = authorised_product.study_setting
            and ema_event.record <> authorised_product.record
            and ema_event.event_date >= authorised_product.authorised_on
            and coalesce(ema_event.event_date < authorised_product.ended_on, true)
    where ema_event.event_type <> 'ema_authorised' and ema_event.public_after is not null
),

ema_decision as (
    select
        slate_id,
        disease_id,
        drug_id,
        study_setting,
        event_id,
        'ema_approved' as outcome_type
    from first_authorisation
    union all
    select
        slate_id,
        disease_id,
        drug_id,
        study_setting,
        event_id,
        if(event_type = 'ema_refused', 'approval_refused', 'approval_withdrawn') as outcome_type
    from ended_application
),

-- docs/metrics.md#claimed_outcome
claim as (
    select
        counted_event.slate_id,
        counted_event.disease_id,
        counted_event.drug_id,
        counted_event.study_setting,
        counted_event.event_id,
        counted_event.event_type as outcome_type
    from counted_event
    inner join outcome_type on counted_event.event_type = outcome_type.name
),

slate_outcome as (
    select * from first_trial
    union all
    select * from advance
    union all
    select * from ended_trial
    union all
    select * from failed_trial
    union all
    select * from drug_approval
    union all
    select * from ema_decision
    union all
    select * from claim
)

select
    slate_outcome.event_id as outcome_id,
    slate_outcome.slate_id,
    slate_outcome.disease_id,
    slate_outcome.drug_id,
    slate_outcome.study_setting,
    slate_outcome.outcome_type,
    event.event_date,
    if(
        counted_event.public_by - counted_event.public_after = 1, counted_event.public_by, null
    ) as first_public_on,
    counted_event.public_after,
    counted_event.public_by,
    event.source,
    event.release_id,
    event.phase,
    event.record,
    event.detail,
    event.observed_at,
    event.recorded_at,
    event.event_origin as outcome_origin,
    match_kind.match_kind,
    counted_event.match_strength,
    counted_event.dated_by,
    counted_event.reference_types,
    counted_event.has_several_conditions
from slate_outcome
inner join counted_event using (slate_id, disease_id, drug_id, study_setting, event_id)
inner join event on slate_outcome.event_id = event.event_id
left join match_kind on counted_event.match_strength = match_kind.strength
