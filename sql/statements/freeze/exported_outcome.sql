-- Title:      The outcomes of a slate in their export form
-- Reads:      disease, disease_identifier, drug, drug_identifier, outcome
select
    disease_identifier.identifier as disease_identifier,
    drug_identifier.identifier as drug_identifier,
    outcome.outcome_type,
    outcome.event_date,
    outcome.first_public_on,
    outcome.public_after,
    outcome.public_by,
    outcome.source,
    cast(outcome.detail as varchar) as detail,
    outcome.observed_at,
    outcome.recorded_at,
    outcome.outcome_origin,
    disease.name as disease_name,
    drug.name as drug_name
from outcome
inner join disease using (disease_id)
inner join drug using (drug_id)
inner join disease_identifier using (disease_id)
inner join drug_identifier using (drug_id)
where outcome.slate_id = :slate_id
order by
    disease_identifier,
    drug_identifier,
    outcome.outcome_type,
    outcome.event_date,
    outcome.first_public_on,
    outcome.public_by,
    outcome.public_after,
    outcome.source,
    detail
