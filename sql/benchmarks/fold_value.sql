-- Title:   Scored values of each fold
-- Formula: each scored value in 'aggregated' and, on the cross-validation track, in its own fold
-- Units:   units of the target; values for which lower is better are sign-flipped in the _gain
--          columns; fold_number is 0 for 'aggregated', else that of benchmark_fold
-- Grain:   submission_id, target_id, fold, item_id
with item_fold as (
    select
        benchmark_id,
        item_id,
        name as item,
        'aggregated' as fold,
        0 as fold_number
    from benchmark_item
    union all
    select
        benchmark_id,
        benchmark_item.item_id,
        benchmark_item.name as item,
        fold,
        benchmark_fold.fold_number
    from benchmark_item
    inner join benchmark_fold using (benchmark_id, fold)
)

select
    submission_value.submission_id,
    submission_value.target_id,
    item_fold.fold,
    item_fold.fold_number,
    submission_value.item_id,
    item_fold.item,
    submission.is_partial,
    submission_value.value as predicted,
    truth.value as actual,
    if(benchmark_target.is_lower_better, -submission_value.value, submission_value.value)
        as predicted_gain,
    if(benchmark_target.is_lower_better, -truth.value, truth.value) as actual_gain
from submission
inner join benchmark
    on submission.benchmark_id = benchmark.benchmark_id and benchmark.kind = 'regression'
inner join submission_value using (submission_id)
inner join benchmark_target using (target_id)
inner join truth using (target_id, item_id)
inner join item_fold
    on
        submission.benchmark_id = item_fold.benchmark_id
        and submission_value.item_id = item_fold.item_id
        and (submission.track = 'cv' or item_fold.fold_number = 0)
