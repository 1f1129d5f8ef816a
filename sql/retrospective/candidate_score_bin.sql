-- Title:   Candidates with their score bin
-- Formula: the bin of positive_score into which each candidate's score falls
-- Source:  METRICS section 3; the base of auc
-- Units:   bin 0 to 524288; -1 lies below every positive, 524289 above
-- Grain:   evaluation_id, disease_id, drug_id
with score_range as (
    select distinct
        evaluation_id,
        candidate_set_id,
        lowest_score,
        highest_score,
        half_range
    from positive_score
)

select
    score_range.evaluation_id,
    candidate.disease_id,
    candidate.drug_id,
    candidate.score,
    case
        when candidate.score < score_range.lowest_score then -1
        when candidate.score > score_range.highest_score then 524289
        else cast(coalesce(
            524288
            * ((candidate.score / 2 - score_range.lowest_score / 2) / score_range.half_range),
            0
        ) as integer)
    end as score_bin
from candidate
inner join score_range using (candidate_set_id)
