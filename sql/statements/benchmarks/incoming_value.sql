-- Title:      The values of a staged submission with the keys of target and item
-- Reads:      benchmark_item, benchmark_target, staged_value
-- Creates:    incoming_value
select
    cast(:submission_id as integer) as submission_id,
    benchmark_target.target_id,
    benchmark_item.item_id,
    staged_value.value,
    cast(null as bigint) as line_checksum
from staged_value
inner join benchmark_target
    on
        staged_value.target = benchmark_target.name
        and benchmark_target.benchmark_id = :benchmark_id
inner join benchmark_item
    on staged_value.item = benchmark_item.name and benchmark_item.benchmark_id = :benchmark_id
where staged_value.value is not null
