-- Title:   A true label occurs once per instance and belongs to the instance's benchmark
-- When:    audit
-- Grain:   benchmark_id, item_id, label_id
select
    truth_label.benchmark_id,
    truth_label.item_id,
    truth_label.label_id,
    'the true label repeats or is not of the benchmark' as reason
from truth_label
left join benchmark_label
    on
        truth_label.label_id = benchmark_label.label_id
        and truth_label.benchmark_id = benchmark_label.benchmark_id
left join benchmark_item
    on
        truth_label.benchmark_id = benchmark_item.benchmark_id
        and truth_label.item_id = benchmark_item.item_id
group by truth_label.benchmark_id, truth_label.item_id, truth_label.label_id
having count(*) > 1 or count(benchmark_label.label_id) = 0 or count(benchmark_item.item_id) = 0
