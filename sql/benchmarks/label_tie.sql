-- Title:   Ties of ranked labels
-- Formula: the places of an instance's list that its equal scores share, from tie_start to tie_end;
--          a label of a list without scores has a place of its own
-- Units:   positions from 1
-- Grain:   submission_id, item_id, label_id
select
    submission_id,
    item_id,
    label_id,
    position,
    min(position) over tie as tie_start,
    max(position) over tie as tie_end
from ranked_prediction
window tie as (
    partition by submission_id, item_id, score, if(score is null, position, null)
)
