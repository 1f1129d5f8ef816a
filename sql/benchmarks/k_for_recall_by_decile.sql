-- Title:   k needed for a recall, by label frequency
-- Result:  Benchmarks
-- Formula: median and mean over instances with a true label in the decile of the length of the
--          shortest prefix of the decile's list that reaches the recall; floor(number of unique
--          labels / 2) where none does. The length of an instance is the mean over all orders of
--          its ties; _optimistic and _pessimistic have the shortest and the longest
-- Units:   predictions; NULL if no instance has a true label in the decile
-- Grain:   submission_id, recall_target, decile
with cumulated as (
    select
        *,
        sum(n_instances) over (
            decile_list
            order by k, k_optimistic, k_pessimistic, is_reached rows unbounded preceding
        ) as n_up_to,
        sum(n_instances) over (
            decile_list
            order by k_optimistic, k, k_pessimistic, is_reached rows unbounded preceding
        ) as n_up_to_optimistic,
        sum(n_instances) over (
            decile_list
            order by k_pessimistic, k, k_optimistic, is_reached rows unbounded preceding
        ) as n_up_to_pessimistic,
        sum(n_instances) over decile_list as n_all
    from recall_prefix_count
    window decile_list as (partition by submission_id, recall_target, decile)
)

-- The median of an even number of instances is the mean of the two in the middle.
select
    submission_id,
    recall_target,
    decile,
    cast(any_value(n_all) as bigint) as n_instances,
    cast(coalesce(sum(n_instances) filter (where not is_reached), 0) as bigint) as n_unreached,
    (
        min(k) filter (where n_instances > 0 and 2 * n_up_to >= n_all)
        + min(k) filter (where n_instances > 0 and 2 * n_up_to >= n_all + 1)
    ) / 2 as median_k,
    (
        min(k_optimistic) filter (where n_instances > 0 and 2 * n_up_to_optimistic >= n_all)
        + min(k_optimistic) filter (where n_instances > 0 and 2 * n_up_to_optimistic >= n_all + 1)
    ) / 2 as median_k_optimistic,
    (
        min(k_pessimistic) filter (where n_instances > 0 and 2 * n_up_to_pessimistic >= n_all)
        + min(k_pessimistic)
        filter (where n_instances > 0 and 2 * n_up_to_pessimistic >= n_all + 1)
    ) / 2 as median_k_pessimistic,
    sum(k * n_instances order by k) / nullif(any_value(n_all), 0) as mean_k,
    cast(sum(k_optimistic * n_instances) as double) / nullif(any_value(n_all), 0)
        as mean_k_optimistic,
    cast(sum(k_pessimistic * n_instances) as double) / nullif(any_value(n_all), 0)
        as mean_k_pessimistic,
    if(any_value(n_all) = 0, 'no instance has a true label in the decile', null) as reason
from cumulated
group by submission_id, recall_target, decile
