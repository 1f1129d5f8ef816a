-- Title:   k needed for a recall, by label frequency
-- Result:  Benchmarks
-- Formula: median and mean over instances with a true label in the decile of the length of the
--          shortest prefix of the decile's list that reaches the recall; floor(number of unique
--          labels / 2) where none does. The prefix ends with the hit that reaches the recall: the
--          j-th of m hits in a tie of n places after a others is on a + j (n + 1) / (m + 1), the
--          mean over all orders; _optimistic, on a + j, the shortest; _pessimistic, on a + n - m +
--          j, the longest
-- Units:   predictions; NULL if no instance has a true label in the decile
-- Grain:   submission_id, recall_target, decile
with reached as (
    select
        decile_hit.submission_id,
        recall_target.recall as recall_target,
        decile_hit.decile,
        decile_hit.tie_start - 1 + decile_hit.tie_hit_number
        * (decile_hit.tie_end - decile_hit.tie_start + 2) / (decile_hit.n_tie_hits + 1) as k,
        decile_hit.tie_start - 1 + decile_hit.tie_hit_number as k_optimistic,
        decile_hit.tie_end - decile_hit.n_tie_hits + decile_hit.tie_hit_number as k_pessimistic,
        count(*) as n_instances
    from decile_hit
    -- The hit with which the recall is first reached.
    inner join recall_target
        on
            decile_hit.hit_number / decile_hit.n_true >= recall_target.recall
            and (decile_hit.hit_number - 1) / decile_hit.n_true < recall_target.recall
    group by all
),

reached_count as (
    select
        submission_id,
        recall_target,
        decile,
        sum(n_instances) as n_instances
    from reached
    group by submission_id, recall_target, decile
),

prefix as (
    select
        *,
        true as is_reached
    from reached
    union all by name
    select
        multilabel_decile.submission_id,
        recall_target.recall as recall_target,
        multilabel_decile.decile,
        multilabel_instance_count.n_labels // 2 as k,
        multilabel_instance_count.n_labels // 2 as k_optimistic,
        multilabel_instance_count.n_labels // 2 as k_pessimistic,
        false as is_reached,
        multilabel_decile.n_instances - coalesce(reached_count.n_instances, 0) as n_instances
    from multilabel_decile
    inner join multilabel_instance_count using (submission_id)
    cross join recall_target
    left join reached_count
        on
            multilabel_decile.submission_id = reached_count.submission_id
            and recall_target.recall = reached_count.recall_target
            and multilabel_decile.decile = reached_count.decile
),

cumulated as (
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
    from prefix
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
