-- Title:   Releases in order
-- Formula: the releases of a source by date, then by order of ingestion, counted from 1
-- Source:  docs/metrics.md#release_order
-- Units:   previous_released_on is the date of the release before, NULL for the first
-- Grain:   release_id
-- Note:    releases ingested after the as-of instant are left out
select
    release_id,
    source,
    version,
    released_on,
    row_number() over (partition by source order by released_on, release_id) as position,
    lag(released_on) over (
        partition by source order by released_on, release_id
    ) as previous_released_on
from release
where
    ingested_at <= (select report_instant.as_of from report_instant)
