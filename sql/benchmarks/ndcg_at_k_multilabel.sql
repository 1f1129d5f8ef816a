-- Title:   nDCG at k of ranked label lists
-- Formula: mean over instances of DCG / ideal DCG; gain 1 for a true label, discount
--          1 / log2(position + 1), ideal over min(k, number of true labels); in
--          ndcg_at_k_full_ideal over all true labels, which k does not cut
-- Source:  docs/metrics.md#ndcg_at_k_multilabel
-- Units:   0..1; the n_skipped instances without a true label are left out; NULL without any
-- Grain:   submission_id, k
with cut as (
    select
        hit_position_count.submission_id,
        cutoff.k,
        hit_position_count.position,
        hit_position_count.n_true,
        sum(hit_position_count.n_hits) as n_hits
    from hit_position_count
    inner join cutoff on hit_position_count.position <= cutoff.k
    group by
        hit_position_count.submission_id,
        cutoff.k,
        hit_position_count.position,
        hit_position_count.n_true
),

total as (
    select
        cut.submission_id,
        cut.k,
        sum(
            cut.n_hits * discount.discount / ideal.ideal_dcg order by cut.position, cut.n_true
        ) as ndcg_sum,
        sum(
            cut.n_hits * discount.discount / full_ideal.ideal_dcg
            order by cut.position, cut.n_true
        ) as full_ideal_sum
    from cut
    inner join discount on cut.position = discount.position
    inner join discount as ideal on least(cut.n_true, cut.k) = ideal.position
    inner join discount as full_ideal on cut.n_true = full_ideal.position
    group by cut.submission_id, cut.k
)

select
    counted.submission_id,
    cutoff.k,
    counted.n_with_true_label as n_instances,
    counted.n_instances - counted.n_with_true_label as n_skipped,
    if(
        counted.has_truth, coalesce(total.ndcg_sum, 0) / nullif(counted.n_with_true_label, 0), null
    ) as ndcg_at_k,
    if(
        counted.has_truth,
        coalesce(total.full_ideal_sum, 0) / nullif(counted.n_with_true_label, 0),
        null
    ) as ndcg_at_k_full_ideal,
    case
        when not counted.has_truth then 'the benchmark has no truth yet'
        when counted.n_with_true_label = 0 then 'no instance has a true label'
    end as reason
from multilabel_instance_count as counted
cross join cutoff
left join total on counted.submission_id = total.submission_id and cutoff.k = total.k
