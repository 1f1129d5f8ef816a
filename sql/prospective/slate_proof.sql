-- Title:   Timestamps that prove a slate
-- Formula: trusted timestamps of the slate's own hash, and those of a head of the log that covers
--          the entry of the slate
-- Source:  docs/metrics.md#slate_date
-- Units:   generated_at is when the authority states the hash existed; subject is slate or head
-- Grain:   slate_id, token_id
-- Note:    tokens recorded after the as-of instant are left out; of a slate that came later itself,
--          those generated after it. The numbers of slates follow the order of the table's
--          entries in the log
with proof as (
    select
        slate.slate_id,
        slate.recorded_at as slate_recorded_at,
        timestamp_token.token_id,
        timestamp_token.generated_at,
        timestamp_token.recorded_at,
        timestamp_token.authority,
        'slate' as subject
    from slate
    inner join timestamp_token on slate.content_sha256 = timestamp_token.sha256
    union all
    select
        slate.slate_id,
        slate.recorded_at as slate_recorded_at,
        timestamp_token.token_id,
        timestamp_token.generated_at,
        timestamp_token.recorded_at,
        timestamp_token.authority,
        'head' as subject
    from timestamp_token
    inner join log_head on timestamp_token.sha256 = log_head.head_sha256
    inner join log_entry
        on log_head.n_entries > log_entry.entry_id and log_entry.table_name = 'slate'
    inner join slate_number on log_entry.first_row = slate_number.slate_number - 1
    inner join slate on slate_number.slate_id = slate.slate_id
)

select
    proof.slate_id,
    proof.token_id,
    proof.generated_at,
    proof.authority,
    proof.subject
from proof
cross join report_instant
where
    proof.recorded_at <= report_instant.as_of
    or (
        proof.slate_recorded_at > report_instant.as_of
        and proof.generated_at <= report_instant.as_of
    )
