-- Title:      The predictions of a slate in their export form
-- Reads:      disease, drug, prediction
select
    prediction.disease_identifier,
    prediction.drug_identifier,
    prediction.score,
    prediction.rank,
    prediction.tier,
    prediction.known_label,
    prediction.known_max_phase,
    prediction.first_approval_year,
    prediction.criterion,
    prediction.criterion_min_phase,
    prediction.criterion_horizon_years,
    disease.name as disease_name,
    drug.name as drug_name
from prediction
inner join disease using (disease_id)
inner join drug using (drug_id)
where prediction.slate_id = :slate_id
order by prediction.disease_identifier, prediction.drug_identifier
