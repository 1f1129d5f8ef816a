-- Title:   Score bins that contain positives
-- Formula: distinct scores of positives in the bin; has_many_scores where they exceed 16
-- Units:   counts
-- Grain:   evaluation_id, score_bin
-- Bounds:  16 is a choice of speed: it decides how candidates are counted, never the count
select
    evaluation_id,
    score_bin,
    count(*) as n_scores,
    count(*) > 16 as has_many_scores
from positive_score
group by evaluation_id, score_bin
