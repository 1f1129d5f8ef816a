-- Title:   Top-decile recall
-- Result:  Benchmarks
-- Formula: |top k predicted and top k true| / k, k = floor(n / 10), lower-is-better targets
--          sign-flipped, in the mean over all ways of breaking ties; optimistic and pessimistic:
--          the best and the worst way; 'average' is the mean of the folds
-- Units:   fraction 0..1; NULL where k = 0; n_tied_at_cut and n_true_tied_at_cut: items in a tie,
--          predicted or true, that the cut goes through
-- Grain:   submission_id, fold, target
with part as (
    select
        submission_id,
        target,
        fold as part_fold,
        -- A fold is both a row and part of the average, so the ranks are computed once.
        unnest(if(fold = 'aggregated', [fold], [fold, 'average'])) as fold,
        n,
        k,
        n_tied_at_cut,
        n_true_tied_at_cut,
        top_decile_recall,
        top_decile_recall_optimistic,
        top_decile_recall_pessimistic,
        reason
    from fold_top_decile
)

select
    submission_id,
    fold,
    target,
    cast(sum(n) as bigint) as n,
    cast(sum(k) as bigint) as k,
    cast(sum(n_tied_at_cut) as bigint) as n_tied_at_cut,
    cast(sum(n_true_tied_at_cut) as bigint) as n_true_tied_at_cut,
    if(count(top_decile_recall) = count(*), avg(top_decile_recall order by part_fold), null)
        as top_decile_recall,
    if(
        count(top_decile_recall) = count(*),
        avg(top_decile_recall_optimistic order by part_fold),
        null
    ) as top_decile_recall_optimistic,
    if(
        count(top_decile_recall) = count(*),
        avg(top_decile_recall_pessimistic order by part_fold),
        null
    ) as top_decile_recall_pessimistic,
    case
        when fold <> 'average' then any_value(reason)
        when count(top_decile_recall) < count(*) then 'a fold has no recall'
    end as reason
from part
group by submission_id, fold, target
