-- Title:   Pairs with their days of follow-up
-- Formula: days from counted_from to the pair's first dated high-signal outcome, if it is no later
--          than the last day the slate is followed; else to that day, where the pair is censored
-- Units:   whole days, negative for an event before counted_from; a hit without a date has no time
--          and is left out; tier 'all' is every tier
-- Grain:   slate_id, tier, disease_id, drug_id
with followed_pair as (
    select
        slate_id,
        unnest([pair_outcome.tier, 'all']) as tier,
        pair_outcome.disease_id,
        pair_outcome.drug_id,
        follow_up_end.counted_from,
        follow_up_end.last_day,
        pair_outcome.first_event_date
    from pair_outcome
    inner join follow_up_end using (slate_id)
    where
        pair_outcome.evidence_window = 'all'
        and (pair_outcome.first_event_date is not null or not pair_outcome.is_hit)
)

select
    slate_id,
    tier,
    disease_id,
    drug_id,
    cast(least(coalesce(first_event_date, last_day), last_day) - counted_from as bigint)
        as follow_up_days,
    coalesce(first_event_date <= last_day, false) as is_event
from followed_pair
