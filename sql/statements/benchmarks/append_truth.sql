-- Title:      Appends the staged values as the truth of a benchmark
-- Reads:      benchmark_item, benchmark_target, staged_value
-- Writes:     truth
select
    benchmark_target.target_id,
    benchmark_item.item_id,
    staged_value.value
from staged_value
inner join benchmark_target on staged_value.target = benchmark_target.name
inner join benchmark_item
    on
        staged_value.item = benchmark_item.name
        and benchmark_target.benchmark_id = benchmark_item.benchmark_id
where benchmark_target.benchmark_id = :benchmark_id and staged_value.value is not null
