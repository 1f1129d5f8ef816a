-- Title:      The predicted and true values of a submission by target and fold
-- Reads:      benchmark_target, fold_value
select
    benchmark_target.name as target,
    fold_value.fold,
    fold_value.predicted,
    fold_value.actual,
    fold_value.predicted_gain,
    fold_value.actual_gain
from fold_value
inner join benchmark_target using (target_id)
where fold_value.submission_id = :submission_id
order by target, fold_value.fold, fold_value.item
