-- Title:   Leaderboard of regression benchmarks
-- Formula: the two means of regression_summary, 'average' of the folds on the cross-validation
--          track and 'aggregated' elsewhere; each ranked on its own, equal values share a rank
-- Source:  docs/metrics.md#regression_leaderboard
-- Units:   ranks from 1; NULL, with the reason, for submissions that are not compared
-- Grain:   submission_id
with n_benchmark_targets as (
    select
        benchmark_id,
        count(*) as n_benchmark_targets
    from benchmark_target
    group by benchmark_id
),

distant_count as (
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
        n_benchmark_targets.n_benchmark_targets,
        coalesce(regression_summary.n_targets, 0) as n_targets,
        coalesce(distant_count.n_distant_values, 0) as n_distant_values,
        regression_summary.mean_spearman,
        regression_summary.mean_top_decile_recall,
        regression_summary.mean_expected_recall,
        case
            when submission.is_partial then 'partial submissions are not ranked'
            when regression_summary.n_targets < n_benchmark_targets.n_benchmark_targets
                then 'only submissions with every target are ranked'
            else regression_summary.reason
        end as reason
    from submission
    inner join benchmark
        on
            submission.benchmark_id = benchmark.benchmark_id
            and benchmark.kind = 'regression'
    inner join n_benchmark_targets on submission.benchmark_id = n_benchmark_targets.benchmark_id
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
),

eligible as (
    select
        *,
        not is_partial and n_targets = n_benchmark_targets as is_eligible
    from entry
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
    ) as spearman_rank,
    mean_top_decile_recall,
    if(
        is_eligible and mean_top_decile_recall is not null,
        rank() over (
            partition by benchmark_id, track, is_eligible
            order by mean_top_decile_recall desc nulls last
        ),
        null
    ) as recall_rank,
    mean_expected_recall,
    n_distant_values,
    reason
from eligible
