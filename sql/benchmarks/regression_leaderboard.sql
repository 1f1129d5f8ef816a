-- Title:   Leaderboard of regression benchmarks
-- Result:  Benchmarks
-- Formula: the two means of regression_summary, 'average' of the folds on the cross-validation
--          track and 'aggregated' elsewhere; each in its own order, equal values share a place
-- Source:  docs/metrics.md#regression_leaderboard
-- Units:   places from 1; NULL, with the reason, for submissions that do not complete every target
-- Grain:   submission_id
with distant_count as (
    select
        submission_id,
        count(*) as n_distant_values
    from distant_value
    group by submission_id
),

folded as (select distinct benchmark_id from benchmark_fold),

entry as (
    select
        submission.submission_id,
        submission.benchmark_id,
        submission.track,
        submission.submitter,
        submission.is_partial,
        submission.truth_sha256 is null as is_frozen_before_truth,
        completeness.n_benchmark_targets,
        completeness.n_complete_targets,
        completeness.is_complete as is_eligible,
        coalesce(regression_summary.n_targets, 0) as n_targets,
        coalesce(distant_count.n_distant_values, 0) as n_distant_values,
        regression_summary.mean_spearman,
        regression_summary.mean_top_decile_recall,
        regression_summary.mean_top_decile_recall_optimistic,
        regression_summary.mean_top_decile_recall_pessimistic,
        coalesce(completeness.reason, regression_summary.reason) as reason
    from submission
    inner join benchmark
        on
            submission.benchmark_id = benchmark.benchmark_id
            and benchmark.kind = 'regression'
    inner join submission_completeness as completeness
        on submission.submission_id = completeness.submission_id
    left join distant_count on submission.submission_id = distant_count.submission_id
    left join folded
        on submission.benchmark_id = folded.benchmark_id
    left join regression_summary
        on
            submission.submission_id = regression_summary.submission_id
            and regression_summary.fold
            = if(
                submission.track = 'cv' and folded.benchmark_id is not null, 'average', 'aggregated'
            )
)

select
    submission_id,
    benchmark_id,
    track,
    submitter,
    is_partial,
    is_frozen_before_truth,
    n_targets,
    mean_spearman,
    if(
        is_eligible and mean_spearman is not null,
        rank() over (
            partition by benchmark_id, track, is_eligible order by mean_spearman desc nulls last
        ),
        null
    ) as spearman_place,
    mean_top_decile_recall,
    if(
        is_eligible and mean_top_decile_recall is not null,
        rank() over (
            partition by benchmark_id, track, is_eligible
            order by mean_top_decile_recall desc nulls last
        ),
        null
    ) as recall_place,
    mean_top_decile_recall_optimistic,
    mean_top_decile_recall_pessimistic,
    n_distant_values,
    n_complete_targets,
    n_benchmark_targets,
    reason
from entry
