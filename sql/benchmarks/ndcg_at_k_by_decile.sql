-- Title:   nDCG at k by label frequency
-- Result:  Benchmarks
-- Formula: ndcg_at_k_multilabel within each decile's part of the list, over the instances with a
--          true label in the decile; mean over all orders of ties, the best and the worst
-- Units:   0..1; no prediction in the decile scores 0; NULL if no instance has a true label in
--          the decile
-- Grain:   submission_id, k, decile
with placed as (
    select
        decile_tie_count.submission_id,
        decile_tie_count.decile,
        discount.position,
        discount.discount,
        decile_tie_count.n_true,
        sum(
            decile_tie_count.n_ties * decile_tie_count.n_hits
            / (decile_tie_count.tie_end - decile_tie_count.tie_start + 1)
            order by decile_tie_count.tie_start, decile_tie_count.tie_end, decile_tie_count.n_hits
        ) as n_hits,
        coalesce(
            sum(decile_tie_count.n_ties)
            filter (
                where discount.position < decile_tie_count.tie_start + decile_tie_count.n_hits
            ),
            0
        ) as n_hits_optimistic,
        coalesce(
            sum(decile_tie_count.n_ties)
            filter (where discount.position > decile_tie_count.tie_end - decile_tie_count.n_hits),
            0
        ) as n_hits_pessimistic
    from decile_tie_count
    inner join discount
        on discount.position between decile_tie_count.tie_start and decile_tie_count.tie_end
    group by
        decile_tie_count.submission_id,
        decile_tie_count.decile,
        discount.position,
        discount.discount,
        decile_tie_count.n_true
),

gain as (
    select
        placed.submission_id,
        cutoff.k,
        placed.decile,
        placed.position,
        placed.n_true,
        placed.n_hits * placed.discount as dcg,
        placed.n_hits_optimistic * placed.discount as dcg_optimistic,
        placed.n_hits_pessimistic * placed.discount as dcg_pessimistic,
        ideal.ideal_dcg,
        full_ideal.ideal_dcg as full_ideal_dcg
    from placed
    inner join cutoff on placed.position <= cutoff.k
    inner join discount as ideal on least(placed.n_true, cutoff.k) = ideal.position
    inner join discount as full_ideal on placed.n_true = full_ideal.position
),

total as (
    select
        submission_id,
        k,
        decile,
        sum(dcg / ideal_dcg order by position, n_true) as ndcg,
        sum(dcg_optimistic / ideal_dcg order by position, n_true) as ndcg_optimistic,
        sum(dcg_pessimistic / ideal_dcg order by position, n_true) as ndcg_pessimistic,
        sum(dcg / full_ideal_dcg order by position, n_true) as full_ideal,
        sum(dcg_optimistic / full_ideal_dcg order by position, n_true) as full_ideal_optimistic,
        sum(dcg_pessimistic / full_ideal_dcg order by position, n_true) as full_ideal_pessimistic
    from gain
    group by submission_id, k, decile
)

select
    multilabel_decile.submission_id,
    cutoff.k,
    multilabel_decile.decile,
    multilabel_decile.n_instances,
    coalesce(total.ndcg, 0) / nullif(multilabel_decile.n_instances, 0) as ndcg_at_k,
    coalesce(total.full_ideal, 0) / nullif(multilabel_decile.n_instances, 0)
        as ndcg_at_k_full_ideal,
    coalesce(total.ndcg_optimistic, 0) / nullif(multilabel_decile.n_instances, 0)
        as ndcg_at_k_optimistic,
    coalesce(total.ndcg_pessimistic, 0) / nullif(multilabel_decile.n_instances, 0)
        as ndcg_at_k_pessimistic,
    coalesce(total.full_ideal_optimistic, 0) / nullif(multilabel_decile.n_instances, 0)
        as ndcg_at_k_full_ideal_optimistic,
    coalesce(total.full_ideal_pessimistic, 0) / nullif(multilabel_decile.n_instances, 0)
        as ndcg_at_k_full_ideal_pessimistic,
    if(multilabel_decile.n_instances = 0, 'no instance has a true label in the decile', null)
        as reason
from multilabel_decile
cross join cutoff
left join total
    on
        multilabel_decile.submission_id = total.submission_id
        and cutoff.k = total.k
        and multilabel_decile.decile = total.decile
