-- Title:   Corners of the ROC curve
-- Formula: the points of roc_point at turning_score; the others are on horizontal lines between
-- Units:   counts; those at the threshold are the step that ends here, n_negative_before the
--          horizontal step before it; doubled_rank is twice the mid-rank of the threshold,
--          lowest score first
-- Grain:   submission_id, target_id, threshold
select
    submission_id,
    target_id,
    score as threshold,
    cast(sum(n_positive) over downwards as bigint) as tp,
    n_positive as n_positive_at_threshold,
    n_at_least - n_higher - n_positive as n_negative_at_threshold,
    n_higher - lag(n_at_least, 1, 0) over downwards as n_negative_before,
    2 * n_scored + 1 - n_higher - n_at_least as doubled_rank
from turning_score
window downwards as (partition by submission_id, target_id order by score desc)
