-- Title:      Appends the predicted labels of a submission, each with the checksum of its line
-- Reads:      incoming_ranked, incoming_ranked_line
-- Writes:     ranked_prediction
select
    submission_id,
    item_id,
    position,
    incoming_ranked.label_id,
    incoming_ranked.score,
    cast(md5_number_lower(incoming_ranked_line.line) >> 1 as bigint) as line_checksum
from incoming_ranked
inner join incoming_ranked_line using (submission_id, item_id, position)
where position <= :max_positions
