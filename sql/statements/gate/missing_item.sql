-- Title:      Items of a benchmark that a file lacks
-- Reads:      benchmark, benchmark_item, keyed_row
select
    cast(null as bigint) as row_number,
    benchmark.item_column as column_name,
    concat('''', benchmark_item.name, ''' is missing') as message
from benchmark_item
inner join benchmark using (benchmark_id)
where
    benchmark_id = :benchmark_id
    and benchmark_item.name not in (
        select keyed_row.item
        from keyed_row
        where keyed_row.item is not null
    )
