-- Title:      Appends the values of a submission, each with the checksum of its line
-- Reads:      incoming_value, incoming_value_line
-- Writes:     submission_value
select
    submission_id,
    target_id,
    item_id,
    incoming_value.value,
    cast(md5_number_lower(incoming_value_line.line) >> 1 as bigint) as line_checksum
from incoming_value
inner join incoming_value_line using (submission_id, target_id, item_id)
