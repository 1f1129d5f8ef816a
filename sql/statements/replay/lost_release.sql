-- Title:      Signs that a release was removed from the ledger of releases
-- Reads:      refresh, release
-- Note:       Releases are numbered without gaps, and each refresh counted them.
with numbered_release as (
    select unnest(range(1, 1 + (select max(release_id) from release))) as release_id
)

select
    'release ' || numbered_release.release_id as record,
    'is not in the store, which numbers releases without gaps' as problem
from numbered_release
anti join release on numbered_release.release_id = release.release_id
union all
select
    'refresh ' || refresh.refresh_id as record,
    concat_ws(
        ' ',
        'counted',
        refresh.n_releases,
        'releases; the store has',
        (
            select count(*) from release
            where release.ingested_at <= refresh.refreshed_at
        ),
        'ingested by then'
    ) as problem
from refresh
where
    refresh.n_releases <> (
        select count(*) from release
        where release.ingested_at <= refresh.refreshed_at
    )
order by record, problem
