-- Title:   Study that the registry now shows for the evidence of an outcome
-- Formula: the newest version of the study, unless it vanished, and whether it has begun by then
-- Units:   phase 0.5 to 4, NULL for none; has_begun as in trial_start; is_of_pair where the version
--          still names the pair
-- Grain:   slate_id, disease_id, drug_id, outcome_id
with shown_trial as (
    select
        trial_id,
        trial.nct_id,
        trial.overall_status,
        trial.reached_phase,
        trial.start_date,
        trial_start.started_position is not null as has_begun
    from trial_start
    inner join trial using (trial_id)
    where trial_start.until_position is null
),

paired_trial as (
    select distinct
        disease_id,
        drug_id,
        trial_id
    from trial_pair
)

select
    outcome.slate_id,
    outcome.disease_id,
    outcome.drug_id,
    outcome.outcome_id,
    shown_trial.nct_id,
    shown_trial.overall_status,
    shown_trial.reached_phase as phase,
    shown_trial.start_date,
    shown_trial.has_begun,
    paired_trial.trial_id is not null as is_of_pair
from outcome
inner join release_order using (release_id)
inner join shown_trial on outcome.record = shown_trial.nct_id
left join paired_trial
    on
        outcome.disease_id = paired_trial.disease_id
        and outcome.drug_id = paired_trial.drug_id
        and shown_trial.trial_id = paired_trial.trial_id
where release_order.tells_of = 'studies'
