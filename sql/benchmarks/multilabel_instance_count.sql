-- Title:   Instances of a multi-label submission
-- Formula: instances of the benchmark, those with a true label, and distinct labels: those of the
--          frequency mapping and of truth
-- Units:   counts
-- Grain:   submission_id
with true_count as (
    select
        benchmark_id,
        count(distinct item_id) as n_with_true_label
    from truth_label
    group by benchmark_id
),

known_label as (
    select
        benchmark_id,
        label_id
    from benchmark_label
    where decile is not null
    union
    select
        benchmark_id,
        label_id
    from truth_label
),

label_count as (
    select
        benchmark_id,
        count(*) as n_labels
    from known_label
    group by benchmark_id
)

select
    submission.submission_id,
    benchmark.n_items as n_instances,
    coalesce(true_count.n_with_true_label, 0) as n_with_true_label,
    coalesce(label_count.n_labels, 0) as n_labels,
    truth_set.benchmark_id is not null as has_truth
from submission
inner join benchmark
    on submission.benchmark_id = benchmark.benchmark_id and benchmark.kind = 'multilabel'
left join truth_set on benchmark.benchmark_id = truth_set.benchmark_id
left join true_count on benchmark.benchmark_id = true_count.benchmark_id
left join label_count on benchmark.benchmark_id = label_count.benchmark_id
