-- Title:   Temporal AUC
-- Result:  Retrospective
-- Formula: the ranker fitted on positives approved up to the cutoff year; probability that a
--          positive of a later year outscores a pair without a positive label in any year, ties
--          one half
-- Units:   fraction 0..1; NULL where a class is empty; approval_year 'all' = all later years
-- Grain:   evaluation_id, ranker, cutoff_year, approval_year
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
),

year_win as (
    select
        evaluation_id,
        ranker,
        cutoff_year,
        unnest([cast(year_count.approval_year as varchar), 'all']) as approval_year,
        year_count.n_pairs,
        -- A negative scored below counts 2, one scored equal 1.
        year_count.n_pairs
        * cast(2 * running_count.n_up_to - running_count.n_tied as bigint) as n_half_wins
    from year_count
    inner join running_count using (evaluation_id, ranker, cutoff_year, score)
),

year_sum as (
    select
        evaluation_id,
        ranker,
        cutoff_year,
        approval_year,
        cast(sum(n_pairs) as bigint) as n_positive,
        sum(n_half_wins) as n_half_wins
    from year_win
    group by evaluation_id, ranker, cutoff_year, approval_year
),

negative_sum as (
    select
        evaluation_id,
        ranker,
        cutoff_year,
        count(*) as n_negative
    from temporal_class
    where approval_year is null
    group by evaluation_id, ranker, cutoff_year
),

later_year as (
    select
        evaluation_id,
        ranker,
        cutoff_year,
        unnest(range(first_year, last_year + 1)) as approval_year
    from ranker_run
    where procedure = 'temporal'
),

run_year as (
    select distinct
        evaluation_id,
        ranker,
        cutoff_year,
        unnest([cast(approval_year as varchar), 'all']) as approval_year
    from later_year
)

select
    evaluation_id,
    ranker,
    cutoff_year,
    approval_year,
    coalesce(year_sum.n_positive, 0) as n_positive,
    coalesce(negative_sum.n_negative, 0) as n_negative,
    year_sum.n_half_wins / nullif(2 * year_sum.n_positive * negative_sum.n_negative, 0)
        as temporal_auc,
    case
        when year_sum.n_positive is null then 'no positive of this year is among the candidates'
        when negative_sum.n_negative is null then 'every candidate has a positive label'
    end as reason
from run_year
left join year_sum using (evaluation_id, ranker, cutoff_year, approval_year)
left join negative_sum using (evaluation_id, ranker, cutoff_year)
