-- Title:   Leaderboard of multi-label benchmarks
-- Result:  Benchmarks
-- Formula: precision, recall-normalised precision and nDCG at each k, each in its own order,
--          equal values share a place; nDCG by the ideal over all true labels beside it
-- Source:  docs/metrics.md#multilabel_leaderboard
-- Units:   places from 1; NULL, with the reason, where there is nothing to rank
-- Grain:   submission_id, k
select
    submission_id,
    submission.benchmark_id,
    submission.track,
    submission.submitter,
    submission.is_partial,
    submission.truth_sha256 is null as is_frozen_before_truth,
    k,
    precision_at_k.precision_at_k,
    if(
        precision_at_k.precision_at_k is not null,
        rank() over (
            partition by submission.benchmark_id, submission.track, k
            order by precision_at_k.precision_at_k desc nulls last
        ),
        null
    ) as precision_place,
    precision_at_k.nr_at_k,
    if(
        precision_at_k.nr_at_k is not null,
        rank() over (
            partition by submission.benchmark_id, submission.track, k
            order by precision_at_k.nr_at_k desc nulls last
        ),
        null
    ) as nr_place,
    ndcg_at_k_multilabel.ndcg_at_k,
    if(
        ndcg_at_k_multilabel.ndcg_at_k is not null,
        rank() over (
            partition by submission.benchmark_id, submission.track, k
            order by ndcg_at_k_multilabel.ndcg_at_k desc nulls last
        ),
        null
    ) as ndcg_place,
    ndcg_at_k_multilabel.ndcg_at_k_full_ideal,
    precision_at_k.reason
from submission
inner join precision_at_k using (submission_id)
inner join ndcg_at_k_multilabel using (submission_id, k)
