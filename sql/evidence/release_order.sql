-- Title:   Releases in order
-- Formula: the releases of the sources that tell of the same, by date, then by order of ingestion,
--          counted from 1
-- Units:   tells_of as in evidence_source, NULL for what is no evidence; previous_released_on is
--          the date of the same source's release before, NULL for the first; is_whole is false for
--          some records alone of a source that can_be_partial, which end no follow-up
-- Grain:   release_id
-- Note:    releases ingested after the as-of instant are left out
select
    release_id,
    release.source,
    release.version,
    release.released_on,
    evidence_source.tells_of,
    row_number() over (
        partition by coalesce(evidence_source.tells_of, release.source)
        order by release.released_on, release_id
    ) as position,
    lag(release.released_on) over (
        partition by release.source order by release.released_on, release_id
    ) as previous_released_on,
    coalesce(release_coverage.is_complete, true)
    or not coalesce(evidence_source.can_be_partial, false) as is_whole
from release
left join release_coverage using (release_id)
left join evidence_source using (source)
where
    release.ingested_at <= (select report_instant.as_of from report_instant)
