-- Title:   Primary enrichment by information
-- Formula: stratified_ratio of the slate's primary endpoint with hits that count by their
--          information, of predictions and of other candidates alike
-- Source:  docs/metrics.md#information_enrichment
-- Units:   as in enrichment_vs_matched; weighted_hits and expected_hits in hits of mean information
-- Grain:   slate_id
select
    slate_id,
    tier_count.evidence_window,
    tier_count.population,
    tier_count.tier,
    tier_count.n_predictions,
    tier_count.n_hits,
    coalesce(
        stratified_ratio.listed_hits,
        if(slate_sets.reason is null and tier_count.n_hits = 0, 0, null)
    ) as weighted_hits,
    coalesce(
        stratified_ratio.expected_hits,
        if(slate_sets.reason is null and tier_count.n_predictions > 0, 0, null)
    ) as expected_hits,
    stratified_ratio.ratio as enrichment_vs_matched,
    stratified_ratio.observed_vs_expected,
    stratified_ratio.own_share,
    case
        when slate_sets.reason is not null then slate_sets.reason
        when tier_count.n_predictions = 0 then 'no predictions of this population in the tier'
        when stratified_ratio.ratio is null
            then
                coalesce(stratified_ratio.reason, 'nothing came true among equally popular drugs')
    end as reason
from primary_endpoint
inner join tier_count using (slate_id, evidence_window, population, tier)
inner join slate_sets using (slate_id)
left join stratified_ratio
    on
        slate_id = stratified_ratio.slate_id
        and stratified_ratio.versus = 'none'
        and stratified_ratio.list_kind = 'subset'
        and stratified_ratio.list_name = 'information'
        and primary_endpoint.evidence_window = stratified_ratio.evidence_window
        and primary_endpoint.population = stratified_ratio.population
