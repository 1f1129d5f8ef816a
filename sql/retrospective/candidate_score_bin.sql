-- Title:   Candidates with their score bin
-- Formula: the bin of positive_range into which each candidate's score falls
-- Source:  docs/metrics.md#candidate_score_bin
-- Units:   bin 0 to 524288; -1 is below every positive, 524289 above
-- Grain:   evaluation_id, disease_id, drug_id
select
    positive_range.evaluation_id,
    candidate.disease_id,
    candidate.drug_id,
    candidate.score,
    -- Each step is monotone: a higher score never has a lower bin.
    cast(greatest(least(
        (candidate.score / 2 - positive_range.half_lowest) * positive_range.bins_per_half,
        524289
    ), -1) as integer) as score_bin
from candidate
inner join positive_range using (candidate_set_id)
