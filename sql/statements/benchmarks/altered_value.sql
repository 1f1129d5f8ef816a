-- Title:      The first value of a submission that differs from its frozen form
-- Reads:      submission_value_line
select concat('the value of ''', item, ''' for ''', target, '''') as place
from submission_value_line
where
    submission_id = :submission_id
    and cast(md5_number_lower(line) >> 1 as bigint) <> line_checksum
order by target, item
limit 1
