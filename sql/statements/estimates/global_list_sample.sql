-- Title:      The predictions on the global lists of a slate
-- Reads:      global_list_pair
-- Parameters: slate_id
select
    evidence_window,
    population,
    disease_id,
    drug_id,
    is_hit
from global_list_pair
where slate_id = :slate_id
order by evidence_window, population, place
