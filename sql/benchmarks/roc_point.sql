-- Title:   Points of the ROC curve
-- Formula: counts at prediction = score >= threshold for each distinct score, and (0, 0) at
--          threshold infinity
-- Source:  METRICS section 4.2, roc_point
-- Units:   counts; rates 0..1, NULL where the class has no item
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
    union all
    select distinct
        submission_id,
        target_id,
        cast('infinity' as double) as threshold,
        cast(0 as bigint) as n_positive,
        cast(0 as bigint) as n_negative
    from class_score
),

cumulated as (
    select
        submission_id,
        target_id,
        threshold,
        cast(sum(n_positive) over upwards as bigint) as tp,
        cast(sum(n_negative) over upwards as bigint) as fp,
        cast(sum(n_positive) over everything as bigint) as n_positive,
        cast(sum(n_negative) over everything as bigint) as n_negative
    from counted
    window
        upwards as (
            partition by submission_id, target_id
            order by threshold desc rows unbounded preceding
        ),
        everything as (partition by submission_id, target_id)
)

select
    cumulated.submission_id,
    benchmark_target.name as target,
    cumulated.threshold,
    cumulated.tp,
    cumulated.fp,
    cumulated.n_negative - cumulated.fp as tn,
    cumulated.n_positive - cumulated.tp as fn,
    cumulated.tp / nullif(cumulated.n_positive, 0) as tpr,
    cumulated.fp / nullif(cumulated.n_negative, 0) as fpr
from cumulated
inner join benchmark_target using (target_id)
inner join benchmark
    on benchmark_target.benchmark_id = benchmark.benchmark_id and benchmark.kind = 'binary'
