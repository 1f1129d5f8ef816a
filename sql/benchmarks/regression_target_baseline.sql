-- Title:   Baselines of each target of regression benchmarks
-- Result:  Benchmarks
-- Formula: spearman 0 in expectation over all orders, none for a constant; top_decile_recall k / n,
--          k = floor(n / 10), in expectation over all orders or breaks of ties; 'average' is the
--          mean of the folds
-- Source:  docs/metrics.md#regression_target_baseline
-- Units:   correlation and fraction 0..1; NULL for a single item, recall for fewer than ten
-- Grain:   benchmark_id, target, fold, baseline
with target_fold as (
    select
        benchmark_target.benchmark_id,
        benchmark_target.target_id,
        benchmark_target.name as target,
        benchmark_fold.fold
    from benchmark_target
    inner join benchmark_fold using (benchmark_id)
),

true_item as (
    select
        truth.target_id,
        benchmark_item.fold
    from truth
    inner join benchmark_target using (target_id)
    inner join benchmark_item using (benchmark_id, item_id)
),

part as (
    select
        benchmark_target.benchmark_id,
        benchmark_target.name as target,
        'aggregated' as fold,
        count(*) as n
    from true_item
    inner join benchmark_target using (target_id)
    group by benchmark_target.benchmark_id, benchmark_target.name
    union all
    select
        target_fold.benchmark_id,
        target_fold.target,
        'average' as fold,
        count(true_item.target_id) as n
    from target_fold
    left join true_item using (target_id, fold)
    group by target_fold.benchmark_id, target_fold.target, target_fold.fold
),

combined as (
    select
        benchmark_id,
        target,
        fold,
        min(n) > 1 as has_order,
        if(min(n) >= 10, avg((n // 10) / n order by n), null) as random_recall
    from part
    group by benchmark_id, target, fold
)

select
    benchmark_id,
    combined.target,
    combined.fold,
    baseline.baseline,
    if(baseline.baseline = 'random order' and combined.has_order, cast(0 as double), null)
        as spearman,
    combined.random_recall as top_decile_recall
from combined
inner join benchmark using (benchmark_id)
cross join (values ('constant'), ('random order')) as baseline (baseline)
where benchmark.kind = 'regression'
