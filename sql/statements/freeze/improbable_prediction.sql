-- Title:      The predictions of a slate to be recorded whose score is no probability
-- Reads:      disease, drug, frozen_row
select
    disease.name as disease_name,
    drug.name as drug_name,
    frozen_row.score
from frozen_row
inner join disease using (disease_id)
inner join drug using (drug_id)
where frozen_row.score not between 0 and 1
order by disease_name, drug_name
