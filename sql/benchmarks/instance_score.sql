-- Title:   Scores of an instance
-- Formula: the terms whose means over instances are precision_at_k, nr_at_k and ndcg_at_k; each
--          place of a tie has the tie's mean number of correct predictions
-- Units:   0..1; all but instance_precision are NULL for an instance without a true label
-- Grain:   submission_id, item_id, k
with list_length as (
    select
        submission_id,
        item_id,
        count(*) as n_predictions
    from ranked_prediction
    group by submission_id, item_id
),

true_count as (
    select
        item_id,
        count(*) as n_true
    from truth_label
    group by item_id
),

hit_tie as (
    select
        submission_id,
        item_id,
        tie_start,
        tie_end,
        count(*) / (tie_end - tie_start + 1) as hits_by_place
    from ranked_hit
    group by submission_id, item_id, tie_start, tie_end
),

hit_sum as (
    select
        hit_tie.submission_id,
        hit_tie.item_id,
        cutoff.k,
        sum(hit_tie.hits_by_place order by discount.position) as n_hits,
        sum(hit_tie.hits_by_place * discount.discount order by discount.position) as dcg
    from hit_tie
    inner join discount on discount.position between hit_tie.tie_start and hit_tie.tie_end
    inner join cutoff on discount.position <= cutoff.k
    group by hit_tie.submission_id, hit_tie.item_id, cutoff.k
),

instance_cut as (
    select
        submission.submission_id,
        benchmark_item.item_id,
        cutoff.k,
        least(coalesce(list_length.n_predictions, 0), cutoff.k) as n_made,
        least(coalesce(true_count.n_true, 0), cutoff.k) as n_ideal,
        true_count.n_true,
        coalesce(hit_sum.n_hits, 0) as n_hits,
        coalesce(hit_sum.dcg, 0) as dcg
    from submission
    inner join multilabel_instance_count as counted
        on submission.submission_id = counted.submission_id and counted.has_truth
    inner join benchmark_item on submission.benchmark_id = benchmark_item.benchmark_id
    cross join cutoff
    left join list_length
        on
            submission.submission_id = list_length.submission_id
            and benchmark_item.item_id = list_length.item_id
    left join true_count on benchmark_item.item_id = true_count.item_id
    left join hit_sum
        on
            submission.submission_id = hit_sum.submission_id
            and benchmark_item.item_id = hit_sum.item_id
            and cutoff.k = hit_sum.k
)

select
    instance_cut.submission_id,
    instance_cut.item_id,
    instance_cut.k,
    coalesce(instance_cut.n_hits / nullif(instance_cut.n_made, 0), 0) as instance_precision,
    instance_cut.n_hits / nullif(instance_cut.n_ideal, 0) as instance_nr,
    instance_cut.dcg / nullif(ideal.ideal_dcg, 0) as instance_ndcg,
    instance_cut.dcg / nullif(full_ideal.ideal_dcg, 0) as instance_ndcg_full_ideal
from instance_cut
left join discount as ideal on instance_cut.n_ideal = ideal.position
left join discount as full_ideal on instance_cut.n_true = full_ideal.position
