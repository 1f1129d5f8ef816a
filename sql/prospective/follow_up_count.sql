-- Title:   Pairs by days of follow-up
-- Formula: days from the freeze to the pair's first dated high-signal outcome; without one, to the
--          last day evidence covers, where the pair is censored: the newest release's, or without
--          releases the day of the last outcome recorded; a vocabulary's release is no evidence
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

release_end as (
    select max(release.released_on) as last_released_on
    from release
    anti join vocabulary_release on release.release_id = vocabulary_release.release_id
    where
        release.ingested_at <= (select report_instant.as_of from report_instant)
),

followed_slate as (
    select
        slate.slate_id,
        slate.frozen_on,
        greatest(
            slate.frozen_on,
            coalesce(
                release_end.last_released_on,
                cast(make_timestamp(epoch_us(ledger_end.last_recorded_at)) as date),
                slate.frozen_on
            )
        ) as followed_until
    from slate
    cross join release_end
    left join ledger_end on slate.slate_id = ledger_end.slate_id
),

followed_pair as (
    select
        slate_id,
        unnest([pair_outcome.tier, 'all']) as tier,
        cast(
            coalesce(pair_outcome.first_event_date, followed_slate.followed_until)
            - followed_slate.frozen_on as bigint
        ) as follow_up_days,
        pair_outcome.first_event_date is not null as is_event
    from pair_outcome
    inner join followed_slate using (slate_id)
    where
        pair_outcome.evidence_window = 'all'
        and (pair_outcome.first_event_date is not null or not pair_outcome.is_hit)
)

select
    slate_id,
    tier,
    follow_up_days,
    is_event,
    count(*) as n_pairs
from followed_pair
group by slate_id, tier, follow_up_days, is_event
