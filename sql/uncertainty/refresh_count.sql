-- Title:   Updates of a slate's scoreboard
-- Formula: updates published, and refreshes: distinct digests of what a refresh brought in
-- Source:  docs/metrics.md#refresh_count
-- Units:   counts and instants in UTC; updates after the as-of instant are left out
-- Grain:   slate_id
with known_update as (
    select
        slate_id,
        recorded_at,
        refresh_digest
    from scoreboard
    where
        recorded_at <= (select report_instant.as_of from report_instant)
)

select
    slate_id,
    count(distinct known_update.recorded_at) as n_updates,
    count(distinct known_update.refresh_digest) as n_refreshes,
    min(known_update.recorded_at) as first_updated_at,
    max(known_update.recorded_at) as last_updated_at
from slate
left join known_update using (slate_id)
group by slate_id
