-- Title:   Median time to event
-- Result:  Time to event
-- Formula: median of days_to_event, and of days_from_counted, over the tier's pairs with a dated
--          high-signal outcome
-- Units:   days, negative before the date; n_negative, n_zero and n_positive are by days_to_event;
--          NULL where no pair of the tier has a dated hit
-- Grain:   slate_id, tier
with slate_tier as (
    select distinct
        slate_id,
        unnest([tier, 'all']) as tier
    from prediction
),

tier_event as (
    select
        * exclude (tier),
        unnest([tier, 'all']) as tier
    from time_to_event
)

select
    slate_id,
    tier,
    count(tier_event.days_to_event) as n_events,
    median(tier_event.days_to_event) as median_days,
    median(tier_event.days_from_counted) as median_days_from_counted,
    count(*) filter (where tier_event.days_to_event < 0) as n_negative,
    count(*) filter (where tier_event.days_to_event = 0) as n_zero,
    count(*) filter (where tier_event.days_to_event > 0) as n_positive,
    if(count(tier_event.days_to_event) = 0, 'no dated hit in the tier', null) as reason
from slate_tier
left join tier_event using (slate_id, tier)
group by slate_id, tier
