-- Title:   The day from which a slate's figures count
-- Formula: a replay's own date; the day of the earliest timestamp in slate_proof, if it came by the
--          day after this store recorded the slate; else the day it was recorded; never before the
--          date that the slate states
-- Source:  docs/metrics.md#slate_date
-- Units:   frozen_on is as the slate states; days in UTC; date_basis is one of replay, proved,
--          claimed; proved_at is NULL without a token
-- Grain:   slate_id
-- Note:    with the variable dates set to 'claimed', every slate counts from the date it states
-- Portability: make_timestamp(epoch_us(x)), a time in UTC, is DuckDB's
with proof as (
    select
        slate_id,
        min(generated_at) as proved_at
    from slate_proof
    group by slate_id
),

dated_slate as (
    select
        slate_id,
        slate.frozen_on,
        slate.is_replay,
        proof.proved_at,
        -- A slate frozen here was recorded then; recorded_at only keeps the order of a store that
        -- is ahead of the clock.
        cast(
            make_timestamp(
                epoch_us(if(slate.origin = 'frozen', slate.created_at, slate.recorded_at))
            ) as date
        ) as recorded_on,
        cast(make_timestamp(epoch_us(proof.proved_at)) as date) as proved_on
    from slate
    left join proof using (slate_id)
),

judged_slate as (
    select
        *,
        case
            when is_replay then 'replay'
            -- A token follows the freeze, perhaps past midnight.
            when proved_on <= recorded_on + 1 then 'proved'
            else 'claimed'
        end as date_basis
    from dated_slate
)

select
    judged_slate.slate_id,
    judged_slate.frozen_on,
    judged_slate.recorded_on,
    judged_slate.proved_at,
    judged_slate.date_basis,
    case
        when judged_slate.date_basis = 'replay' or report_instant.is_as_claimed
            then judged_slate.frozen_on
        when judged_slate.date_basis = 'proved'
            then greatest(judged_slate.frozen_on, judged_slate.proved_on)
        else greatest(judged_slate.frozen_on, judged_slate.recorded_on)
    end as counted_from
from judged_slate
cross join report_instant
