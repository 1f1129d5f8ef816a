-- Title:   Primary enrichment with hits weighted by information
-- Formula: stratified_ratio of the slate's primary endpoint with every hit alike, and with hits
--          that count by their information, of predictions and of other candidates alike
-- Source:  docs/metrics.md#information_enrichment
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
        'none' as versus,
        unnest(['none', 'information']) as weighting,
        unnest(['tier', 'subset']) as list_kind,
        unnest([tier, 'information']) as list_name
    from primary_endpoint
    inner join tier_count using (slate_id, evidence_window, population, tier)
)

select
    slate_id,
    endpoint_list.weighting,
    evidence_window,
    population,
    endpoint_list.tier,
    endpoint_list.n_predictions,
    endpoint_list.n_hits,
    coalesce(
        stratified_ratio.listed_hits,
        if(slate_sets.reason is null and endpoint_list.n_hits = 0, 0, null)
    ) as weighted_hits,
    coalesce(
        stratified_ratio.expected_hits,
        if(slate_sets.reason is null and endpoint_list.n_predictions > 0, 0, null)
    ) as expected_hits,
    stratified_ratio.ratio as enrichment_vs_matched,
    stratified_ratio.observed_vs_expected,
    stratified_ratio.own_share,
    case
        when slate_sets.reason is not null then slate_sets.reason
        when endpoint_list.n_predictions = 0 then 'no predictions of this population in the tier'
        when stratified_ratio.ratio is null
            then
                coalesce(stratified_ratio.reason, 'nothing came true among equally popular drugs')
    end as reason
from endpoint_list
inner join slate_sets using (slate_id)
left join stratified_ratio
    using (slate_id, versus, list_kind, list_name, evidence_window, population)
