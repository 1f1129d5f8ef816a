-- Title:      The values of a submission in their export form
-- Reads:      benchmark_item, benchmark_target, submission_value
select
    benchmark_item.name as item,
    benchmark_target.name as target,
    submission_value.value
from submission_value
inner join benchmark_target using (target_id)
inner join benchmark_item using (benchmark_id, item_id)
where submission_value.submission_id = :submission_id
order by target, item
