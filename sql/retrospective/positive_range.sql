-- Title:   Score range of positives
-- Formula: half the lowest score of a positive, and 262137 / half the range up to the highest
-- Units:   halves of a score, bins per half; 0 where all positives have one score, whose bin then
--          takes every candidate
-- Grain:   evaluation_id
-- Bounds:  the number of bins is a choice of speed, on which no figure depends;
--          1.7976931348623157e308 is the largest double
with half_range as (
    select
        evaluation_id,
        candidate_set_id,
        -- Halved, neither the range of the widest scores nor a distance within it overflows.
        min(score) / 2 as half_lowest,
        max(score) / 2 - min(score) / 2 as half_range
    from positive_count
    group by evaluation_id, candidate_set_id
)

select
    evaluation_id,
    candidate_set_id,
    half_lowest,
    case
        when half_range > 0 then least(262137 / half_range, 1.7976931348623157e308)
        else 0
    end as bins_per_half
from half_range
