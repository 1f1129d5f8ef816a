-- Title:   Every prediction of a slate with candidates is one of them
-- When:    audit
-- Grain:   slate_id, disease_id, drug_id
with slate_prediction as (
    select
        slate_sets.slate_id,
        slate_sets.candidate_set_id,
        prediction.disease_id,
        prediction.drug_id
    from prediction
    inner join slate_sets using (slate_id)
    where slate_sets.candidate_set_id is not null
)

select
    slate_prediction.slate_id,
    slate_prediction.disease_id,
    slate_prediction.drug_id,
    'the pair is predicted but not among the candidates' as reason
from slate_prediction
anti join candidate using (candidate_set_id, disease_id, drug_id)
