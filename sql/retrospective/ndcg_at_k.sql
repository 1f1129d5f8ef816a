-- Title:   NDCG at k
-- Result:  Retrospective
-- Formula: mean of ndcg over the diseases with a labeled candidate above 0, and likewise of its
--          optimistic and pessimistic value
-- Units:   fraction 0..1; n_skipped = diseases whose ideal DCG is 0
-- Grain:   evaluation_id, k
with mean_ndcg as (
    select
        evaluation_id,
        k,
        count(ndcg) as n_diseases,
        sum(ndcg order by ndcg) / nullif(count(ndcg), 0) as ndcg_at_k,
        sum(ndcg_optimistic order by ndcg_optimistic) / nullif(count(ndcg), 0)
            as ndcg_at_k_optimistic,
        sum(ndcg_pessimistic order by ndcg_pessimistic) / nullif(count(ndcg), 0)
            as ndcg_at_k_pessimistic
    from ndcg_by_disease
    group by evaluation_id, k
)

select
    evaluation_id,
    k,
    coalesce(mean_ndcg.n_diseases, 0) as n_diseases,
    evaluation_count.n_diseases - coalesce(mean_ndcg.n_diseases, 0) as n_skipped,
    mean_ndcg.ndcg_at_k,
    mean_ndcg.ndcg_at_k_optimistic,
    mean_ndcg.ndcg_at_k_pessimistic,
    case
        when evaluation_count.n_diseases is null then 'the evaluation has no candidate set'
        when mean_ndcg.n_diseases is null then 'no candidate has a label above 0'
    end as reason
from evaluation_count
cross join cutoff
left join mean_ndcg using (evaluation_id, k)
