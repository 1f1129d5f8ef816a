-- Title:   Trials that ended, not yet in the ledger
-- Formula: after the freeze, a trial of the pair first shows COMPLETED, TERMINATED or WITHDRAWN;
--          one never seen before counts if it was completed or posted after the freeze
-- Source:  docs/metrics.md#new_status_transition
-- Units:   event date is the completion date, which a withdrawn trial does not have, else that of
--          the update that reports the status; first public date is that of the update; each
--          status of a trial once
-- Grain:   slate_id, disease_id, drug_id, nct_id, overall_status
with ended_trial as (
    select
        pair_trial_state.slate_id,
        pair_trial_state.disease_id,
        pair_trial_state.drug_id,
        trial_transition.nct_id,
        trial_transition.overall_status,
        trial_transition.trial_id,
        coalesce(trial.last_update_posted_on, release_order.released_on) as updated_on,
        if(
            trial_transition.overall_status <> 'WITHDRAWN'
            and trial.completion_date <= release_order.released_on,
            trial.completion_date,
            null
        ) as completed_on,
        coalesce(completed_on, updated_on) as event_date,
        pair_trial_state.drug_alias,
        pair_trial_state.disease_alias
    from trial_transition
    inner join pair_trial_state using (nct_id, trial_id, from_position)
    inner join trial using (trial_id)
    inner join release_order on trial.release_id = release_order.release_id
    inner join slate using (slate_id)
    where
        not pair_trial_state.is_known
        and (
            not trial_transition.is_first_sight
            or completed_on > slate.frozen_on
            or trial.first_posted_on > slate.frozen_on
        )
)

select
    ended_trial.slate_id,
    ended_trial.disease_id,
    ended_trial.drug_id,
    ended_trial.nct_id,
    ended_trial.overall_status,
    'status_transition' as outcome_type,
    ended_trial.event_date,
    ended_trial.updated_on as first_public_on,
    'ctgov' as source,
    trial.release_id,
    json_object(
        'record', ended_trial.nct_id,
        'status', ended_trial.overall_status,
        'completion_precision', trial.completion_precision,
        'drug_alias', ended_trial.drug_alias,
        'disease_alias', ended_trial.disease_alias
    ) as detail
from ended_trial
inner join trial using (trial_id)
anti join outcome
    on
        ended_trial.slate_id = outcome.slate_id
        and ended_trial.disease_id = outcome.disease_id
        and ended_trial.drug_id = outcome.drug_id
        and outcome.outcome_type = 'status_transition'
        and outcome.source = 'ctgov'
        and ended_trial.nct_id = (outcome.detail ->> 'record')
        and ended_trial.overall_status = (outcome.detail ->> 'status')
