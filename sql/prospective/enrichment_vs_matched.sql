-- Title:   Enrichment versus equally popular drugs
-- Formula: Mantel and Haenszel's ratio of the hit rates of predictions and other candidates, by
--          disease x breadth class, as in stratified_ratio
-- Source:  docs/metrics.md#enrichment_vs_matched
-- Units:   ratio, 1 = no better than equally popular drugs; NULL with a reason, also where
--          own_share, 0..1, is above 0.9: observed_vs_expected then says what was observed
-- Grain:   slate_id, evidence_window, population, tier
select
    tier_count.slate_id,
    tier_count.evidence_window,
    tier_count.population,
    tier_count.tier,
    tier_count.n_predictions,
    tier_count.n_hits,
    if(
        slate_sets.reason is null and tier_count.n_predictions > 0,
        coalesce(stratified_ratio.expected_hits, 0),
        null
    ) as expected_hits,
    stratified_ratio.ratio as enrichment_vs_matched,
    stratified_ratio.observed_vs_expected,
    stratified_ratio.own_share,
    case
        when slate_sets.reason is not null then slate_sets.reason
        when tier_count.n_predictions = 0 then 'no predictions of this population in the tier'
        when stratified_ratio.list_name is null
            then 'nothing came true among equally popular drugs'
        else stratified_ratio.reason
    end as reason
from tier_count
inner join slate_sets on tier_count.slate_id = slate_sets.slate_id
left join stratified_ratio
    on
        tier_count.slate_id = stratified_ratio.slate_id
        and stratified_ratio.versus = 'none'
        and stratified_ratio.list_kind = 'tier'
        and tier_count.evidence_window = stratified_ratio.evidence_window
        and tier_count.population = stratified_ratio.population
        and tier_count.tier = stratified_ratio.list_name
