-- Title:   Area under the ROC curve
-- Result:  Benchmarks
-- Formula: auroc = (sum of the positives' mid-ranks - P (P + 1) / 2) / (P N), the probability that
--          a random positive outscores a random negative, ties one half; auroc_trapezoid = sum
--          over the steps of the ROC curve of (fpr step) x (mean of tpr before and after)
-- Units:   probability 0..1; NULL for a single class
-- Grain:   submission_id, target
-- Portability: doubled ranks and areas in counts are whole, summed exactly in 128-bit integers
with corner as (
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
