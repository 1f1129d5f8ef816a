-- Title:   Folds of a benchmark
-- Formula: the distinct folds of its items, numbered from 1 by name
-- Units:   items; the number replaces the name where many rows are sorted
-- Grain:   benchmark_id, fold
select
    benchmark_id,
    fold,
    cast(row_number() over (partition by benchmark_id order by fold) as integer) as fold_number,
    count(*) as n_items
from benchmark_item
where fold is not null
group by benchmark_id, fold
