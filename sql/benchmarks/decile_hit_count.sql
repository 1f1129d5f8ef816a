-- Title:   Correct predictions by position within the decile
-- Formula: correct predictions at a position of decile lists of a length, of instances with a
--          number of true labels in the decile
-- Source:  docs/metrics.md#decile_hit_count
-- Units:   counts
-- Grain:   submission_id, decile, decile_position, n_predictions, n_true, hit_number
select
    submission_id,
    decile,
    decile_position,
    n_predictions,
    n_true,
    hit_number,
    count(*) as n_hits
from decile_hit
group by submission_id, decile, decile_position, n_predictions, n_true, hit_number
