-- Title:   Regression summary
-- Result:  Benchmarks
-- Formula: means over the submitted targets of Spearman and of top-decile recall, with its
--          optimistic and pessimistic value; no blend
-- Units:   correlation -1..1 and fraction 0..1; NULL if any submitted target has none;
--          reason is that of mean_spearman, recall_reason that of the recalls
-- Grain:   submission_id, fold
select
    submission_id,
    fold,
    count(*) as n_targets,
    if(count(spearman.spearman) = count(*), avg(spearman.spearman order by target), null)
        as mean_spearman,
    if(
        count(top_decile_recall.top_decile_recall) = count(*),
        avg(top_decile_recall.top_decile_recall order by target),
        null
    )
        as mean_top_decile_recall,
    if(
        count(top_decile_recall.top_decile_recall) = count(*),
        avg(top_decile_recall.top_decile_recall_optimistic order by target),
        null
    )
        as mean_top_decile_recall_optimistic,
    if(
        count(top_decile_recall.top_decile_recall) = count(*),
        avg(top_decile_recall.top_decile_recall_pessimistic order by target),
        null
    )
        as mean_top_decile_recall_pessimistic,
    arg_min(concat(target, ': ', spearman.reason), target)
    filter (where spearman.spearman is null)
        as reason,
    arg_min(concat(target, ': ', top_decile_recall.reason), target)
    filter (where top_decile_recall.top_decile_recall is null)
        as recall_reason
from spearman
inner join top_decile_recall using (submission_id, fold, target)
group by submission_id, fold
