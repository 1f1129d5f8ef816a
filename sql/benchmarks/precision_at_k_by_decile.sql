-- Title:   Precision at k by label frequency
-- Result:  Benchmarks
-- Formula: precision_at_k within each decile's part of the list, over the instances with a true
--          label in the decile; mean over all orders of ties, the best and the worst
-- Units:   fraction 0..1; no prediction in the decile scores 0; NULL if no instance has a true
--          label in the decile
-- Grain:   submission_id, k, decile
with placed as (
    select
        decile_tie_count.submission_id,
        cutoff.k,
        decile_tie_count.decile,
        decile_tie_count.n_ties,
        decile_tie_count.n_hits,
        least(decile_tie_count.n_predictions, cutoff.k) as n_made,
        decile_tie_count.tie_end - decile_tie_count.tie_start + 1 as tie_size,
        least(decile_tie_count.tie_end, cutoff.k) - decile_tie_count.tie_start + 1 as n_places
    from decile_tie_count
    inner join cutoff on decile_tie_count.tie_start <= cutoff.k
),

cut as (
    select
        submission_id,
        k,
        decile,
        n_made,
        sum(n_ties * n_hits * n_places / tie_size order by tie_size, n_places, n_hits) as n_hits,
        sum(n_ties * least(n_hits, n_places)) as n_hits_optimistic,
        sum(n_ties * greatest(n_hits + n_places - tie_size, 0)) as n_hits_pessimistic
    from placed
    group by submission_id, k, decile, n_made
),

total as (
    select
        submission_id,
        k,
        decile,
        sum(n_hits / n_made order by n_made) as precision_sum,
        sum(n_hits_optimistic / n_made order by n_made) as precision_sum_optimistic,
        sum(n_hits_pessimistic / n_made order by n_made) as precision_sum_pessimistic
    from cut
    group by submission_id, k, decile
)

select
    multilabel_decile.submission_id,
    cutoff.k,
    multilabel_decile.decile,
    multilabel_decile.n_instances,
    coalesce(total.precision_sum, 0) / nullif(multilabel_decile.n_instances, 0) as precision_at_k,
    coalesce(total.precision_sum_optimistic, 0) / nullif(multilabel_decile.n_instances, 0)
        as precision_at_k_optimistic,
    coalesce(total.precision_sum_pessimistic, 0) / nullif(multilabel_decile.n_instances, 0)
        as precision_at_k_pessimistic,
    if(multilabel_decile.n_instances = 0, 'no instance has a true label in the decile', null)
        as reason
from multilabel_decile
cross join cutoff
left join total
    on
        multilabel_decile.submission_id = total.submission_id
        and cutoff.k = total.k
        and multilabel_decile.decile = total.decile
