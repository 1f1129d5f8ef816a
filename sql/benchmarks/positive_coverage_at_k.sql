-- Title:   True labels ever predicted correctly
-- Result:  Benchmarks
-- Formula: distinct labels predicted correctly at least once in the first k / distinct true labels.
--          Of a tie through which k cuts, a label is in the first k of its instance with the chance
--          places / size, and in those of any instance with 1 - product(1 - chance): the mean over
--          all orders. The bounds count each label as first and as last of its ties
-- Units:   fraction 0..1; NULL for a decile without true labels
-- Grain:   submission_id, k, decile
-- Note:    the product is exp(sum(ln(1 - chance))) over the ties that are cut; a label of a tie
--          that is not cut is in for certain
with label_chance as (
    select
        ranked_hit.submission_id,
        cutoff.k,
        ranked_hit.decile,
        ranked_hit.label_id,
        1 - exp(
            sum(
                ln(
                    nullif(
                        1 - (least(ranked_hit.tie_end, cutoff.k) - ranked_hit.tie_start + 1)
                        / (ranked_hit.tie_end - ranked_hit.tie_start + 1),
                        0
                    )
                )
                order by ranked_hit.tie_start, ranked_hit.tie_end
            )
        ) as chance_of_others,
        min(ranked_hit.tie_end) <= cutoff.k as is_certain
    from ranked_hit
    inner join cutoff on ranked_hit.tie_start <= cutoff.k
    group by ranked_hit.submission_id, cutoff.k, ranked_hit.decile, ranked_hit.label_id
),

covered as (
    select
        submission_id,
        k,
        decile,
        sum(if(is_certain, 1, chance_of_others) order by chance_of_others) as covered_labels,
        count(*) as covered_labels_optimistic,
        count(*) filter (where is_certain) as covered_labels_pessimistic
    from label_chance
    group by submission_id, k, decile
),

decile_coverage as (
    select
        multilabel_decile.submission_id,
        cutoff.k,
        unnest([multilabel_decile.decile, 'all']) as decile,
        multilabel_decile.n_true_labels,
        coalesce(covered.covered_labels, 0) as covered_labels,
        coalesce(covered.covered_labels_optimistic, 0) as covered_labels_optimistic,
        coalesce(covered.covered_labels_pessimistic, 0) as covered_labels_pessimistic
    from multilabel_decile
    cross join cutoff
    left join covered
        on
            multilabel_decile.submission_id = covered.submission_id
            and cutoff.k = covered.k
            and multilabel_decile.decile = covered.decile
),

total as (
    select
        submission_id,
        k,
        decile,
        cast(sum(n_true_labels) as bigint) as n_true_labels,
        sum(covered_labels order by covered_labels) as covered_labels,
        sum(covered_labels_optimistic) as covered_labels_optimistic,
        sum(covered_labels_pessimistic) as covered_labels_pessimistic
    from decile_coverage
    group by submission_id, k, decile
)

select
    submission_id,
    k,
    decile,
    n_true_labels,
    covered_labels,
    covered_labels / nullif(n_true_labels, 0) as positive_coverage,
    cast(covered_labels_optimistic as double) / nullif(n_true_labels, 0)
        as positive_coverage_optimistic,
    cast(covered_labels_pessimistic as double) / nullif(n_true_labels, 0)
        as positive_coverage_pessimistic,
    if(n_true_labels = 0, 'the decile has no true label', null) as reason
from total
