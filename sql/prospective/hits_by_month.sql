-- Title:   Hits by month since the freeze
-- Formula: hits of the primary endpoint by the end of the month, and matched_ratio with the hits by
--          then alone, of predictions and of other candidates alike; expected_hits as there, 0
--          before the first hit of any pair
-- Source:  docs/metrics.md#hits_by_month
-- Units:   predictions and hits of the tier; ratio, as in enrichment_vs_matched; an undated hit
--          counts from the first month on; is_complete as in followed_month
-- Grain:   slate_id, month
with tier_hit as (
    select
        population_pair.slate_id,
        coalesce(population_pair.first_event_date, slate_date.counted_from) as hit_on
    from population_pair
    inner join primary_endpoint
        on
            population_pair.slate_id = primary_endpoint.slate_id
            and population_pair.evidence_window = primary_endpoint.evidence_window
            and population_pair.population = primary_endpoint.population
    inner join slate_date on population_pair.slate_id = slate_date.slate_id
    where
        population_pair.is_hit
        and (primary_endpoint.tier = 'all' or population_pair.tier = primary_endpoint.tier)
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
),

endpoint_ratio as (
    select
        primary_endpoint.slate_id,
        primary_endpoint.evidence_window,
        primary_endpoint.population,
        primary_endpoint.tier,
        matched_ratio.subset,
        matched_ratio.n_predictions,
        matched_ratio.expected_hits,
        matched_ratio.enrichment_vs_matched,
        matched_ratio.reason
    from primary_endpoint
    inner join matched_ratio using (slate_id, evidence_window, population, tier)
),

whole as (
    select
        slate_id,
        evidence_window,
        population,
        tier,
        n_predictions,
        expected_hits,
        reason
    from endpoint_ratio
    where subset = 'all'
)

select
    month_count.slate_id,
    month_count.month,
    month_count.ends_on,
    month_count.is_complete,
    month_count.subset,
    whole.evidence_window,
    whole.population,
    whole.tier,
    whole.n_predictions,
    month_count.n_hits,
    if(
        month_count.subset is null and whole.expected_hits is not null,
        0,
        endpoint_ratio.expected_hits
    ) as expected_hits,
    endpoint_ratio.enrichment_vs_matched,
    if(
        endpoint_ratio.slate_id is null,
        if(whole.expected_hits is null, whole.reason, 'no candidate is a hit yet'),
        endpoint_ratio.reason
    ) as reason
from month_count
inner join whole on month_count.slate_id = whole.slate_id
left join endpoint_ratio
    on
        month_count.slate_id = endpoint_ratio.slate_id
        and month_count.subset = endpoint_ratio.subset
