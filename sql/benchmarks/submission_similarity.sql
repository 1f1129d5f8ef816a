-- Title:   How alike submissions of different submitters are
-- Result:  Benchmarks
-- Formula: of two submissions to a benchmark: the least Spearman correlation of their values, over
--          the targets that both have; of ranked lists, the share of the longer one's rows that the
--          other has at the same position. is_identical where every value, or row, is the same
-- Units:   -1..1, of lists 0..1; NULL where the values of a target are constant; n_shared counts
--          the values or rows that both have
-- Grain:   submission_id, other_id
-- Portability: doubled mid-ranks are whole numbers, so the sums are exact in 128-bit integers
with pair as (
    select
        submission.submission_id,
        other.submission_id as other_id,
        submission.n_values,
        other.n_values as n_other_values
    from submission
    inner join submission as other
        on
            submission.benchmark_id = other.benchmark_id
            and submission.submitter <> other.submitter
),

both_value as (
    select
        pair.submission_id,
        pair.other_id,
        submission_value.target_id,
        submission_value.value = other_value.value as is_equal,
        rank() over by_own + count(*) over by_own as own_rank,
        rank() over by_other + count(*) over by_other as other_rank
    from pair
    inner join submission_value on pair.submission_id = submission_value.submission_id
    inner join submission_value as other_value
        on
            pair.other_id = other_value.submission_id
            and submission_value.target_id = other_value.target_id
            and submission_value.item_id = other_value.item_id
    window
        by_own as (
            partition by pair.submission_id, pair.other_id, submission_value.target_id
            order by submission_value.value
        ),
        by_other as (
            partition by pair.submission_id, pair.other_id, submission_value.target_id
            order by other_value.value
        )
),

moment as (
    select
        submission_id,
        other_id,
        count(*) as n,
        count(*) filter (where is_equal) as n_equal,
        cast(count(*) as hugeint) * (count(*) + 1) as rank_sum,
        cast(n * sum(own_rank * other_rank) - rank_sum * rank_sum as double) as covariance,
        cast(n * sum(own_rank * own_rank) - rank_sum * rank_sum as double) as own_variance,
        cast(n * sum(other_rank * other_rank) - rank_sum * rank_sum as double) as other_variance,
        covariance / nullif(sqrt(own_variance * other_variance), 0) as spearman
    from both_value
    group by submission_id, other_id, target_id
),

alike as (
    select
        submission_id,
        other_id,
        sum(n) as n_shared,
        sum(n_equal) as n_equal,
        if(count(spearman) = count(*), min(spearman), null) as similarity
    from moment
    group by submission_id, other_id
),

listed as (
    select
        pair.submission_id,
        pair.other_id,
        count(*) as n_shared,
        count(*) as n_equal
    from pair
    inner join ranked_prediction on pair.submission_id = ranked_prediction.submission_id
    inner join ranked_prediction as other_prediction
        on
            pair.other_id = other_prediction.submission_id
            and ranked_prediction.item_id = other_prediction.item_id
            and ranked_prediction.position = other_prediction.position
            and ranked_prediction.label_id = other_prediction.label_id
    group by pair.submission_id, pair.other_id
)

select
    pair.submission_id,
    pair.other_id,
    cast(alike.n_shared as bigint) as n_shared,
    alike.n_equal = greatest(pair.n_values, pair.n_other_values) as is_identical,
    alike.similarity
from pair
inner join alike using (submission_id, other_id)
union all
select
    pair.submission_id,
    pair.other_id,
    listed.n_shared,
    listed.n_equal = greatest(pair.n_values, pair.n_other_values) as is_identical,
    listed.n_shared / greatest(pair.n_values, pair.n_other_values) as similarity
from pair
inner join listed using (submission_id, other_id)
