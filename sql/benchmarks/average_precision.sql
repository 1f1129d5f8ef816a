-- Title:   Average precision
-- Result:  Benchmarks
-- Formula: sum over distinct scores, downwards, of precision x recall step, for "class >=
--          min_class" among the items of class >= lowest_class; step-wise, never the trapezoid
-- Units:   0..1; NULL where no item, or no item of the target, is positive
-- Grain:   submission_id, target, lowest_class, min_class
select
    submission_id,
    target,
    lowest_class,
    min_class,
    any_value(n_positive) as n_positive,
    any_value(n_negative) as n_negative,
    any_value(n_positive) / nullif(any_value(n_positive + n_negative), 0) as prevalence,
    sum(precision * n_positive_at_threshold order by threshold desc)
    filter (where n_positive_at_threshold > 0)
    / nullif(any_value(n_positive), 0) as average_precision,
    if(any_value(n_positive) = 0, 'no item is positive', null) as reason
from precision_recall_point
group by submission_id, target, lowest_class, min_class
