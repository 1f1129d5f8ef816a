-- Title:   Submitted values belong to a submission, its target and an item of its benchmark
-- When:    audit
-- Grain:   submission_id, target_id, item_id
select
    submission_value.submission_id,
    submission_value.target_id,
    submission_value.item_id,
    'the submission, the target or the item is unknown' as reason
from submission_value
left join submission using (submission_id)
left join submission_target
    on
        submission_value.submission_id = submission_target.submission_id
        and submission_value.target_id = submission_target.target_id
left join benchmark_item
    on
        submission.benchmark_id = benchmark_item.benchmark_id
        and submission_value.item_id = benchmark_item.item_id
where submission_target.target_id is null or benchmark_item.item_id is null
