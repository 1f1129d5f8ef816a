-- Title:   Scores of positives
-- Formula: positives at each distinct score of a positive, and the bin of positive_range into which
--          the score falls; has_many_scores where the distinct scores in the bin exceed 16
-- Units:   score as given; bin 1 to 262138
-- Grain:   evaluation_id, score
-- Bounds:  16 is a choice of speed: it decides how candidates are counted, never the count
with binned as (
    select
        positive_count.*,
        cast(
            cast(
                (positive_count.score / 2 - positive_range.half_lowest)
                * positive_range.bins_per_half as bigint
            ) + 1 as integer
        ) as score_bin
    from positive_count
    inner join positive_range on positive_count.evaluation_id = positive_range.evaluation_id
)

select
    evaluation_id,
    candidate_set_id,
    score,
    n_positive,
    score_bin,
    count(*) over (partition by evaluation_id, score_bin) > 16 as has_many_scores
from binned
