-- Title:   First trials not yet in the ledger
-- Formula: of the studies of the pair that start after the freeze, the earliest in the first
--          snapshot that shows one, counted from the snapshot at the freeze; at most one for a
--          pair, and none until a snapshot after the freeze shows what was registered at it
-- Source:  docs/metrics.md#new_first_trial
-- Units:   event date is the start, first public date the registry's first posting
-- Grain:   slate_id, disease_id, drug_id
with starting_trial as (
    select pair_trial_state.*
    from pair_trial_state
    inner join slate using (slate_id)
    where
        pair_trial_state.is_current
        and pair_trial_state.start_date > slate.frozen_on
        and exists (
            select release_order.release_id
            from release_order
            where release_order.source = 'ctgov' and release_order.released_on > slate.frozen_on
        )
    qualify
        row_number() over (
            partition by
                pair_trial_state.slate_id, pair_trial_state.disease_id, pair_trial_state.drug_id
            order by
                pair_trial_state.seen_position,
                pair_trial_state.start_date,
                pair_trial_state.nct_id
        ) = 1
)

select
    starting_trial.slate_id,
    starting_trial.disease_id,
    starting_trial.drug_id,
    'first_trial_seen' as outcome_type,
    starting_trial.start_date as event_date,
    trial.first_posted_on as first_public_on,
    'ctgov' as source,
    trial.release_id,
    json_object(
        'record', trial.nct_id,
        'phase', trial.reached_phase,
        'status', trial.overall_status,
        'start_precision', trial.start_precision,
        'start_type', trial.start_type,
        'drug_alias', starting_trial.drug_alias,
        'disease_alias', starting_trial.disease_alias
    ) as detail
from starting_trial
inner join trial using (trial_id)
anti join outcome
    on
        starting_trial.slate_id = outcome.slate_id
        and starting_trial.disease_id = outcome.disease_id
        and starting_trial.drug_id = outcome.drug_id
        and outcome.outcome_type = 'first_trial_seen'
        and outcome.source = 'ctgov'
