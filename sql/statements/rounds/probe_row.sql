-- Title:      The probe of a round: its five diseases of most known candidates, with these
-- Reads:      candidate, disease, drug, labeled_pair
with known_candidate as (
    select
        candidate.disease_id,
        candidate.drug_id,
        labeled_pair.label
    from candidate
    inner join labeled_pair
        on
            candidate.disease_id = labeled_pair.disease_id
            and candidate.drug_id = labeled_pair.drug_id
            and labeled_pair.label_set_id = :label_set_id
    where candidate.candidate_set_id = :candidate_set_id and labeled_pair.label > 0
),

probed as (
    select
        known_candidate.disease_id,
        disease.name
    from known_candidate
    inner join disease using (disease_id)
    group by known_candidate.disease_id, disease.name
    order by count(*) desc, disease.name asc, known_candidate.disease_id asc
    limit 5
)

select
    probed.name as disease_name,
    drug.name as drug_name,
    known_candidate.label
from known_candidate
inner join probed using (disease_id)
inner join drug using (drug_id)
order by probed.name, drug.name, known_candidate.drug_id
