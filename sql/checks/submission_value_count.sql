-- Title:   A submission has as many values as were frozen
-- When:    write
-- Grain:   submission_id
with held as (
    select submission_id
    from submission_value
    union all
    select submission_id
    from ranked_prediction
),

held_count as (
    select
        submission_id,
        count(*) as n_held
    from held
    group by submission_id
)

select
    submission.submission_id,
    'the number of values differs from the frozen one' as reason
from submission
left join held_count using (submission_id)
where submission.n_values <> coalesce(held_count.n_held, 0)
