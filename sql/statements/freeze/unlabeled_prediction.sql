-- Title:      Predictions that the store's evidence knows and the labels do not
-- Reads:      disease, drug, pair_known_phase, prediction
select
    drug.name as drug_name,
    disease.name as disease_name
from prediction
inner join pair_known_phase using (slate_id, disease_id, drug_id)
inner join drug using (drug_id)
inner join disease using (disease_id)
where
    prediction.slate_id = :slate_id
    and pair_known_phase.is_known
    and not pair_known_phase.is_labeled
order by prediction.rank, disease.name, drug.name
