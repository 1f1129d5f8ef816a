-- Title:      The incoming outcomes of pairs that the slate neither predicts nor scored
-- Reads:      candidate, incoming_outcome, prediction, slate_sets
-- Creates:    foreign_outcome
with known_pair as (
    select
        disease_id,
        drug_id
    from prediction
    where slate_id = :slate_id
    union all
    select
        candidate.disease_id,
        candidate.drug_id
    from slate_sets
    inner join candidate using (candidate_set_id)
    where slate_sets.slate_id = :slate_id
)

select
    incoming_outcome.row_number,
    incoming_outcome.disease_name,
    incoming_outcome.drug_name
from incoming_outcome
anti join known_pair
    on
        incoming_outcome.disease_id = known_pair.disease_id
        and incoming_outcome.drug_id = known_pair.drug_id
