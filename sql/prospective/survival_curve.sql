-- Title:   Share of pairs with an event by day
-- Result:  Time to event
-- Formula: Kaplan and Meier's estimate: 1 - product over the days up to this one of
--          (1 - n_events / n_at_risk); it starts again after the freeze, with the pairs that had no
--          event until then
-- Units:   days from the freeze; share is 0..1, and applies until the next day; a row for each day
--          on which pairs have their event or are censored
-- Grain:   slate_id, tier, day
-- Note:    on one day events come before censoring; up to day 0 is before the freeze
-- Portability: product() is DuckDB's; exp(sum(ln(x))) where every factor is positive
with day_count as (
    select
        slate_id,
        tier,
        follow_up_days as day,
        count(*) filter (where is_event) as n_events,
        count(*) filter (where not is_event) as n_censored,
        sum(count(*)) over (partition by slate_id, tier order by follow_up_days desc)
            as n_at_risk
    from follow_up_pair
    group by slate_id, tier, follow_up_days
)

select
    slate_id,
    tier,
    day,
    cast(n_at_risk as bigint) as n_at_risk,
    n_events,
    n_censored,
    1 - product(1 - n_events / n_at_risk)
        over (
            partition by slate_id, tier, day > 0
            order by day rows between unbounded preceding and current row
        ) as share_with_event
from day_count
