-- Title:      The candidates of a slate by how many diseases related to theirs have the drug
-- Reads:      candidate, nearness
-- Creates:    submission_row
with near as (
    select
        nearness.disease_id,
        nearness.drug_id,
        nearness.n_related_diseases
    from nearness
    where nearness.slate_id = cast(:slate_id as uuid)
)

select
    cast(:candidate_set_id as integer) as candidate_set_id,
    candidate.disease_id,
    candidate.drug_id,
    cast(coalesce(near.n_related_diseases, 0) as double) as score
from candidate
left join near
    on candidate.disease_id = near.disease_id and candidate.drug_id = near.drug_id
where candidate.candidate_set_id = :slate_set_id
