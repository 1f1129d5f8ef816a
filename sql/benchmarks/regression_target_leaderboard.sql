-- Title:   Leaderboard of each target of regression benchmarks
-- Result:  Benchmarks
-- Formula: spearman and top_decile_recall of the target, 'average' of the folds on the
--          cross-validation track and 'aggregated' elsewhere; each in order among the submissions
--          that complete the target, equal values share a place
-- Source:  docs/metrics.md#regression_target_leaderboard
-- Units:   places from 1; NULL, with the reason, where the target is not complete or has no value
-- Grain:   submission_id, target
with folded as (select distinct benchmark_id from benchmark_fold),

entry as (
    select
        submission.submission_id,
        completeness.target,
        submission.benchmark_id,
        submission.track,
        submission.submitter,
        completeness.n_items,
        completeness.n_values,
        completeness.is_complete,
        spearman.spearman,
        top_decile_recall.top_decile_recall,
        top_decile_recall.top_decile_recall_optimistic,
        top_decile_recall.top_decile_recall_pessimistic,
        coalesce(completeness.reason, spearman.reason, top_decile_recall.reason) as reason
    from submission
    inner join benchmark
        on submission.benchmark_id = benchmark.benchmark_id and benchmark.kind = 'regression'
    inner join target_completeness as completeness
        on submission.submission_id = completeness.submission_id
    left join folded on submission.benchmark_id = folded.benchmark_id
    left join spearman
        on
            submission.submission_id = spearman.submission_id
            and completeness.target = spearman.target
            and spearman.fold
            = if(
                submission.track = 'cv' and folded.benchmark_id is not null, 'average', 'aggregated'
            )
    left join top_decile_recall
        on
            spearman.submission_id = top_decile_recall.submission_id
            and spearman.target = top_decile_recall.target
            and spearman.fold = top_decile_recall.fold
)

select
    submission_id,
    target,
    benchmark_id,
    track,
    submitter,
    n_items,
    n_values,
    is_complete,
    spearman,
    if(
        is_complete and spearman is not null,
        rank() over (
            partition by benchmark_id, track, target, is_complete order by spearman desc nulls last
        ),
        null
    ) as spearman_place,
    top_decile_recall,
    if(
        is_complete and top_decile_recall is not null,
        rank() over (
            partition by benchmark_id, track, target, is_complete
            order by top_decile_recall desc nulls last
        ),
        null
    ) as recall_place,
    top_decile_recall_optimistic,
    top_decile_recall_pessimistic,
    reason
from entry
