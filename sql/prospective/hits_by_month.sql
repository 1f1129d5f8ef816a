-- Title:   Hits by month since the freeze
-- Formula: hits of the primary endpoint by the end of the month, and stratified_ratio with the hits
--          by then alone, of predictions and of other candidates alike; expected_hits as there, 0
--          before anything is expected
-- Source:  docs/metrics.md#hits_by_month
-- Units:   predictions and hits of the tier; ratio, as in enrichment_vs_matched; an undated hit
--          counts from the first month on; is_complete as in followed_month
-- Grain:   slate_id, month
with tier_hit as (
    select
        slate_id,
        coalesce(population_pair.first_event_date, slate_date.counted_from) as hit_on
    from population_pair
    inner join primary_endpoint using (slate_id, evidence_window, population)
    inner join slate_date using (slate_id)
    where population_pair.is_hit and primary_endpoint.tier in (population_pair.tier, 'all')
),

month_count as (
    select
        followed_month.slate_id,
        followed_month.month,
        followed_month.ends_on,
        followed_month.is_complete,
        followed_month.subset,
        count(tier_hit.hit_on) as n_hits
    from followed_month
    left join tier_hit
        on
            followed_month.slate_id = tier_hit.slate_id
            and followed_month.ends_on >= tier_hit.hit_on
    group by
        followed_month.slate_id,
        followed_month.month,
        followed_month.ends_on,
        followed_month.is_complete,
        followed_month.subset
)

select
    month_count.slate_id,
    month_count.month,
    month_count.ends_on,
    month_count.is_complete,
    month_count.subset,
    tier_count.evidence_window,
    tier_count.population,
    tier_count.tier,
    tier_count.n_predictions,
    month_count.n_hits,
    if(
        slate_sets.reason is null and tier_count.n_predictions > 0,
        coalesce(stratified_ratio.expected_hits, 0),
        null
    ) as expected_hits,
    stratified_ratio.ratio as enrichment_vs_matched,
    case
        when slate_sets.reason is not null then slate_sets.reason
        when tier_count.n_predictions = 0 then 'no predictions of this population in the tier'
        when month_count.subset is null then 'no candidate is a hit yet'
        when stratified_ratio.list_name is null
            then 'nothing came true among equally popular drugs'
        else stratified_ratio.reason
    end as reason
from month_count
inner join primary_endpoint on month_count.slate_id = primary_endpoint.slate_id
inner join slate_sets on month_count.slate_id = slate_sets.slate_id
inner join tier_count
    on
        primary_endpoint.slate_id = tier_count.slate_id
        and primary_endpoint.evidence_window = tier_count.evidence_window
        and primary_endpoint.population = tier_count.population
        and primary_endpoint.tier = tier_count.tier
left join stratified_ratio
    on
        month_count.slate_id = stratified_ratio.slate_id
        and stratified_ratio.versus = 'none'
        and stratified_ratio.list_kind = if(month_count.subset = 'all', 'tier', 'subset')
        and stratified_ratio.list_name
        = if(month_count.subset = 'all', primary_endpoint.tier, month_count.subset)
        and primary_endpoint.evidence_window = stratified_ratio.evidence_window
        and primary_endpoint.population = stratified_ratio.population
