-- Title:   Targets that a submission completes
-- Formula: values of the submission for the target, of the items of the benchmark; complete where
--          every item has one
-- Units:   counts; the reason is NULL for a complete target
-- Grain:   submission_id, target_id
with partial_count as (
    -- The gate has counted the values of the others.
    select
        submission_value.submission_id,
        submission_value.target_id,
        count(*) as n_values
    from submission_value
    inner join submission using (submission_id)
    where submission.is_partial
    group by submission_value.submission_id, submission_value.target_id
),

counted as (
    select
        submission.submission_id,
        benchmark_target.target_id,
        benchmark_target.name as target,
        benchmark.n_items,
        case
            when submission_target.target_id is null then 0
            when submission.is_partial then coalesce(partial_count.n_values, 0)
            else benchmark.n_items
        end as n_values
    from submission
    inner join benchmark using (benchmark_id)
    inner join benchmark_target using (benchmark_id)
    left join submission_target
        on
            submission.submission_id = submission_target.submission_id
            and benchmark_target.target_id = submission_target.target_id
    left join partial_count
        on
            submission.submission_id = partial_count.submission_id
            and benchmark_target.target_id = partial_count.target_id
)

select
    submission_id,
    target_id,
    target,
    n_items,
    n_values,
    n_values = n_items as is_complete,
    case
        when n_values = 0 then 'not submitted'
        when n_values < n_items then concat(n_values, ' of ', n_items, ' items have a value')
    end as reason
from counted
