-- Title:      One candidate of each pair that a file scores under several names
-- Reads:      resolved_row
-- Creates:    merged_row
-- Note:       The highest score counts. A drug with many names has as many chances of a high one,
--             so its rank is better than that of a drug scored once.
select
    disease_id,
    drug_id,
    max(score) as score
from resolved_row
group by disease_id, drug_id
