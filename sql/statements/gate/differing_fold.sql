-- Title:      Rows whose fold is not the one that the benchmark has for the item
-- Reads:      benchmark, benchmark_item, keyed_row
select
    keyed_row.row_number,
    benchmark.fold_column as column_name,
    concat(
        '''', keyed_row.fold, ''' is not the fold of ''', keyed_row.item,
        ''', which is ''', benchmark_item.fold, ''''
    ) as message
from keyed_row
inner join benchmark_item on keyed_row.item = benchmark_item.name
inner join benchmark using (benchmark_id)
where benchmark_id = :benchmark_id and keyed_row.fold is distinct from benchmark_item.fold
