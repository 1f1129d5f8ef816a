-- Title:   Targets of binary benchmarks
-- Formula: the targets of a benchmark numbered from 1 by target_id, and whether truth has a class
--          for every item and target of the benchmark
-- Units:   target_number fits into a byte and is NULL from the 256th target on
-- Grain:   target_id
select
    benchmark_target.target_id,
    try_cast(row_number() over by_benchmark as utinyint) as target_number,
    coalesce(
        benchmark.n_items * count(*) over of_benchmark = truth_set.n_values, false
    ) as has_every_class
from benchmark
inner join benchmark_target using (benchmark_id)
left join truth_set using (benchmark_id)
where benchmark.kind = 'binary'
window
    of_benchmark as (partition by benchmark.benchmark_id),
    by_benchmark as (of_benchmark order by benchmark_target.target_id)
