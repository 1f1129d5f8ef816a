-- Title:   Leaderboard of ordinal benchmarks
-- Result:  Benchmarks
-- Formula: the means of ordinal_auprc, each in its own order, equal values share a place
-- Source:  docs/metrics.md#ordinal_leaderboard
-- Units:   places from 1; NULL, with the reason, for submissions that are not compared
-- Grain:   submission_id
with entry as (
    select
        submission.submission_id,
        submission.benchmark_id,
        submission.track,
        submission.submitter,
        submission.is_partial,
        submission.truth_sha256 is null as is_frozen_before_truth,
        ordinal_auprc.ordinal_auprc,
        ordinal_auprc.ordinal_nap,
        ordinal_auprc.severity_ordering_ap,
        if(submission.is_partial, 'partial submissions are not ranked', ordinal_auprc.reason)
            as reason
    from submission
    inner join ordinal_auprc using (submission_id)
)

select
    submission_id,
    benchmark_id,
    track,
    submitter,
    is_partial,
    is_frozen_before_truth,
    ordinal_auprc,
    if(
        not is_partial and ordinal_auprc is not null,
        rank() over (
            partition by benchmark_id, track, is_partial order by ordinal_auprc desc nulls last
        ),
        null
    ) as auprc_place,
    ordinal_nap,
    if(
        not is_partial and ordinal_nap is not null,
        rank() over (
            partition by benchmark_id, track, is_partial order by ordinal_nap desc nulls last
        ),
        null
    ) as nap_place,
    severity_ordering_ap,
    if(
        not is_partial and severity_ordering_ap is not null,
        rank() over (
            partition by benchmark_id, track, is_partial
            order by severity_ordering_ap desc nulls last
        ),
        null
    ) as severity_place,
    reason
from entry
