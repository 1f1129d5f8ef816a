-- Title:   Verdict on a slate
-- Result:  Verdict and overview
-- Formula: the verdict of its plan when its scoreboard was last updated, and since when updates
--          have had the same one; NULL where evidence has come since then
-- Units:   text; reasons is a JSON list of sentences; instants in UTC; reason says why there is no
--          verdict
-- Grain:   slate_id
-- Note:    updates after the as-of instant are left out
with known_verdict as (
    select
        recorded_verdict.*,
        row_number() over newest_first as position,
        lag(recorded_verdict.verdict) over (
            partition by recorded_verdict.slate_id order by recorded_verdict.recorded_at
        ) as verdict_before
    from recorded_verdict
    where
        recorded_verdict.recorded_at <= (select report_instant.as_of from report_instant)
    window newest_first as (
        partition by recorded_verdict.slate_id order by recorded_verdict.recorded_at desc
    )
),

unchanged as (
    select
        slate_id,
        max(recorded_at) filter (where verdict is distinct from verdict_before) as since
    from known_verdict
    group by slate_id
),

arrival as (
    select ingested_at as arrived_at
    from release
    union all
    select recorded_at as arrived_at
    from event
    union all
    select attached_at as arrived_at
    from slate_attachment
    union all
    select annulled_at as arrived_at
    from annulment
),

latest_arrival as (
    select max(arrived_at) as arrived_at
    from arrival
    where arrived_at <= (select report_instant.as_of from report_instant)
),

newest as (
    select
        known_verdict.slate_id,
        known_verdict.verdict,
        known_verdict.sentence,
        known_verdict.reasons,
        known_verdict.recorded_at,
        unchanged.since,
        coalesce(known_verdict.recorded_at < latest_arrival.arrived_at, false) as is_outdated
    from known_verdict
    inner join unchanged using (slate_id)
    cross join latest_arrival
    where known_verdict.position = 1
)

select
    slate_id,
    if(newest.is_outdated, null, newest.verdict) as verdict,
    if(newest.is_outdated, null, newest.sentence) as sentence,
    if(newest.is_outdated, null, newest.reasons) as reasons,
    if(newest.is_outdated, null, newest.since) as since,
    newest.recorded_at,
    case
        when newest.recorded_at is null
            then 'no verdict is recorded; an update of the scoreboard records one'
        when newest.is_outdated
            then 'evidence has come since the scoreboard was last updated'
    end as reason
from slate
left join newest using (slate_id)
