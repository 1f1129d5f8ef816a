-- Title:   Lengths of the prefixes that reach a recall
-- Formula: k = length of the shortest prefix of the decile's list that reaches the recall; where
--          none does, floor(number of unique labels / 2)
-- Source:  docs/metrics.md#recall_prefix_count
-- Units:   predictions; n_instances instances have this k
-- Grain:   submission_id, recall_target, decile, k, is_reached
with reached as (
    select
        decile_hit_count.submission_id,
        recall_target.recall as recall_target,
        decile_hit_count.decile,
        decile_hit_count.decile_position as k,
        cast(sum(decile_hit_count.n_hits) as bigint) as n_instances
    from decile_hit_count
    -- The hit with which the recall is first reached.
    inner join recall_target
        on
            decile_hit_count.hit_number / decile_hit_count.n_true >= recall_target.recall
            and (decile_hit_count.hit_number - 1) / decile_hit_count.n_true < recall_target.recall
    group by
        decile_hit_count.submission_id,
        recall_target.recall,
        decile_hit_count.decile,
        decile_hit_count.decile_position
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
    true as is_reached,
    n_instances
from reached
union all
select
    multilabel_decile.submission_id,
    recall_target.recall as recall_target,
    multilabel_decile.decile,
    multilabel_instance_count.n_labels // 2 as k,
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
