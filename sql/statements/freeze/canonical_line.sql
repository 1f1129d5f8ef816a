-- Title:      The canonical lines of a slate in their order
-- Reads:      prediction_line
select line
from prediction_line
where slate_id = :slate_id
order by disease_identifier, drug_identifier
