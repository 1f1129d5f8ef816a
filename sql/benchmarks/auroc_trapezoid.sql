-- Title:   AUROC by the trapezoidal rule
-- Formula: sum over the points of the ROC curve of (fpr step) x (mean of tpr before and after)
-- Source:  METRICS section 4.2, auroc
-- Units:   probability 0..1; NULL for a single class
-- Grain:   submission_id, target
-- Portability: twice the area in counts is a whole number, summed exactly in 128-bit integers
select
    submission_id,
    target,
    -- The point before has n_positive_at_threshold fewer true positives.
    cast(
        sum(cast(n_negative_at_threshold as hugeint) * (2 * tp - n_positive_at_threshold)) as double
    )
    / nullif(cast(2 as double) * any_value(tp + fn) * any_value(fp + tn), 0) as auroc_trapezoid
from roc_point
group by submission_id, target
