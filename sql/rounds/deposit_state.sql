-- Title:   Deposits of a round, and what became of them
-- Result:  Rounds
-- Formula: 'revealed' as a slate; 'replaced' by a later deposit of the same team and model; else
--          'sealed' while files can be revealed, and 'never revealed' once the round is closed
-- Units:   stamped_at is when the authority states that the hash existed; slate_id is NULL without
--          a slate
-- Grain:   deposit_id
with deposit as (
    select
        round_deposit.*,
        row_number() over (
            partition by round_deposit.round_id, round_deposit.team, round_deposit.model
            order by round_deposit.deposit_id desc
        ) as n_from_last
    from round_deposit
    cross join report_instant
    where round_deposit.deposited_at <= report_instant.as_of
),

entry as (
    select round_entry.*
    from round_entry
    cross join report_instant
    where round_entry.entered_at <= report_instant.as_of
),

closed as (
    select distinct entry.round_id
    from entry
    where entry.entry_kind = 'all teams'
)

select
    deposit.round_id,
    deposit.deposit_id,
    deposit.team,
    deposit.model,
    deposit.sha256,
    timestamp_token.generated_at as stamped_at,
    timestamp_token.authority,
    deposit.deposited_at,
    entry.slate_id,
    case
        when entry.slate_id is not null then 'revealed'
        when deposit.n_from_last > 1 then 'replaced'
        when closed.round_id is not null then 'never revealed'
        else 'sealed'
    end as deposit_state
from deposit
inner join timestamp_token using (token_id)
left join entry using (deposit_id)
left join closed on deposit.round_id = closed.round_id
