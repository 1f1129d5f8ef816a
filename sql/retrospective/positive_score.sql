-- Title:   Scores of positives
-- Formula: positives at each distinct score of a positive, and the bin of positive_range into which
--          the score falls
-- Source:  METRICS section 3; the base of auc
-- Units:   score as given; bin 0 to 524288
-- Grain:   evaluation_id, score
with score_map as (
    -- Of rows grouped by score the planner expects as many as there are candidates, and would
    -- keep the candidates in memory to look the positives up; of an unpacked map it does not.
    select
        evaluation_id,
        unnest(map_entries(histogram(score))) as entry
    from labeled_candidate
    where is_positive
    group by evaluation_id
)

select
    evaluation_id,
    positive_range.candidate_set_id,
    score_map.entry.key as score,
    cast(score_map.entry.value as bigint) as n_positive,
    cast(
        (score_map.entry.key / 2 - positive_range.half_lowest) * positive_range.bins_per_half
        as integer
    ) as score_bin
from score_map
inner join positive_range using (evaluation_id)
