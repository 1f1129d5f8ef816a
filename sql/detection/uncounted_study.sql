-- Title:   Studies of a slate's predictions that do not count
-- Result:  Evidence and matching
-- Formula: studies of predicted pairs that are not interventional, as last seen; and those with an
--          event, in which the drug has a use that the slate does not count
-- Units:   study_kind as in left_out_trial, or the use as in study_use; reason says why the study
--          counts for nothing
-- Grain:   slate_id, disease_id, drug_id, nct_id
with last_trial as (
    select
        trial.nct_id,
        max_by(trial.trial_id, release_order.position) as trial_id
    from trial
    inner join release_order using (release_id)
    where trial.version_number is null
    group by trial.nct_id
),

left_out_study as (
    select
        left_out_trial.trial_id,
        left_out_trial.nct_id,
        left_out_trial.study_kind,
        trial.first_posted_on,
        release_order.source
    from left_out_trial
    semi join last_trial using (trial_id)
    inner join trial using (trial_id)
    inner join release_order on trial.release_id = release_order.release_id
),

study_text as (
    select
        trial_text.trial_id,
        trial_text.entity_kind,
        trial_text.value
    from trial_text
    semi join left_out_study using (trial_id)
),

study_drug as (
    select distinct
        slate_entity_text.slate_id,
        slate_entity_text.entity_id as drug_id,
        study_text.trial_id
    from study_text
    inner join slate_entity_text using (value)
    where study_text.entity_kind = 'drug' and slate_entity_text.entity_kind = 'drug'
),

study_disease as (
    select distinct
        slate_entity_text.slate_id,
        slate_entity_text.entity_id as disease_id,
        study_text.trial_id
    from study_text
    inner join slate_entity_text using (value)
    where study_text.entity_kind = 'disease' and slate_entity_text.entity_kind = 'disease'
),

other_study as (
    select
        slate_event.slate_id,
        slate_event.disease_id,
        slate_event.drug_id,
        slate_event.record as nct_id,
        min(slate_event.event_date) filter (
            where slate_event.event_type = 'trial_registered'
        ) as first_posted_on,
        max_by(slate_event.study_use, (slate_event.public_by, slate_event.event_id)) as study_kind,
        max_by(slate_event.source, (slate_event.public_by, slate_event.event_id)) as source
    from slate_event
    anti join slate_study_use using (slate_id, study_use)
    where slate_event.study_use is not null
    group by
        slate_event.slate_id, slate_event.disease_id, slate_event.drug_id, slate_event.record
)

select
    prediction.slate_id,
    prediction.disease_id,
    prediction.drug_id,
    left_out_study.nct_id,
    left_out_study.source,
    left_out_study.first_posted_on,
    left_out_study.study_kind,
    if(
        left_out_study.study_kind = 'expanded access, approved for marketing',
        'states neither the day of the approval nor its use',
        'is no interventional study'
    ) as reason
from prediction
inner join study_drug using (slate_id, drug_id)
inner join study_disease using (slate_id, disease_id, trial_id)
inner join left_out_study using (trial_id)
union all
select
    slate_id,
    disease_id,
    drug_id,
    other_study.nct_id,
    other_study.source,
    other_study.first_posted_on,
    other_study.study_kind,
    case other_study.study_kind
        when 'background' then 'gives the drug in every arm, beside what it tests'
        when 'not as a drug' then 'names a procedure, a device, a behaviour or a diagnostic test'
        when 'several conditions' then 'lists several conditions; the plan counts studies of one'
        else 'has a purpose that the plan does not count'
    end as reason
from other_study
semi join prediction using (slate_id, disease_id, drug_id)
