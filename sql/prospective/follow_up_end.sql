-- Title:   Last day a slate is followed
-- Formula: the last day evidence covers, as in slate_follow_up; without releases the day of the
--          last outcome recorded, or counted_from
-- Units:   dates; last_day is never before counted_from
-- Grain:   slate_id
-- Portability: make_timestamp(epoch_us(x)), a time in UTC, is DuckDB's
with ledger_end as (
    select
        slate_id,
        max(recorded_at) as last_recorded_at
    from outcome_timing
    group by slate_id
)

select
    slate_id,
    slate_follow_up.frozen_on,
    slate_follow_up.counted_from,
    coalesce(
        slate_follow_up.followed_until,
        greatest(
            slate_follow_up.counted_from,
            cast(make_timestamp(epoch_us(ledger_end.last_recorded_at)) as date)
        )
    ) as last_day
from slate_follow_up
left join ledger_end using (slate_id)
