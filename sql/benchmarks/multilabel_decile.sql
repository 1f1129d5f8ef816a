-- Title:   Deciles of a multi-label submission
-- Formula: the deciles of the benchmark's labels and 'not_included', with the truth in each
-- Units:   counts of instances with a true label of the decile, and of distinct true labels
-- Grain:   submission_id, decile
with known_decile as (
    select distinct
        benchmark_id,
        cast(decile as varchar) as decile
    from benchmark_label
    where decile is not null
    union all
    select
        benchmark_id,
        'not_included' as decile
    from benchmark
    where kind = 'multilabel'
),

true_decile as (
    select
        truth_label.benchmark_id,
        label_decile.decile,
        count(distinct truth_label.item_id) as n_instances,
        count(distinct truth_label.label_id) as n_true_labels
    from truth_label
    inner join label_decile using (label_id)
    group by truth_label.benchmark_id, label_decile.decile
)

select
    submission.submission_id,
    known_decile.benchmark_id,
    known_decile.decile,
    coalesce(true_decile.n_instances, 0) as n_instances,
    coalesce(true_decile.n_true_labels, 0) as n_true_labels
from submission
inner join known_decile using (benchmark_id)
left join true_decile using (benchmark_id, decile)
