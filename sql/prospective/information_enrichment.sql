-- Title:   Primary enrichment with hits weighted by information
-- Result:  Hit rates and enrichment
-- Formula: stratified_ratio of the slate's primary endpoint with every hit alike, and with hits
--          that count by their information, of predictions and of other candidates alike
-- Units:   weighting is 'none' or 'information'; as in enrichment_vs_matched, weighted_hits and
--          expected_hits of 'information' in hits of mean information
-- Grain:   slate_id, weighting
with endpoint_list as (
    select
        slate_id,
        evidence_window,
        population,
        tier,
        tier_count.n_predictions,
        tier_count.n_hits,
        unnest(['none', 'information']) as weighting,
        unnest(['tier', 'information']) as list_kind
    from primary_endpoint
    inner join tier_count using (slate_id, evidence_window, population, tier)
)

select
    slate_id,
    endpoint_list.weighting,
    evidence_window,
    population,
    tier,
    ratio.list_number,
    endpoint_list.n_predictions,
    endpoint_list.n_hits,
    coalesce(
        ratio.listed_hits,
        if(slate_sets.reason is null and endpoint_list.n_hits = 0, 0, null)
    ) as weighted_hits,
    ratio.expected_hits,
    ratio.ratio as enrichment_vs_matched,
    ratio.observed_vs_expected,
    ratio.own_share,
    ratio.reason
from endpoint_list
inner join slate_sets using (slate_id)
inner join stratified_ratio as ratio
    using (slate_id, list_kind, evidence_window, population, tier)
