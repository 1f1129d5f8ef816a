-- Title:   Enrichment versus equally popular drugs
-- Formula: matched_ratio of all matches that the slate counts: Mantel and Haenszel's ratio of the
--          hit rates of predictions and other candidates of equal breadth in like diseases
-- Source:  docs/metrics.md#enrichment_vs_matched
-- Units:   ratio, 1 = no better than equally popular drugs; where own_share is above 0.75, observed
--          over expected with the predictions left in, and a reason; own_share is 0..1
-- Grain:   slate_id, evidence_window, population, tier
select
    slate_id,
    evidence_window,
    population,
    tier,
    n_predictions,
    n_hits,
    expected_hits,
    enrichment_vs_matched,
    observed_vs_expected,
    own_share,
    reason
from matched_ratio
where match_kind = 'all'
