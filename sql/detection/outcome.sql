-- Title:   Outcomes of slates
-- Formula: what the events of a slate's pairs mean for it, given its freeze and what was known
--          then: first trials, advances, approvals, ended trials, and what files claim
-- Source:  docs/metrics.md#outcome
-- Units:   outcome_id is the id of the event; first_public_on is the day on which it became public,
--          NULL where only an interval is known; phase is the one that the event proves
-- Grain:   slate_id, disease_id, drug_id, outcome_id
-- Note:    events recorded after the as-of instant are left out
with seen_event as materialized (
    select
        *,
        greatest(
            coalesce(
                max(phase) filter (
                    where is_public_by_freeze and event_type <> 'trial_started'
                ) over (
                    partition by slate_id, disease_id, drug_id
                ),
                0
            ),
            labeled_phase
        ) as known_phase,
        labeled_phase >= 4
        or coalesce(
            bool_or(is_approval and is_public_by_freeze) over (
                partition by slate_id, disease_id, drug_id
            ),
            false
        ) as is_known_approved
    from slate_event
),

-- docs/metrics.md#first_trial_seen
later_start as (
    select *
    from seen_event
    where event_type = 'trial_started' and event_date > counted_from
),

known_trial as (
    select
        seen_event.slate_id,
        seen_event.disease_id,
        seen_event.drug_id
    from seen_event
    anti join later_start
        on
            seen_event.slate_id = later_start.slate_id
            and seen_event.disease_id = later_start.disease_id
            and seen_event.drug_id = later_start.drug_id
            and seen_event.record = later_start.record
    where
        seen_event.event_type in ('trial_registered', 'first_trial_seen')
        and seen_event.is_public_by_freeze
),

first_trial as (
    select
        later_start.slate_id,
        later_start.disease_id,
        later_start.drug_id,
        later_start.event_id,
        'first_trial_seen' as outcome_type
    from later_start
    anti join known_trial using (slate_id, disease_id, drug_id)
    qualify
        row_number() over (
            partition by later_start.slate_id, later_start.disease_id, later_start.drug_id
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
            partition by slate_id, disease_id, drug_id, position
            order by phase desc, event_date asc, record asc
        ) as nth,
        max(phase) over (
            partition by slate_id, disease_id, drug_id
            order by position
            range between unbounded preceding and 1 preceding
        ) as shown_phase
    from seen_event
    where event_type = 'trial_phase' and not is_public_by_freeze
),

chembl_phase as (
    select
        *,
        row_number() over (
            partition by slate_id, disease_id, drug_id, public_by order by phase desc nulls last
        ) as nth,
        max(phase) over (
            partition by slate_id, disease_id, drug_id
            order by public_by
            range between unbounded preceding and interval 1 day preceding
        ) as shown_phase
    from seen_event
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
        event_id,
        if(is_approval, 'fda_approved', 'phase_advanced') as outcome_type
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
        record,
        position as first_position
    from seen_event
    where event_type = 'trial_registered'
),

ended_trial as (
    select
        seen_event.slate_id,
        seen_event.disease_id,
        seen_event.drug_id,
        seen_event.event_id,
        'status_transition' as outcome_type
    from seen_event
    inner join registered_trial using (slate_id, disease_id, drug_id, record)
    where
        seen_event.event_type = 'trial_ended'
        and not seen_event.is_public_by_freeze
        and (
            seen_event.public_after >= seen_event.counted_from
            or (
                seen_event.event_date > seen_event.counted_from
                and registered_trial.first_position < seen_event.position
            )
        )
),

-- docs/metrics.md#fda_approved
first_action as (
    select *
    from seen_event
    where event_type = 'drug_approval' and event_date > counted_from
    qualify
        row_number() over (
            partition by slate_id, disease_id, drug_id
            order by position, event_date, record, event_id
        ) = 1
),

drug_approval as (
    select
        first_action.slate_id,
        first_action.disease_id,
        first_action.drug_id,
        first_action.event_id,
        'fda_approved' as outcome_type
    from first_action
    where not first_action.is_known_approved
),

-- docs/metrics.md#claimed_outcome
claim as (
    select
        seen_event.slate_id,
        seen_event.disease_id,
        seen_event.drug_id,
        seen_event.event_id,
        seen_event.event_type as outcome_type
    from seen_event
    inner join outcome_type on seen_event.event_type = outcome_type.name
),

slate_outcome as (
    select * from first_trial
    union all
    select * from advance
    union all
    select * from ended_trial
    union all
    select * from drug_approval
    union all
    select * from claim
)

select
    slate_outcome.event_id as outcome_id,
    slate_outcome.slate_id,
    slate_outcome.disease_id,
    slate_outcome.drug_id,
    slate_outcome.outcome_type,
    event.event_date,
    if(
        seen_event.public_by - seen_event.public_after = 1, seen_event.public_by, null
    ) as first_public_on,
    seen_event.public_after,
    seen_event.public_by,
    event.source,
    event.release_id,
    event.phase,
    event.record,
    event.detail,
    event.observed_at,
    event.recorded_at,
    event.event_origin as outcome_origin,
    match_kind.match_kind,
    seen_event.match_strength
from slate_outcome
inner join seen_event using (slate_id, disease_id, drug_id, event_id)
inner join event on slate_outcome.event_id = event.event_id
left join match_kind on seen_event.match_strength = match_kind.strength
