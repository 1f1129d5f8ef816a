-- Title:   AUROC by ranks
-- Formula: (sum of the positives' mid-ranks - P (P + 1) / 2) / (P N), for P positives, N negatives
-- Source:  METRICS section 4.2, auroc
-- Units:   probability 0..1; NULL for a single class
-- Grain:   submission_id, target
-- Portability: doubled mid-ranks are whole numbers, summed exactly in 128-bit integers
-- The running count includes the ties of a row: rank + count is the doubled mid-rank, in one sort.
with ranked_score as (
    select
        submission_id,
        target_id,
        actual >= 1 as is_positive,
        rank() over by_score + count(*) over by_score as doubled_rank
    from scored_value
    window by_score as (partition by submission_id, target_id order by predicted)
),

rank_sum as (
    select
        submission_id,
        target_id,
        count(*) filter (where is_positive) as n_positive,
        count(*) filter (where not is_positive) as n_negative,
        sum(doubled_rank) filter (where is_positive) as doubled_rank_sum
    from ranked_score
    group by submission_id, target_id
)

select
    submission_target.submission_id,
    benchmark_target.name as target,
    coalesce(rank_sum.n_positive, 0) as n_positive,
    coalesce(rank_sum.n_negative, 0) as n_negative,
    cast(
        rank_sum.doubled_rank_sum
        - cast(rank_sum.n_positive as hugeint) * (rank_sum.n_positive + 1) as double
    ) / nullif(cast(2 as double) * rank_sum.n_positive * rank_sum.n_negative, 0) as auroc,
    case
        when rank_sum.submission_id is null then 'no item has a true class'
        when rank_sum.n_positive = 0 then 'no item is positive'
        when rank_sum.n_negative = 0 then 'no item is negative'
    end as reason
from submission_target
inner join benchmark_target using (target_id)
inner join benchmark
    on benchmark_target.benchmark_id = benchmark.benchmark_id and benchmark.kind = 'binary'
left join rank_sum using (submission_id, target_id)
