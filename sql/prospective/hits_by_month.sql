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
        followed_month.*,
        count(tier_hit.hit_on) as n_hits
    from followed_month
    left join tier_hit
        on followed_month.slate_id = tier_hit.slate_id and followed_month.ends_on >= tier_hit.hit_on
    group by all
),

-- The list of the tier has all hits.
month_list as (
    select
        slate_id,
        evidence_window,
        population,
        'none' as versus,
        if(month_count.subset = 'all', 'tier', 'subset') as list_kind,
        if(month_count.subset = 'all', tier, month_count.subset) as list_name,
        month_count.* exclude (slate_id),
        tier_count.tier,
        tier_count.n_predictions
    from month_count
    inner join primary_endpoint using (slate_id)
    inner join tier_count using (slate_id, evidence_window, population, tier)
)

select
    slate_id,
    month_list.month,
    month_list.ends_on,
    month_list.is_complete,
    month_list.subset,
    evidence_window,
    population,
    month_list.tier,
    month_list.n_predictions,
    month_list.n_hits,
    coalesce(
        stratified_ratio.expected_hits,
        if(slate_sets.reason is null and month_list.n_predictions > 0, 0, null)
    ) as expected_hits,
    stratified_ratio.ratio as enrichment_vs_matched,
    case
        when slate_sets.reason is not null then slate_sets.reason
        when month_list.n_predictions = 0 then 'no predictions of this population in the tier'
        when month_list.subset is null then 'no candidate is a hit yet'
        when stratified_ratio.ratio is null
            then
                coalesce(stratified_ratio.reason, 'nothing came true among equally popular drugs')
    end as reason
from month_list
inner join slate_sets using (slate_id)
left join stratified_ratio
    using (slate_id, versus, list_kind, list_name, evidence_window, population)
