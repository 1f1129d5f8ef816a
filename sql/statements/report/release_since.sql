-- Title:      The releases ingested since an instant
-- Reads:      release, release_order
select
    release.source,
    release.version,
    release.released_on,
    release.ingested_at,
    release.origin,
    release.sha256
from release
inner join release_order using (release_id)
where release.ingested_at > :since
order by release.ingested_at, release.release_id
