-- Title:   Versions of a pair's studies, and when the studies had started
-- Formula: started_position is the first release, from the one that shows the version until the one
--          that replaces it, that is dated on or after the start date; the first of them without a
--          start date; none if the version is WITHDRAWN
-- Source:  docs/metrics.md#trial_pair_version
-- Units:   positions in the order of the registry's releases; study_use as in trial_pair
-- Grain:   disease_id, drug_id, nct_id, from_position, level, known_since, is_shared
with registry_day as (
    select
        released_on,
        min(position) as position
    from release_order
    where source = 'ctgov'
    group by released_on
),

placed_state as (
    select
        trial_state.nct_id,
        trial_state.from_position,
        trial_state.until_position,
        trial_state.trial_id,
        trial.reached_phase,
        trial.overall_status,
        trial.start_date,
        case
            when trial.overall_status = 'WITHDRAWN' then null
            when trial.start_date is null then trial_state.from_position
            when registry_day.position is not null
                then greatest(trial_state.from_position, registry_day.position)
        end as begun_position
    from trial_state
    inner join trial using (trial_id)
    asof left join registry_day on trial.start_date <= registry_day.released_on
)

select
    trial_pair.disease_id,
    trial_pair.drug_id,
    placed_state.nct_id,
    placed_state.from_position,
    placed_state.trial_id,
    placed_state.reached_phase,
    placed_state.overall_status,
    placed_state.start_date,
    if(
        coalesce(placed_state.begun_position < placed_state.until_position, true),
        placed_state.begun_position,
        null
    ) as started_position,
    trial_pair.drug_alias,
    trial_pair.disease_alias,
    trial_pair.level,
    trial_pair.match_kind,
    trial_pair.known_since,
    trial_pair.is_shared,
    trial_pair.study_use
from trial_pair
inner join placed_state using (trial_id)
