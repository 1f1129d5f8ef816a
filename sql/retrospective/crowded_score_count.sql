-- Title:   Candidates by score of crowded positives
-- Formula: candidates scored below and equal to each score of a positive that shares its bin with
--          many others
-- Units:   counts
-- Grain:   evaluation_id, score
with crowded_score as (
    select
        evaluation_id,
        candidate_set_id,
        score,
        n_positive
    from positive_score
    where has_many_scores
),

-- The next number below each score is added, so that every score has its own interval.
interval_end as (
    select unnest([score, nextafter(score, cast('-infinity' as double))]) as score
    from crowded_score
),

-- A binary search for each candidate: sorting so many would not fit into memory.
interval_map as (
    select
        candidate.candidate_set_id,
        histogram(
            candidate.score,
            (select coalesce(list(distinct interval_end.score), []) from interval_end)
        ) as n_by_end
    from candidate
    where candidate.candidate_set_id in (select crowded_score.candidate_set_id from crowded_score)
    group by candidate.candidate_set_id
),

interval_count as (
    select
        candidate_set_id,
        unnest(map_keys(n_by_end)) as score,
        cast(unnest(map_values(n_by_end)) as bigint) as n_candidates
    from interval_map
),

running_count as (
    select
        candidate_set_id,
        score,
        n_candidates,
        cast(sum(n_candidates) over (
            partition by candidate_set_id
            order by score
        ) as bigint) as n_up_to
    from interval_count
)

select
    crowded_score.evaluation_id,
    score,
    crowded_score.n_positive,
    running_count.n_up_to - running_count.n_candidates as n_below,
    running_count.n_candidates as n_tied
from crowded_score
inner join running_count using (candidate_set_id, score)
