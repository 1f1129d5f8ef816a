-- Title:      What a store did that its ledger rests on, in the order of the instants
-- Reads:      disease_alias, drug_alias, event, matching, refresh, release
-- Note:       A detection leaves a run of the matching, events, a refresh, or several of them.
--             release_id is that of an ingestion. Claims of a slate's publisher are left out: no
--             detection reads them.
select
    ingested_at as taken_at,
    'release' as step,
    release_id,
    cast(null as bigint) as n_events
from release
union all
select distinct
    added_at as taken_at,
    'aliases' as step,
    cast(null as integer) as release_id,
    cast(null as bigint) as n_events
from (
    select added_at from drug_alias
    union all
    select added_at from disease_alias
) as alias
union all
select
    matched_at as taken_at,
    'matching' as step,
    cast(null as integer) as release_id,
    cast(null as bigint) as n_events
from matching
union all
select
    recorded_at as taken_at,
    if(event_origin = 'detected', 'events', 'claims') as step,
    cast(null as integer) as release_id,
    count(*) as n_events
from event
where slate_id is null
group by recorded_at, event_origin = 'detected'
union all
select
    refreshed_at as taken_at,
    'refresh' as step,
    cast(null as integer) as release_id,
    cast(null as bigint) as n_events
from refresh
order by taken_at, step, release_id
