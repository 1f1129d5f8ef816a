-- Title:      The rows of one published slate, numbered within each pair
-- Reads:      registry_row
-- Creates:    published_row
-- Note:       A pair appears once in a slate: the best-ranked row is kept, then the first in the
--             file.
select
    row_number,
    disease_id,
    drug_id,
    disease_name,
    drug_name,
    score,
    rank,
    known_at_freeze,
    first_value(rank) over best as kept_rank,
    row_number() over best as repeat_number
from registry_row
where cast(slate_id as uuid) = :slate_id
window best as (partition by disease_id, drug_id order by rank, row_number)
