-- Title:   Tier hit rate
-- Result:  Hit rates and enrichment
-- Formula: hits in the tier / predictions in the tier
-- Units:   fraction 0..1; NULL for an empty tier; later hits as in tier_count
-- Grain:   slate_id, evidence_window, population, tier
select
    slate_id,
    evidence_window,
    population,
    tier,
    n_predictions,
    n_hits,
    n_hits / nullif(n_predictions, 0) as hit_rate,
    n_later_hits,
    if(n_predictions = 0, 'no predictions of this population in the tier', null) as reason
from tier_count
