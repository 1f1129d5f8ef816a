-- Title:      The pairs of one part of a sealed candidate set
-- Reads:      sealing_row
-- Note:       In order, so that the statistics of the file say where each disease is.
select
    disease_id,
    drug_id,
    score
from sealing_row
where disease_id between :first_disease_id and :last_disease_id
order by disease_id, drug_id
