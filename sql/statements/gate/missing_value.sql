-- Title:      Items of a benchmark without a row for a target that a long file has
-- Reads:      benchmark, benchmark_item, benchmark_target, staged_value
select
    cast(null as bigint) as row_number,
    benchmark.item_column as column_name,
    concat(
        '''', benchmark_item.name, ''' has no value of ''', benchmark_target.name, ''''
    ) as message
from benchmark
inner join benchmark_item using (benchmark_id)
inner join benchmark_target using (benchmark_id)
left join staged_value
    on benchmark_item.name = staged_value.item and benchmark_target.name = staged_value.target
where
    benchmark_id = :benchmark_id
    and benchmark_target.name in (
        select given.target
        from staged_value as given
    )
    and staged_value.row_number is null
