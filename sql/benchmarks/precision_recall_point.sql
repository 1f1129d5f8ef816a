-- Title:   Points of the precision-recall curve
-- Result:  Benchmarks
-- Formula: precision and recall of "class >= min_class" at prediction = score >= threshold, among
--          the items of class >= lowest_class
-- Units:   fractions 0..1; recall NULL where no item is positive
-- Grain:   submission_id, target, lowest_class, min_class, threshold
with cumulated as (
    select
        submission_id,
        target_id,
        lowest_class,
        min_class,
        score as threshold,
        n_positive as n_positive_at_threshold,
        cast(sum(n_positive) over upwards as bigint) as tp,
        cast(sum(n_negative) over upwards as bigint) as fp,
        cast(sum(n_positive) over everything as bigint) as n_positive,
        cast(sum(n_negative) over everything as bigint) as n_negative
    from class_score
    window
        upwards as (
            partition by submission_id, target_id, lowest_class, min_class
            order by score desc rows unbounded preceding
        ),
        everything as (partition by submission_id, target_id, lowest_class, min_class)
)

select
    cumulated.submission_id,
    benchmark_target.name as target,
    cumulated.lowest_class,
    cumulated.min_class,
    cumulated.threshold,
    cumulated.tp,
    cumulated.fp,
    cumulated.n_positive,
    cumulated.n_negative,
    cumulated.n_positive_at_threshold,
    cumulated.tp / nullif(cumulated.tp + cumulated.fp, 0) as precision,
    cumulated.tp / nullif(cumulated.n_positive, 0) as recall
from cumulated
inner join benchmark_target using (target_id)
