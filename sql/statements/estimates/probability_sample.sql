-- Title:      The predicted probabilities of a slate with what happened
-- Reads:      probability_pair
select
    population,
    disease_id,
    drug_id,
    probability,
    probability_bin,
    state = 'hit' as is_hit,
    coalesce(ipc_weight, 0) as ipc_weight
from probability_pair
where slate_id = :slate_id
order by population, disease_id, drug_id
