-- Title:   Studies that reached an end
-- Formula: the first version of a study with the status COMPLETED, TERMINATED or WITHDRAWN
-- Source:  docs/metrics.md#trial_transition
-- Units:   is_first_sight where no earlier release shows the study in another status
-- Grain:   nct_id, overall_status
with followed_state as (
    select
        trial_state.nct_id,
        trial_state.from_position,
        trial_state.trial_id,
        trial.overall_status,
        row_number() over (
            partition by trial_state.nct_id order by trial_state.from_position
        ) as state_number,
        row_number() over (
            partition by trial_state.nct_id, trial.overall_status
            order by trial_state.from_position
        ) as status_number
    from trial_state
    inner join trial using (trial_id)
)

select
    nct_id,
    overall_status,
    trial_id,
    from_position,
    state_number = 1 as is_first_sight
from followed_state
where status_number = 1 and overall_status in ('COMPLETED', 'TERMINATED', 'WITHDRAWN')
