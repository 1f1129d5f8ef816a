-- Title:   Studies that ChEMBL gives for an indication, and when they became public
-- Formula: each ClinicalTrials.gov number among its references; public on the day of first posting
--          where the store has the study; else after the end of the last registry_month without
--          the number, and by 31 days after the end of the first one with it, or by the release
-- Units:   phase is the highest that the stored study reached, NULL without one; public_after is
--          before public_by, and NULL of the oldest numbers; dated_by is 'registry' or 'number'
-- Grain:   indication_id, nct_id
with named_study as (
    select distinct
        indication_reference.indication_id,
        release_order.released_on,
        unnest(
            regexp_extract_all(upper(indication_reference.ref_id), 'NCT[0-9]{8}')
        ) as nct_id
    from indication_reference
    inner join indication using (indication_id)
    inner join release_order using (release_id)
    where indication_reference.ref_type in ('ClinicalTrials', 'not stated')
),

posted_study as (
    select
        trial.nct_id,
        min(least(trial.first_posted_on, release_order.released_on)) as posted_on,
        max(trial.reached_phase) as phase
    from trial
    inner join release_order using (release_id)
    where trial.first_posted_on is not null
    group by trial.nct_id
),

numbered_study as (
    select
        *,
        cast(substr(nct_id, 4) as integer) as study_number
    from named_study
    where nct_id <> 'NCT00000000'
),

month as (
    select
        highest_number,
        registered_by,
        lag(registered_by) over (order by highest_number) as previous_by
    from registry_month
),

newest_month as (
    select max(registered_by) as registered_by
    from registry_month
),

dated_study as (
    select
        numbered_study.indication_id,
        numbered_study.nct_id,
        posted_study.phase,
        case
            when posted_study.posted_on is not null then cast(posted_study.posted_on - 1 as date)
            when month.highest_number is null then newest_month.registered_by
            else month.previous_by
        end as public_after,
        -- Of a number that is later than the months, the release alone is left.
        least(
            coalesce(posted_study.posted_on, cast(month.registered_by + 31 as date)),
            numbered_study.released_on
        ) as public_by,
        if(posted_study.posted_on is null, 'number', 'registry') as dated_by
    from numbered_study
    cross join newest_month
    left join posted_study using (nct_id)
    asof left join month on numbered_study.study_number <= month.highest_number
)

select
    indication_id,
    nct_id,
    phase,
    if(public_after >= public_by, cast(public_by - 1 as date), public_after) as public_after,
    public_by,
    dated_by
from dated_study
