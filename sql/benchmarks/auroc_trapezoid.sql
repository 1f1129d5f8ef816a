-- Title:   AUROC by the trapezoidal rule
-- Formula: sum over neighbouring points of the ROC curve of (fpr step) x (mean tpr)
-- Source:  METRICS section 4.2, auroc
-- Units:   probability 0..1; NULL for a single class
-- Grain:   submission_id, target
-- Portability: twice the area in counts is a whole number, summed exactly in 128-bit integers
with neighbour as (
    select
        submission_id,
        target,
        tp,
        fp,
        tp + fn as n_positive,
        fp + tn as n_negative,
        lag(tp) over curve as previous_tp,
        lag(fp) over curve as previous_fp
    from roc_point
    window curve as (partition by submission_id, target order by threshold desc)
)

select
    submission_id,
    target,
    cast(sum(cast(fp - previous_fp as hugeint) * (tp + previous_tp)) as double)
    / nullif(cast(2 as double) * any_value(n_positive) * any_value(n_negative), 0)
        as auroc_trapezoid
from neighbour
group by submission_id, target
