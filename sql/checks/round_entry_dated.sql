-- Title:   An entry of a round was deposited, stamped and frozen by the deadline
-- When:    write
-- Grain:   slate_id
with deadline as (
    select
        round_id,
        round.is_replay,
        greatest(round.deadline, max(round_extension.deadline)) as deadline
    from round
    left join round_extension using (round_id)
    group by round_id, round.is_replay, round.deadline
)

select
    slate_id,
    case
        when slate.is_replay <> deadline.is_replay then 'only one of slate and round is a replay'
        when token.generated_at > deadline.deadline then 'its token is later than the deadline'
        when deposit.deposited_at > deadline.deadline then 'its deposit came after the deadline'
        when deposit.sha256 <> token.sha256 then 'its token is of another hash'
        when slate.created_at > deadline.deadline then 'it was frozen after the deadline'
        else 'its slate was not made of the deposited file'
    end as reason
from round_entry as entry
inner join deadline on entry.round_id = deadline.round_id
inner join slate using (slate_id)
left join round_deposit as deposit on entry.deposit_id = deposit.deposit_id
left join timestamp_token as token using (token_id)
where
    slate.is_replay <> deadline.is_replay
    or token.generated_at > deadline.deadline
    or deposit.sha256 <> token.sha256
    or (
        not deadline.is_replay
        and (deposit.deposited_at > deadline.deadline or slate.created_at > deadline.deadline)
    )
    or not coalesce(
        contains(json_extract_string(slate.fingerprint, '$.files'), deposit.sha256), true
    )
