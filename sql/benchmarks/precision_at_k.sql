-- Title:   Precision at k
-- Result:  Benchmarks
-- Formula: mean over instances of correct / made among the first k predictions; nr_at_k = mean of
--          correct / min(k, number of true labels). Of a tie through which k cuts, the mean over
--          all orders, the best and the worst
-- Source:  docs/metrics.md#precision_at_k; McSherry and Najork 2008 for ties
-- Units:   fraction 0..1; an instance without predictions scores 0; nr_at_k leaves out the
--          n_skipped instances without a true label; NULL without truth
-- Grain:   submission_id, k
with placed as (
    select
        hit_tie_count.submission_id,
        cutoff.k,
        hit_tie_count.n_ties,
        hit_tie_count.n_hits,
        least(hit_tie_count.n_predictions, cutoff.k) as n_made,
        least(hit_tie_count.n_true, cutoff.k) as n_ideal,
        hit_tie_count.tie_end - hit_tie_count.tie_start + 1 as tie_size,
        least(hit_tie_count.tie_end, cutoff.k) - hit_tie_count.tie_start + 1 as n_places
    from hit_tie_count
    inner join cutoff on hit_tie_count.tie_start <= cutoff.k
),

cut as (
    select
        submission_id,
        k,
        n_made,
        n_ideal,
        sum(n_ties * n_hits * n_places / tie_size order by tie_size, n_places, n_hits) as n_hits,
        sum(n_ties * least(n_hits, n_places)) as n_hits_optimistic,
        sum(n_ties * greatest(n_hits + n_places - tie_size, 0)) as n_hits_pessimistic
    from placed
    group by submission_id, k, n_made, n_ideal
),

total as (
    select
        submission_id,
        k,
        sum(n_hits / n_made order by n_made, n_ideal) as precision_sum,
        sum(n_hits_optimistic / n_made order by n_made, n_ideal) as precision_sum_optimistic,
        sum(n_hits_pessimistic / n_made order by n_made, n_ideal) as precision_sum_pessimistic,
        sum(n_hits / n_ideal order by n_made, n_ideal) as nr_sum,
        sum(n_hits_optimistic / n_ideal order by n_made, n_ideal) as nr_sum_optimistic,
        sum(n_hits_pessimistic / n_ideal order by n_made, n_ideal) as nr_sum_pessimistic
    from cut
    group by submission_id, k
),

-- Without truth a submission has no divisor, and so no value.
divisor as (
    select
        submission_id,
        n_instances,
        n_with_true_label,
        if(has_truth, nullif(n_instances, 0), null) as n_scored,
        if(has_truth, nullif(n_with_true_label, 0), null) as n_scored_with_true_label,
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
    divisor.n_instances - divisor.n_with_true_label as n_skipped,
    coalesce(total.precision_sum, 0) / divisor.n_scored as precision_at_k,
    coalesce(total.nr_sum, 0) / divisor.n_scored_with_true_label as nr_at_k,
    coalesce(total.precision_sum_optimistic, 0) / divisor.n_scored as precision_at_k_optimistic,
    coalesce(total.precision_sum_pessimistic, 0) / divisor.n_scored as precision_at_k_pessimistic,
    coalesce(total.nr_sum_optimistic, 0) / divisor.n_scored_with_true_label as nr_at_k_optimistic,
    coalesce(total.nr_sum_pessimistic, 0) / divisor.n_scored_with_true_label
        as nr_at_k_pessimistic,
    divisor.reason
from divisor
cross join cutoff
left join total on divisor.submission_id = total.submission_id and cutoff.k = total.k
