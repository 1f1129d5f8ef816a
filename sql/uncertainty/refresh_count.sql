-- Title:   Updates of a slate's scoreboard
-- Formula: updates published, and refreshes: distinct digests of what a refresh brought in, or, if
--          they are more, commands whose releases or outcomes reach the end of the horizon
-- Units:   counts and instants in UTC; updates after the as-of instant are left out
-- Grain:   slate_id
-- Note:    a store that `tracker ingest` and `load outcomes` feed has no digests; a release counts
--          if it is whole and dated on or after the horizon's end, outcomes if loaded after it
with known_update as (
    select
        slate_id,
        recorded_at,
        refresh_digest
    from scoreboard
    where
        recorded_at <= (select report_instant.as_of from report_instant)
),

updated as (
    select
        slate_id,
        count(distinct known_update.recorded_at) as n_updates,
        count(distinct known_update.refresh_digest) as n_digests,
        min(known_update.recorded_at) as first_updated_at,
        max(known_update.recorded_at) as last_updated_at
    from slate
    left join known_update using (slate_id)
    group by slate_id
),

arrival as (
    select
        slate_horizon.slate_id,
        release.ingested_at as arrived_at
    from slate_horizon
    inner join release_order on slate_horizon.ends_on <= release_order.released_on
    inner join release using (release_id)
    semi join evidence_source on release_order.source = evidence_source.source
    where release_order.is_whole
    union
    select
        slate_id,
        outcome_timing.recorded_at as arrived_at
    from slate_horizon
    inner join outcome_timing using (slate_id)
    where
        outcome_timing.outcome_origin = 'loaded'
        and cast(make_timestamp(epoch_us(outcome_timing.recorded_at)) as date)
        > slate_horizon.ends_on
),

arrived as (
    select
        slate_id,
        count(*) as n_arrivals
    from arrival
    group by slate_id
)

select
    slate_id,
    updated.n_updates,
    greatest(updated.n_digests, coalesce(arrived.n_arrivals, 0)) as n_refreshes,
    updated.first_updated_at,
    updated.last_updated_at
from updated
left join arrived using (slate_id)
