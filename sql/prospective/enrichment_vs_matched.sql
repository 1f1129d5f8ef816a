-- Title:   Enrichment versus equally popular drugs
-- Result:  Hit rates and enrichment
-- Formula: Mantel and Haenszel's ratio of the hit rates of predictions and other candidates, by
--          disease x breadth class, as in stratified_ratio
-- Units:   ratio, 1 = no better than equally popular drugs; NULL with a reason, also where
--          own_share, 0..1, is above 0.9: observed_vs_expected then says what was observed;
--          n_other_hits are the hits of other candidates on which the expected ones rest
-- Grain:   slate_id, evidence_window, population, tier
select
    slate_id,
    evidence_window,
    population,
    tier,
    ratio.list_number,
    tier_count.n_predictions,
    tier_count.n_hits,
    ratio.n_other_hits,
    ratio.expected_hits,
    ratio.ratio as enrichment_vs_matched,
    ratio.observed_vs_expected,
    ratio.own_share,
    ratio.reason
from tier_count
inner join stratified_ratio as ratio using (slate_id, evidence_window, population, tier)
where ratio.list_kind = 'tier'
