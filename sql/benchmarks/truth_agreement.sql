-- Title:   How far a submission orders items as the truth does
-- Result:  Benchmarks
-- Formula: regression: spearman of all items. Binary, ordinal: the slope of the mid-ranks of the
--          predictions on those of the truth, which is 2 AUROC - 1 of two classes, and 1 where the
--          scores keep every class apart. Multi-label: nDCG at the largest k
-- Units:   -1..1, of lists 0..1; 1 is the order of the truth; NULL where a metric has none; target
--          is NULL of lists
-- Grain:   submission_id, target
-- Portability: doubled mid-ranks are whole numbers, so the sums are exact in 128-bit integers
with doubled_rank as (
    select
        scored_value.submission_id,
        scored_value.target_id,
        rank() over by_prediction + count(*) over by_prediction as predicted,
        rank() over by_truth + count(*) over by_truth as actual
    from scored_value
    inner join benchmark_target on scored_value.target_id = benchmark_target.target_id
    semi join benchmark
        on
            benchmark_target.benchmark_id = benchmark.benchmark_id
            and benchmark.kind in ('binary', 'ordinal')
    window
        by_prediction as (
            partition by scored_value.submission_id, scored_value.target_id
            order by scored_value.predicted
        ),
        by_truth as (
            partition by scored_value.submission_id, scored_value.target_id
            order by scored_value.actual
        )
),

moment as (
    select
        submission_id,
        target_id,
        count(*) as n,
        cast(count(*) as hugeint) * (count(*) + 1) as rank_sum,
        cast(n * sum(predicted * actual) - rank_sum * rank_sum as double) as covariance,
        cast(n * sum(actual * actual) - rank_sum * rank_sum as double) as actual_variance
    from doubled_rank
    group by submission_id, target_id
)

select
    spearman.submission_id,
    spearman.target,
    'Spearman' as statistic,
    spearman.spearman as agreement
from spearman
inner join submission using (submission_id)
semi join benchmark
    on submission.benchmark_id = benchmark.benchmark_id and benchmark.kind = 'regression'
where spearman.fold = 'aggregated'
union all
select
    moment.submission_id,
    benchmark_target.name as target,
    if(benchmark.kind = 'binary', 'rank-biserial correlation', 'rank slope') as statistic,
    moment.covariance / nullif(moment.actual_variance, 0) as agreement
from moment
inner join benchmark_target using (target_id)
inner join benchmark using (benchmark_id)
union all
select
    submission_id,
    cast(null as varchar) as target,
    concat('nDCG@', k) as statistic,
    ndcg_at_k as agreement
from ndcg_at_k_multilabel
where k = (select max(cutoff.k) from cutoff)
