-- Title:   Average precision without knowledge
-- Formula: prevalence = P / N, the average precision of a constant score; random_precision = q +
--          (1 - q) H / N with q = (P - 1) / (N - 1) and H = 1 + 1/2 + ... + 1/N, its expectation
--          over all orders of the items
-- Units:   0..1; NULL where no item is positive
-- Grain:   target_id, lowest_class, min_class
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
),

counted as (
    select
        question.target_id,
        question.lowest_class,
        question.min_class,
        count(*) as n_items,
        count(*) filter (where truth.value >= question.min_class) as n_positive
    from question
    inner join truth
        on question.target_id = truth.target_id and question.lowest_class <= truth.value
    group by question.target_id, question.lowest_class, question.min_class
),

list_position as (
    select
        n_items,
        unnest(range(1, n_items + 1)) as position
    from counted
    group by n_items
),

harmonic as (
    select
        n_items,
        sum(1 / position order by position desc) as harmonic_number
    from list_position
    group by n_items
)

select
    counted.target_id,
    counted.lowest_class,
    counted.min_class,
    n_items,
    counted.n_positive,
    if(counted.n_positive > 0, counted.n_positive / n_items, null) as prevalence,
    case
        when counted.n_positive = n_items then 1
        when counted.n_positive > 0
            then
                (counted.n_positive - 1) / (n_items - 1)
                + (n_items - counted.n_positive) / (n_items - 1)
                * harmonic.harmonic_number / n_items
    end as random_precision
from counted
inner join harmonic using (n_items)
