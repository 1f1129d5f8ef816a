-- Title:   nDCG at k of ranked label lists
-- Result:  Benchmarks
-- Formula: mean over instances of DCG / ideal DCG; gain 1 for a true label, discount
--          1 / log2(position + 1), ideal over min(k, number of true labels); in
--          ndcg_at_k_full_ideal over all true labels, which k does not cut. Each position of a tie
--          has the tie's mean gain; the best order has its hits first, the worst last
-- Source:  docs/metrics.md#ndcg_at_k_multilabel; McSherry and Najork 2008 for ties
-- Units:   0..1; the n_skipped instances without a true label are left out; NULL without any
-- Grain:   submission_id, k
with placed as (
    select
        hit_tie_count.submission_id,
        discount.position,
        discount.discount,
        hit_tie_count.n_true,
        sum(
            hit_tie_count.n_ties * hit_tie_count.n_hits
            / (hit_tie_count.tie_end - hit_tie_count.tie_start + 1)
            order by hit_tie_count.tie_start, hit_tie_count.tie_end, hit_tie_count.n_hits
        ) as n_hits,
        coalesce(
            sum(hit_tie_count.n_ties)
            filter (where discount.position < hit_tie_count.tie_start + hit_tie_count.n_hits),
            0
        ) as n_hits_optimistic,
        coalesce(
            sum(hit_tie_count.n_ties)
            filter (where discount.position > hit_tie_count.tie_end - hit_tie_count.n_hits),
            0
        ) as n_hits_pessimistic
    from hit_tie_count
    inner join discount
        on discount.position between hit_tie_count.tie_start and hit_tie_count.tie_end
    group by
        hit_tie_count.submission_id, discount.position, discount.discount, hit_tie_count.n_true
),

gain as (
    select
        placed.submission_id,
        cutoff.k,
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
        sum(dcg / ideal_dcg order by position, n_true) as ndcg,
        sum(dcg_optimistic / ideal_dcg order by position, n_true) as ndcg_optimistic,
        sum(dcg_pessimistic / ideal_dcg order by position, n_true) as ndcg_pessimistic,
        sum(dcg / full_ideal_dcg order by position, n_true) as full_ideal,
        sum(dcg_optimistic / full_ideal_dcg order by position, n_true) as full_ideal_optimistic,
        sum(dcg_pessimistic / full_ideal_dcg order by position, n_true) as full_ideal_pessimistic
    from gain
    group by submission_id, k
),

-- Without truth a submission has no divisor, and so no value.
divisor as (
    select
        submission_id,
        n_with_true_label as n_instances,
        n_instances - n_with_true_label as n_skipped,
        if(has_truth, nullif(n_with_true_label, 0), null) as n_scored,
        case
            when not has_truth then 'the benchmark has no truth yet'
            when n_with_true_label = 0 then 'no instance has a true label'
        end as reason
    from multilabel_instance_count
)

select
    divisor.submission_id,
    cutoff.k,
    divisor.n_instances,
    divisor.n_skipped,
    coalesce(total.ndcg, 0) / divisor.n_scored as ndcg_at_k,
    coalesce(total.full_ideal, 0) / divisor.n_scored as ndcg_at_k_full_ideal,
    coalesce(total.ndcg_optimistic, 0) / divisor.n_scored as ndcg_at_k_optimistic,
    coalesce(total.ndcg_pessimistic, 0) / divisor.n_scored as ndcg_at_k_pessimistic,
    coalesce(total.full_ideal_optimistic, 0) / divisor.n_scored as ndcg_at_k_full_ideal_optimistic,
    coalesce(total.full_ideal_pessimistic, 0) / divisor.n_scored
        as ndcg_at_k_full_ideal_pessimistic,
    divisor.reason
from divisor
cross join cutoff
left join total on divisor.submission_id = total.submission_id and cutoff.k = total.k
