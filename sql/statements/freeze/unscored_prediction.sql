-- Title:      The predictions of a slate that are not among the pairs of a candidate set
-- Reads:      candidate, disease, drug, prediction
with scored_pair as (
    select
        disease_id,
        drug_id
    from candidate
    where candidate_set_id = :candidate_set_id
)

select
    disease.name as disease_name,
    drug.name as drug_name
from prediction
anti join scored_pair using (disease_id, drug_id)
inner join disease using (disease_id)
inner join drug using (drug_id)
where prediction.slate_id = :slate_id
order by disease_name, drug_name
