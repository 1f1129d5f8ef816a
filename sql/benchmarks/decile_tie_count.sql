-- Title:   Ties with correct predictions within the decile
-- Formula: number of ties from tie_start to tie_end with n_hits correct predictions, in decile
--          lists of a length, of instances with a number of true labels in the decile
-- Units:   counts
-- Grain:   submission_id, decile, tie_start, tie_end, n_hits, n_predictions, n_true
select
    submission_id,
    decile,
    tie_start,
    tie_end,
    n_tie_hits as n_hits,
    n_predictions,
    n_true,
    count(*) as n_ties
from decile_hit
where tie_hit_number = 1
group by submission_id, decile, tie_start, tie_end, n_tie_hits, n_predictions, n_true
