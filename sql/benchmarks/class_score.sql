-- Title:   Items with a score, by class
-- Formula: the items of class lowest_class and above, positive from class min_class up, at each
--          distinct score
-- Source:  METRICS sections 4.2 and 4.3
-- Units:   counts; lowest_class above 0 asks for the order among the severe alone
-- Grain:   submission_id, target_id, lowest_class, min_class, score
with class_count as (
    select
        submission_id,
        target_id,
        predicted as score,
        actual as class,
        count(*) as n
    from scored_value
    group by submission_id, target_id, predicted, actual
),

question as (
    select
        benchmark_target.target_id,
        cast(0 as bigint) as lowest_class,
        unnest(range(1, benchmark.n_classes)) as min_class
    from benchmark
    inner join benchmark_target using (benchmark_id)
    where benchmark.kind in ('binary', 'ordinal')
    union all
    select
        benchmark_target.target_id,
        cast(1 as bigint) as lowest_class,
        cast(benchmark.n_classes - 1 as bigint) as min_class
    from benchmark
    inner join benchmark_target using (benchmark_id)
    where benchmark.kind = 'ordinal' and benchmark.n_classes >= 3
)

select
    class_count.submission_id,
    class_count.target_id,
    question.lowest_class,
    question.min_class,
    class_count.score,
    cast(coalesce(
        sum(class_count.n) filter (where class_count.class >= question.min_class), 0
    ) as bigint) as n_positive,
    cast(coalesce(
        sum(class_count.n) filter (where class_count.class < question.min_class), 0
    ) as bigint) as n_negative
from class_count
inner join question
    on class_count.target_id = question.target_id and class_count.class >= question.lowest_class
group by
    class_count.submission_id,
    class_count.target_id,
    question.lowest_class,
    question.min_class,
    class_count.score
