-- Title:   Candidates with their score bin
-- Formula: the bin of positive_range into which each candidate's score falls
-- Source:  docs/metrics.md#candidate_score_bin
-- Units:   bin 0 to 262144; -1 is below every positive, 262145 above
-- Grain:   evaluation_id, disease_id, drug_id
with placed as (
    select
        positive_range.evaluation_id,
        candidate.disease_id,
        candidate.drug_id,
        candidate.score,
        (candidate.score / 2 - positive_range.half_lowest) * positive_range.bins_per_half as place
    from candidate
    inner join positive_range using (candidate_set_id)
)

select
    evaluation_id,
    disease_id,
    drug_id,
    score,
    -- Each step is monotone: a higher score never has a lower bin. Whole numbers are compared in
    -- half the time, and a place far outside the bins is none.
    case
        when try_cast(place as integer) between -1 and 262145 then try_cast(place as integer)
        when place > 0 then 262145
        else -1
    end as score_bin
from placed
