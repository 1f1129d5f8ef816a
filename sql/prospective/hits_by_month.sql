-- Title:   Hits by month since the freeze
-- Result:  Hit rates and enrichment
-- Formula: hits of the primary endpoint by the end of the month, and stratified_ratio with the hits
--          by then alone, of predictions and of other candidates alike; expected_hits as there, 0
--          before anything is expected
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
)

select
    slate_id,
    month_count.month,
    month_count.ends_on,
    month_count.is_complete,
    tier_count.evidence_window,
    tier_count.population,
    tier_count.tier,
    ratio.list_number,
    tier_count.n_predictions,
    month_count.n_hits,
    ratio.expected_hits,
    ratio.ratio as enrichment_vs_matched,
    if(
        month_count.has_hits or ratio.expected_hits is null,
        ratio.reason,
        'no candidate is a hit yet'
    ) as reason
from month_count
inner join primary_endpoint using (slate_id)
inner join tier_count using (slate_id, evidence_window, population, tier)
inner join stratified_ratio as ratio
    on
        month_count.slate_id = ratio.slate_id
        and ratio.list_kind = 'month'
        and ratio.list_name = cast(month_count.hit_month as varchar)
