-- Title:   Scores of positives
-- Formula: positives at each distinct score of a positive, and the bin of positive_range into which
--          the score falls
-- Units:   score as given; bin 1 to 262138
-- Grain:   evaluation_id, score
select
    positive_count.evaluation_id,
    positive_count.candidate_set_id,
    positive_count.score,
    positive_count.n_positive,
    cast(
        cast(
            (positive_count.score / 2 - positive_range.half_lowest) * positive_range.bins_per_half
            as bigint
        ) + 1 as integer
    ) as score_bin
from positive_count
inner join positive_range on positive_count.evaluation_id = positive_range.evaluation_id
