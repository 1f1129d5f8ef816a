-- Title:   Scores of positives
-- Formula: positives at each distinct score of a positive; bin = position of the score between
--          the lowest and the highest, in 2^19 steps
-- Source:  METRICS section 3; the base of auc
-- Units:   score as given; lowest_score and half_range place a candidate into the same bins
-- Grain:   evaluation_id, score
with distinct_score as (
    select
        evaluation_id,
        candidate_set_id,
        score,
        count(*) as n_positive
    from labeled_candidate
    where is_positive
    group by evaluation_id, candidate_set_id, score
),

score_range as (
    select
        evaluation_id,
        min(score) as lowest_score,
        max(score) as highest_score,
        -- Halved, the range of the widest scores does not overflow; NULL if all are equal.
        nullif(max(score) / 2 - min(score) / 2, 0) as half_range
    from distinct_score
    group by evaluation_id
)

select
    evaluation_id,
    distinct_score.candidate_set_id,
    distinct_score.score,
    distinct_score.n_positive,
    score_range.lowest_score,
    score_range.highest_score,
    score_range.half_range,
    -- Subtracting, dividing and rounding are monotone: a higher score never has a lower bin.
    cast(coalesce(
        524288
        * ((distinct_score.score / 2 - score_range.lowest_score / 2) / score_range.half_range),
        0
    ) as integer) as score_bin
from distinct_score
inner join score_range using (evaluation_id)
