-- Title:      Two slates compared, by disease
-- Reads:      comparison_disease, disease
-- Note:       the diseases in which they differ most come first
select
    comparison_disease.slate_id,
    comparison_disease.versus_slate_id,
    disease.name as disease_name,
    comparison_disease.n_predictions,
    comparison_disease.n_hits,
    comparison_disease.n_versus_hits,
    comparison_disease.n_shared_hits
from comparison_disease
inner join disease on comparison_disease.disease_id = disease.disease_id
where
    comparison_disease.slate_id = :slate_id
    and comparison_disease.versus_slate_id = :versus_slate_id
    and comparison_disease.population = :population
    and comparison_disease.tier = :tier
order by
    comparison_disease.n_hits - comparison_disease.n_versus_hits desc,
    disease.name asc,
    comparison_disease.disease_id asc
