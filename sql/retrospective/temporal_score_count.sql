-- Title:   Temporal pairs by score of later positives
-- Formula: later positives of a year at each distinct score, and negatives scored below it or
--          equal to it; each negative is counted at the next score of a positive
-- Units:   counts
-- Grain:   evaluation_id, ranker, cutoff_year, approval_year, score
with year_count as (
    select
        evaluation_id,
        ranker,
        cutoff_year,
        approval_year,
        score,
        count(*) as n_pairs
    from temporal_class
    where approval_year is not null
    group by evaluation_id, ranker, cutoff_year, approval_year, score
),

later_score as (
    select distinct
        evaluation_id,
        ranker,
        cutoff_year,
        score
    from year_count
),

-- An asof join sorts the negatives once and keeps one row per score of a positive.
negative_count as (
    select
        later_score.evaluation_id,
        later_score.ranker,
        later_score.cutoff_year,
        later_score.score,
        count(*) as n_up_to,
        count(*) filter (where negative.score = later_score.score) as n_tied
    from temporal_class as negative
    asof inner join later_score
        on
            negative.evaluation_id = later_score.evaluation_id
            and negative.ranker = later_score.ranker
            and negative.cutoff_year = later_score.cutoff_year
            and negative.score <= later_score.score
    where negative.approval_year is null
    group by
        later_score.evaluation_id,
        later_score.ranker,
        later_score.cutoff_year,
        later_score.score
),

running_count as (
    select
        evaluation_id,
        ranker,
        cutoff_year,
        score,
        coalesce(negative_count.n_tied, 0) as n_tied,
        coalesce(
            sum(negative_count.n_up_to) over (
                partition by evaluation_id, ranker, cutoff_year
                order by score
            ),
            0
        ) as n_up_to
    from later_score
    left join negative_count using (evaluation_id, ranker, cutoff_year, score)
)

select
    evaluation_id,
    ranker,
    cutoff_year,
    year_count.approval_year,
    score,
    year_count.n_pairs,
    cast(running_count.n_up_to - running_count.n_tied as bigint) as n_below,
    running_count.n_tied
from year_count
inner join running_count using (evaluation_id, ranker, cutoff_year, score)
