-- Title:   Scored values of each fold
-- Formula: each scored value in 'aggregated' and, on the cross-validation track, in its own fold
-- Source:  METRICS section 4.1
-- Units:   units of the target; values for which lower is better are sign-flipped in the _gain
--          columns
-- Grain:   submission_id, target_id, fold, item_id
with item_value as (
    select
        submission_value.submission_id,
        submission_value.target_id,
        submission_value.item_id,
        benchmark_item.name as item,
        unnest(
            if(
                submission.track = 'cv' and benchmark_item.fold is not null,
                [benchmark_item.fold, 'aggregated'],
                ['aggregated']
            )
        ) as fold,
        submission_value.value as predicted,
        truth.value as actual
    from submission
    inner join submission_value using (submission_id)
    inner join truth using (target_id, item_id)
    inner join benchmark_item
        on
            submission.benchmark_id = benchmark_item.benchmark_id
            and submission_value.item_id = benchmark_item.item_id
    inner join benchmark
        on
            submission.benchmark_id = benchmark.benchmark_id
            and benchmark.kind = 'regression'
)

select
    item_value.submission_id,
    item_value.target_id,
    item_value.fold,
    item_value.item_id,
    item_value.item,
    item_value.predicted,
    item_value.actual,
    if(benchmark_target.is_lower_better, -item_value.predicted, item_value.predicted)
        as predicted_gain,
    if(benchmark_target.is_lower_better, -item_value.actual, item_value.actual) as actual_gain
from item_value
inner join benchmark_target using (target_id)
