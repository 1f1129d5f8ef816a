-- Title:      The submissions of a release with their keys, and whether each is new or changed
-- Reads:      approval, staged_submission
-- Creates:    new_approval
with hashed as (
    select
        source_key,
        application_number,
        submission_type,
        submission_number,
        submission_status,
        status_date,
        submission_class,
        sponsor_name,
        sha256(
            concat_ws(
                chr(31),
                coalesce(submission_status, chr(30)),
                coalesce(cast(status_date as varchar), chr(30)),
                coalesce(submission_class, chr(30)),
                coalesce(sponsor_name, chr(30))
            )
        ) as content_sha256
    from staged_submission
),

held as (
    select
        application_number,
        submission_type,
        submission_number,
        arg_max(content_sha256, approval_id) as content_sha256
    from approval
    group by application_number, submission_type, submission_number
)

select
    hashed.source_key,
    hashed.application_number,
    hashed.submission_type,
    hashed.submission_number,
    hashed.submission_status,
    hashed.status_date,
    hashed.submission_class,
    hashed.sponsor_name,
    hashed.content_sha256,
    (held.content_sha256 is distinct from hashed.content_sha256) as is_changed,
    :first_id - 1 + row_number() over (
        order by
            is_changed desc,
            hashed.application_number asc,
            hashed.submission_type asc,
            hashed.submission_number asc
    ) as approval_id
from hashed
left join held
    on
        hashed.application_number = held.application_number
        and hashed.submission_type = held.submission_type
        and hashed.submission_number = held.submission_number
