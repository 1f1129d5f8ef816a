-- Title:   Spearman correlation
-- Result:  Benchmarks
-- Formula: Pearson correlation of mid-ranks per fold, over all items ('aggregated'), and the mean
--          of the folds ('average')
-- Units:   correlation -1..1; NULL where a side is constant; the average is NULL if a fold is
-- Grain:   submission_id, fold, target
with part as (
    select
        submission_id,
        target,
        fold as part_fold,
        -- A fold is both a row and part of the average, so the ranks are computed once.
        unnest(if(fold = 'aggregated', [fold], [fold, 'average'])) as fold,
        n,
        spearman,
        reason
    from fold_spearman
)

select
    submission_id,
    fold,
    target,
    cast(sum(n) as bigint) as n,
    if(count(spearman) = count(*), avg(spearman order by part_fold), null) as spearman,
    case
        when fold <> 'average' then any_value(reason)
        when count(spearman) < count(*) then 'a fold has no correlation'
    end as reason
from part
group by submission_id, fold, target
