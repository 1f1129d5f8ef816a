-- Title:   Precision at k by label frequency
-- Formula: precision_at_k within each decile's part of the list, over the instances with a true
--          label in the decile
-- Source:  docs/metrics.md#precision_at_k_by_decile
-- Units:   fraction 0..1; no prediction in the decile scores 0; NULL if no instance has a true
--          label in the decile
-- Grain:   submission_id, k, decile
with cut as (
    select
        decile_hit_count.submission_id,
        cutoff.k,
        decile_hit_count.decile,
        least(decile_hit_count.n_predictions, cutoff.k) as n_made,
        sum(decile_hit_count.n_hits) as n_hits
    from decile_hit_count
    inner join cutoff on decile_hit_count.decile_position <= cutoff.k
    group by
        decile_hit_count.submission_id,
        cutoff.k,
        decile_hit_count.decile,
        least(decile_hit_count.n_predictions, cutoff.k)
),

total as (
    select
        submission_id,
        k,
        decile,
        sum(n_hits / n_made order by n_made) as precision_sum
    from cut
    group by submission_id, k, decile
)

select
    multilabel_decile.submission_id,
    cutoff.k,
    multilabel_decile.decile,
    multilabel_decile.n_instances,
    coalesce(total.precision_sum, 0) / nullif(multilabel_decile.n_instances, 0) as precision_at_k,
    if(multilabel_decile.n_instances = 0, 'no instance has a true label in the decile', null)
        as reason
from multilabel_decile
cross join cutoff
left join total
    on
        multilabel_decile.submission_id = total.submission_id
        and cutoff.k = total.k
        and multilabel_decile.decile = total.decile
