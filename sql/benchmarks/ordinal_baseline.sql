-- Title:   Baselines of ordinal benchmarks
-- Result:  Benchmarks
-- Formula: the means of ordinal_auprc for the average precisions of class_baseline: the
--          prevalence for 'constant', its expectation for 'random order'
-- Source:  docs/metrics.md#ordinal_baseline
-- Units:   0..1 (nap: 0 at the prevalence); NULL if a threshold has none
-- Grain:   benchmark_id, baseline
with threshold as (
    select
        benchmark_target.benchmark_id,
        class_baseline.lowest_class,
        class_baseline.min_class,
        baseline.baseline,
        class_baseline.prevalence,
        if(
            baseline.baseline = 'constant',
            class_baseline.prevalence,
            class_baseline.random_precision
        ) as auprc
    from class_baseline
    inner join benchmark_target using (target_id)
    inner join benchmark
        on benchmark_target.benchmark_id = benchmark.benchmark_id and benchmark.kind = 'ordinal'
    cross join (values ('constant'), ('random order')) as baseline (baseline)
)

select
    benchmark_id,
    baseline,
    if(
        count(auprc) filter (where lowest_class = 0) = count(*) filter (where lowest_class = 0),
        avg(auprc order by min_class) filter (where lowest_class = 0),
        null
    ) as ordinal_auprc,
    if(
        count(auprc) filter (where lowest_class = 0 and prevalence < 1)
        = count(*) filter (where lowest_class = 0),
        avg((auprc - prevalence) / nullif(1 - prevalence, 0) order by min_class)
        filter (where lowest_class = 0),
        null
    ) as ordinal_nap,
    max(auprc) filter (where lowest_class = 1) as severity_ordering_ap
from threshold
group by benchmark_id, baseline
