-- Title:   Precision proxy
-- Result:  Scores and probabilities
-- Formula: pairs with a high-signal outcome / pairs with any outcome
-- Units:   fraction 0..1; NULL where no pair has an outcome
-- Grain:   slate_id, evidence_window, population, tier
select
    slate_id,
    evidence_window,
    population,
    tier,
    n_with_any_outcome,
    n_hits,
    n_hits / nullif(n_with_any_outcome, 0) as precision_proxy,
    if(n_with_any_outcome = 0, 'no pair of the tier has an outcome', null) as reason
from tier_count
