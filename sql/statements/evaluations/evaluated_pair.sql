-- Title:      The pairs of a candidate set for a batch of diseases
-- Reads:      candidate
select
    disease_id,
    drug_id
from candidate
where
    candidate_set_id = :candidate_set_id
    and disease_id in (select unnest(cast(:diseases as integer[])))
order by disease_id, drug_id
