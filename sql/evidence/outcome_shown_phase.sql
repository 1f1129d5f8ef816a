-- Title:   Phase that ChEMBL now shows for the evidence of an outcome
-- Formula: in the newest release, the highest phase of the pair and of the row that the outcome
--          rests on, under whatever identifier it has now
-- Source:  docs/metrics.md#outcome_shown_phase
-- Units:   phase 0 (none known, or no row) to 4
-- Grain:   outcome_id
with newest_identity as (
    select
        indication_id,
        molecule,
        identifier,
        phase
    from indication_identity
    qualify position = max(position) over ()
),

row_phase as (
    select
        outcome.outcome_id,
        max(newest_identity.phase) as phase
    from outcome
    inner join indication
        on
            outcome.release_id = indication.release_id
            and (outcome.detail ->> 'record') = indication.source_key
    inner join indication_identity using (indication_id)
    inner join newest_identity
        on
            indication_identity.molecule = newest_identity.molecule
            and indication_identity.identifier = newest_identity.identifier
    group by outcome.outcome_id
),

pair_phase as (
    select
        indication_pair.slate_id,
        indication_pair.disease_id,
        indication_pair.drug_id,
        max(newest_identity.phase) as phase
    from indication_pair
    inner join newest_identity using (indication_id)
    group by indication_pair.slate_id, indication_pair.disease_id, indication_pair.drug_id
)

select
    outcome.outcome_id,
    greatest(coalesce(row_phase.phase, 0), coalesce(pair_phase.phase, 0)) as phase
from outcome
inner join release_order using (release_id)
left join row_phase using (outcome_id)
left join pair_phase using (slate_id, disease_id, drug_id)
where outcome.source = 'chembl'
