-- Title:   Lists of labels without knowledge
-- Formula: the metrics at each k of one list for every instance: 'most frequent', the labels by
--          how many instances have them, in the mean over all orders of equally frequent ones;
--          'random labels', its expectation over all orders of the labels, each position being
--          right with chance true labels / labels
-- Units:   fraction 0..1; labels are those of the truth and of the mapping
-- Grain:   benchmark_id, k, baseline
with label_frequency as (
    select
        benchmark_label.benchmark_id,
        benchmark_label.label_id,
        count(truth_label.item_id) as n_instances
    from benchmark_label
    left join truth_label using (benchmark_id, label_id)
    group by benchmark_label.benchmark_id, benchmark_label.label_id, benchmark_label.decile
    having count(truth_label.item_id) > 0 or benchmark_label.decile is not null
),

known_label as (
    select
        benchmark_id,
        label_id,
        rank() over (partition by benchmark_id order by n_instances desc) as tie_start,
        count(*) over (partition by benchmark_id, n_instances) as tie_size
    from label_frequency
),

label_count as (
    select
        benchmark_id,
        count(*) as n_labels
    from known_label
    group by benchmark_id
),

true_count as (
    select
        benchmark_id,
        item_id,
        count(*) as n_true
    from truth_label
    group by benchmark_id, item_id
),

frequent_hit as (
    select
        benchmark_id,
        true_count.item_id,
        cutoff.k,
        sum(1 / known_label.tie_size order by discount.position, known_label.tie_size) as n_hits,
        sum(
            discount.discount / known_label.tie_size
            order by discount.position, known_label.tie_size
        ) as dcg
    from truth_label
    inner join true_count using (benchmark_id, item_id)
    inner join known_label using (benchmark_id, label_id)
    inner join discount
        on
            discount.position
            between known_label.tie_start and known_label.tie_start + known_label.tie_size - 1
    inner join cutoff on discount.position <= cutoff.k
    group by benchmark_id, true_count.item_id, cutoff.k
),

expected_hit as (
    select
        true_count.benchmark_id,
        true_count.item_id,
        cutoff.k,
        baseline.baseline,
        true_count.n_true,
        least(cutoff.k, label_count.n_labels) as n_made,
        if(
            baseline.baseline = 'most frequent',
            coalesce(frequent_hit.n_hits, 0),
            n_made * true_count.n_true / label_count.n_labels
        ) as n_hits,
        if(
            baseline.baseline = 'most frequent',
            coalesce(frequent_hit.dcg, 0),
            made.ideal_dcg * true_count.n_true / label_count.n_labels
        ) as dcg
    from true_count
    inner join label_count using (benchmark_id)
    cross join cutoff
    cross join (values ('most frequent'), ('random labels')) as baseline (baseline)
    inner join discount as made on least(cutoff.k, label_count.n_labels) = made.position
    left join frequent_hit
        on
            true_count.benchmark_id = frequent_hit.benchmark_id
            and true_count.item_id = frequent_hit.item_id
            and cutoff.k = frequent_hit.k
)

select
    benchmark_id,
    hit.k,
    hit.baseline,
    sum(hit.n_hits / hit.n_made order by hit.n_hits, hit.item_id) / any_value(benchmark.n_items)
        as precision_at_k,
    avg(hit.n_hits / least(hit.k, hit.n_true) order by hit.item_id) as nr_at_k,
    avg(hit.dcg / ideal.ideal_dcg order by hit.item_id) as ndcg_at_k,
    avg(hit.dcg / full_ideal.ideal_dcg order by hit.item_id) as ndcg_at_k_full_ideal
from expected_hit as hit
inner join benchmark using (benchmark_id)
inner join discount as ideal on least(hit.k, hit.n_true) = ideal.position
inner join discount as full_ideal on hit.n_true = full_ideal.position
group by benchmark_id, hit.k, hit.baseline
