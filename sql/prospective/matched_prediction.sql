-- Title:   Predictions by disease and breadth
-- Formula: predictions of a tier, or of a part of the slate, whose drug has the breadth, and those
--          that are hits
-- Source:  docs/metrics.md#matched_prediction
-- Units:   counts; hits are those of counted_subset, of a part all hits of part_pair
-- Grain:   slate_id, subset, evidence_window, population, tier, disease_id, breadth
select
    slate_id,
    subset,
    evidence_window,
    population,
    tier,
    disease_id,
    breadth,
    predicted_cell.n_predictions,
    coalesce(predicted_hit.n_hits, 0) as n_hits
from matched_list
inner join predicted_cell using (slate_id, population, tier)
left join predicted_hit
    using (slate_id, subset, evidence_window, population, tier, disease_id, breadth)
