-- Title:   Predicted values with their truth
-- Formula: each submitted value whose item has a true value of the target
-- Units:   units of the target; a score for binary and ordinal benchmarks
-- Grain:   submission_id, target_id, item_id
select
    submission_value.submission_id,
    submission_value.target_id,
    submission_value.item_id,
    submission_value.value as predicted,
    truth.value as actual
from submission_value
inner join truth using (target_id, item_id)
