-- Title:   nDCG at k by label frequency
-- Formula: ndcg_at_k_multilabel within each decile's part of the list, over the instances with a
--          true label in the decile
-- Source:  docs/metrics.md#ndcg_at_k_by_decile
-- Units:   0..1; no prediction in the decile scores 0; NULL if no instance has a true label in
--          the decile
-- Grain:   submission_id, k, decile
with cut as (
    select
        decile_hit_count.submission_id,
        cutoff.k,
        decile_hit_count.decile,
        decile_hit_count.decile_position,
        decile_hit_count.n_true,
        sum(decile_hit_count.n_hits) as n_hits
    from decile_hit_count
    inner join cutoff on decile_hit_count.decile_position <= cutoff.k
    group by
        decile_hit_count.submission_id,
        cutoff.k,
        decile_hit_count.decile,
        decile_hit_count.decile_position,
        decile_hit_count.n_true
),

total as (
    select
        cut.submission_id,
        cut.k,
        cut.decile,
        sum(
            cut.n_hits * discount.discount / ideal.ideal_dcg
            order by cut.decile_position, cut.n_true
        ) as ndcg_sum,
        sum(
            cut.n_hits * discount.discount / full_ideal.ideal_dcg
            order by cut.decile_position, cut.n_true
        ) as full_ideal_sum
    from cut
    inner join discount on cut.decile_position = discount.position
    inner join discount as ideal on least(cut.n_true, cut.k) = ideal.position
    inner join discount as full_ideal on cut.n_true = full_ideal.position
    group by cut.submission_id, cut.k, cut.decile
)

select
    multilabel_decile.submission_id,
    cutoff.k,
    multilabel_decile.decile,
    multilabel_decile.n_instances,
    coalesce(total.ndcg_sum, 0) / nullif(multilabel_decile.n_instances, 0) as ndcg_at_k,
    coalesce(total.full_ideal_sum, 0) / nullif(multilabel_decile.n_instances, 0)
        as ndcg_at_k_full_ideal,
    if(multilabel_decile.n_instances = 0, 'no instance has a true label in the decile', null)
        as reason
from multilabel_decile
cross join cutoff
left join total
    on
        multilabel_decile.submission_id = total.submission_id
        and cutoff.k = total.k
        and multilabel_decile.decile = total.decile
