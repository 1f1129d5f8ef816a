-- Title:   Area under the ROC curve
-- Formula: probability that a random positive outscores a random negative, ties one half; beside
--          it the trapezoidal rule over roc_point
-- Source:  METRICS section 4.2, auroc
-- Units:   probability 0..1; NULL for a single class
-- Grain:   submission_id, target
select
    submission_id,
    target,
    auroc_rank.n_positive,
    auroc_rank.n_negative,
    auroc_rank.auroc,
    auroc_trapezoid.auroc_trapezoid,
    auroc_rank.reason
from auroc_rank
left join auroc_trapezoid using (submission_id, target)
