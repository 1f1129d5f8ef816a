-- Title:   Studies of a slate's predictions without results
-- Result:  Evidence and matching
-- Formula: studies of predicted pairs with a trial_unreported, in which the drug has a use that the
--          slate counts, and of which no snapshot shows a day on which results were posted
-- Units:   due_on is 365 days after the completion; status that of the version then current
-- Grain:   slate_id, disease_id, drug_id, record
-- Note:    releases ingested after the as-of instant are left out
with reported_study as (
    select distinct trial.nct_id as record
    from trial
    inner join release_order using (release_id)
    where trial.results_posted_on is not null
)

select
    slate_event.slate_id,
    slate_event.disease_id,
    slate_event.drug_id,
    slate_event.record,
    min(slate_event.event_date) as due_on,
    min(slate_event.public_by) as shown_on,
    min(slate_event.status) as status,
    concat('no results posted; due ', cast(min(slate_event.event_date) as varchar)) as unreported
from slate_event
semi join prediction using (slate_id, disease_id, drug_id)
semi join slate_study_use using (slate_id, study_use)
anti join reported_study using (record)
where slate_event.event_type = 'trial_unreported'
group by
    slate_event.slate_id, slate_event.disease_id, slate_event.drug_id, slate_event.record
