-- Title:      The predicted and true classes of a submission by target
-- Reads:      benchmark_target, scored_value
select
    benchmark_target.name as target,
    scored_value.predicted,
    scored_value.actual
from scored_value
inner join benchmark_target using (target_id)
where scored_value.submission_id = :submission_id
order by target, scored_value.item_id
