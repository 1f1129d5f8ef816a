-- Title:   Pairs by days of follow-up
-- Formula: days from the freeze to the pair's first dated high-signal outcome; without one, to the
--          last day evidence covers, where the pair is censored: as in slate_follow_up, or without
--          releases the day of the last outcome recorded; events after the horizon count here
-- Source:  docs/metrics.md#follow_up_count
-- Units:   whole days, negative for an event before the freeze; a hit without a date has no time
--          and is left out; tier 'all' is every tier
-- Grain:   slate_id, tier, follow_up_days, is_event
-- Portability: make_timestamp(epoch_us(x)), a time in UTC, is DuckDB's
with ledger_end as (
    select
        slate_id,
        max(recorded_at) as last_recorded_at
    from outcome_timing
    group by slate_id
),

followed_slate as (
    select
        slate_follow_up.slate_id,
        slate_follow_up.frozen_on,
        coalesce(
            slate_follow_up.followed_until,
            greatest(
                slate_follow_up.frozen_on,
                cast(make_timestamp(epoch_us(ledger_end.last_recorded_at)) as date)
            )
        ) as followed_until
    from slate_follow_up
    left join ledger_end on slate_follow_up.slate_id = ledger_end.slate_id
),

followed_pair as (
    select
        slate_id,
        unnest([pair_outcome.tier, 'all']) as tier,
        cast(
            coalesce(time_to_event.first_event_date, followed_slate.followed_until)
            - followed_slate.frozen_on as bigint
        ) as follow_up_days,
        time_to_event.first_event_date is not null as is_event
    from pair_outcome
    inner join followed_slate using (slate_id)
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
    follow_up_days,
    is_event,
    count(*) as n_pairs
from followed_pair
group by slate_id, tier, follow_up_days, is_event
