-- Title:   States of a pair's trials in the registry
-- Formula: the states of the studies of the pair, with where the slate's freeze falls
-- Source:  docs/metrics.md#pair_trial_state
-- Units:   is_known where shown on or before the freeze; is_current where shown after it
-- Grain:   slate_id, disease_id, drug_id, nct_id, from_position
select
    trial_pair.slate_id,
    trial_pair.disease_id,
    trial_pair.drug_id,
    trial_state.nct_id,
    trial_state.from_position,
    trial_state.trial_id,
    trial.reached_phase as phase,
    trial.start_date,
    freeze_position.position >= trial_state.from_position as is_known,
    coalesce(freeze_position.position < trial_state.until_position, true) as is_current,
    greatest(trial_state.from_position, freeze_position.position) as seen_position,
    trial_pair.drug_alias,
    trial_pair.disease_alias
from trial_pair
inner join trial_state using (trial_id)
inner join trial using (trial_id)
inner join freeze_position
    on trial_pair.slate_id = freeze_position.slate_id and freeze_position.source = 'ctgov'
