-- Title:   Predictions by population
-- Formula: each prediction of pair_outcome in the population 'all', and in 'novel' if it was not
--          known at the freeze
-- Units:   score as frozen; first_event_date, match_strength, record and failures as in
--          pair_event
-- Grain:   slate_id, evidence_window, population, disease_id, drug_id
select
    slate_id,
    evidence_window,
    unnest(if(is_novel, ['all', 'novel'], ['all'])) as population,
    disease_id,
    drug_id,
    tier,
    score,
    is_hit,
    first_event_date,
    match_strength,
    has_failed,
    first_record,
    last_failure_date
from pair_outcome
