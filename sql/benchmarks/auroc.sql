-- Title:   Area under the ROC curve
-- Result:  Benchmarks
-- Formula: auroc = (sum of the positives' mid-ranks - P (P + 1) / 2) / (P N), the probability that
--          a random positive outscores a random negative, ties one half; auroc_trapezoid = sum
--          over the steps of the ROC curve of (fpr step) x (mean of tpr before and after)
-- Units:   probability 0..1; NULL for a single class
-- Grain:   submission_id, target
-- Portability: doubled ranks and areas in counts are whole, summed exactly in 128-bit integers
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
),

-- Each distinct score of a positive, and the lowest score.
turning_score as (
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
),

corner as (
    select
        submission_id,
        target_id,
        n_positive as n_positive_at_threshold,
        n_at_least - n_higher - n_positive as n_negative_at_threshold,
        sum(n_positive) over downwards as tp,
        -- The horizontal step before the one that ends here.
        n_higher - lag(n_at_least, 1, 0) over downwards as n_negative_before,
        2 * n_scored + 1 - n_higher - n_at_least as doubled_rank
    from turning_score
    window downwards as (partition by submission_id, target_id order by score desc)
),

doubled_area as (
    select
        submission_id,
        target_id,
        cast(sum(n_positive_at_threshold) as bigint) as n_positive,
        cast(sum(n_negative_before + n_negative_at_threshold) as bigint) as n_negative,
        sum(cast(n_positive_at_threshold as hugeint) * doubled_rank)
        - cast(n_positive as hugeint) * (n_positive + 1) as by_rank,
        sum(
            cast(n_negative_before as hugeint) * 2 * (tp - n_positive_at_threshold)
            + cast(n_negative_at_threshold as hugeint) * (2 * tp - n_positive_at_threshold)
        ) as by_trapezoid,
        cast(2 as double) * n_positive * n_negative as of_unit_square
    from corner
    group by submission_id, target_id
)

select
    submission_target.submission_id,
    benchmark_target.name as target,
    coalesce(doubled_area.n_positive, 0) as n_positive,
    coalesce(doubled_area.n_negative, 0) as n_negative,
    cast(doubled_area.by_rank as double) / nullif(doubled_area.of_unit_square, 0) as auroc,
    cast(doubled_area.by_trapezoid as double) / nullif(doubled_area.of_unit_square, 0)
        as auroc_trapezoid,
    case
        when doubled_area.submission_id is null then 'no item has a true class'
        when doubled_area.n_positive = 0 then 'no item is positive'
        when doubled_area.n_negative = 0 then 'no item is negative'
    end as reason
from submission_target
inner join benchmark_target using (target_id)
inner join benchmark
    on benchmark_target.benchmark_id = benchmark.benchmark_id and benchmark.kind = 'binary'
left join doubled_area using (submission_id, target_id)
