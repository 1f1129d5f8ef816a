-- Title:   Leaderboard of binary benchmarks
-- Formula: means over the submitted targets of AUROC and of average precision; each ranked on its
--          own, equal values share a rank
-- Source:  docs/metrics.md#binary_leaderboard
-- Units:   ranks from 1; NULL, with the reason, for submissions that are not compared
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

target_count as (
    select
        benchmark_id,
        count(*) as n_benchmark_targets
    from benchmark_target
    group by benchmark_id
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
        not submission.is_partial and summary.n_targets = target_count.n_benchmark_targets
            as is_eligible,
        case
            when submission.is_partial then 'partial submissions are not ranked'
            when summary.n_targets < target_count.n_benchmark_targets
                then 'only submissions with every target are ranked'
            when summary.n_reasons > 0 then summary.reason
        end as reason
    from submission
    inner join summary using (submission_id)
    inner join target_count using (benchmark_id)
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
    ) as auroc_rank,
    mean_average_precision,
    if(
        is_eligible and mean_average_precision is not null,
        rank() over (
            partition by benchmark_id, track, is_eligible
            order by mean_average_precision desc nulls last
        ),
        null
    ) as average_precision_rank,
    reason
from entry
