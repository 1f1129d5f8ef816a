-- Title:   Folds on which a submission's targets are scored
-- Formula: 'aggregated', all items at once, and on the cross-validation track each fold
-- Units:   names
-- Grain:   submission_id, target_id, fold
with fold as (
    select
        benchmark_id,
        'cv' as track,
        fold
    from benchmark_fold
    union all
    select
        benchmark.benchmark_id,
        track.track,
        'aggregated' as fold
    from benchmark
    cross join (values ('cv'), ('heldout'), ('public'), ('test')) as track (track)
)

select
    submission.submission_id,
    submission_target.target_id,
    benchmark_target.name as target,
    benchmark_target.is_lower_better,
    fold.fold
from submission
inner join submission_target using (submission_id)
inner join benchmark_target using (target_id)
inner join fold on submission.benchmark_id = fold.benchmark_id and submission.track = fold.track
