-- Title:   Spearman correlation
-- Formula: Pearson correlation of mid-ranks per fold, over all items ('aggregated'), and the mean
--          of the folds ('average')
-- Source:  METRICS section 4.1, spearman
-- Units:   correlation -1..1; NULL where a side is constant; the average is NULL if a fold is
-- Grain:   submission_id, fold, target
select
    submission_id,
    fold,
    target,
    n,
    spearman,
    reason
from fold_spearman
union all
select
    submission_id,
    'average' as fold,
    target,
    cast(sum(n) as bigint) as n,
    if(count(spearman) = count(*), avg(spearman order by fold), null) as spearman,
    if(count(spearman) < count(*), 'a fold has no correlation', null) as reason
from fold_spearman
where fold <> 'aggregated'
group by submission_id, target
