-- Title:      The diseases of a candidate set
-- Reads:      candidate
-- Parameters: candidate_set_id
select distinct disease_id
from candidate
where candidate_set_id = :candidate_set_id
order by disease_id
