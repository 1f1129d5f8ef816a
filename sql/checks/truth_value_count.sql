-- Title:   A truth has as many values as were loaded
-- When:    audit
-- Grain:   benchmark_id
with held as (
    select benchmark_target.benchmark_id
    from truth
    inner join benchmark_target using (target_id)
    union all
    select benchmark_id
    from truth_label
),

held_count as (
    select
        benchmark_id,
        count(*) as n_held
    from held
    group by benchmark_id
)

select
    truth_set.benchmark_id,
    'the number of true values differs from the loaded one' as reason
from truth_set
left join held_count using (benchmark_id)
where truth_set.n_values <> coalesce(held_count.n_held, 0)
