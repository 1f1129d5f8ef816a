-- Title:   Precision at k
-- Formula: mean over instances of correct / made among the first k predictions; nr_at_k = mean of
--          correct / min(k, number of true labels)
-- Source:  docs/metrics.md#precision_at_k
-- Units:   fraction 0..1; an instance without predictions scores 0; nr_at_k leaves out the
--          n_skipped instances without a true label; NULL without truth
-- Grain:   submission_id, k
with cut as (
    select
        hit_position_count.submission_id,
        cutoff.k,
        least(hit_position_count.n_predictions, cutoff.k) as n_made,
        least(hit_position_count.n_true, cutoff.k) as n_ideal,
        sum(hit_position_count.n_hits) as n_hits
    from hit_position_count
    inner join cutoff on hit_position_count.position <= cutoff.k
    group by
        hit_position_count.submission_id,
        cutoff.k,
        least(hit_position_count.n_predictions, cutoff.k),
        least(hit_position_count.n_true, cutoff.k)
),

total as (
    select
        submission_id,
        k,
        sum(n_hits / n_made order by n_made, n_ideal) as precision_sum,
        sum(n_hits / n_ideal order by n_made, n_ideal) as nr_sum
    from cut
    group by submission_id, k
)

select
    counted.submission_id,
    cutoff.k,
    counted.n_instances,
    counted.n_instances - counted.n_with_true_label as n_skipped,
    if(
        counted.has_truth, coalesce(total.precision_sum, 0) / nullif(counted.n_instances, 0), null
    ) as precision_at_k,
    if(
        counted.has_truth, coalesce(total.nr_sum, 0) / nullif(counted.n_with_true_label, 0), null
    ) as nr_at_k,
    case
        when not counted.has_truth then 'the benchmark has no truth yet'
        when counted.n_with_true_label = 0 then 'no instance has a true label'
    end as reason
from multilabel_instance_count as counted
cross join cutoff
left join total on counted.submission_id = total.submission_id and cutoff.k = total.k
