-- Title:      Hits that only one of two slates has
-- Reads:      comparison_prediction, comparison_hit, disease, drug
select
    listed.slate_id,
    disease.name as disease_name,
    drug.name as drug_name,
    listed.place,
    comparison_hit.outcome_type,
    comparison_hit.event_date,
    comparison_hit.public_by,
    comparison_hit.source,
    comparison_hit.record
from comparison_prediction as listed
inner join comparison_hit
    on
        listed.slate_id = comparison_hit.slate_id
        and listed.versus_slate_id = comparison_hit.versus_slate_id
        and listed.disease_id = comparison_hit.disease_id
        and listed.drug_id = comparison_hit.drug_id
inner join disease on listed.disease_id = disease.disease_id
inner join drug on listed.drug_id = drug.drug_id
where
    listed.population = :population
    and listed.tier = :tier
    and listed.is_listed
    and not listed.is_listed_by_both
    and (
        (listed.slate_id = :slate_id and listed.versus_slate_id = :versus_slate_id)
        or (listed.slate_id = :versus_slate_id and listed.versus_slate_id = :slate_id)
    )
order by listed.slate_id <> :slate_id, disease.name, listed.disease_id, listed.place
