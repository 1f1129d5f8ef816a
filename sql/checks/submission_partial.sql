-- Title:   A submission is marked as partial if and only if it lacks values
-- When:    audit
-- Grain:   submission_id
with full_size as (
    select
        submission.submission_id,
        count(*) * any_value(benchmark.n_items) as n_full
    from submission
    inner join benchmark
        on submission.benchmark_id = benchmark.benchmark_id and benchmark.kind <> 'multilabel'
    inner join submission_target using (submission_id)
    group by submission.submission_id
)

select
    submission.submission_id,
    'the partial mark does not match the number of values' as reason
from submission
inner join full_size using (submission_id)
where
    submission.n_values > full_size.n_full
    or submission.is_partial <> (submission.n_values < full_size.n_full)
