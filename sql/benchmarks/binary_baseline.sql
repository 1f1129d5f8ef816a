-- Title:   Baselines of binary benchmarks
-- Result:  Benchmarks
-- Formula: means of binary_target_baseline over the targets of the benchmark
-- Source:  docs/metrics.md#binary_baseline
-- Units:   0..1; NULL if any target has none
-- Grain:   benchmark_id, baseline
with target_count as (
    select
        benchmark_id,
        count(*) as n_targets
    from benchmark_target
    group by benchmark_id
)

select
    benchmark_id,
    baseline.baseline,
    if(
        count(baseline.auroc) = any_value(target_count.n_targets),
        avg(baseline.auroc order by baseline.target),
        null
    ) as mean_auroc,
    if(
        count(baseline.average_precision) = any_value(target_count.n_targets),
        avg(baseline.average_precision order by baseline.target),
        null
    ) as mean_average_precision
from binary_target_baseline as baseline
inner join target_count using (benchmark_id)
group by benchmark_id, baseline.baseline
