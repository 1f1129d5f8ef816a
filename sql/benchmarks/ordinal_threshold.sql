-- Title:   Average precision of each severity threshold
-- Formula: auprc = average precision of "class >= k"; nap = (auprc - prevalence) / (1 -
--          prevalence)
-- Units:   auprc 0..1; nap 0 at chance for large samples, 1 perfect; NULL where no item reaches
--          the class (nap also where all do)
-- Grain:   submission_id, k
with task as (
    select
        submission_target.submission_id,
        benchmark_target.name as target,
        unnest(range(1, benchmark.n_classes)) as k
    from submission_target
    inner join benchmark_target using (target_id)
    inner join benchmark using (benchmark_id)
    where benchmark.kind = 'ordinal'
)

select
    task.submission_id,
    task.k,
    coalesce(average_precision.n_positive, 0) as n_positive,
    coalesce(average_precision.n_negative, 0) as n_negative,
    average_precision.prevalence,
    average_precision.average_precision as auprc,
    (average_precision.average_precision - average_precision.prevalence)
    / nullif(1 - average_precision.prevalence, 0) as nap,
    case
        when average_precision.submission_id is null then 'no item has a true class'
        when average_precision.n_positive = 0 then 'no item reaches this class'
        when average_precision.n_negative = 0 then 'every item reaches this class'
    end as reason
from task
left join average_precision
    on
        task.submission_id = average_precision.submission_id
        and task.target = average_precision.target
        and task.k = average_precision.min_class
        and average_precision.lowest_class = 0
