-- Title:   Leaderboard of each target of binary benchmarks
-- Result:  Benchmarks
-- Formula: auroc and average_precision of the target, each in order among the submissions that
--          complete the target, equal values share a place
-- Source:  docs/metrics.md#binary_target_leaderboard
-- Units:   places from 1; NULL, with the reason, where the target is not complete or has no value
-- Grain:   submission_id, target
with entry as (
    select
        submission.submission_id,
        completeness.target,
        submission.benchmark_id,
        submission.track,
        submission.submitter,
        completeness.n_items,
        completeness.n_values,
        completeness.is_complete,
        auroc.auroc,
        average_precision.average_precision,
        coalesce(completeness.reason, auroc.reason, average_precision.reason) as reason
    from submission
    inner join benchmark
        on submission.benchmark_id = benchmark.benchmark_id and benchmark.kind = 'binary'
    inner join target_completeness as completeness
        on submission.submission_id = completeness.submission_id
    left join auroc
        on
            submission.submission_id = auroc.submission_id
            and completeness.target = auroc.target
    left join average_precision
        on
            submission.submission_id = average_precision.submission_id
            and completeness.target = average_precision.target
            and average_precision.lowest_class = 0
            and average_precision.min_class = 1
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
    auroc,
    if(
        is_complete and auroc is not null,
        rank() over (
            partition by benchmark_id, track, target, is_complete order by auroc desc nulls last
        ),
        null
    ) as auroc_place,
    average_precision,
    if(
        is_complete and average_precision is not null,
        rank() over (
            partition by benchmark_id, track, target, is_complete
            order by average_precision desc nulls last
        ),
        null
    ) as average_precision_place,
    reason
from entry
