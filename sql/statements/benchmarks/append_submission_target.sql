-- Title:      Appends the targets that a submission predicts
-- Reads:      incoming_value
-- Writes:     submission_target
select distinct
    submission_id,
    target_id
from incoming_value
