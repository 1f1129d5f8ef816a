-- Title:   Versions of studies, and the releases by which the studies had begun
-- Formula: started_position is the first release, from the one that shows the version until the one
--          that replaces it, that is dated on or after the start date; the first of them without a
--          start date; none where the version says that the study has not begun: NOT_YET_RECRUITING
--          or WITHDRAWN, UNKNOWN where that was the last known status, or an estimated start
-- Source:  docs/metrics.md#trial_start
-- Units:   positions in the order of the registry's releases; until_position NULL: still shown
-- Grain:   nct_id, from_position
with registry_day as (
    select
        released_on,
        min(position) as position
    from release_order
    where source = 'ctgov'
    group by released_on
),

-- Versions that were stored without the last known status have that of the version before.
stated as (
    select
        trial_state.nct_id,
        trial_state.from_position,
        trial_state.until_position,
        trial_state.trial_id,
        trial.start_date,
        trial.start_type,
        if(
            trial.overall_status = 'UNKNOWN',
            coalesce(
                trial.last_known_status,
                last_value(nullif(trial.overall_status, 'UNKNOWN') ignore nulls) over (
                    partition by trial_state.nct_id order by trial_state.from_position
                )
            ),
            trial.overall_status
        ) as known_status
    from trial_state
    inner join trial using (trial_id)
),

placed as (
    select
        stated.*,
        case
            when stated.known_status in ('NOT_YET_RECRUITING', 'WITHDRAWN') then null
            -- ANTICIPATED is what the registry called it before.
            when stated.start_type in ('ESTIMATED', 'ANTICIPATED') then null
            when stated.start_date is null then stated.from_position
            when registry_day.position is not null
                then greatest(stated.from_position, registry_day.position)
        end as begun_position
    from stated
    asof left join registry_day on stated.start_date <= registry_day.released_on
)

select
    nct_id,
    from_position,
    until_position,
    trial_id,
    if(coalesce(begun_position < until_position, true), begun_position, null) as started_position
from placed
