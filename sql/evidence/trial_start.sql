-- Title:   Versions of studies, and the releases by which the studies had begun
-- Formula: started_position is the first release of the version's source, from the one that shows
--          the version until the one that replaces it, that is dated on or after the start date;
--          the first of them without a start date; none where the version says that the study has
--          not begun: NOT_YET_RECRUITING or WITHDRAWN, UNKNOWN or NOT_RECRUITING where that was the
--          last known status, NOT_RECRUITING without an earlier status, or an estimated start
-- Units:   positions in the order of the registry's releases; until_position NULL: still shown
-- Grain:   nct_id, from_position
with registry_day as (
    select
        source,
        released_on,
        min(position) as position
    from release_order
    where tells_of = 'studies'
    group by source, released_on
),

-- Versions that were stored without the last known status have that of the version before. ICTRP
-- says NOT_RECRUITING before a study begins, after it ended, and of one that never began.
stated as (
    select
        trial_state.nct_id,
        trial_state.from_position,
        trial_state.until_position,
        trial_state.trial_id,
        trial.start_date,
        trial.start_type,
        release_order.source,
        if(
            trial.overall_status in ('UNKNOWN', 'NOT_RECRUITING'),
            coalesce(
                trial.last_known_status,
                last_value(
                    if(
                        trial.overall_status in ('UNKNOWN', 'NOT_RECRUITING'),
                        null,
                        trial.overall_status
                    ) ignore nulls
                ) over (partition by trial_state.nct_id order by trial_state.from_position),
                nullif(trial.overall_status, 'UNKNOWN')
            ),
            trial.overall_status
        ) as known_status
    from trial_state
    inner join trial using (trial_id)
    inner join release_order using (release_id)
),

placed as (
    select
        stated.*,
        case
            when stated.known_status in ('NOT_YET_RECRUITING', 'WITHDRAWN', 'NOT_RECRUITING')
                then null
            -- ANTICIPATED is what the registry called it before.
            when stated.start_type in ('ESTIMATED', 'ANTICIPATED') then null
            when stated.start_date is null then stated.from_position
            when registry_day.position is not null
                then greatest(stated.from_position, registry_day.position)
        end as begun_position
    from stated
    asof left join registry_day
        on
            stated.source = registry_day.source
            and stated.start_date <= registry_day.released_on
)

select
    nct_id,
    from_position,
    until_position,
    trial_id,
    if(coalesce(begun_position < until_position, true), begun_position, null) as started_position
from placed
