-- Title:      Appends the submissions that are new or changed
-- Reads:      new_approval
-- Writes:     approval
select
    approval_id,
    cast(:release_id as integer) as release_id,
    source_key,
    application_number,
    submission_type,
    submission_number,
    submission_status,
    status_date,
    submission_class,
    sponsor_name,
    content_sha256
from new_approval
where is_changed
order by approval_id
