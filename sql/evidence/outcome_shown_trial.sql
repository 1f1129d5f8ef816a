-- Title:   Study that the registry now shows for the evidence of an outcome
-- Formula: the newest version of the study, unless it vanished
-- Source:  docs/metrics.md#outcome_shown_trial
-- Units:   phase 0.5 to 4, NULL for none; is_of_pair where the version still names the pair
-- Grain:   slate_id, disease_id, drug_id, outcome_id
with shown_trial as (
    select
        trial_id,
        trial.nct_id,
        trial.overall_status,
        trial.reached_phase,
        trial.start_date
    from trial_state
    inner join trial using (trial_id)
    where trial_state.until_position is null
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
    trial_pair.trial_id is not null as is_of_pair
from outcome
inner join release_order using (release_id)
inner join shown_trial on outcome.record = shown_trial.nct_id
left join trial_pair
    on
        outcome.disease_id = trial_pair.disease_id
        and outcome.drug_id = trial_pair.drug_id
        and shown_trial.trial_id = trial_pair.trial_id
where outcome.source = 'ctgov'
