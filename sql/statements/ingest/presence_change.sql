-- Title:      Known records that vanished from a complete release, and those that came back
-- Reads:      given_record, known_record, record_presence
-- Creates:    presence_change
-- Note:       All records ever seen are present, except those whose last change was to vanish.
with last_change as (
    select
        kind,
        record_key,
        arg_max(is_present, release_id) as is_present
    from record_presence
    group by kind, record_key
),

state as (
    select
        known_record.kind,
        known_record.record_key,
        coalesce(last_change.is_present, true) as was_present,
        given_record.record_key is not null as is_given
    from known_record
    left join last_change
        on
            known_record.kind = last_change.kind
            and known_record.record_key = last_change.record_key
    left join given_record
        on
            known_record.kind = given_record.kind
            and known_record.record_key = given_record.record_key
)

select
    kind,
    record_key,
    is_given as is_present
from state
where was_present <> is_given and (is_given or :is_complete)
