-- Title:      Items of a file that the benchmark does not have, each at its first row
-- Reads:      benchmark, benchmark_item, keyed_row
select
    min(keyed_row.row_number) as row_number,
    benchmark.item_column as column_name,
    concat('''', keyed_row.item, ''' is not an item of ''', benchmark.name, '''') as message
from keyed_row
inner join benchmark on benchmark.benchmark_id = :benchmark_id
where
    keyed_row.item is not null
    and keyed_row.item not in (
        select benchmark_item.name
        from benchmark_item
        where benchmark_item.benchmark_id = :benchmark_id
    )
group by keyed_row.item, benchmark.item_column, benchmark.name
