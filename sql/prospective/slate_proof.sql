-- Title:   Timestamps that prove a slate
-- Result:  Verdict and overview
-- Formula: trusted timestamps of the slate's own hash, of the file that a team deposited in a round
--          and the slate was made of, and those of a head of the log that covers the entry of the
--          slate
-- Source:  docs/metrics.md#slate_date
-- Units:   generated_at is when the authority states the hash existed; subject is slate,
--          deposit or head
-- Grain:   slate_id, token_id
-- Note:    tokens recorded after the as-of instant are left out; of a slate that came later itself,
--          those generated after it. The numbers of slates follow the order of the table's
--          entries in the log
with proved_hash as (
    select
        slate_id,
        recorded_at as slate_recorded_at,
        content_sha256 as sha256,
        'slate' as subject
    from slate
    union all
    select
        slate_id,
        slate.recorded_at as slate_recorded_at,
        round_deposit.sha256,
        'deposit' as subject
    from round_entry
    inner join round_deposit using (deposit_id)
    inner join slate using (slate_id)
    union all
    select
        slate_id,
        slate.recorded_at as slate_recorded_at,
        log_head.head_sha256 as sha256,
        'head' as subject
    from log_head
    inner join log_entry
        on log_head.n_entries > log_entry.entry_id and log_entry.table_name = 'slate'
    inner join slate_number on log_entry.first_row = slate_number.slate_number - 1
    inner join slate using (slate_id)
)

select
    proved_hash.slate_id,
    timestamp_token.token_id,
    timestamp_token.generated_at,
    timestamp_token.authority,
    proved_hash.subject
from proved_hash
inner join timestamp_token using (sha256)
cross join report_instant
where
    timestamp_token.recorded_at <= report_instant.as_of
    or (
        proved_hash.slate_recorded_at > report_instant.as_of
        and timestamp_token.generated_at <= report_instant.as_of
    )
