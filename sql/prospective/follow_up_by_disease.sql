-- Title:   Pairs of a disease by days of follow-up
-- Formula: days from counted_from to the pair's first dated high-signal outcome; without one, to
--          the last day the slate is followed, where the pair is censored; events after the horizon
--          count here
-- Source:  docs/metrics.md#follow_up_by_disease
-- Units:   whole days, negative for an event before counted_from; a hit without a date has no time
--          and is left out; tier 'all' is every tier
-- Grain:   slate_id, tier, disease_id, follow_up_days, is_event
with followed_pair as (
    select
        slate_id,
        unnest([pair_outcome.tier, 'all']) as tier,
        disease_id,
        cast(
            coalesce(time_to_event.first_event_date, follow_up_end.last_day)
            - follow_up_end.counted_from as bigint
        ) as follow_up_days,
        time_to_event.first_event_date is not null as is_event
    from pair_outcome
    inner join follow_up_end using (slate_id)
    left join time_to_event using (slate_id, disease_id, drug_id)
    where
        pair_outcome.evidence_window = 'all'
        and (
            time_to_event.first_event_date is not null
            or not (pair_outcome.is_hit or pair_outcome.is_later_hit)
        )
)

select
    slate_id,
    tier,
    disease_id,
    follow_up_days,
    is_event,
    count(*) as n_pairs
from followed_pair
group by slate_id, tier, disease_id, follow_up_days, is_event
