-- Title:      The predicted and true values of submissions to a benchmark, of at most some items
-- Reads:      benchmark_item, benchmark_target, submission, submission_value, truth
with drawn_item as (
    -- The hash of a name is in no order that values could have.
    select
        item_id,
        name,
        coalesce(fold, '') as fold
    from benchmark_item
    where benchmark_id = :benchmark_id
    order by md5(name), name
    limit :most_items
)

select
    submission_value.submission_id,
    benchmark_target.name as target,
    drawn_item.item_id,
    drawn_item.fold,
    submission_value.value as predicted,
    truth.value as actual,
    if(benchmark_target.is_lower_better, -1, 1) * submission_value.value as predicted_gain,
    if(benchmark_target.is_lower_better, -1, 1) * truth.value as actual_gain
from submission
inner join submission_value using (submission_id)
inner join benchmark_target using (target_id)
inner join drawn_item using (item_id)
inner join truth using (target_id, item_id)
where
    submission.benchmark_id = :benchmark_id
    and coalesce(submission.submission_id = :submission_id, true)
order by
    submission_value.submission_id,
    benchmark_target.name,
    drawn_item.item_id
