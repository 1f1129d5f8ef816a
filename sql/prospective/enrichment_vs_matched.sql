-- Title:   Enrichment versus equally popular drugs
-- Formula: matched_ratio of all hits that the slate counts, by tier: Mantel and Haenszel's ratio of
--          the hit rates of predictions and other candidates of equal breadth in like diseases
-- Source:  docs/metrics.md#enrichment_vs_matched
-- Units:   ratio, 1 = no better than equally popular drugs; where own_share is above 0.75, observed
--          over expected with the predictions left in, and a reason; own_share is 0..1
-- Grain:   slate_id, evidence_window, population, tier
select
    slate_id,
    evidence_window,
    population,
    tier,
    matched_ratio.n_predictions,
    matched_ratio.n_hits,
    matched_ratio.expected_hits,
    matched_ratio.enrichment_vs_matched,
    matched_ratio.observed_vs_expected,
    matched_ratio.own_share,
    matched_ratio.reason
from matched_ratio
semi join tier_count using (slate_id, evidence_window, population, tier)
where matched_ratio.subset = 'all'
