-- Title:      The predictions of a slate that are on a global list
-- Reads:      global_list_pair
-- Parameters: slate_id, list_size
select
    evidence_window,
    population,
    disease_id,
    drug_id,
    is_hit,
    expected_hits
from global_list_pair
where slate_id = :slate_id and place <= :list_size
order by evidence_window, population, place
