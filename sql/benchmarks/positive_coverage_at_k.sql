-- Title:   True labels ever predicted correctly
-- Formula: distinct labels predicted correctly at least once in the first k / distinct true labels
-- Source:  docs/metrics.md#positive_coverage_at_k
-- Units:   fraction 0..1; NULL for a decile without true labels
-- Grain:   submission_id, k, decile
with first_hit as (
    select
        submission_id,
        label_id,
        decile,
        min(position) as position
    from ranked_hit
    group by submission_id, label_id, decile
),

covered as (
    select
        first_hit.submission_id,
        cutoff.k,
        first_hit.decile,
        count(*) as n_covered
    from first_hit
    inner join cutoff on first_hit.position <= cutoff.k
    group by first_hit.submission_id, cutoff.k, first_hit.decile
),

decile_coverage as (
    select
        multilabel_decile.submission_id,
        cutoff.k,
        unnest([multilabel_decile.decile, 'all']) as decile,
        multilabel_decile.n_true_labels,
        coalesce(covered.n_covered, 0) as n_covered
    from multilabel_decile
    cross join cutoff
    left join covered
        on
            multilabel_decile.submission_id = covered.submission_id
            and cutoff.k = covered.k
            and multilabel_decile.decile = covered.decile
)

select
    submission_id,
    k,
    decile,
    cast(sum(n_true_labels) as bigint) as n_true_labels,
    cast(sum(n_covered) as bigint) as n_covered,
    cast(sum(n_covered) as double) / nullif(sum(n_true_labels), 0) as positive_coverage,
    if(sum(n_true_labels) = 0, 'the decile has no true label', null) as reason
from decile_coverage
group by submission_id, k, decile
