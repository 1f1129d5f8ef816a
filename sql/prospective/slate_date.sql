-- Title:   The day from which a slate's figures count
-- Result:  Verdict and overview
-- Formula: a replay's own date; of an entry of a round the day of the round's deadline; the day of
--          the earliest timestamp in slate_proof, if it came by the day after this store recorded
--          the slate; else the day it was recorded; never before the date that the slate states
-- Units:   frozen_on is as the slate states; days in UTC; date_basis is one of replay, round,
--          proved, claimed; proved_at is NULL without a token
-- Grain:   slate_id
-- Stored:  evidence, over all slates
-- Note:    with the variable dates set to 'claimed', every slate counts from the date it states
-- Portability: make_timestamp(epoch_us(x)), a time in UTC, is DuckDB's
with proof as (
    select
        slate_id,
        min(generated_at) as proved_at,
        cast(make_timestamp(epoch_us(min(generated_at))) as date) as proved_on
    from slate_proof
    group by slate_id
),

closing as (
    select
        round_entry.slate_id,
        round_deadline.closes_on
    from round_entry
    inner join round_deadline using (round_id)
)

select
    slate_id,
    slate.frozen_on,
    -- A slate frozen here was recorded then; recorded_at only keeps the order of a store that is
    -- ahead of the clock.
    cast(
        make_timestamp(epoch_us(if(slate.origin = 'frozen', slate.created_at, slate.recorded_at)))
        as date
    ) as recorded_on,
    proof.proved_at,
    case
        when slate.is_replay then 'replay'
        -- What a round's teams could know at its deadline counts for none of them.
        when closing.closes_on is not null then 'round'
        -- A token follows the freeze, perhaps past midnight.
        when proof.proved_on <= recorded_on + 1 then 'proved'
        else 'claimed'
    end as date_basis,
    case
        when date_basis = 'replay' or report_instant.is_as_claimed then slate.frozen_on
        when date_basis = 'round' then greatest(slate.frozen_on, closing.closes_on)
        when date_basis = 'proved' then greatest(slate.frozen_on, proof.proved_on)
        else greatest(slate.frozen_on, recorded_on)
    end as counted_from
from slate
left join proof using (slate_id)
left join closing using (slate_id)
cross join report_instant
