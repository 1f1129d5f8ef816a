-- Title:   Phase that ChEMBL now shows for the evidence of an outcome
-- Formula: in the newest release, the highest phase of the pair and of the row that the outcome
--          rests on, under whatever identifier it has now
-- Units:   phase 0 (none known, or no row) to 4
-- Grain:   slate_id, disease_id, drug_id, outcome_id
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
        event.event_id,
        max(newest_identity.phase) as phase
    from event
    inner join indication
        on event.release_id = indication.release_id and event.record = indication.source_key
    inner join indication_identity using (indication_id)
    inner join newest_identity
        on
            indication_identity.molecule = newest_identity.molecule
            and indication_identity.identifier = newest_identity.identifier
    where event.source = 'chembl'
    group by event.event_id
),

pair_phase as (
    select
        indication_pair.disease_id,
        indication_pair.drug_id,
        max(newest_identity.phase) as phase
    from indication_pair
    inner join newest_identity using (indication_id)
    group by indication_pair.disease_id, indication_pair.drug_id
)

select
    outcome.slate_id,
    outcome.disease_id,
    outcome.drug_id,
    outcome.outcome_id,
    greatest(coalesce(row_phase.phase, 0), coalesce(pair_phase.phase, 0)) as phase
from outcome
inner join release_order using (release_id)
left join row_phase on outcome.outcome_id = row_phase.event_id
left join pair_phase
    on outcome.disease_id = pair_phase.disease_id and outcome.drug_id = pair_phase.drug_id
where outcome.source = 'chembl'
