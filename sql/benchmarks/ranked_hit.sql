-- Title:   Correct predictions of a ranked list
-- Formula: predicted labels that are true labels of their instance, and their ties
-- Units:   positions from 1
-- Grain:   submission_id, item_id, label_id
select
    label_tie.submission_id,
    label_tie.item_id,
    label_tie.label_id,
    label_decile.decile,
    label_decile.decile_number,
    label_tie.position,
    label_tie.tie_start,
    label_tie.tie_end
from label_tie
inner join truth_label using (item_id, label_id)
inner join label_decile using (label_id)
