-- Title:   Baselines of a benchmark
-- Result:  Benchmarks
-- Formula: figures of predictions without knowledge: 'constant' and 'random order', which is the
--          expectation over all orders, or the lists of list_baseline. auroc 1/2;
--          average_precision the prevalence or random_precision of class_baseline; spearman 0, none
--          for a constant; top_decile_recall k / n with k = floor(n / 10), 'average' being the mean
--          of the folds. Others are means over the targets, ordinal ones over the thresholds
-- Units:   as on the leaderboard; NULL where the truth gives none, a mean if any part has none;
--          target is NULL for all targets together, k for figures without one
-- Grain:   benchmark_id, target, fold, k, baseline, figure
with unlearned as (select unnest(['constant', 'random order']) as baseline),

fold_count as (
    select
        benchmark_target.target_id,
        benchmark_item.fold,
        count(truth.value) as n
    from benchmark_target
    inner join benchmark_item using (benchmark_id)
    left join truth using (target_id, item_id)
    group by benchmark_target.target_id, benchmark_item.fold
),

part as (
    select
        target_id,
        'aggregated' as fold,
        sum(n) as n
    from fold_count
    group by target_id
    union all
    select
        target_id,
        'average' as fold,
        n
    from fold_count
    where fold is not null
),

combined as (
    select
        target_id,
        fold,
        min(n) > 1 as has_order,
        if(min(n) >= 10, avg((n // 10) / n order by n), null) as random_recall
    from part
    group by target_id, fold
),

target_figure as (
    select
        benchmark_id,
        benchmark.kind,
        benchmark_target.name as target,
        'aggregated' as fold,
        known.min_class,
        unlearned.baseline,
        if(unlearned.baseline = 'constant', known.prevalence, known.random_precision)
            as average_precision,
        unnest(case
            when benchmark.kind = 'binary' then ['auroc', 'average_precision']
            when known.lowest_class = 1 then ['severity_ordering_ap']
            else ['ordinal_auprc', 'ordinal_nap']
        end) as figure,
        unnest(case
            when benchmark.kind = 'binary'
                then [
                    if(known.n_positive between 1 and known.n_items - 1, 0.5, null),
                    average_precision
                ]
            when known.lowest_class = 1 then [average_precision]
            else
                [
                    average_precision,
                    (average_precision - known.prevalence) / nullif(1 - known.prevalence, 0)
                ]
        end) as value
    from benchmark_target
    inner join benchmark using (benchmark_id)
    cross join unlearned
    left join class_baseline as known
        on
            benchmark_target.target_id = known.target_id
            and (benchmark.kind = 'ordinal' or known.min_class = 1)
    where benchmark.kind in ('binary', 'ordinal')
    union all
    select
        benchmark_id,
        benchmark.kind,
        benchmark_target.name as target,
        combined.fold,
        null as min_class,
        unlearned.baseline,
        null as average_precision,
        unnest(['spearman', 'top_decile_recall']) as figure,
        unnest([
            if(unlearned.baseline = 'random order' and combined.has_order, 0, null),
            combined.random_recall
        ]) as value
    from benchmark_target
    inner join benchmark using (benchmark_id)
    inner join combined using (target_id)
    cross join unlearned
    where benchmark.kind = 'regression'
)

select
    benchmark_id,
    kind,
    target,
    fold,
    cast(null as bigint) as k,
    baseline,
    figure,
    value
from target_figure
where kind <> 'ordinal'
union all
select
    benchmark_id,
    kind,
    null as target,
    fold,
    null as k,
    baseline,
    if(kind = 'ordinal', figure, concat('mean_', figure)) as figure,
    if(count(value) = count(*), avg(value order by target, min_class), null) as value
from target_figure
group by benchmark_id, kind, fold, baseline, figure
union all
select
    benchmark_id,
    'multilabel' as kind,
    null as target,
    'aggregated' as fold,
    k,
    baseline,
    unnest(['precision_at_k', 'nr_at_k', 'ndcg_at_k', 'ndcg_at_k_full_ideal']) as figure,
    unnest([precision_at_k, nr_at_k, ndcg_at_k, ndcg_at_k_full_ideal]) as value
from list_baseline
