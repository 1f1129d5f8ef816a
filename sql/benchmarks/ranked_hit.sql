-- Title:   Correct predictions of a ranked list
-- Formula: predicted labels that are true labels of their instance
-- Source:  docs/metrics.md#ranked_hit
-- Units:   position from 1
-- Grain:   submission_id, item_id, label_id
select
    ranked_prediction.submission_id,
    ranked_prediction.item_id,
    ranked_prediction.label_id,
    label_decile.decile,
    label_decile.decile_number,
    ranked_prediction.position
from ranked_prediction
inner join truth_label using (item_id, label_id)
inner join label_decile using (label_id)
