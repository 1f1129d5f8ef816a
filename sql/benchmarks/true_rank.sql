-- Title:   Ranks of the truth
-- Formula: twice the mid-rank of each true value, in 'aggregated' and in its own fold
-- Units:   whole numbers from 2; the same for every submission with all items, so computed once
-- Grain:   target_id, fold_number, item_id
with item_fold as (
    select
        benchmark_id,
        item_id,
        0 as fold_number
    from benchmark_item
    union all
    select
        benchmark_id,
        benchmark_item.item_id,
        benchmark_fold.fold_number
    from benchmark_item
    inner join benchmark_fold using (benchmark_id, fold)
)

select
    truth.target_id,
    item_fold.fold_number,
    truth.item_id,
    -- The running count includes the ties of a row: the sum is the doubled mid-rank.
    rank() over by_truth + count(*) over by_truth as doubled_rank
from truth
inner join benchmark_target using (target_id)
inner join benchmark
    on benchmark_target.benchmark_id = benchmark.benchmark_id and benchmark.kind = 'regression'
inner join item_fold
    on benchmark_target.benchmark_id = item_fold.benchmark_id and truth.item_id = item_fold.item_id
window by_truth as (partition by truth.target_id, item_fold.fold_number order by truth.value)
