-- Title:   k needed for a recall, by label frequency
-- Formula: median and mean over instances with a true label in the decile of the length of the
--          shortest prefix of the decile's list that reaches the recall; floor(number of unique
--          labels / 2) where none does
-- Source:  docs/metrics.md#k_for_recall_by_decile
-- Units:   predictions; NULL if no instance has a true label in the decile
-- Grain:   submission_id, recall_target, decile
with cumulated as (
    select
        submission_id,
        recall_target,
        decile,
        k,
        is_reached,
        n_instances,
        sum(n_instances) over (
            partition by submission_id, recall_target, decile
            order by k, is_reached rows unbounded preceding
        ) as n_up_to,
        sum(n_instances) over (partition by submission_id, recall_target, decile) as n_all
    from recall_prefix_count
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
    cast(sum(k * n_instances) as double) / nullif(any_value(n_all), 0) as mean_k,
    if(any_value(n_all) = 0, 'no instance has a true label in the decile', null) as reason
from cumulated
group by submission_id, recall_target, decile
