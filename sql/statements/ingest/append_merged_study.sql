-- Title:      Appends that studies are gone from under the number that another study has now
-- Reads:      record_presence, staged_number, trial
-- Writes:     record_presence
-- Note:       A registry named the other number later than it had shown the study.
with last_change as (
    select
        record_key,
        arg_max(is_present, release_id) as is_present
    from record_presence
    where kind = 'trial'
    group by record_key
)

select distinct
    cast(:release_id as integer) as release_id,
    'trial' as kind,
    trial.nct_id as record_key,
    false as is_present
from trial
inner join staged_number
    on trial.nct_id = staged_number.number and trial.nct_id <> staged_number.nct_id
left join last_change on trial.nct_id = last_change.record_key
where trial.version_number is null and coalesce(last_change.is_present, true)
order by record_key
