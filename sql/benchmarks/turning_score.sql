-- Title:   Scores at which the ROC curve turns
-- Formula: each distinct score of a positive, and the lowest score: the items scored higher, and
--          those scored at least as high
-- Units:   counts; n_scored is all items of the target with a score and a true class
-- Grain:   submission_id, target_id, score
with numbered_target as (
    -- Of each target, whether every item has a class; its number fits into a byte, else is NULL.
    select
        benchmark_target.target_id,
        try_cast(row_number() over by_benchmark as utinyint) as target_number,
        coalesce(
            benchmark.n_items * count(*) over of_benchmark = truth_set.n_values, false
        ) as has_every_class
    from benchmark
    inner join benchmark_target using (benchmark_id)
    left join truth_set using (benchmark_id)
    where benchmark.kind = 'binary'
    window
        of_benchmark as (partition by benchmark.benchmark_id),
        by_benchmark as (of_benchmark order by benchmark_target.target_id)
),

other_value as materialized (
    -- Materialized so that an empty result is known before the truth of every item is joined.
    select
        submission_value.submission_id,
        submission_value.target_id,
        submission_value.item_id,
        submission_value.value as score
    from submission_value
    inner join numbered_target using (target_id)
    where not numbered_target.has_every_class or numbered_target.target_number is null
),

ranked_score as (
    select
        submission_value.submission_id,
        submission_value.target_id,
        submission_value.value as score,
        positive.item_id is not null as is_positive,
        rank() over downwards - 1 as n_higher,
        count(*) over downwards as n_at_least,
        count(*) over everything as n_scored
    from submission_value
    inner join numbered_target using (target_id)
    -- Where every item has a class, one that is not positive is negative.
    left join truth as positive
        on
            submission_value.target_id = positive.target_id
            and submission_value.item_id = positive.item_id
            and positive.value >= 1
    where numbered_target.has_every_class and numbered_target.target_number is not null
    -- A key of at most 16 bytes sorts faster; the target's number takes one of them.
    window
        everything as (partition by submission_value.submission_id, numbered_target.target_number),
        downwards as (everything order by submission_value.value desc)
    union all
    select
        other_value.submission_id,
        other_value.target_id,
        other_value.score,
        truth.value >= 1 as is_positive,
        rank() over downwards_wide - 1 as n_higher,
        count(*) over downwards_wide as n_at_least,
        count(*) over everything_wide as n_scored
    from other_value
    inner join truth using (target_id, item_id)
    window
        everything_wide as (partition by other_value.submission_id, other_value.target_id),
        downwards_wide as (everything_wide order by other_value.score desc)
)

select
    submission_id,
    target_id,
    score,
    count(*) filter (where is_positive) as n_positive,
    min(n_higher) as n_higher,
    min(n_at_least) as n_at_least,
    min(n_scored) as n_scored
from ranked_score
where is_positive or n_at_least = n_scored
group by submission_id, target_id, score
