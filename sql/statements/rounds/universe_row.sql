-- Title:      The pairs of a round's candidates, with a score to fill in
-- Reads:      candidate, disease, drug
select
    disease.name as disease_name,
    disease.ontology_id as disease_id,
    drug.name as drug_name,
    drug.chembl_id,
    0 as score
from candidate
inner join disease using (disease_id)
inner join drug using (drug_id)
where candidate.candidate_set_id = :candidate_set_id
order by disease.name, disease.ontology_id, drug.name, drug.chembl_id
