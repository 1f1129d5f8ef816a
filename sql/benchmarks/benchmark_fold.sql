-- Title:   Folds of a benchmark
-- Formula: the distinct folds of its items
-- Source:  METRICS section 4.1
-- Units:   items
-- Grain:   benchmark_id, fold
select
    benchmark_id,
    fold,
    count(*) as n_items
from benchmark_item
where fold is not null
group by benchmark_id, fold
