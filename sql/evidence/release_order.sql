-- Title:   Releases in order
-- Formula: the releases of a source by date, then by order of ingestion, counted from 1
-- Source:  docs/metrics.md#release_order
-- Units:   previous_released_on is the date of the release before, NULL for the first; is_whole is
--          false for some records alone of the FDA or EMA, which end no follow-up
-- Grain:   release_id
-- Note:    releases ingested after the as-of instant are left out
select
    release_id,
    release.source,
    release.version,
    release.released_on,
    row_number() over (
        partition by release.source order by release.released_on, release_id
    ) as position,
    lag(release.released_on) over (
        partition by release.source order by release.released_on, release_id
    ) as previous_released_on,
    coalesce(release_coverage.is_complete, true)
    or release.source not in ('ema', 'fda') as is_whole
from release
left join release_coverage using (release_id)
where
    release.ingested_at <= (select report_instant.as_of from report_instant)
