-- Title:   Baselines of each target of binary benchmarks
-- Result:  Benchmarks
-- Formula: auroc 1/2; average_precision of class_baseline: the prevalence for 'constant', its
--          expectation for 'random order'
-- Source:  docs/metrics.md#binary_target_baseline
-- Units:   0..1; NULL where the truth has a single class
-- Grain:   benchmark_id, target, baseline
select
    benchmark_target.benchmark_id,
    benchmark_target.name as target,
    baseline.baseline,
    if(
        class_baseline.n_positive between 1 and class_baseline.n_items - 1,
        cast(0.5 as double),
        null
    ) as auroc,
    if(
        baseline.baseline = 'constant', class_baseline.prevalence, class_baseline.random_precision
    ) as average_precision
from class_baseline
inner join benchmark_target using (target_id)
inner join benchmark
    on benchmark_target.benchmark_id = benchmark.benchmark_id and benchmark.kind = 'binary'
cross join (values ('constant'), ('random order')) as baseline (baseline)
where class_baseline.lowest_class = 0 and class_baseline.min_class = 1
