-- Title:   Lengths of the prefixes that reach a recall
-- Formula: k = length of the shortest prefix of the decile's list that reaches the recall: the
--          position of the hit that does. The j-th of m hits in a tie of n places after a others is
--          on a + j (n + 1) / (m + 1), the mean over all orders, in the best order on a + j and in
--          the worst on a + n - m + j. Where no prefix does, floor(number of unique labels / 2)
-- Units:   predictions; n_instances instances have this k
-- Grain:   submission_id, recall_target, decile, k, k_optimistic, k_pessimistic, is_reached
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
        cast(sum(n_instances) as bigint) as n_instances
    from reached
    group by submission_id, recall_target, decile
)

select
    submission_id,
    recall_target,
    decile,
    k,
    k_optimistic,
    k_pessimistic,
    true as is_reached,
    n_instances
from reached
union all
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
