-- Title:      The diseases of a candidate set
-- Reads:      candidate
select distinct disease_id
from candidate
where candidate_set_id = :candidate_set_id
order by disease_id
