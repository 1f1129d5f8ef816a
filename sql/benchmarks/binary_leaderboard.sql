-- Title:   Leaderboard of binary benchmarks
-- Result:  Benchmarks
-- Formula: means over the submitted targets of AUROC and of average precision; each ranked on its
--          own, equal values share a place
-- Source:  docs/metrics.md#binary_leaderboard
-- Units:   places from 1; NULL, with the reason, for submissions that do not complete every target
-- Grain:   submission_id
with target_metric as (
    select
        auroc.submission_id,
        auroc.target,
        auroc.auroc,
        average_precision.average_precision,
        coalesce(auroc.reason, average_precision.reason) as reason
    from auroc
    left join average_precision
        on
            auroc.submission_id = average_precision.submission_id
            and auroc.target = average_precision.target
            and average_precision.lowest_class = 0
            and average_precision.min_class = 1
),

summary as (
    select
        submission_id,
        count(*) as n_targets,
        if(count(auroc) = count(*), avg(auroc order by target), null) as mean_auroc,
        if(count(average_precision) = count(*), avg(average_precision order by target), null)
            as mean_average_precision,
        concat(
            arg_min(target, target) filter (where reason is not null),
            ': ',
            arg_min(reason, target) filter (where reason is not null)
        ) as reason,
        count(reason) as n_reasons
    from target_metric
    group by submission_id
),

entry as (
    select
        submission.submission_id,
        submission.benchmark_id,
        submission.track,
        submission.submitter,
        submission.is_partial,
        submission.truth_sha256 is null as is_frozen_before_truth,
        summary.n_targets,
        summary.mean_auroc,
        summary.mean_average_precision,
        completeness.n_complete_targets,
        completeness.n_benchmark_targets,
        completeness.is_complete as is_eligible,
        coalesce(completeness.reason, if(summary.n_reasons > 0, summary.reason, null)) as reason
    from submission
    inner join summary using (submission_id)
    inner join submission_completeness as completeness using (submission_id)
)

select
    submission_id,
    benchmark_id,
    track,
    submitter,
    is_partial,
    is_frozen_before_truth,
    n_targets,
    mean_auroc,
    if(
        is_eligible and mean_auroc is not null,
        rank() over (
            partition by benchmark_id, track, is_eligible order by mean_auroc desc nulls last
        ),
        null
    ) as auroc_place,
    mean_average_precision,
    if(
        is_eligible and mean_average_precision is not null,
        rank() over (
            partition by benchmark_id, track, is_eligible
            order by mean_average_precision desc nulls last
        ),
        null
    ) as average_precision_place,
    n_complete_targets,
    n_benchmark_targets,
    reason
from entry
