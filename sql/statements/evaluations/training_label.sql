-- Title:      The labels of a label set, with the year of approval or 0
-- Reads:      labeled_pair
select
    disease_id,
    drug_id,
    label,
    coalesce(approval_year, 0) as approval_year
from labeled_pair
where label_set_id = :label_set_id
order by disease_id, drug_id
