-- Title:   Baselines of regression benchmarks
-- Result:  Benchmarks
-- Formula: means of regression_target_baseline over the targets of the benchmark
-- Source:  docs/metrics.md#regression_baseline
-- Units:   correlation and fraction 0..1; NULL if any target has none
-- Grain:   benchmark_id, fold, baseline
with target_count as (
    select
        benchmark_id,
        count(*) as n_targets
    from benchmark_target
    group by benchmark_id
)

select
    benchmark_id,
    baseline.fold,
    baseline.baseline,
    if(
        count(baseline.spearman) = any_value(target_count.n_targets),
        avg(baseline.spearman order by baseline.target),
        null
    ) as mean_spearman,
    if(
        count(baseline.top_decile_recall) = any_value(target_count.n_targets),
        avg(baseline.top_decile_recall order by baseline.target),
        null
    ) as mean_top_decile_recall
from regression_target_baseline as baseline
inner join target_count using (benchmark_id)
group by benchmark_id, baseline.fold, baseline.baseline
