-- Title:      Appends the staged labels as the truth of a benchmark
-- Reads:      benchmark_item, benchmark_label, staged_label
-- Writes:     truth_label
select
    cast(:benchmark_id as integer) as benchmark_id,
    benchmark_item.item_id,
    benchmark_label.label_id
from staged_label
inner join benchmark_item
    on staged_label.item = benchmark_item.name and benchmark_item.benchmark_id = :benchmark_id
inner join benchmark_label
    on staged_label.label = benchmark_label.name and benchmark_label.benchmark_id = :benchmark_id
