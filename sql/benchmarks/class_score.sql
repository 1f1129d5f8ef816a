-- Title:   Items with a score, by class
-- Formula: the items of class lowest_class and above, positive from class min_class up, at each
--          distinct score
-- Units:   counts; lowest_class above 0 restricts the order to severe items
-- Grain:   submission_id, target_id, lowest_class, min_class, score
with question as (
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
    scored_value.submission_id,
    scored_value.target_id,
    question.lowest_class,
    question.min_class,
    scored_value.predicted as score,
    count(*) filter (where scored_value.actual >= question.min_class) as n_positive,
    count(*) filter (where scored_value.actual < question.min_class) as n_negative
from scored_value
inner join question
    on
        scored_value.target_id = question.target_id
        and scored_value.actual >= question.lowest_class
group by
    scored_value.submission_id,
    scored_value.target_id,
    question.lowest_class,
    question.min_class,
    scored_value.predicted
