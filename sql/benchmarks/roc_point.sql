-- Title:   Points of the ROC curve
-- Result:  Benchmarks
-- Formula: counts at prediction = score >= threshold for each distinct score, and (0, 0) at
--          threshold infinity
-- Units:   counts, those at the threshold being the step from the point before; rates 0..1, NULL
--          where the class has no item
-- Grain:   submission_id, target, threshold
with counted as (
    select
        submission_id,
        target_id,
        score as threshold,
        n_positive,
        n_negative
    from class_score
    where lowest_class = 0 and min_class = 1
),

class_count as (
    select
        submission_id,
        target_id,
        cast(sum(n_positive) as bigint) as n_positive,
        cast(sum(n_negative) as bigint) as n_negative
    from counted
    group by submission_id, target_id
),

cumulated as (
    select
        submission_id,
        target_id,
        threshold,
        n_positive,
        n_negative,
        cast(sum(n_positive) over upwards as bigint) as tp,
        cast(sum(n_negative) over upwards as bigint) as fp
    from counted
    window
        upwards as (
            partition by submission_id, target_id
            order by threshold desc rows unbounded preceding
        )
    union all
    select
        submission_id,
        target_id,
        cast('infinity' as double) as threshold,
        0 as n_positive,
        0 as n_negative,
        0 as tp,
        0 as fp
    from class_count
)

select
    cumulated.submission_id,
    benchmark_target.name as target,
    cumulated.threshold,
    cumulated.tp,
    cumulated.fp,
    class_count.n_negative - cumulated.fp as tn,
    class_count.n_positive - cumulated.tp as fn,
    cumulated.tp / nullif(class_count.n_positive, 0) as tpr,
    cumulated.fp / nullif(class_count.n_negative, 0) as fpr,
    cumulated.n_positive as n_positive_at_threshold,
    cumulated.n_negative as n_negative_at_threshold
from cumulated
inner join class_count using (submission_id, target_id)
inner join benchmark_target using (target_id)
inner join benchmark
    on benchmark_target.benchmark_id = benchmark.benchmark_id and benchmark.kind = 'binary'
