-- Title:   Tier miss rate
-- Result:  Hit rates and enrichment
-- Formula: predictions in the tier without a hit / predictions in the tier
-- Source:  docs/metrics.md#tier_miss_rate
-- Units:   fraction 0..1; NULL for an empty tier
-- Grain:   slate_id, evidence_window, population, tier
select
    slate_id,
    evidence_window,
    population,
    tier,
    n_predictions,
    1 - n_hits / nullif(n_predictions, 0) as miss_rate,
    if(n_predictions = 0, 'no predictions of this population in the tier', null) as reason
from tier_count
