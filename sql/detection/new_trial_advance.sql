-- Title:   Advances in trials not yet in the ledger
-- Formula: a snapshot after the freeze shows a trial of the pair in a phase above that known at
--          freeze, that of every earlier snapshot and that of every advance on record
-- Source:  docs/metrics.md#new_trial_advance
-- Units:   event date is the start of the trial, else its first posting, which is its first
--          public date; a phase 4 trial is an advance, not an approval
-- Grain:   slate_id, disease_id, drug_id, release_id
with phased_state as (
    select
        pair_trial_state.slate_id,
        pair_trial_state.disease_id,
        pair_trial_state.drug_id,
        pair_trial_state.from_position,
        pair_trial_state.is_known,
        pair_trial_state.phase,
        pair_trial_state.trial_id,
        pair_trial_state.drug_alias,
        pair_trial_state.disease_alias,
        row_number() over (
            partition by
                pair_trial_state.slate_id,
                pair_trial_state.disease_id,
                pair_trial_state.drug_id,
                pair_trial_state.from_position
            order by
                pair_trial_state.phase desc,
                pair_trial_state.start_date asc nulls last,
                pair_trial_state.nct_id asc
        ) as nth,
        coalesce(
            max(pair_trial_state.phase) over (
                partition by
                    pair_trial_state.slate_id,
                    pair_trial_state.disease_id,
                    pair_trial_state.drug_id
                order by pair_trial_state.from_position
                range between unbounded preceding and 1 preceding
            ),
            0
        ) as shown_phase
    from pair_trial_state
    where pair_trial_state.phase is not null
),

advance as (
    select
        phased_state.*,
        greatest(phased_state.shown_phase, coalesce(pair_known_phase.known_phase, 0))
            as known_phase
    from phased_state
    left join pair_known_phase using (slate_id, disease_id, drug_id)
    where
        not phased_state.is_known
        and phased_state.nth = 1
        and phased_state.phase >= 1
        and phased_state.phase > phased_state.shown_phase
        and phased_state.phase > coalesce(pair_known_phase.known_phase, 0)
)

select
    advance.slate_id,
    advance.disease_id,
    advance.drug_id,
    'phase_advanced' as outcome_type,
    coalesce(trial.start_date, trial.first_posted_on) as event_date,
    trial.first_posted_on as first_public_on,
    'ctgov' as source,
    trial.release_id,
    json_object(
        'phase', advance.phase,
        'known_phase', advance.known_phase,
        'record', trial.nct_id,
        'status', trial.overall_status,
        'start_precision', trial.start_precision,
        'start_type', trial.start_type,
        'drug_alias', advance.drug_alias,
        'disease_alias', advance.disease_alias
    ) as detail
from advance
inner join trial using (trial_id)
anti join outcome
    on
        advance.slate_id = outcome.slate_id
        and advance.disease_id = outcome.disease_id
        and advance.drug_id = outcome.drug_id
        and outcome.outcome_type = 'phase_advanced'
        and outcome.source = 'ctgov'
        and advance.phase <= try_cast(outcome.detail ->> 'phase' as double)
