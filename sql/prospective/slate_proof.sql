-- Title:   Timestamps that prove a slate
-- Formula: trusted timestamps of the slate's own hash, and those of a head of the log that covers
--          the entry of the slate
-- Source:  docs/metrics.md#slate_date
-- Units:   generated_at is when the authority states the hash existed; subject is slate or head
-- Grain:   slate_id, token_id
-- Note:    tokens recorded after the as-of instant are left out; the numbers of slates follow the
--          order of the table's entries in the log
with known_token as (
    select
        token_id,
        sha256,
        generated_at,
        authority
    from timestamp_token
    where recorded_at <= (select report_instant.as_of from report_instant)
),

covered_slate as (
    select
        slate_number.slate_id,
        log_entry.entry_id
    from slate_number
    inner join log_entry
        on
            slate_number.slate_number - 1 = log_entry.first_row
            and log_entry.table_name = 'slate'
)

select
    slate.slate_id,
    known_token.token_id,
    known_token.generated_at,
    known_token.authority,
    'slate' as subject
from slate
inner join known_token on slate.content_sha256 = known_token.sha256
union all
select
    covered_slate.slate_id,
    known_token.token_id,
    known_token.generated_at,
    known_token.authority,
    'head' as subject
from known_token
inner join log_head on known_token.sha256 = log_head.head_sha256
inner join covered_slate on log_head.n_entries > covered_slate.entry_id
