-- Title:   Versions of a study and the releases that showed them
-- Result:  Evidence and matching
-- Formula: each version until the next one or until the study vanished; a study that came back
--          unchanged shows its version again; not past versions, which no snapshot showed
-- Units:   positions in the order of the source's releases; until_position NULL: still shown
-- Grain:   nct_id, from_position
with change as (
    select
        trial.nct_id,
        release_order.position,
        trial.trial_id,
        true as is_present
    from trial
    inner join release_order using (release_id)
    where trial.version_number is null
    union all
    select
        record_presence.record_key as nct_id,
        release_order.position,
        null as trial_id,
        record_presence.is_present
    from record_presence
    inner join release_order using (release_id)
    where record_presence.kind = 'trial'
),

step as (
    select
        nct_id,
        position,
        max(trial_id) as trial_id,
        bool_and(is_present) as is_present
    from change
    group by nct_id, position
),

spell as (
    select
        nct_id,
        position as from_position,
        lead(position) over (partition by nct_id order by position) as until_position,
        max(trial_id) over (partition by nct_id order by position) as trial_id,
        is_present
    from step
)

select
    nct_id,
    from_position,
    until_position,
    trial_id
from spell
where is_present
