-- Title:      Pairs that two slates list
-- Reads:      comparison_prediction
with listed as (
    select
        slate_id,
        disease_id,
        drug_id,
        is_hit
    from comparison_prediction
    where
        is_listed
        and population = :population
        and tier = :tier
        and (
            (slate_id = :slate_id and versus_slate_id = :versus_slate_id)
            or (slate_id = :versus_slate_id and versus_slate_id = :slate_id)
        )
)

select
    disease_id,
    drug_id,
    bool_or(is_hit) as is_hit,
    bool_or(slate_id = :slate_id) as is_own,
    bool_or(slate_id = :versus_slate_id) as is_other
from listed
group by disease_id, drug_id
order by disease_id, drug_id
