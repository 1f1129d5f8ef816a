-- Title:   Spearman correlation
-- Result:  Benchmarks
-- Formula: Pearson correlation of mid-ranks per fold, over all items ('aggregated'), and the mean
--          of the folds ('average')
-- Units:   correlation -1..1; NULL where a side is constant or there is no truth; the average is
--          NULL if a fold is
-- Grain:   submission_id, fold, target
-- Portability: doubled mid-ranks are whole numbers, so the sums are exact in 128-bit integers
--          and identical in any order of addition
with item_fold as (
    select
        benchmark_id,
        item_id,
        0 as fold_number
    from benchmark_item
    union all
    select
        benchmark_id,
        benchmark_item.item_id,
        benchmark_fold.fold_number
    from benchmark_item
    inner join benchmark_fold using (benchmark_id, fold)
),

-- The same for every submission with all items, so computed once.
true_rank as (
    select
        truth.target_id,
        item_fold.fold_number,
        truth.item_id,
        -- The running count includes the ties of a row: the sum is the doubled mid-rank.
        rank() over by_truth + count(*) over by_truth as doubled_rank
    from truth
    inner join benchmark_target using (target_id)
    inner join benchmark using (benchmark_id)
    inner join item_fold using (benchmark_id, item_id)
    where benchmark.kind = 'regression'
    window by_truth as (partition by truth.target_id, item_fold.fold_number order by truth.value)
),

doubled_rank as (
    select
        fold_value.submission_id,
        fold_value.target_id,
        fold_value.fold,
        rank() over by_prediction + count(*) over by_prediction as predicted,
        true_rank.doubled_rank as actual
    from fold_value
    inner join true_rank using (target_id, fold_number, item_id)
    where not fold_value.is_partial
    -- A fold's number sorts faster than its name.
    window
        by_prediction as (
            partition by fold_value.submission_id, fold_value.target_id, fold_value.fold_number
            order by fold_value.predicted
        )
    union all
    -- The truth is ranked among the items that a partial submission has.
    select
        submission_id,
        target_id,
        fold,
        rank() over own_prediction + count(*) over own_prediction as predicted,
        rank() over own_truth + count(*) over own_truth as actual
    from fold_value
    where is_partial
    window
        own_prediction as (partition by submission_id, target_id, fold_number order by predicted),
        own_truth as (partition by submission_id, target_id, fold_number order by actual)
),

moment as (
    select
        submission_id,
        target_id,
        fold,
        count(*) as n,
        -- The doubled mid-ranks of n values add up to n (n + 1), ties or not.
        cast(count(*) as hugeint) * (count(*) + 1) as rank_sum,
        cast(n * sum(predicted * actual) - rank_sum * rank_sum as double) as covariance,
        cast(n * sum(predicted * predicted) - rank_sum * rank_sum as double)
            as predicted_variance,
        cast(n * sum(actual * actual) - rank_sum * rank_sum as double) as actual_variance
    from doubled_rank
    group by submission_id, target_id, fold
),

part as (
    select
        submission_fold.submission_id,
        submission_fold.target,
        submission_fold.fold as part_fold,
        -- A fold is both a row and part of the average, so the ranks are computed once.
        unnest(if(part_fold = 'aggregated', [part_fold], [part_fold, 'average'])) as fold,
        coalesce(moment.n, 0) as n,
        -- One root of the product: equal variances give their own value, so that |spearman| is at
        -- most 1.
        moment.covariance
        / nullif(sqrt(moment.predicted_variance * moment.actual_variance), 0) as spearman,
        case
            when moment.n is null then 'no item has a true value'
            when moment.n = 1 then 'a single item has no order'
            when moment.predicted_variance = 0 then 'the predictions are constant'
            when moment.actual_variance = 0 then 'the truth is constant'
        end as reason
    from submission_fold
    left join moment using (submission_id, target_id, fold)
)

select
    submission_id,
    fold,
    target,
    cast(sum(n) as bigint) as n,
    if(count(spearman) = count(*), avg(spearman order by part_fold), null) as spearman,
    case
        when fold <> 'average' then any_value(reason)
        when count(spearman) < count(*) then 'a fold has no correlation'
    end as reason
from part
group by submission_id, fold, target
