-- Title:   Temporal AUC
-- Result:  Retrospective
-- Formula: the ranker fitted on positives approved up to the cutoff year; probability that a
--          positive of a later year outscores a pair without a positive label in any year, ties
--          one half
-- Units:   fraction 0..1; NULL where a class is empty; approval_year 'all' = all later years
-- Grain:   evaluation_id, ranker, cutoff_year, approval_year
with year_win as (
    select
        evaluation_id,
        ranker,
        cutoff_year,
        unnest([cast(approval_year as varchar), 'all']) as approval_year,
        n_pairs,
        n_pairs * (2 * n_below + n_tied) as n_half_wins
    from temporal_score_count
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
