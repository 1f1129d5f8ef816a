-- Title:      The first predicted label of a submission that differs from its frozen form
-- Reads:      ranked_prediction_line
select concat('the prediction at position ', position, ' of ''', item, '''') as place
from ranked_prediction_line
where
    submission_id = :submission_id
    and cast(md5_number_lower(line) >> 1 as bigint) <> line_checksum
order by item, position
limit 1
