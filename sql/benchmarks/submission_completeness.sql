-- Title:   How many targets a submission completes
-- Formula: counts of target_completeness
-- Units:   counts; the reason, NULL where every target is complete, names at most three others
-- Grain:   submission_id
with counted as (
    select
        submission_id,
        count(*) as n_benchmark_targets,
        count(*) filter (where is_complete) as n_complete_targets,
        list(target order by target) filter (where not is_complete) as incomplete
    from target_completeness
    group by submission_id
)

select
    submission_id,
    n_benchmark_targets,
    n_complete_targets,
    n_complete_targets = n_benchmark_targets as is_complete,
    case
        when n_complete_targets = n_benchmark_targets then null
        when n_complete_targets = 0
            then 'no rank: no target has a value for every item'
        else concat(
            'no overall rank: ', n_complete_targets, ' of ', n_benchmark_targets, ' targets ',
            if(n_complete_targets = 1, 'is', 'are'), ' complete and ranked alone; not complete: ',
            array_to_string(incomplete[1:3], ', '),
            if(
                array_length(incomplete) > 3,
                concat(' and ', array_length(incomplete) - 3, ' more'),
                ''
            )
        )
    end as reason
from counted
