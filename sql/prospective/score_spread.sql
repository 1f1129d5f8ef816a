-- Title:   Spread of the scores
-- Result:  Scores and probabilities
-- Formula: distinct scores of a disease's predictions, and predictions that share theirs
-- Units:   counts and score units; equal scores are ranked by the MD5 of the folded names of
--          disease and drug
-- Grain:   slate_id, disease_id
with score_count as (
    select
        slate_id,
        disease_id,
        score,
        count(*) as n_sharing
    from prediction
    group by slate_id, disease_id, score
)

select
    slate_id,
    disease_id,
    cast(sum(n_sharing) as bigint) as n_predictions,
    count(*) as n_distinct_scores,
    coalesce(cast(sum(n_sharing) filter (where n_sharing > 1) as bigint), 0) as n_tied_predictions,
    min(score) as lowest_score,
    max(score) as highest_score,
    count(*) = 1 and sum(n_sharing) > 1 as is_constant
from score_count
group by slate_id, disease_id
