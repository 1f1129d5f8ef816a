-- Title:   Enrichment versus equally popular drugs
-- Formula: Mantel and Haenszel's ratio of the hit rates of predictions and other candidates, by
--          disease x breadth class, as in stratified_ratio
-- Source:  docs/metrics.md#enrichment_vs_matched
-- Units:   ratio, 1 = no better than equally popular drugs; NULL with a reason, also where
--          own_share, 0..1, is above 0.9: observed_vs_expected then says what was observed
-- Grain:   slate_id, evidence_window, population, tier
with tier_ratio as (
    select
        *,
        list_name as tier
    from stratified_ratio
    where versus = 'none' and list_kind = 'tier'
)

select
    slate_id,
    evidence_window,
    population,
    tier,
    tier_count.n_predictions,
    tier_count.n_hits,
    coalesce(
        tier_ratio.expected_hits,
        if(slate_sets.reason is null and tier_count.n_predictions > 0, 0, null)
    ) as expected_hits,
    tier_ratio.ratio as enrichment_vs_matched,
    tier_ratio.observed_vs_expected,
    tier_ratio.own_share,
    case
        when slate_sets.reason is not null then slate_sets.reason
        when tier_count.n_predictions = 0 then 'no predictions of this population in the tier'
        when tier_ratio.ratio is null
            then coalesce(tier_ratio.reason, 'nothing came true among equally popular drugs')
    end as reason
from tier_count
inner join slate_sets using (slate_id)
left join tier_ratio using (slate_id, evidence_window, population, tier)
