-- Title:   An outcome belongs to a pair of its slate
-- When:    write
-- Grain:   outcome_id
with unpredicted as (
    select
        outcome.outcome_id,
        slate.candidate_set_id,
        outcome.disease_id,
        outcome.drug_id
    from outcome
    inner join slate using (slate_id)
    anti join prediction using (slate_id, disease_id, drug_id)
)

select
    unpredicted.outcome_id,
    'the pair is neither predicted by the slate nor in its candidate set' as reason
from unpredicted
anti join candidate using (candidate_set_id, disease_id, drug_id)
