-- Title:   Rounds and their deadlines
-- Result:  Rounds
-- Formula: the deadline that the question states, or the latest of its extensions
-- Units:   instants in UTC; closes_on is the day of the deadline, after which hits count
-- Grain:   round_id
-- Portability: make_timestamp(epoch_us(x)), a time in UTC, is DuckDB's
with extension as (
    select
        round_extension.round_id,
        max(round_extension.deadline) as deadline,
        count(*) as n_extensions
    from round_extension
    cross join report_instant
    where round_extension.extended_at <= report_instant.as_of
    group by round_extension.round_id
)

select
    round_id,
    round.name,
    round.opened_at,
    round.deadline as first_deadline,
    coalesce(extension.n_extensions, 0) as n_extensions,
    greatest(round.deadline, extension.deadline) as deadline,
    cast(
        make_timestamp(epoch_us(greatest(round.deadline, extension.deadline))) as date
    ) as closes_on,
    round.is_replay
from round
left join extension using (round_id)
