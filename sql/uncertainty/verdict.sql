-- Title:   Verdict on a slate
-- Result:  Verdict and overview
-- Formula: the verdict of its plan when its scoreboard was last updated, and since when updates
--          have had the same one; NULL where evidence has come since then, or a timestamp that
--          moves counted_from of the slate
-- Units:   text; reasons is a JSON list of sentences; instants in UTC; reason says why there is no
--          verdict
-- Grain:   slate_id
-- Note:    updates after the as-of instant are left out
-- Portability: make_timestamp(epoch_us(x)), a time in UTC, is DuckDB's
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

-- Since when the store has had a timestamp that proves the day from which a slate counts.
proof_arrival as (
    select
        slate_id,
        min(timestamp_token.recorded_at) as arrived_at
    from slate_date
    inner join slate_proof using (slate_id)
    inner join timestamp_token using (token_id)
    where
        slate_date.date_basis = 'proved'
        and slate_date.counted_from <> greatest(slate_date.frozen_on, slate_date.recorded_on)
        and cast(make_timestamp(epoch_us(slate_proof.generated_at)) as date)
        <= slate_date.counted_from
    group by slate_id
),

newest as (
    select
        known_verdict.slate_id,
        known_verdict.verdict,
        known_verdict.sentence,
        known_verdict.reasons,
        known_verdict.recorded_at,
        unchanged.since,
        case
            when known_verdict.recorded_at < latest_arrival.arrived_at
                then 'evidence has come since the scoreboard was last updated'
            when known_verdict.recorded_at < proof_arrival.arrived_at
                then 'a timestamp has since moved the day from which the slate counts'
        end as outdated_by
    from known_verdict
    inner join unchanged using (slate_id)
    cross join latest_arrival
    left join proof_arrival using (slate_id)
    where known_verdict.position = 1
)

select
    slate_id,
    if(newest.outdated_by is null, newest.verdict, null) as verdict,
    if(newest.outdated_by is null, newest.sentence, null) as sentence,
    if(newest.outdated_by is null, newest.reasons, null) as reasons,
    if(newest.outdated_by is null, newest.since, null) as since,
    newest.recorded_at,
    if(
        newest.recorded_at is null,
        'no verdict is recorded; an update of the scoreboard records one',
        newest.outdated_by
    ) as reason
from slate
left join newest using (slate_id)
